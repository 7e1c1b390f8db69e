package comm

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
)

// Elements that subscripts pick at run time have no owner that a loop could be divided by. In
//
//	do e = 1, ne
//	   do k = 1, 3
//	      f(node(k,e)) = f(node(k,e)) + load(e)
//	   end do
//	end do
//
// the owners of load(e) divide the loop nevertheless: nothing else of f is used in it, so that
// each PE may accumulate into a place of its own for each element. Behind the loop the owners
// combine these (Reduction.Parted).

// partible reports whether r accumulates into a distributed array each of whose elements one
// PE owns.
func partible(r scalar.Reduction) bool {
	m := r.Sym.Mapping
	held := len(m.Map.Fixed)
	for _, ax := range m.Map.Axes {
		if ax.Grid >= 0 {
			held++
		}
	}
	return held == m.Grid.Rank && len(r.Starts) == 0 && !r.Sym.Coarray && !r.Sym.Cell
}

// accumulates reports whether the region computes elements of sym in parts.
func (t *attempt) accumulates(sym *ir.Symbol) bool {
	return slices.ContainsFunc(t.arrays, func(r scalar.Reduction) bool { return r.Sym == sym })
}

// scatters reports whether some statement of r has no owners that are known.
func (t *attempt) scatters(r scalar.Reduction) bool {
	return slices.ContainsFunc(r.Stmts, func(s ir.Stmt) bool {
		_, bad := t.a.owners(s.(*ir.Assign).LHS.(*ir.Ref), t.stableOrPicked(s))
		return bad != nil
	})
}
