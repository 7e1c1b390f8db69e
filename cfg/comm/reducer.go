package comm

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
)

// reducer picks the reference whose owner computes the partial value.
func (t *attempt) reducer(r scalar.Reduction) (*ir.Ref, []Constraint) {
	for _, s := range r.Stmts {
		if ref, cons := t.reducerOf(s, r.Sym); ref != nil {
			return ref, cons
		}
	}
	return nil, nil
}

// reducerOf picks it for one statement: a reference in it, or else one to an element that
// exists whenever it is executed, so that every iteration has an owner. In
//
//	do a = 1, n
//	   f(a) = 0
//	   do b = 1, n
//	      if (b /= a) then
//	         d = x(a) - x(b)
//	         if (d < c) pot = pot + d
//	      end if
//	   end do
//	end do
//
// that is f(a), x(a) or x(b): the partial value is best computed where the rest of the
// loop is. The reference may be in a loop beside s, as f(k,a) would be with a loop over k around
// it, if only the indices of loops around s say who owns it.
func (t *attempt) reducerOf(s ir.Stmt, sym *ir.Symbol) (best *ir.Ref, bestCons []Constraint) {
	const (
		placedThere = 1000 // other statements have this owner
		itself      = 100  // in the statement
		nearby      = 20   // in the innermost loop around it
		dividing    = 4    // for each loop that is divided
	)
	at, bestScore := t.site(s), 0
	own := alwaysRead(s, sym)
	for _, o := range t.occs {
		if !o.ref.Sym.Distributed() || len(o.implied) > 0 || !prefix(o.loops, at.loops) && !prefix(at.loops, o.loops) {
			continue
		}
		cons, bad := t.a.owners(o.ref, t.stableOrPicked(s))
		mine := o.stmt == s && !o.write && own[o.ref]
		if bad != nil || !mine && !o.always(at) && !t.owned(cons, at) {
			continue
		}
		score := 0
		for _, c := range cons {
			if controlling(c, at.loops) != nil {
				score += dividing
			}
		}
		for _, p := range t.placed {
			if len(p.cons) > 0 && keySet(p.cons) == keySet(cons) {
				score += placedThere
				break
			}
		}
		switch {
		case mine:
			score += itself
		case len(o.loops) > 0 && len(o.loops) == len(at.loops):
			score += nearby
		}
		if score > bestScore {
			best, bestCons, bestScore = o.ref, cons, score
		}
	}
	return best, bestCons
}

// alwaysRead is the set of references that a reduction statement evaluates
// whenever it is executed: not those behind .and. and .or., but for the operator
// of the reduction itself.
func alwaysRead(s ir.Stmt, sym *ir.Symbol) map[*ir.Ref]bool {
	refs := map[*ir.Ref]bool{}
	var visit func(e ir.Expr)
	visit = func(e ir.Expr) {
		if r, ok := e.(*ir.Ref); ok {
			refs[r] = true
		}
		if b, ok := e.(*ir.Bin); ok && (b.Op == ir.And || b.Op == ir.Or) {
			visit(b.L)
			if ir.Target(b.L) == sym {
				visit(b.R)
			}
			return
		}
		for _, c := range ir.Children(e) {
			visit(c)
		}
	}
	switch s := s.(type) {
	case *ir.Assign:
		visit(s.RHS)
	case *ir.If:
		visit(s.Cond)
	}
	return refs
}
