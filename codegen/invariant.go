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

// onceOnly takes the assignments out of the body that give a scalar the same value in every
// iteration, which none changes again or uses before: as that of q in
//
//	do i = k, n, 2*h
//	   q = (k - 1)*(n/(2*h)) + 1
//	   t = w(q)*x(i+h)
//
// They are executed before the loop, if it has iterations; w(q) is one element then.
func (l *leaf) onceOnly() (once []*ir.Assign) {
	g := l.g
	if l.pick != nil || l.tail || g.prog.IR.SPMD {
		return nil
	}
	assigned, seen := map[*ir.Symbol]int{}, map[*ir.Symbol]bool{}
	ir.Walk(l.body, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok {
			assigned[ir.Target(a.LHS)]++
		}
		return true
	})
	var rest []ir.Stmt
	for _, s := range l.body {
		if a, ok := s.(*ir.Assign); ok {
			v, scalar := a.LHS.(*ir.Var)
			if scalar && assigned[v.Sym] == 1 && !seen[v.Sym] && v.Sym != l.d.Index && v.Sym.Type != ir.Character && !v.Sym.Coarray &&
				g.partial[v.Sym] == nil && g.bound[v.Sym] == 0 && g.starts[a] == "" && g.fromList[a] == "" && g.prefix[a] == nil &&
				(l.flat == nil || !l.flat.isLocal(v.Sym)) && l.sameWhereExecuted(a.RHS) {
				once = append(once, a)
				delete(l.varies, v.Sym)
				continue
			}
		}
		rest = append(rest, s)
		ir.WalkExprs([]ir.Stmt{s}, func(_ ir.Stmt, e ir.Expr) bool {
			if v, ok := e.(*ir.Var); ok {
				seen[v.Sym] = true
			}
			return true
		})
	}
	if len(rest) > 0 && len(once) > 0 {
		l.body = rest
		return once
	}
	for _, a := range once {
		l.varies[ir.Target(a.LHS)] = true
	}
	return nil
}

// sameWhereExecuted is sameEverywhere for what is executed in every iteration: it may fail, if
// there is one. What is a constant alone needs no place of its own.
func (l *leaf) sameWhereExecuted(e ir.Expr) bool {
	varies := false
	ir.WalkExpr(e, func(e ir.Expr) bool {
		_, ok := e.(*ir.Var)
		varies = varies || ok
		return true
	})
	var same func(e ir.Expr) bool
	same = func(e ir.Expr) bool {
		if b, ok := e.(*ir.Bin); ok && b.Typ.IsInteger() {
			return same(b.L) && same(b.R)
		}
		if u, ok := e.(*ir.Un); ok && u.Typ.IsInteger() {
			return same(u.E)
		}
		return l.sameEverywhere(e)
	}
	return varies && same(e)
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
