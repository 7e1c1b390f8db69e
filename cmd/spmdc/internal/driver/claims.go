package driver

import (
	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/procfunc"
)

// claims says for code generation what the proofs of a plan suppose of messages.
func claims(c *Compilation) []*codegen.Claim {
	relations := c.Functions.Relations
	if c.Plan.Program != c.Comm { // the search of plans has made another program
		relations = procfunc.Analyze(c.Plan.Program, c.Plan.Graph).Relations
	}
	list := make([]*codegen.Claim, len(relations))
	for i, r := range relations {
		x := &codegen.Claim{Must: r.Must, From: claimPlaces(r.P), To: claimPlaces(r.Q), Text: r.String()}
		for _, v := range r.Vars {
			x.Vars = append(x.Vars, codegen.ClaimIndex{Name: v.Name, Lo: v.Lo, Hi: v.Hi, Step: v.Step, Unknown: v.Unknown})
		}
		if r.Must {
			for _, e := range r.Elements {
				x.Inside = append(x.Inside, codegen.ClaimSubscript{At: e.Sub, Lo: e.Lo, Hi: e.Hi})
			}
		}
		list[i] = x
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
