package comm

import (
	"slices"

	"github.com/spmdc/spmdc/procfunc/linalg"
)

// covers reports whether c, as long as its values live and its array and the
// scalars that it depends on keep theirs, brings all that x brings, to where
// x's references can read it. False where it cannot be seen.
func (c *Comm) covers(x *Comm) bool {
	if c.Array != x.Array || c.Overlap != x.Overlap || c.Subs != nil || x.Subs != nil || !c.plain() || !x.plain() {
		return false
	}
	if c.RootOnly && !x.RootOnly || !subset(c.Guard, x.Guard) || !c.sameSide(x) {
		return false
	}
	// Where a PE executes none of an independent loop, c brings it nothing.
	for _, r := range c.Ranges {
		if len(r.Cons) == 0 || c.Varies(r) {
			continue
		}
		found := false
		for _, s := range x.Ranges {
			found = found || r.covers(s)
		}
		if !found {
			return false
		}
	}
	for d := range c.Axes {
		if !c.Axes[d].covers(x.Axes[d]) {
			return false
		}
	}
	return true
}

// plain: neither listed at run time, nor made of new values in a pipeline, nor
// the working copy of a fallback, which assigns to it.
func (c *Comm) plain() bool {
	return !c.pipe && c.Kind != Irregular && c.Kind != Whole
}

// sameSide reports whether the overlap cells that x fills are among those that
// c would fill, were its elements a superset. One that forwards brings what lies
// beyond the consumer's block along its last dimension, the rest of its elements
// being there already.
func (c *Comm) sameSide(x *Comm) bool {
	if !c.Overlap || len(c.Forward) == 0 {
		return true
	}
	moved := func(y *Comm) (dims []int, dir int) {
		for d, w := range y.Window {
			if w != [2]int{} {
				dims, dir = append(dims, d), sign(w[0]+w[1])
			}
		}
		return dims, dir
	}
	cd, cdir := moved(c)
	xd, xdir := moved(x)
	return cd[len(cd)-1] == xd[len(xd)-1] && cdir == xdir && (len(xd) == 1 || len(x.Forward) == len(xd)-1)
}

// subset reports whether each constraint of a is one of b, and holds wherever that one
// does: a(i) has no owner where a has no element i, whoever else is at that position.
func subset(a, b []Constraint) bool {
	for _, k := range a {
		key := k.key()
		if !slices.ContainsFunc(b, func(e Constraint) bool {
			return e.key() == key && (k.Axis < 0 || e.Axis >= 0 && k.covers(e))
		}) {
			return false
		}
	}
	return true
}

// index is r's constraints with one name for the index of all ranges.
func (r *Range) index() []Constraint {
	out := make([]Constraint, len(r.Cons))
	for i, k := range r.Cons {
		k.Sub, _ = k.Sub.Subst(r.Index, linalg.Var("index"))
		out[i] = k
	}
	return out
}

// covers reports whether each PE has every value of s among those of r.
func (r *Range) covers(s *Range) bool {
	if !subset(r.index(), s.index()) {
		return false
	}
	switch {
	case r.By != nil:
		return s.By != nil && r.By.Equal(*s.By) && r.Lo.Equal(s.Lo) && r.Hi.Equal(s.Hi)
	case r.Unknown || s.Unknown:
		return r.Unknown
	}
	low := func(t *Range) (lo, hi linalg.Affine) {
		if t.Step < 0 {
			return t.Hi, t.Lo
		}
		return t.Lo, t.Hi
	}
	rlo, rhi := low(r)
	slo, shi := low(s)
	below, ok1 := slo.Sub(rlo)
	above, ok2 := rhi.Sub(shi)
	if !ok1 || !ok2 || !below.IsConst() || !above.IsConst() || below.C < 0 || above.C < 0 {
		return false
	}
	if r.Step == 1 || r.Step == -1 {
		return true
	}
	start, ok := s.Lo.Sub(r.Lo)
	return ok && s.Step == r.Step && start.IsConst() && start.C%int64(r.Step) == 0
}

// covers reports whether each PE has every element of x among those of ax.
func (ax Axis) covers(x Axis) bool {
	if ax.All || x.All {
		return ax.All
	}
	terms, wide := ax.split()
	xterms, xwide := x.split()
	if len(xterms) == 0 && len(terms) == 1 {
		// One element out of a range.
		xterms = []AxisTerm{{&Range{Lo: x.Off, Hi: x.Off, Step: 1}, 1}}
		x.Off = linalg.Const(0)
	}
	if len(terms) != len(xterms) {
		return false
	}
	by, ok := x.Off.Sub(ax.Off)
	if !ok || !by.IsConst() || by.C+int64(xwide[0]) < int64(wide[0]) || by.C+int64(xwide[1]) > int64(wide[1]) {
		return false
	}
	for i, t := range terms {
		if t.Coef != xterms[i].Coef || !t.Range.covers(xterms[i].Range) {
			return false
		}
	}
	return true
}

// split separates the distances of a moved axis from the loops' ranges.
func (ax Axis) split() (terms []AxisTerm, window [2]int) {
	for _, t := range ax.Terms {
		if t.Range.isHalo() {
			window[0] += int(t.Range.Lo.C)
			window[1] += int(t.Range.Hi.C)
			continue
		}
		terms = append(terms, t)
	}
	return terms, window
}
