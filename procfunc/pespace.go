package procfunc

import (
	"cmp"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/mapping"
	"github.com/spmdc/spmdc/procfunc/linalg"
	"github.com/spmdc/spmdc/runtime/dist"
)

// Pair is a message: PE From puts to PE To.
type Pair struct{ From, To int }

// PESpace computes relations between PEs instead of template positions, where
// the number of PEs and the values of scalars are known. It is exact: it follows
// the same closed forms as the emitted program.
type PESpace struct {
	np      int
	ends    []*ir.Symbol                // of the program
	layouts map[*ir.Symbol]*dist.Layout // of arrays whose bounds are constants
	shapes  map[int]dist.Grid
	// of says the value of a scalar or an index of a loop around; missing is set when it
	// does not know.
	of      func(name string) (int64, bool)
	missing bool
	outside bool           // see Outside
	sect    []dist.Triplet // scratch
}

// NewPESpace is the space of np PEs. of gives the values of scalars and of loop
// indices at the instances that are asked for; it may be changed by its owner
// between calls. ends are those that open ends of arrays stand for.
func NewPESpace(np int, ends []*ir.Symbol, of func(name string) (int64, bool)) *PESpace {
	return &PESpace{np: np, ends: ends, layouts: map[*ir.Symbol]*dist.Layout{}, shapes: map[int]dist.Grid{}, of: of}
}

