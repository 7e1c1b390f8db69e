package transform

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
)

// Unordered reports whether the iterations of loop may be executed in any order: each has its
// scalars for itself, and none touches an element that another one stores. INDEPENDENT without
// clauses asserts that where the dependence tests cannot decide. What the index is behind the
// loop does not count.
func (a *Analysis) Unordered(loop *ir.Do) bool {
	if onlyComputes(loop.Body) != nil || loop.Independent != nil && len(loop.Independent.New)+len(loop.Independent.Reduction) > 0 {
		return false
	}
	for sym := range a.info.Modified(loop) {
		if sym != loop.Index && !sym.IsArray() && a.info.Class(loop, sym) != scalar.Private {
			return false
		}
	}
	occs := a.occurrences(loop)
	level := len(a.around[loop]) + 1
	pairs := 0
	for _, x := range occs {
		for _, y := range occs {
			if x.ref.Sym != y.ref.Sym || !x.write && !y.write {
				continue
			}
			if pairs++; pairs > maxPairs {
				return false
			}
			r := a.depends(x, y, loop, level)
			if loop.Independent != nil && !r.Certain {
				continue
			}
			for _, l := range r.Levels {
				if l != 0 {
					return false
				}
			}
		}
	}
	return true
}
