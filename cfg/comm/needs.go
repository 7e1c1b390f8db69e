package comm

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// needs describes the elements that consumers want, as a function of the
// consumer: the images of the ranges of the region's loop indices.
func (t *attempt) needs(c *Comm, o occurrence) {
	ranges := map[string]*Range{}
	var order []*Range
	rangeOf := func(v string) *Range { return ranges[v] }
	for i, l := range o.loops {
		d, ok := l.(*ir.Do)
		if !ok {
			continue
		}
		r := t.rangeOf(d.Index, d.Lo, d.Hi, d.Step, ranges)
		r.Loop = d
		for _, k := range t.region.Part[d] {
			if t.only(k.Sub, d.Index.Name, o.loops[:i]) {
				r.Cons = append(r.Cons, k)
			}
		}
		ranges[d.Index.Name] = r
		order = append(order, r)
	}
	for _, l := range o.implied {
		r := t.rangeOf(l.Index, l.Lo, l.Hi, l.Step, ranges)
		ranges[l.Index.Name] = r
		order = append(order, r)
	}
	if !o.print {
		c.Guard = append(c.Guard, t.region.Guard...)
	}
	stable := t.stableWith(o)
	for _, s := range o.ref.Subs {
		f, ok := t.a.affine(s)
		if !ok || !stable(f) {
			c.Axes = append(c.Axes, Axis{All: true})
			continue
		}
		ax := Axis{Off: f}
		for _, r := range order {
			if k := f.Coef(r.Index); k != 0 && rangeOf(r.Index) == r {
				ax.Terms = append(ax.Terms, AxisTerm{r, int(k)})
				ax.Off, _ = ax.Off.Subst(r.Index, linalg.Const(0))
			}
		}
		for _, term := range ax.Terms {
			if term.Range.Unknown && len(term.Range.Cons) == 0 {
				ax = Axis{All: true}
				break
			}
		}
		c.Axes = append(c.Axes, ax)
	}
	c.Ranges = order
	if !c.Overlap {
		c.decouple()
	}
}

// only reports whether f mentions index v and none of the other loops' indices.
func (t *attempt) only(f linalg.Affine, v string, others []ir.Stmt) bool {
	if !f.Uses(v) {
		return false
	}
	for _, l := range others {
		if d, ok := l.(*ir.Do); ok && d.Index.Name != v && f.Uses(d.Index.Name) {
			return false
		}
	}
	return true
}

// rangeOf is the range of an index, with bounds that depend on the indices of
// outer ranges widened to their extremes.
func (t *attempt) rangeOf(index *ir.Symbol, lo, hi, step ir.Expr, outer map[string]*Range) *Range {
	r := &Range{Index: index.Name, Step: 1}
	st, ok := t.a.affine(step)
	if !ok || st.IsConst() && st.C == 0 {
		r.Unknown = true
		return r
	}
	if !st.IsConst() {
		r.Unknown = true
		t.stepping(r, lo, hi, st)
		return r
	}
	r.Step = int(st.C)
	if r.Step < 0 {
		lo, hi = hi, lo
	}
	flo, ok1, rounded1 := t.a.bound(lo, -1)
	fhi, ok2, rounded2 := t.a.bound(hi, +1)
	if !ok1 || !ok2 {
		r.Unknown = true
		return r
	}
	wlo, ok1 := widest(flo, outer, -1)
	whi, ok2 := widest(fhi, outer, +1)
	if !ok1 || !ok2 || t.a.changes(wlo, t.variant) || t.a.changes(whi, t.variant) {
		r.Unknown = true
		return r
	}
	moved := rounded1 || rounded2 || !wlo.Equal(flo) || !whi.Equal(fhi)
	switch {
	case moved && r.Step != 1:
		r.Step = 1
	case r.Step < 0:
		// Lo..Hi ascending holds the same values only if aligned to the start.
		r.Lo, r.Hi = whi, wlo
		return r
	}
	r.Lo, r.Hi = wlo, whi
	return r
}

// stepping notes the bounds and the step of r, whose step is not a constant, if all of
// them have values where the communication stands.
func (t *attempt) stepping(r *Range, lo, hi ir.Expr, step linalg.Affine) {
	flo, ok1 := t.a.affine(lo)
	fhi, ok2 := t.a.affine(hi)
	if !ok1 || !ok2 {
		return
	}
	for _, f := range []linalg.Affine{flo, fhi, step} {
		if t.a.changes(f, t.variant) {
			return
		}
	}
	r.Lo, r.Hi, r.By = flo, fhi, &step
}

// bound is the affine form of e, a bound of a loop, or one that is nowhere greater
// (side -1) or less (side 1) than a form of e with remainders, or than a MAX or MIN: a constant,
// if one of its arguments has such a bound.
func (a *analyzer) bound(e ir.Expr, side int) (f linalg.Affine, ok, rounded bool) {
	if f, ok = a.affine(e); ok {
		return f, true, false
	}
	if c, is := e.(*ir.Call); is && c.Name == map[int]string{-1: "max", 1: "min"}[side] && c.Typ.IsInteger() {
		for _, x := range c.Args {
			g, found, _ := a.bound(x, side)
			if found && (!ok || g.IsConst() && !f.IsConst()) {
				f, ok = g, true
			}
		}
		return f, ok, true
	}
	if f, ok = a.info.Rounded(e); ok {
		f, ok = a.info.Quotients().Bound(f, side)
	}
	return f, ok, true
}

// widest replaces the indices of ranges in f by their extreme values.
func widest(f linalg.Affine, outer map[string]*Range, side int) (linalg.Affine, bool) {
	for _, v := range f.Vars() {
		r := outer[v]
		if r == nil {
			continue
		}
		if r.Unknown {
			return f, false
		}
		lo, hi := r.Lo, r.Hi
		if r.Step < 0 {
			lo, hi = hi, lo
		}
		by := lo
		if (f.Coef(v) > 0) == (side > 0) {
			by = hi
		}
		var ok bool
		if f, ok = f.Subst(v, by); !ok {
			return f, false
		}
	}
	return f, true
}

// decouple changes the index space to that of the loops where an index occurs
// in two subscripts, as in z(j,j): the diagonal, not the square around it.
func (c *Comm) decouple() {
	count := map[*Range]int{}
	var order []*Range
	for _, ax := range c.Axes {
		if ax.All || len(ax.Terms) > 1 {
			return
		}
		for _, term := range ax.Terms {
			if count[term.Range] == 0 {
				order = append(order, term.Range)
			}
			count[term.Range]++
		}
	}
	coupled := false
	for _, n := range count {
		coupled = coupled || n > 1
	}
	for _, r := range order {
		coupled = coupled && !(r.Unknown)
	}
	if !coupled {
		return
	}
	var axes []Axis
	for _, r := range order {
		axes = append(axes, Axis{Terms: []AxisTerm{{r, 1}}})
	}
	for _, ax := range c.Axes {
		sm := SubMap{Axis: -1, Off: ax.Off}
		if len(ax.Terms) == 1 {
			sm.Coef = ax.Terms[0].Coef
			for k, r := range order {
				if r == ax.Terms[0].Range {
					sm.Axis = k
				}
			}
		}
		c.Subs = append(c.Subs, sm)
	}
	c.Axes = axes
}
