package scalar

import (
	"github.com/spmdc/spmdc/ir"
)

// Op is the operator of a reduction.
type Op uint8

const (
	Add Op = iota
	Mul
	Max
	Min
	And
	Or
)

func (o Op) String() string {
	return [...]string{"+", "*", "max", "min", ".and.", ".or."}[o]
}

// Reduction is a scalar that a loop only accumulates into. Stmts are all the
// statements of the loop that mention it, at any depth: an *ir.Assign such as
// s = s + e or s = max(s, e), or an *ir.If such as "if (e > s) s = e". The bounds
// and the step of the loop do not: whoever executes a part of the loop may begin
// it with a value of its own.
type Reduction struct {
	Sym   *ir.Symbol
	Op    Op
	Stmts []ir.Stmt
}

// Reductions lists the reductions of loop in the order of their first
// statement.
func (in *Info) Reductions(loop *ir.Do) []Reduction {
	var list []Reduction
	seen := map[*ir.Symbol]bool{}
	ir.Walk(loop.Body, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok {
			if v, ok := a.LHS.(*ir.Var); ok && !seen[v.Sym] {
				seen[v.Sym] = true
				if r, ok := in.ReductionOf(loop, v.Sym); ok {
					list = append(list, r)
				}
			}
		}
		return true
	})
	return list
}

// ReductionOf returns the reduction into sym, if Class(loop, sym) is Reduced.
func (in *Info) ReductionOf(loop *ir.Do, sym *ir.Symbol) (Reduction, bool) {
	v := in.verdict(loop, sym)
	return v.reduction, v.class == Reduced
}

// reduction recognises a reduction: every mention of sym in the loop belongs to
// a reduction statement, all with one operator. The guarded and the plain form of
// an extreme do not mix: from a NaN on, "if (e > s) s = e" keeps it for ever, while
// max(s, e) takes the next number, so that parts could not be computed apart.
func (in *Info) reduction(loop *ir.Do, sym *ir.Symbol) (Reduction, bool) {
	r := Reduction{Sym: sym}
	trusted := loop.Independent != nil && contains(loop.Independent.Reduction, sym)
	ok := !mentions(loop, sym)
	ir.Walk(loop.Body, func(s ir.Stmt) bool {
		if !ok {
			return false
		}
		op, is := reductionStmt(s, sym, trusted)
		switch {
		case is && (len(r.Stmts) == 0 || r.Op == op && (sym.Type == ir.Integer || sameForm(r.Stmts[0], s))):
			r.Op = op
			r.Stmts = append(r.Stmts, s)
			return false
		case is, mentions(s, sym):
			ok = false
			return false
		}
		return true
	})
	return r, ok && len(r.Stmts) > 0
}

// sameForm reports whether two reduction statements are both guarded or both not.
func sameForm(x, y ir.Stmt) bool {
	_, guardedX := x.(*ir.If)
	_, guardedY := y.(*ir.If)
	return guardedX == guardedY
}

// mentions reports whether s itself reads or assigns sym.
func mentions(s ir.Stmt, sym *ir.Symbol) bool {
	for _, e := range ir.Exprs(s) {
		if ir.Mentions(e, sym) {
			return true
		}
	}
	for _, a := range ir.Assigned(s) {
		if a == sym {
			return true
		}
	}
	return false
}

// reductionStmt recognises one reduction statement. With trusted, which a
// REDUCTION clause gives, s = s/e counts as a product too.
func reductionStmt(s ir.Stmt, sym *ir.Symbol, trusted bool) (Op, bool) {
	switch s := s.(type) {
	case *ir.Assign:
		v, ok := s.LHS.(*ir.Var)
		if !ok || v.Sym != sym {
			return 0, false
		}
		return accumulation(s.RHS, sym, trusted)
	case *ir.If:
		return guardedExtreme(s, sym)
	}
	return 0, false
}

// accumulation recognises the right side of s = s op e, where s occurs once, e
// does not mention it, and nothing but op stands above s in the tree.
func accumulation(e ir.Expr, sym *ir.Symbol, trusted bool) (Op, bool) {
	e = same(e, sym)
	switch e := e.(type) {
	case *ir.Bin:
		switch e.Op {
		case ir.Add, ir.Sub:
			return Add, chain(e, sym, func(b *ir.Bin, left bool) bool {
				return b.Op == ir.Add || b.Op == ir.Sub && left
			})
		case ir.Mul, ir.Div:
			return Mul, chain(e, sym, func(b *ir.Bin, left bool) bool {
				return b.Op == ir.Mul || trusted && b.Op == ir.Div && left && !sym.Type.IsInteger()
			})
		case ir.And:
			return And, chain(e, sym, func(b *ir.Bin, left bool) bool { return b.Op == ir.And && !(left && mayFail(b.R)) })
		case ir.Or:
			return Or, chain(e, sym, func(b *ir.Bin, left bool) bool { return b.Op == ir.Or && !(left && mayFail(b.R)) })
		}
	case *ir.Call:
		if e.Name != "max" && e.Name != "min" {
			return 0, false
		}
		op := Max
		if e.Name == "min" {
			op = Min
		}
		found := 0
		for _, a := range e.Args {
			if isVar(same(a, sym), sym) {
				found++
			} else if ir.Mentions(a, sym) {
				return 0, false
			}
		}
		return op, found == 1
	}
	return 0, false
}

