package codegen

import (
	"maps"
	"slices"

	"github.com/spmdc/spmdc/ir"
)

// A statement that has both the sine and the cosine of an argument computes them at once:
//
//	w = cmplx(cos(pi*p/l), -sin(pi*p/l), 8)      sine1, cosine2 := elementary.SinCos(pi*float64(p)/float64(l))
//	                                             w = complex(cosine2, -sine1)
//
// These are the same values. So do two assignments, one behind the other, if the first does not change
// what the second uses.

// oneAngle is how many statements at the beginning of a list compute sines and cosines together: 2,
// or 1 for one that does it alone.
func (g *gen) oneAngle(list []ir.Stmt) int {
	if len(list) < 2 || g.prog.IR.SPMD {
		return 1
	}
	a, ok1 := list[0].(*ir.Assign)
	b, ok2 := list[1].(*ir.Assign)
	if !ok1 || !ok2 || a.CallSite() != b.CallSite() || g.prefix[a] != nil || g.prefix[b] != nil || g.fromList[a]+g.fromList[b] != "" ||
		!callsAny(a.RHS, "sin", "cos") || !callsAny(b.RHS, "sin", "cos") {
		return 1
	}
	if x, ok := a.LHS.(*ir.Var); !ok || ir.Mentions(b.RHS, x.Sym) {
		return 1
	}
	return 2
}

// callsAny reports whether an expression calls one of some functions.
func callsAny(e ir.Expr, names ...string) (found bool) {
	ir.WalkExpr(e, func(e ir.Expr) bool {
		c, ok := e.(*ir.Call)
		found = found || ok && slices.Contains(names, c.Name)
		return !found
	})
	return found
}

// sinesWithCosines emits that in front of the statement with expression e, or of several such
// statements; what it returns is called behind them.
func (g *gen) sinesWithCosines(exprs ...ir.Expr) (end func()) {
	calls := map[string]map[string][]ir.Expr{} // by the argument, and by the function
	see := func(e ir.Expr) bool {
		if g.held[e] != "" {
			return false
		}
		switch e := e.(type) {
		case *ir.Bin:
			return e.Op != ir.And && e.Op != ir.Or // whose right side may not be evaluated
		case *ir.Call:
			if e.Name == "merge" {
				return false
			}
			if e.Typ == ir.Double && (e.Name == "sin" || e.Name == "cos") {
				at := ir.ExprString(e.Args[0])
				if calls[at] == nil {
					calls[at] = map[string][]ir.Expr{}
				}
				calls[at][e.Name] = append(calls[at][e.Name], e)
				return false // what is in its argument need not be evaluated again
			}
		}
		return true
	}
	for _, e := range exprs {
		ir.WalkExpr(e, see)
	}
	var held []ir.Expr
	for _, at := range slices.Sorted(maps.Keys(calls)) {
		sines, cosines := calls[at]["sin"], calls[at]["cos"]
		if len(sines) == 0 || len(cosines) == 0 {
			continue
		}
		sine, cosine := g.names.fresh("sine"), g.names.fresh("cosine")
		g.out.p("%s, %s := elementary.SinCos(%s)", sine, cosine, g.expr(sines[0].(*ir.Call).Args[0]))
		for _, x := range sines {
			g.held[x] = sine
		}
		for _, x := range cosines {
			g.held[x] = cosine
		}
		held = append(append(held, sines...), cosines...)
	}
	return func() {
		for _, x := range held {
			delete(g.held, x)
		}
	}
}
