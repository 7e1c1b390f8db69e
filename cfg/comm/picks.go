package comm

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Pick divides a loop by the owners of elements that a variable picks, of which the first
// statement sets the variable:
//
//	do l = 1, n
//	   i = list(l)
//	   x(i) = (b(i) - a(i)*y(i)) / d(i)      by the owner of x(i)
//	end do
//
// All PEs can compute the variable. Each lists its own iterations before the loop, in the
// order of the source; iterations that assign one element have the same owner.
type Pick struct {
	Set *ir.Assign   // of the variable
	Own []Constraint // affine in the variable
}

// Var is the variable.
func (k *Pick) Var() *ir.Symbol { return ir.Target(k.Set.LHS) }

// Shares reports whether the PEs execute different iterations of d.
func (r *Region) Shares(d *ir.Do) bool { return len(r.Part[d]) > 0 || r.Picks[d] != nil }

// Loops reports whether the PEs share the iterations of a loop.
func (r *Region) Loops() bool { return len(r.Part)+len(r.Picks) > 0 }

// findPicks notes the loops of the region whose first statement sets an INTEGER that no
// other one sets, from what all PEs have and the region does not change.
func (t *attempt) findPicks() string {
	t.picks = map[*ir.Do]*ir.Assign{}
	for s, loops := range t.loopsOf {
		d, ok := s.(*ir.Do)
		if !ok || t.a.out.IR.SPMD || len(d.Body) == 0 {
			continue
		}
		set, ok := d.Body[0].(*ir.Assign)
		if !ok {
			continue
		}
		v, ok := set.LHS.(*ir.Var)
		if !ok || !v.Sym.Type.IsInteger() || v.Sym == d.Index || t.a.info.Class(d, v.Sym) != scalar.Private || !t.common(set.RHS, append(slices.Clone(loops), d)) {
			continue
		}
		once := true
		ir.Walk(d.Body[1:], func(s ir.Stmt) bool {
			switch s := s.(type) {
			case *ir.Do:
				once = once && s.Index != v.Sym
			case *ir.Assign:
				once = once && ir.Target(s.LHS) != v.Sym
			}
			return once
		})
		if once {
			t.picks[d] = set
		}
	}
	return ""
}

// common reports whether all PEs can compute e before the region, given the indices of loops.
func (t *attempt) common(e ir.Expr, loops []ir.Stmt) bool {
	ok := true
	ir.WalkExpr(e, func(x ir.Expr) bool {
		switch x := x.(type) {
		case *ir.Var:
			ok = ok && (!t.variant[x.Sym] || slices.ContainsFunc(loops, func(l ir.Stmt) bool {
				d, counted := l.(*ir.Do)
				return counted && d.Index == x.Sym
			}))
		case *ir.Ref:
			ok = ok && !x.Sym.Distributed() && !x.Sym.Coarray && !t.variant[x.Sym]
		case *ir.Const, *ir.Un, *ir.Bin, *ir.Conv:
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// picking is the loop around s whose variable f uses, nil for none; alone: f uses nothing
// else that changes in the region.
func (t *attempt) picking(f linalg.Affine, loops []ir.Stmt) (loop *ir.Do, alone bool) {
	for _, l := range loops {
		d, ok := l.(*ir.Do)
		if set := t.picks[d]; ok && set != nil && f.Uses(ir.Target(set.LHS).Name) {
			loop = d
		}
	}
	if loop == nil {
		return nil, false
	}
	v := ir.Target(t.picks[loop].LHS).Name
	return loop, !slices.ContainsFunc(f.Vars(), func(name string) bool { return name != v && t.variant[t.a.symbols[name]] })
}

// stableOrPicked is stable, also for what a variable of t.picks alone changes.
func (t *attempt) stableOrPicked(s ir.Stmt) func(linalg.Affine) bool {
	stable := t.stable(s)
	return func(f linalg.Affine) bool {
		if stable(f) {
			return true
		}
		_, alone := t.picking(f, t.loopsOf[s])
		return alone
	}
}

// atHome reports whether the PEs that execute s own ref, whose subscripts use a variable that
// picks elements.
func (t *attempt) atHome(ref *ir.Ref, s ir.Stmt, exec []Constraint) bool {
	own, bad := t.a.owners(ref, t.stableOrPicked(s))
	return bad == nil && !slices.ContainsFunc(own, func(k Constraint) bool {
		return !slices.ContainsFunc(exec, func(e Constraint) bool { return e.key() == k.key() })
	})
}
