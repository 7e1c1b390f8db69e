package codegen

import (
	"fmt"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/ir"
)

// Where a subscript is the product of the index with what the loop does not change, as in
//
//	do i = 0, half - 1
//	   v = x(i+half)*w(i*step)
//	end do
//
// the elements lie at one distance from each other, which the program computes in front of the loop.
// The array must be one that the loop does not store to.

// stepped loads such an element, if all iterations do.
func (v *vectorLoop) stepped(r *ir.Ref) (x vectorValue, ok bool) {
	l, g := v.leaf, v.leaf.g
	acc := g.access(r)
	t, known := vectorType(r.Sym.Type.Part())
	object := l.object(r)
	if !known || t == kernel.Mask || v.jam != nil || v.flat != nil || l.step == 0 || len(l.part) > 0 || l.writes[object] || acc != nil && acc.Mode != comm.Own || !v.always(r) {
		return x, false
	}
	if slope := v.slope(r.Subs[0]); slope == "" || slope == "0" {
		return x, false
	}
	for d, s := range r.Subs {
		if d > 0 && !v.fixed(s) || len(ir.ExprRefs(s)) > 0 {
			return x, false
		}
	}
	first := func() string {
		texts := make([]string, len(r.Subs))
		for d, s := range r.Subs {
			texts[d], _ = g.asInt(s, sums)
		}
		return fmt.Sprintf("%s.%s", object, atCall(texts))
	}
	steps := func() string {
		by := v.slope(r.Subs[0])
		if l.step != 1 {
			by = fmt.Sprintf("%d*%s", l.step, by)
		}
		return fmt.Sprintf("%s.Stride(0, %s)", object, by)
	}
	key := fmt.Sprint("stepped ", object, ir.ExprString(r))
	re := v.by[key]
	if re == nil {
		v.streams = append(v.streams, vectorStream{leafRef: leafRef{ref: r, object: object, line: v.lineOf(r)}, widest: v.copy, first: first, steps: steps})
		i := v.k.Stream(fmt.Sprintf("x%d", len(v.streams)), t)
		v.k.Streams[i].Stride = 0
		re = v.k.Load(i, 0, nil)
		v.by[key] = re
	}
	if !r.Sym.Type.IsComplex() {
		return vectorValue{re: re}, true
	}
	return vectorValue{re, v.k.Load(re.N, 1, nil)}, true
}

// slope renders by how much an INTEGER expression grows with the index, "" if that is not the same
// in all iterations.
func (v *vectorLoop) slope(e ir.Expr) string {
	if _, constant := constantOf(e); constant || v.fixed(e) && v.early(e) {
		return "0"
	}
	switch e := e.(type) {
	case *ir.Var:
		if e.Sym == v.loop.Index {
			return "1"
		}
	case *ir.Conv:
		if e.Typ.IsInteger() && e.E.Type().IsInteger() {
			return v.slope(e.E)
		}
	case *ir.Un:
		switch e.Op {
		case ir.Group:
			return v.slope(e.E)
		case ir.Neg:
			if s := v.slope(e.E); s != "" {
				return "-" + s
			}
		}
	case *ir.Bin:
		a, b := v.slope(e.L), v.slope(e.R)
		switch {
		case a == "" || b == "":
		case e.Op == ir.Add && b == "0":
			return a
		case e.Op == ir.Add && a == "0":
			return b
		case e.Op == ir.Sub && b == "0":
			return a
		case e.Op == ir.Add || e.Op == ir.Sub:
			sign := map[ir.Op]string{ir.Add: "+", ir.Sub: "-"}[e.Op]
			return fmt.Sprintf("(%s %s (%s))", a, sign, b)
		case e.Op == ir.Mul && b == "0":
			return v.times(a, e.R)
		case e.Op == ir.Mul && a == "0":
			return v.times(b, e.L)
		}
	}
	return ""
}

// times renders the product of a slope with an expression of one value.
func (v *vectorLoop) times(slope string, e ir.Expr) string {
	by, prec := v.leaf.g.whole(e)
	if slope == "1" {
		return enclose(by, prec, precUnary)
	}
	return fmt.Sprintf("(%s * %s)", slope, enclose(by, prec, precUnary))
}

// always reports whether all iterations evaluate e: a part of an assignment that is under no
// condition, on no side of an operation that may leave it out.
func (v *vectorLoop) always(e ir.Expr) bool {
	found := false
	var find func(x ir.Expr)
	find = func(x ir.Expr) {
		found = found || x == e
		switch x := x.(type) {
		case *ir.Bin:
			if find(x.L); x.Op != ir.And && x.Op != ir.Or {
				find(x.R)
			}
			return
		case *ir.Call:
			if x.Name == "merge" {
				return
			}
		}
		for _, x := range ir.Children(x) {
			find(x)
		}
	}
	for _, s := range v.leaf.body {
		if a, ok := s.(*ir.Assign); ok {
			find(a.RHS)
			if r, ok := a.LHS.(*ir.Ref); ok {
				for _, s := range r.Subs {
					find(s)
				}
			}
		}
	}
	return found
}
