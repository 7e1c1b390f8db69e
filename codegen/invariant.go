package codegen

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
)

// A leaf loop in Go computes what takes long and is the same in all of its iterations before
// it begins: of
//
//	psi(i) = q(i)/sqrt(norm/n)
//
// the root. Go's compiler moves nothing out of loops. Values of reals alone are moved: there
// is no failure in them that a loop without iterations would not have.

// costly are the functions that are worth it.
var costly = map[string]bool{
	"sqrt": true, "exp": true, "log": true, "log10": true, "sin": true, "cos": true, "tan": true, "asin": true, "acos": true, "atan": true,
	"atan2": true, "sinh": true, "cosh": true, "tanh": true, "asinh": true, "acosh": true, "atanh": true, "hypot": true, "sind": true, "cosd": true, "tand": true,
	"erf": true, "erfc": true, "erfc_scaled": true, "gamma": true, "log_gamma": true,
	"bessel_j0": true, "bessel_j1": true, "bessel_jn": true, "bessel_y0": true, "bessel_y1": true, "bessel_yn": true,
}

// invariants emits the values that every iteration needs and none changes. Behind the loop
// drop takes them back, with the lines of those that it did not mention, whose number it returns.
func (l *leaf) invariants() (drop func() int) {
	g := l.g
	type value struct {
		e    ir.Expr
		name string
		line int
	}
	var values []value
	for _, s := range l.body {
		for _, e := range ir.Exprs(s) {
			ir.WalkExpr(e, func(e ir.Expr) bool {
				if _, ok := e.(*ir.Ref); ok {
					return false // its subscripts are INTEGERs
				}
				if _, ok := asReal(e); ok || !l.sameEverywhere(e) || !pays(e) {
					return true
				}
				name := g.names.fresh("same")
				g.out.at = s.Position().Line
				values = append(values, value{e, name, len(g.out.lines)})
				g.out.p("%s := %s", name, g.expr(e))
				g.held[e] = name
				return false
			})
		}
	}
	return func() int {
		n := len(g.out.lines)
		for i := len(values) - 1; i >= 0; i-- {
			delete(g.held, values[i].e)
			g.dropUnusedBefore(values[i].line, len(g.out.lines), values[i].name)
		}
		return n - len(g.out.lines)
	}
}

// pays reports whether e takes long, and is no constant.
func pays(e ir.Expr) bool {
	long, varies := false, false
	ir.WalkExpr(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Var:
			varies = true
		case *ir.Bin:
			long = long || e.Op == ir.Div || e.Op == ir.Pow
		case *ir.Call:
			long = long || costly[e.Name]
		}
		return true
	})
	return long && varies && !e.Type().IsInteger()
}

// sameEverywhere reports whether e has one value in all iterations, which is made of constants
// and scalars, and cannot fail.
func (l *leaf) sameEverywhere(e ir.Expr) bool {
	t := e.Type()
	if !t.IsReal() && !t.IsComplex() && !t.IsInteger() {
		return false
	}
	switch e := e.(type) {
	case *ir.Const:
		return true
	case *ir.Var:
		return e.Sym != l.d.Index && !l.varies[e.Sym]
	case *ir.Un, *ir.Conv:
	case *ir.Bin:
		if t.IsInteger() && (e.Op == ir.Div || e.Op == ir.Pow) {
			return false
		}
	case *ir.Call:
		if t.IsInteger() || !costly[e.Name] && e.Name != "cmplx" {
			return false
		}
	default:
		return false
	}
	return !slices.ContainsFunc(ir.Children(e), func(x ir.Expr) bool { return !l.sameEverywhere(x) })
}
