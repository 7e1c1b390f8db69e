package transform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
)

// Owners here are only a hint at which statements can share a divided loop;
// nothing about the meaning of a program depends on them.

// anybody is the kind of a statement that every PE may execute as it likes: it
// assigns nothing but scalars that an iteration keeps to itself.
const anybody = "anybody"

// kind describes who executes the iterations of loop as far as part s is
// concerned: the template positions that the elements assigned in s have in
// terms of loop's index and of what is fixed in it. What loops inside s decide
// is left out. Different kinds in one loop make all PEs execute every iteration.
func (a *Analysis) kind(s ir.Stmt, loop *ir.Do) string {
	kinds := map[string]bool{}
	ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool {
		as, ok := s.(*ir.Assign)
		if !ok {
			return true
		}
		if l, ok := as.LHS.(*ir.Ref); ok {
			k, _ := a.positions(l, s, loop)
			kinds[k] = true
			return true
		}
		switch a.info.Class(loop, ir.Target(as.LHS)) {
		case scalar.Private:
		case scalar.Reduced, scalar.Located:
			// Parts are computed by the owners of what is reduced.
			k := "all"
			if l, ok := a.info.LocationOf(loop, ir.Target(as.LHS)); ok && l.Extreme != ir.Target(as.LHS) {
				return true // where the extreme is
			}
			for _, r := range ir.ExprRefs(as.RHS) {
				if r.Sym.Distributed() {
					k, _ = a.positions(r, s, loop)
					break
				}
			}
			kinds[k] = true
		default:
			kinds["all"] = true
		}
		return true
	})
	switch len(kinds) {
	case 0:
		return anybody
	case 1:
		for k := range kinds {
			return k
		}
	}
	return "mixed"
}

// positions are the template positions of r: first those that the loops inside
// loop do not decide, then all.
func (a *Analysis) positions(r *ir.Ref, s ir.Stmt, loop *ir.Do) (outer, all string) {
	if !r.Sym.Distributed() {
		return "all", "all"
	}
	changed := a.info.Modified(loop)
	own := map[string]bool{}
	var inner []string // indices of loops inside loop
	for i, l := range a.around[s] {
		if d, ok := l.(*ir.Do); ok {
			own[d.Index.Name] = true
			if i > len(a.around[loop]) {
				inner = append(inner, d.Index.Name)
			}
		}
	}
	var some, every []string
	m := r.Sym.Mapping.Map
	for d, ax := range m.Axes {
		if ax.Grid < 0 {
			continue
		}
		head := fmt.Sprintf("%d.%d %v %d:%d ", r.Sym.Mapping.Grid.ID, ax.Grid, ax.Format, ax.TLo, ax.THi)
		f, ok := a.info.Affine(r.Subs[d])
		if ok {
			f, ok = f.Scale(int64(ax.A))
		}
		if ok {
			f.C += int64(ax.B)
			for v := range f.T {
				ok = ok && (own[v] || !changed[a.symbols[v]])
			}
		}
		if !ok {
			text := head + "unknown " + ir.ExprString(r.Subs[d])
			some, every = append(some, text), append(every, text)
			continue
		}
		text := head + f.String()
		every = append(every, text)
		if !slices.ContainsFunc(inner, f.Uses) {
			some = append(some, text)
		}
	}
	for _, x := range m.Fixed {
		text := fmt.Sprintf("%d.%d %v %d:%d %d", r.Sym.Mapping.Grid.ID, x.Grid, x.Format, x.TLo, x.THi, x.Pos)
		some, every = append(some, text), append(every, text)
	}
	join := func(list []string) string {
		slices.Sort(list)
		return strings.Join(slices.Compact(list), "; ")
	}
	return join(some), join(every)
}