// chain follows the one path of operators from e down to sym. Every operator on
// it must be allowed, left saying on which side of it sym stands.
func chain(e ir.Expr, sym *ir.Symbol, allowed func(b *ir.Bin, left bool) bool) bool {
	e = same(e, sym)
	if isVar(e, sym) {
		return true
	}
	b, ok := e.(*ir.Bin)
	if !ok {
		return false
	}
	inLeft, inRight := ir.Mentions(b.L, sym), ir.Mentions(b.R, sym)
	switch {
	case inLeft && !inRight:
		return allowed(b, true) && chain(b.L, sym, allowed)
	case inRight && !inLeft:
		return allowed(b, false) && chain(b.R, sym, allowed)
	}
	return false
}

// mayFail reports whether evaluating e may end the program. In
//
//	ok = ok .and. 10/k(i) > 0
//
// nothing is divided once ok is false, but a PE does not know what ok has become
// on others.
func mayFail(e ir.Expr) bool {
	found := false
	ir.WalkExpr(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Bin:
			if e.Typ.IsInteger() {
				c, known := e.R.(*ir.Const)
				found = found || e.Op == ir.Div && !nonzero(e.R) || e.Op == ir.Pow && !(known && c.Int >= 0)
			}
		case *ir.Call:
			switch e.Name {
			case "mod", "modulo":
				found = found || e.Typ.IsInteger() && !nonzero(e.Args[1])
			}
		case *ir.Ref:
			for _, s := range e.Subs {
				ir.WalkExpr(s, func(s ir.Expr) bool {
					_, indirect := s.(*ir.Ref)
					found = found || indirect
					return !found
				})
			}
		}
		return !found
	})
	return found
}

func nonzero(e ir.Expr) bool {
	c, ok := e.(*ir.Const)
	return ok && c.Int != 0
}

// same strips parentheses, and conversions between the REAL types, which do
// not change what is accumulated. A conversion from or to INTEGER truncates in
// every step, so that the parts cannot be accumulated apart.
func same(e ir.Expr, sym *ir.Symbol) ir.Expr {
	for {
		switch x := e.(type) {
		case *ir.Un:
			if x.Op != ir.Group {
				return e
			}
			e = x.E
		case *ir.Conv:
			if !sym.Type.IsReal() || !x.E.Type().IsReal() || !ir.Mentions(x.E, sym) {
				return e
			}
			e = x.E
		default:
			return e
		}
	}
}

func isVar(e ir.Expr, sym *ir.Symbol) bool {
	v, ok := e.(*ir.Var)
	return ok && v.Sym == sym
}

// guardedExtreme recognises "if (e > s) s = e" as Max, with < as Min, and the
// same with the operands of the comparison exchanged.
func guardedExtreme(s *ir.If, sym *ir.Symbol) (Op, bool) {
	if len(s.Then) != 1 || len(s.Else) != 0 {
		return 0, false
	}
	a, ok := s.Then[0].(*ir.Assign)
	if !ok || !isVar(a.LHS, sym) {
		return 0, false
	}
	c, ok := ungroup(s.Cond).(*ir.Bin)
	if !ok {
		return 0, false
	}
	var greater bool // the condition is (left is greater than right)
	switch c.Op {
	case ir.Gt, ir.Ge:
		greater = true
	case ir.Lt, ir.Le:
	default:
		return 0, false
	}
	value, variable := c.L, c.R
	if isVar(ungroup(c.L), sym) {
		value, variable = c.R, c.L
		greater = !greater
	}
	if !isVar(ungroup(variable), sym) || ir.Mentions(value, sym) || !ir.Same(ungroup(value), ungroup(a.RHS)) {
		return 0, false
	}
	if greater {
		return Max, true
	}
	return Min, true
}

func ungroup(e ir.Expr) ir.Expr {
	for {
		u, ok := e.(*ir.Un)
		if !ok || u.Op != ir.Group {
			return e
		}
		e = u.E
	}
}
