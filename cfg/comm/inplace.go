package comm

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
)

// A PE that runs alone owns all that its communications bring. It reads them where they
// are, instead of from a copy, if nobody writes these elements while their values are in
// use: in
//
//	do k = 1, j - 1
//	   do i = j, n
//	      a(i,j) = a(i,j) - a(i,k)*a(j,k)
//
// a(i,k) and a(j,k) are in other columns than a(i,j); in b(i,j) = a(j,i) nothing of a is
// written. The working copies of a fallback are the arrays themselves.

// findInPlace sets InPlace of the communications that nodes post.
func (a *analyzer) findInPlace(nodes []Node) {
	for i, n := range nodes {
		switch n := n.(type) {
		case *Post:
			for _, c := range n.Comms {
				end := i
				for k, d := range nodes[i:] {
					if d, ok := d.(*Done); ok && slices.Contains(d.Comms, c) {
						end = i + k
					}
				}
				c.InPlace = end > i && c.Packed() && (c.Kind == Whole || a.unwritten(c, nodes[i:end]))
			}
		case *Loop:
			a.loops = append(a.loops, n.Do)
			a.findInPlace(n.Body)
			a.loops = a.loops[:len(a.loops)-1]
		case *WhileLoop:
			a.loops = append(a.loops, n.While)
			a.findInPlace(n.Pre)
			a.findInPlace(n.Body)
			a.loops = a.loops[:len(a.loops)-1]
		case *Branch:
			a.findInPlace(n.Then)
			a.findInPlace(n.Else)
		}
	}
}

// Packed reports whether the temporary of c has the axes of its array, and neighbours along
// them are neighbours there.
func (c *Comm) Packed() bool {
	if c.Overlap || c.pipe || c.Kind == Irregular || c.Subs != nil {
		return false
	}
	for _, ax := range c.Axes {
		if ax.All {
			continue
		}
		if len(ax.Terms) > 1 {
			return false
		}
		for _, t := range ax.Terms {
			if max(t.Coef, -t.Coef) != 1 || max(t.Range.Step, -t.Range.Step) != 1 {
				return false
			}
		}
	}
	return true
}

// Dense reports whether neighbours along the axes of the array of c are neighbours in what
// each PE has of it in the temporary: not where it has every third element, as the owner of
// elements that are distributed cyclically.
func (c *Comm) Dense() bool {
	if !c.Packed() {
		return false
	}
	for _, ax := range c.Axes {
		for _, t := range ax.Terms {
			for _, k := range t.Range.Cons {
				if k.Axis >= 0 && !k.Array.Mapping.Map.Axes[k.Axis].Format.IsBlock() {
					return false
				}
			}
		}
	}
	return true
}

// unwritten reports whether nodes write none of the elements that c brings.
func (a *analyzer) unwritten(c *Comm, nodes []Node) bool {
	for _, n := range nodes {
		stmts := statements(n)
		switch n := n.(type) {
		case *Loop:
			stmts = []ir.Stmt{n.Do}
		case *WhileLoop:
			stmts = []ir.Stmt{n.While}
		case *Branch:
			stmts = []ir.Stmt{n.If}
		}
		for _, s := range stmts {
			if assigns(s, c.Array) && !a.elsewhere(c, s) {
				return false
			}
		}
	}
	return true
}

// assigns reports whether s assigns an element of array sym.
func assigns(s ir.Stmt, sym *ir.Symbol) bool {
	found := false
	ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool {
		found = found || slices.Contains(ir.Assigned(s), sym)
		return !found
	})
	return found
}

// elsewhere reports whether s, which holds all references that c serves, assigns none of
// the elements that these read.
func (a *analyzer) elsewhere(c *Comm, s ir.Stmt) bool {
	var reads, writes []occurrence
	for _, o := range a.occurrences(s) {
		switch {
		case o.write && o.ref.Sym == c.Array:
			writes = append(writes, o)
		case !o.write && slices.Contains(c.Refs, o.ref):
			reads = append(reads, o)
		}
	}
	if len(reads) != len(c.Refs) {
		return false
	}
	variant := a.modified(s)
	for _, r := range reads {
		for _, w := range writes {
			if a.flow(w, r, s, variant).Answer != depend.No || a.flow(r, w, s, variant).Answer != depend.No {
				return false
			}
		}
	}
	return true
}
