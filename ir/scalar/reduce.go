package scalar

import (
	"slices"

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

// Counts reports whether it makes a difference how often a value is combined.
func (o Op) Counts() bool { return o == Add || o == Mul }

// Reduction is a scalar that a loop only accumulates into. Stmts are all the
// statements of the loop that mention it, at any depth: an *ir.Assign such as
// s = s + e or s = max(s, e), or an *ir.If such as "if (e > s) s = e". The bounds
// and the step of the loop do not: whoever executes a part of the loop may begin
// it with a value of its own.
//
// Of an array whose elements a loop accumulates into, as in s(j) = s(j) + e, Starts
// are the statements that give elements a new value to go on from.
type Reduction struct {
	Sym    *ir.Symbol
	Op     Op
	Stmts  []ir.Stmt
	Starts []*ir.Assign
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
	r, other := in.Accumulated(loop, sym)
	return r, other == nil && len(r.Stmts) > 0
}

// Accumulated finds the statements of a loop, of any kind, that accumulate into sym.
// If they are not a reduction, other is the first statement that keeps them from it: it
// mentions sym otherwise, or accumulates by another operator, or it is the loop itself.
func (in *Info) Accumulated(loop ir.Stmt, sym *ir.Symbol) (r Reduction, other ir.Stmt) {
	r.Sym = sym
	d, _ := loop.(*ir.Do)
	trusted := d != nil && d.Independent != nil && slices.Contains(d.Independent.Reduction, sym)
	if mentions(loop, sym) {
		return r, loop
	}
	ir.Walk(ir.Bodies(loop)[0], func(s ir.Stmt) bool {
		if other != nil {
			return false
		}
		op, is := reductionStmt(s, sym, trusted)
		switch {
		case is && (len(r.Stmts) == 0 || r.Op == op && (sym.Type == ir.Integer || sameForm(r.Stmts[0], s))):
			r.Op = op
			r.Stmts = append(r.Stmts, s)
			return false
		case is, mentions(s, sym):
			other = s
			return false
		}
		return true
	})
	return r, other
}

// ArrayReductions lists the arrays that loop uses for nothing but to accumulate into
// their elements, all with one operator, in the order of their first statements. In
//
//	do j = 1, n
//	   s(j) = 0
//	   do k = 1, n
//	      s(j) = s(j) + a(k,j)
//	   end do
//	end do
//
// s is one, and s(j) = 0 starts it. Extremes must have the form s(j) = max(s(j), e).
func (in *Info) ArrayReductions(loop *ir.Do) []Reduction {
	var list []Reduction
	at := map[*ir.Symbol]int{}
	bad := map[*ir.Symbol]bool{}
	reads := func(e ir.Expr, but *ir.Symbol) {
		for _, r := range ir.ExprRefs(e) {
			bad[r.Sym] = bad[r.Sym] || r.Sym != but
		}
	}
	ir.Walk([]ir.Stmt{loop}, func(s ir.Stmt) bool {
		as, _ := s.(*ir.Assign)
		l, ok := (*ir.Ref)(nil), false
		if as != nil {
			l, ok = as.LHS.(*ir.Ref)
		}
		if !ok {
			for _, e := range ir.Exprs(s) {
				reads(e, nil)
			}
			return true
		}
		for _, sub := range l.Subs {
			reads(sub, nil)
		}
		reads(as.RHS, l.Sym)
		i, seen := at[l.Sym]
		if !seen {
			i = len(list)
			at[l.Sym] = i
			list = append(list, Reduction{Sym: l.Sym})
		}
		r, acc := &list[i], element{l}
		op, is := accumulation(as.RHS, acc, false)
		switch {
		case !acc.in(as.RHS):
			r.Starts = append(r.Starts, as)
		case is && (len(r.Stmts) == 0 || r.Op == op):
			r.Op = op
			r.Stmts = append(r.Stmts, as)
		default:
			bad[l.Sym] = true
		}
		return true
	})
	return slices.DeleteFunc(list, func(r Reduction) bool { return bad[r.Sym] || len(r.Stmts) == 0 })
}

// accumulator is what a statement accumulates into.
type accumulator interface {
	is(e ir.Expr) bool // e is the accumulator
	in(e ir.Expr) bool // e mentions it, or for an array an element of it
	typ() ir.Type
}

type variable struct{ *ir.Symbol }

func (v variable) is(e ir.Expr) bool { return isVar(e, v.Symbol) }
func (v variable) in(e ir.Expr) bool { return ir.Mentions(e, v.Symbol) }
func (v variable) typ() ir.Type      { return v.Type }

type element struct{ *ir.Ref }

func (x element) is(e ir.Expr) bool { return ir.Same(e, x.Ref) }
func (x element) in(e ir.Expr) bool { return ir.Mentions(e, x.Sym) }
func (x element) typ() ir.Type      { return x.Sym.Type }

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
		if !ok || v.Sym != sym || s.Step {
			return 0, false
		}
		return accumulation(s.RHS, variable{sym}, trusted)
	case *ir.If:
		return guardedExtreme(s, sym)
	}
	return 0, false
}

// accumulation recognises the right side of s = s op e, where s occurs once, e
// does not mention it, and nothing but op stands above s in the tree.
func accumulation(e ir.Expr, sym accumulator, trusted bool) (Op, bool) {
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
				return b.Op == ir.Mul || trusted && b.Op == ir.Div && left && !sym.typ().IsInteger()
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
			if sym.is(same(a, sym)) {
				found++
			} else if sym.in(a) {
				return 0, false
			}
		}
		return op, found == 1
	}
	return 0, false
}

// chain follows the one path of operators from e down to sym. Every operator on
// it must be allowed, left saying on which side of it sym stands.
func chain(e ir.Expr, sym accumulator, allowed func(b *ir.Bin, left bool) bool) bool {
	e = same(e, sym)
	if sym.is(e) {
		return true
	}
	b, ok := e.(*ir.Bin)
	if !ok {
		return false
	}
	inLeft, inRight := sym.in(b.L), sym.in(b.R)
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
func same(e ir.Expr, sym accumulator) ir.Expr {
	for {
		switch x := e.(type) {
		case *ir.Un:
			if x.Op != ir.Group {
				return e
			}
			e = x.E
		case *ir.Conv:
			if !sym.typ().IsReal() || !x.E.Type().IsReal() || !sym.in(x.E) {
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
