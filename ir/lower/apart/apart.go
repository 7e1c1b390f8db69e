// Package apart finds out that an array assignment does not change what it reads. It needs a
// copy of its right side only where it may read an element that it assigns for another one.
// What is known of the indices often says that it does not:
//
//	do k = 1, n
//	   a(k+1:n, k) = a(k+1:n, k)/a(k, k)                rows k+1 and further are not row k
//	   do j = k+1, n
//	      a(k+1:n, j) = a(k+1:n, j) - a(k, j)*a(k+1:n, k)     j > k
//
// So is a(2:n:2) = a(1:n-1:2), where the subscripts are even and odd.
package apart

import (
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Indices is what is known of the indices of the loops around, which is nothing at first.
type Indices struct {
	ranges  map[string]*indexRange // by the names of the symbols
	unequal []linalg.Affine        // forms in indices of DO that are not 0
}

// indexRange has the values of an index.
type indexRange struct {
	lo, hi ir.Expr
	own    bool // see Add
	depth  int  // ranges are made of indices of less depth
}

// Add says between which values the index of loops is, until the function that it returns
// is called. Where own is set, each element of an assignment has an index of its own: FORALL,
// sections.
func (x *Indices) Add(index *ir.Symbol, lo, hi, step ir.Expr, own bool) (end func()) {
	by, ok := step.(*ir.Const)
	if !ok || lo.Type() == ir.Invalid || hi.Type() == ir.Invalid || by.Int == 0 {
		return func() {}
	}
	if by.Int < 0 {
		lo, hi = hi, lo
	}
	r := &indexRange{lo: lo, hi: hi, own: own, depth: len(x.ranges)}
	if x.ranges == nil {
		x.ranges = map[string]*indexRange{}
	}
	x.ranges[index.Name] = r
	return func() { delete(x.ranges, index.Name) }
}

// Holds notes what a condition says of the indices of DO, until the function that it returns
// is called.
func (x *Indices) Holds(cond ir.Expr, value bool) (end func()) {
	n := len(x.unequal)
	x.note(cond, value)
	return func() { x.unequal = x.unequal[:n] }
}

func (x *Indices) note(cond ir.Expr, value bool) {
	switch e := cond.(type) {
	case *ir.Un:
		x.note(e.E, value != (e.Op == ir.Not))
	case *ir.Bin:
		switch {
		case e.Op == ir.And && value, e.Op == ir.Or && !value:
			x.note(e.L, value)
			x.note(e.R, value)
		case e.Op == ir.Ne && value, e.Op == ir.Eq && !value:
			if d, ok := x.difference(e.L, e.R, "", ""); ok && !d.IsConst() {
				x.unequal = append(x.unequal, d)
			}
		}
	}
}

// Apart reports that two references to one array, in one execution of an array assignment,
// never mean the same element, whichever elements are assigned.
func (x *Indices) Apart(a, b *ir.Ref) bool {
	for k := range min(len(a.Subs), len(b.Subs)) {
		// Variables may have other values for another element.
		d, ok := x.difference(a.Subs[k], b.Subs[k], "'", `"`)
		if !ok {
			continue
		}
		g := int64(0)
		for _, v := range d.Vars() {
			g = linalg.GCD(g, d.Coef(v))
		}
		minus, ok := d.Scale(-1)
		switch {
		case g == 0 && d.C != 0, g != 0 && d.C%g != 0, x.positive(d), ok && x.positive(minus):
			return true
		}
		for _, u := range x.unequal {
			if u.Equal(d) || ok && u.Equal(minus) {
				return true
			}
		}
	}
	return false
}

// difference is a - b. Variables other than indices of DO have the sides in their names;
// there must be none where the side is "".
func (x *Indices) difference(a, b ir.Expr, sideA, sideB string) (d linalg.Affine, ok bool) {
	f, ok := x.form(a, sideA)
	if !ok {
		return d, false
	}
	g, ok := x.form(b, sideB)
	if !ok {
		return d, false
	}
	return f.Sub(g)
}

// form is e as an affine form.
func (x *Indices) form(e ir.Expr, side string) (linalg.Affine, bool) {
	return ir.Affine(e, func(s *ir.Symbol) (linalg.Affine, bool) {
		if r := x.ranges[s.Name]; r != nil && !r.own {
			return linalg.Var(s.Name), true
		}
		return linalg.Var(s.Name + side), side != ""
	})
}

// positive reports that f is at least 1 for all values that the indices in it have: index
// after index, the innermost first, is replaced by its least or greatest value.
func (x *Indices) positive(f linalg.Affine) bool {
	var name string
	var inner *indexRange
	for _, v := range f.Vars() {
		if r := x.ranges[sideless(v)]; r != nil && (inner == nil || r.depth > inner.depth) {
			name, inner = v, r
		}
	}
	if inner == nil {
		return f.IsConst() && f.C >= 1
	}
	ends := limits(inner.lo, "max")
	if f.Coef(name) < 0 {
		ends = limits(inner.hi, "min")
	}
	return slices.ContainsFunc(ends, func(e ir.Expr) bool {
		end, ok := x.form(e, name[len(sideless(name)):])
		if !ok || slices.ContainsFunc(end.Vars(), func(v string) bool {
			r := x.ranges[sideless(v)]
			return r != nil && r.depth >= inner.depth
		}) {
			return false
		}
		g, ok := f.Subst(name, end)
		return ok && x.positive(g)
	})
}

// sideless is the name of a symbol, whose variable in a form may have a side.
func sideless(v string) string { return strings.TrimRight(v, `'"`) }

// limits are expressions each of which limits e: e itself, or the arguments of a MIN or MAX,
// as the name says. The extent MAX(0, n) is n where there are elements at all.
func limits(e ir.Expr, name string) []ir.Expr {
	if c, ok := e.(*ir.Conv); ok {
		e = c.E
	}
	c, ok := e.(*ir.Call)
	switch {
	case !ok:
		return []ir.Expr{e}
	case c.Name == name:
		return c.Args
	case c.Name == "max" && len(c.Args) == 2:
		if zero, ok := c.Args[0].(*ir.Const); ok && zero.Int == 0 {
			return c.Args[1:]
		}
	}
	return nil
}
