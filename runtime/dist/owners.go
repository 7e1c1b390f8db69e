package dist

// Span is some coordinates of a grid dimension: N of them from First on, the last one
// followed by 0.
type Span struct{ First, N int }

// Serving sets spans, by grid dimension, to the coordinates of the PEs that may serve a
// consumer, whatever the element.
func (l *Layout) Serving(consumer int, spans []Span) {
	for dim, extent := range l.Shape {
		spans[dim] = Span{0, extent}
	}
	for _, dim := range l.replicated {
		spans[dim] = Span{l.Shape.Coord(consumer, dim), 1}
	}
	for _, f := range l.Fixed {
		if f.Grid >= 0 && f.Format != Collapsed {
			spans[f.Grid] = Span{CoordOf(f.Format, f.TLo, f.THi, f.Pos, l.Shape[f.Grid]), 1}
		}
	}
}

// Narrow leaves in spans only the coordinates at which the elements lo to hi of an axis may
// lie, in closed form. Elements that are not declared lie nowhere.
func (l *Layout) Narrow(spans []Span, axis, lo, hi int) {
	ax := &l.Axes[axis]
	lo, hi = max(lo, ax.Lo), min(hi, ax.Hi)
	if ax.whole() {
		return
	}
	if hi < lo {
		spans[ax.Grid] = Span{}
		return
	}
	first, last := ax.A*lo+ax.B, ax.A*hi+ax.B
	if ax.A < 0 {
		first, last = last, first
	}
	np := l.Shape[ax.Grid]
	from := CoordOf(ax.Format, ax.TLo, ax.THi, first, np)
	if ax.Format == Cyclic {
		spans[ax.Grid] = Span{from, min(last-first+1, np)}
		return
	}
	spans[ax.Grid] = Span{from, CoordOf(ax.Format, ax.TLo, ax.THi, last, np) - from + 1}
}

// PEs appends the PEs whose coordinates are in the spans, by ascending numbers.
func (g Grid) PEs(list []int, spans []Span) []int {
	return g.within(list, spans, len(g)-1, 0)
}

// within appends the PEs of which the number, but for that of the first dimensions up to
// dim, is base.
func (g Grid) within(list []int, spans []Span, dim, base int) []int {
	if dim < 0 {
		return append(list, base)
	}
	s, extent, weight := spans[dim], g[dim], 1
	for _, n := range g[:dim] {
		weight *= n
	}
	over := s.First + s.N - extent // coordinates behind the last one
	for c := range over {
		list = g.within(list, spans, dim-1, base+c*weight)
	}
	for c := s.First; c < min(s.First+s.N, extent); c++ {
		list = g.within(list, spans, dim-1, base+c*weight)
	}
	return list
}
