package driver

import (
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/procfunc"
)

// claims says for code generation what the proofs of a plan suppose of messages.
func claims(c *Compilation) []*codegen.Claim {
	f := c.Functions
	list := make([]*codegen.Claim, len(f.Relations))
	for i, r := range f.Relations {
		x := &codegen.Claim{Must: r.Must, From: claimPlaces(r.P), To: claimPlaces(r.Q), Text: r.String()}
		for _, v := range r.Vars {
			x.Vars = append(x.Vars, codegen.ClaimIndex{Name: v.Name, Lo: v.Lo, Hi: v.Hi, Step: v.Step, Unknown: v.Unknown})
		}
		if r.Must {
			for _, e := range r.Elements {
				x.Inside = append(x.Inside, codegen.ClaimSubscript{At: e.Sub, Lo: e.Lo, Hi: e.Hi})
			}
		}
		if r.Comm.Kind != comm.Irregular {
			x.Next = claimNext(f.NextProducers(r.Ref))
		}
		list[i] = x
	}
	return list
}

// claimNext writes NextProducers as sums over the indices of the relation and the
// variables of the program; what is no such sum of integers is every position.
func claimNext(next []procfunc.Next) (list []codegen.ClaimNext) {
	for i, n := range next {
		x := codegen.ClaimNext{Depth: len(next) - 1 - i} // the innermost comes first
		for d := range n.Matrix.Rows() {
			row := codegen.ClaimRow{Any: true}
			offset := n.Matrix.Offset(d)
			own, only := n.Matrix.Coef(d, d), true
			for k := range n.Matrix.Cols() {
				only = only && (k == d || n.Matrix.Coef(d, k).Sign() == 0)
			}
			one := own.IsInt() && own.Num().IsInt64() && own.Num().Int64() == 1
			if !offset.All && only && (one || own.Sign() == 0) && offset.Step.IsInt() && offset.Step.Num().IsInt64() {
				lo, lden, ok1 := offset.Lo.Affine()
				hi, hden, ok2 := offset.Hi.Affine()
				if ok1 && ok2 && lden == 1 && hden == 1 {
					row = codegen.ClaimRow{Own: one, Lo: lo, Hi: hi, Step: offset.Step.Num().Int64()}
				}
			}
			x.Rows = append(x.Rows, row)
		}
		list = append(list, x)
	}
	return list
}

func claimPlaces(ps []procfunc.Pos) []codegen.ClaimPlace {
	list := make([]codegen.ClaimPlace, len(ps))
	for i, p := range ps {
		list[i] = codegen.ClaimPlace{Any: p.Kind != procfunc.At, At: p.Form, Format: p.Space.Format, TLo: p.Space.TLo, THi: p.Space.THi}
	}
	return list
}