// Messages lists the messages of one instance of communication c, by sender and
// receiver ascending. It is false where they are not known: for irregular
// communications, and where a scalar has no value or overflows.
func (s *PESpace) Messages(c *comm.Comm) ([]Pair, bool) {
	var out []Pair
	known := s.Sections(c, func(p, q int, _ []dist.Triplet) bool {
		out = append(out, Pair{p, q})
		return true
	})
	if !known {
		return nil, false
	}
	slices.SortFunc(out, func(a, b Pair) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	return out, true
}

// Elements is Messages with the number of elements in each: no less than are sent.
func (s *PESpace) Elements(c *comm.Comm) (list []Pair, elements []int, known bool) {
	known = s.Sections(c, func(p, q int, section []dist.Triplet) bool {
		n := 1
		for _, t := range section {
			n *= t.N
		}
		list, elements = append(list, Pair{p, q}), append(elements, n)
		return true
	})
	return list, elements, known
}

// Sections calls visit for each message of one instance of communication c, by receiver
// and then by sender ascending, with what it carries: a section of the index space of c,
// which visit may not keep. visit returns false to see no more. Sections is false where the
// messages are not known, as for Messages.
func (s *PESpace) Sections(c *comm.Comm, visit func(p, q int, section []dist.Triplet) bool) bool {
	if c.Kind == comm.Irregular {
		return false
	}
	s.missing, s.outside = false, false
	l := s.layout(c.Array)
	w, subs := s.wants(c), s.subscripts(c)
	if evaluated(c) {
		for q := 0; q < s.np && !s.missing && (q == 0 || !w.same); q++ {
			if s.outside = s.outside || s.beyond(c, w.on(q)); s.outside {
				return false
			}
		}
	}
	if s.missing || s.outside {
		return false
	}
	// Where senders have no part in what the receiver is, those that want the same get the same.
	alike := c.Kind != comm.Pipeline && len(c.Forward) == 0 && !l.Replicated()
	spans := make([]dist.Span, len(l.Shape))
	var from []int
	var last []dist.Triplet // what the receiver before wants
	var sent sections       // … and what it gets
	for q := range s.np {
		box := w.on(q)
		if box == nil {
			continue
		}
		if !alike || last == nil || !slices.Equal(box, last) {
			last = append(last[:0], box...)
			s.serving(c, l, box, subs, q, spans)
			from = l.Shape.PEs(from[:0], spans)
			slices.Sort(from)
			sent.clear(len(box))
			for _, p := range from {
				if p == q && !alike {
					continue
				}
				if section := s.section(c, l, box, subs, p, q); section != nil {
					sent.add(p, section)
				}
			}
		}
		for i, p := range sent.from {
			if p != q && !visit(p, q, sent.of(i)) {
				return true
			}
		}
	}
	return true
}

// sections are what one receiver gets, by sender ascending.
type sections struct {
	rank  int
	from  []int
	boxes []dist.Triplet // of rank dimensions each
}

func (s *sections) clear(rank int) { s.rank, s.from, s.boxes = rank, s.from[:0], s.boxes[:0] }

func (s *sections) add(p int, box []dist.Triplet) {
	s.from, s.boxes = append(s.from, p), append(s.boxes, box...)
}

func (s *sections) of(i int) []dist.Triplet {
	return s.boxes[i*s.rank : (i+1)*s.rank : (i+1)*s.rank]
}

// serving sets spans to the coordinates of the PEs that may send to q something of box.
func (s *PESpace) serving(c *comm.Comm, l *dist.Layout, box []dist.Triplet, subs []sub, q int, spans []dist.Span) {
	l.Serving(q, spans)
	for axis, m := range subs {
		g := l.Axes[axis].Grid
		if g < 0 || l.Axes[axis].Format == dist.Collapsed {
			continue
		}
		switch {
		case slices.Contains(c.Forward, axis):
			spans[g] = dist.Span{First: l.Shape.Coord(q, g), N: 1}
		case m.axis < 0 || m.coef == 0:
			l.Narrow(spans, axis, m.off, m.off)
		case box[m.axis].Empty():
			spans[g] = dist.Span{}
		default:
			image := box[m.axis].Image(m.coef, m.off)
			l.Narrow(spans, axis, min(image.Lo, image.Hi()), max(image.Lo, image.Hi()))
		}
	}
}

// Consumers says which PEs want elements in an instance of communication c,
// whether others send them or they have them. It is false where that is not
// known, as for Messages.
func (s *PESpace) Consumers(c *comm.Comm) ([]bool, bool) {
	if c.Kind == comm.Irregular {
		return nil, false
	}
	s.missing = false
	w := s.wants(c)
	out := make([]bool, s.np)
	for q := range out {
		box := w.on(q)
		out[q] = box != nil
		for _, t := range box {
			out[q] = out[q] && !t.Empty()
		}
	}
	return out, !s.missing
}

// Producers says which PEs own elements that some PE wants in an instance of
// communication c, be it themselves. It is false where that is not known.
func (s *PESpace) Producers(c *comm.Comm) ([]bool, bool) {
	if c.Kind == comm.Irregular {
		return nil, false
	}
	s.missing, s.outside = false, false
	l := s.layout(c.Array)
	w, out, subs := s.wants(c), make([]bool, s.np), s.subscripts(c)
	for q := range s.np {
		box := w.on(q)
		s.outside = s.outside || box != nil && evaluated(c) && s.beyond(c, box)
		for p := range s.np {
			out[p] = out[p] || box != nil && s.section(c, l, box, subs, p, q) != nil
		}
	}
	return out, !s.missing && !s.outside
}

// Wanted is how many elements the PE with the largest section wants in one instance of
// communication c, of the first and the last PE, and false where that is not known.
func (s *PESpace) Wanted(c *comm.Comm) (most float64, known bool) {
	if c.Kind == comm.Irregular {
		return 0, false
	}
	s.missing = false
	w := s.wants(c)
	for _, q := range []int{0, s.np - 1} {
		n := 0.0
		for i, t := range w.on(q) {
			if i == 0 {
				n = 1
			}
			n *= float64(t.N)
		}
		most = max(most, n)
	}
	return most, !s.missing
}

// Size is how many elements an array has, and false where that is not known.
func (s *PESpace) Size(a *ir.Symbol) (float64, bool) {
	s.missing = false
	n := 1.0
	for _, d := range a.Dims {
		n *= float64(s.end(d.Hi) - s.end(d.Lo) + 1)
	}
	return n, !s.missing
}

// Shape is the extents of the grid that an array is distributed on.
func (s *PESpace) Shape(a *ir.Symbol) dist.Grid { return s.layout(a).Shape }

// Combined is the section of a replicated array that a reduction combines, and false where
// that is not known.
func (s *PESpace) Combined(r *comm.Reduction) ([]dist.Triplet, bool) {
	s.missing = false
	var out []dist.Triplet
	for i, box := range r.Section {
		for d, t := range s.wants(&comm.Comm{Array: r.Sym, Axes: box}).on(0) {
			if i == 0 {
				out = append(out, t)
			} else {
				out[d] = out[d].Hull(t)
			}
		}
	}
	return out, !s.missing
}

// Count is a number of messages between two PEs.
type Count struct {
	Pair
	N int
}

// Gets is how often, in one execution of a communication whose temporary is filled in strips
// of so many iterations, PE To gets a strip's elements of From: those of the first strip
// are put. It is nil where that is not known.
func (s *PESpace) Gets(x *comm.Strips, size int) []Count {
	var coef, off int
	for _, t := range x.Comm.Axes[x.Axis].Terms {
		if t.Range == x.Range {
			coef, off = t.Coef, s.value(x.Comm.Axes[x.Axis].Off)
		}
	}
	v := s.values(x.Range)
	var out []Count
	known := s.Sections(x.Comm, func(p, q int, section []dist.Triplet) bool {
		all := v.on(q)
		part := section[x.Axis].Preimage(coef, off).Intersect(all)
		if part.Empty() {
			return true
		}
		from, upto := all.Index(part.Lo), all.Index(part.Hi())
		if x.Down {
			from, upto = all.N-1-upto, all.N-1-from
		}
		n := min(part.N, upto/size-from/size+1)
		if from < size {
			n--
		}
		if n > 0 {
			out = append(out, Count{Pair{p, q}, n})
		}
		return true
	})
	if !known {
		return nil
	}
	return out
}

// Iterations is how many values of r are those of iterations of PE q, and false where that
// is not known.
func (s *PESpace) Iterations(r *comm.Range) (on func(q int) int, known bool) {
	s.missing = false
	v := s.values(r)
	return func(q int) int { return v.on(q).N }, !s.missing
}

// Owners says which PEs satisfy all of the constraints, and false where that is not known.
func (s *PESpace) Owners(cons []comm.Constraint) (on func(q int) bool, known bool) {
	s.missing = false
	g := s.guard(cons)
	return g.on, !s.missing
}

// Plain is a communication with the same messages as c that depends on less: a
// single subscript of a dimension that is not distributed, say the plane of
// grid(i,j,iold), has no part in who sends to whom as long as it lies within the
// array. It certainly does when the references are evaluated.
func Plain(c *comm.Comm) *comm.Comm {
	if !evaluated(c) {
		return c
	}
	d := *c
	d.Axes = nil
	for i, ax := range c.Axes {
		if !ax.All && len(ax.Terms) == 0 && !ax.Off.IsConst() && c.Array.Mapping.Map.Axes[i].Grid < 0 {
			ax = comm.Axis{All: true}
		}
		d.Axes = append(d.Axes, ax)
	}
	return &d
}

func (s *PESpace) layout(a *ir.Symbol) *dist.Layout {
	if l := s.layouts[a]; l != nil {
		return l
	}
	m := ir.EachEnds(a.Mapping.Map, func(lo, hi int) (int, int) { return s.end(lo), s.end(hi) })
	l := dist.NewLayout(m, mapping.Shape(a.Mapping.Grid, s.np))
	if !a.Placed() {
		s.layouts[a] = l
	} else if !s.missing && m.Misplaced() != nil {
		s.outside = true
	}
	return l
}

// end is the value of an end of a dimension; 0, and missing set, where it has none.
func (s *PESpace) end(n int) int {
	k, off, open := ir.Open(n)
	if !open {
		return n
	}
	return s.value(linalg.Var(s.ends[k].Name)) + off
}

// value of a form; 0, and missing set, where it has none.
func (s *PESpace) value(f linalg.Affine) int {
	v, ok := f.Eval(func(name string) int64 {
		x, known := s.of(name)
		if !known {
			s.missing = true
		}
		return x
	})
	if !ok {
		s.missing = true
	}
	return int(v)
}

// wanted is what PEs want of a communication, for the values that scalars have: sections
// of its index space.
type wanted struct {
	root  bool // PE 0 alone
	guard guard
	some  []values // PEs for which one of these is empty want nothing
	axes  []wantedAxis
	same  bool           // all PEs want the same
	box   []dist.Triplet // what the PE wants that was asked for last
}

// wantedAxis is one dimension: all of part, or a sum of images.
type wantedAxis struct {
	part  dist.Triplet
	terms []wantedTerm
}

type wantedTerm struct {
	values
	coef, off int
}

func (s *PESpace) wants(c *comm.Comm) *wanted {
	w := &wanted{root: c.RootOnly, guard: s.guard(c.Guard), axes: make([]wantedAxis, len(c.Axes)), box: make([]dist.Triplet, len(c.Axes))}
	for _, r := range c.Ranges {
		if len(r.Cons) > 0 && !c.Varies(r) {
			w.some = append(w.some, s.values(r))
		}
	}
	for d, ax := range c.Axes {
		x := &w.axes[d]
		switch {
		case ax.All:
			x.part = dist.Range(s.end(c.Array.Dims[d].Lo), s.end(c.Array.Dims[d].Hi), 1)
		case len(ax.Terms) == 0:
			x.part = dist.Single(s.value(ax.Off))
		}
		for i, t := range ax.Terms {
			off := 0
			if i == 0 {
				off = s.value(ax.Off)
			}
			x.terms = append(x.terms, wantedTerm{s.values(t.Range), t.Coef, off})
		}
	}
	w.same = !w.root && len(w.guard) == 0 && len(w.some) == 0
	for d := range w.axes {
		for i := range w.axes[d].terms {
			w.same = w.same && len(w.axes[d].terms[i].cons) == 0
		}
	}
	if w.same {
		w.fill(0)
	}
	return w
}

// on is what PE q wants; nil: nothing. It holds until the next call.
func (w *wanted) on(q int) []dist.Triplet {
	if w.same {
		return w.box
	}
	if w.root && q != 0 || !w.guard.on(q) {
		return nil
	}
	for i := range w.some {
		if w.some[i].on(q).Empty() {
			return nil
		}
	}
	w.fill(q)
	return w.box
}

// fill sets box to what PE q wants.
func (w *wanted) fill(q int) {
	for d := range w.axes {
		x := &w.axes[d]
		w.box[d] = x.part
		for i := range x.terms {
			if image := x.terms[i].on(q).Image(x.terms[i].coef, x.terms[i].off); i == 0 {
				w.box[d] = image
			} else {
				w.box[d] = w.box[d].Plus(image)
			}
		}
	}
}

// guard is what PEs have to own.
type guard []struct {
	l         *dist.Layout
	axis, sub int
}

func (s *PESpace) guard(cons []comm.Constraint) guard {
	g := make(guard, len(cons))
	for i, k := range cons {
		g[i].l, g[i].axis = s.layout(k.Array), k.Axis
		if k.Axis >= 0 {
			g[i].sub = s.value(k.Sub)
		}
	}
	return g
}

func (g guard) on(q int) bool {
	for i := range g {
		if k := &g[i]; k.axis < 0 && !k.l.Holds(q) || k.axis >= 0 && !k.l.Owned(q, k.axis).Contains(k.sub) {
			return false
		}
	}
	return true
}

// Outside reports whether, of the communication that Messages was last asked of, references
// are evaluated to elements that do not exist, or arrays lie outside of their templates: the
// scalars have values that they cannot have.
func (s *PESpace) Outside() bool { return s.outside }

// evaluated reports whether the references of c are evaluated wherever the loops around them
// run.
func evaluated(c *comm.Comm) bool {
	return !c.Partial && c.Subs == nil && c.Region != nil && !jumps(c.Region.Stmts)
}

// beyond reports whether a section that is not empty has elements that do not exist in a
// dimension that is not distributed.
func (s *PESpace) beyond(c *comm.Comm, box []dist.Triplet) bool {
	out := false
	for d, t := range box {
		if t.Empty() {
			return false
		}
		known := len(c.Axes[d].Terms) > 0 && c.Array.Mapping.Map.Axes[d].Grid < 0
		for _, x := range c.Axes[d].Terms {
			known = known && !x.Range.Unknown
		}
		b := c.Array.Dims[d]
		out = out || known && (min(t.Lo, t.Hi()) < s.end(b.Lo) || max(t.Lo, t.Hi()) > s.end(b.Hi))
	}
	return out
}

// values are those of an index, of which a PE has the ones that it owns.
type values struct {
	all  dist.Triplet
	cons []struct {
		l          *dist.Layout
		axis, a, b int
	}
}

func (s *PESpace) values(r *comm.Range) values {
	v := values{all: dist.All()}
	switch {
	case r.By != nil:
		step := s.value(*r.By)
		if step == 0 { // not known, or the loop ends the program
			s.missing = true
			return v
		}
		v.all = dist.Range(s.value(r.Lo), s.value(r.Hi), step)
	case !r.Unknown:
		v.all = dist.Range(s.value(r.Lo), s.value(r.Hi), r.Step)
	}
	v.cons = slices.Grow(v.cons, len(r.Cons))[:len(r.Cons)]
	for i, k := range r.Cons {
		rest, ok := k.Sub.Subst(r.Index, linalg.Const(0))
		s.missing = s.missing || !ok
		x := &v.cons[i]
		x.l, x.axis, x.a, x.b = s.layout(k.Array), k.Axis, int(k.Sub.Coef(r.Index)), s.value(rest)
	}
	return v
}

// on is the values on PE q.
func (v *values) on(q int) dist.Triplet {
	t := v.all
	for i := range v.cons {
		k := &v.cons[i]
		t = k.l.Iters(q, k.axis, k.a, k.b, t)
	}
	return t
}

// sub is one subscript: Coef*x[Axis]+Off.
type sub struct{ axis, coef, off int }

func (s *PESpace) subscripts(c *comm.Comm) []sub {
	var out []sub
	if c.Subs == nil {
		for d := range c.Axes {
			out = append(out, sub{d, 1, 0})
		}
		return out
	}
	for _, m := range c.Subs {
		out = append(out, sub{m.Axis, m.Coef, s.value(m.Off)})
	}
	return out
}

// section is what p owns, or forwards, of what q wants; nil: nothing. It holds until the
// next call.
func (s *PESpace) section(c *comm.Comm, l *dist.Layout, box []dist.Triplet, subs []sub, p, q int) []dist.Triplet {
	if !l.ReplicaFor(p, q) {
		return nil
	}
	if c.Kind == comm.Pipeline {
		pipe := c.Region.Pipe
		if ahead := l.Shape.Coord(q, pipe.GridDim) - l.Shape.Coord(p, pipe.GridDim); ahead*pipe.Dir <= 0 {
			return nil
		}
	}
	s.sect = append(s.sect[:0], box...)
	sect := s.sect
	for axis, m := range subs {
		if m.axis < 0 || m.coef == 0 {
			continue
		}
		ax := l.Axes[axis]
		sect[m.axis] = sect[m.axis].Intersect(dist.Range(ax.Lo, ax.Hi, 1).Preimage(m.coef, m.off))
	}
	for axis, m := range subs {
		if slices.Contains(c.Forward, axis) {
			if g := l.Axes[axis].Grid; g >= 0 && l.Shape.Coord(p, g) != l.Shape.Coord(q, g) {
				return nil
			}
			continue
		}
		own := l.Owned(p, axis)
		if m.axis < 0 || m.coef == 0 {
			if !own.Contains(m.off) {
				return nil
			}
			continue
		}
		sect[m.axis] = sect[m.axis].Intersect(own.Preimage(m.coef, m.off))
	}
	for _, t := range sect {
		if t.Empty() {
			return nil
		}
	}
	return sect
}
