package procfunc

import (
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
	outside bool // see Outside
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
	list, _, known := s.Elements(c)
	return list, known
}

// Elements is Messages with the number of elements in each: no less than are sent.
func (s *PESpace) Elements(c *comm.Comm) (list []Pair, elements []int, known bool) {
	if c.Kind == comm.Irregular {
		return nil, nil, false
	}
	s.missing, s.outside = false, false
	l := s.layout(c.Array)
	boxes := make([][]dist.Triplet, s.np)
	for q := range boxes {
		boxes[q] = s.need(c, q)
	}
	subs := s.subscripts(c)
	if s.missing || s.outside {
		return nil, nil, false
	}
	for p := range s.np {
		for q, box := range boxes {
			if p == q || box == nil {
				continue
			}
			if n := s.amount(c, l, box, subs, p, q); n > 0 {
				list, elements = append(list, Pair{p, q}), append(elements, n)
			}
		}
	}
	return list, elements, true
}

// Consumers says which PEs want elements in an instance of communication c,
// whether others send them or they have them. It is false where that is not
// known, as for Messages.
func (s *PESpace) Consumers(c *comm.Comm) ([]bool, bool) {
	if c.Kind == comm.Irregular {
		return nil, false
	}
	s.missing = false
	out := make([]bool, s.np)
	for q := range out {
		box := s.need(c, q)
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
	out, subs := make([]bool, s.np), s.subscripts(c)
	for q := range s.np {
		box := s.need(c, q)
		for p := range s.np {
			out[p] = out[p] || box != nil && s.amount(c, l, box, subs, p, q) > 0
		}
	}
	return out, !s.missing && !s.outside
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

// need is the section of the index space of c that PE q wants; nil: none.
func (s *PESpace) need(c *comm.Comm, q int) []dist.Triplet {
	if c.RootOnly && q != 0 {
		return nil
	}
	for _, k := range c.Guard {
		l := s.layout(k.Array)
		if k.Axis < 0 && !l.Holds(q) || k.Axis >= 0 && !l.Owned(q, k.Axis).Contains(s.value(k.Sub)) {
			return nil
		}
	}
	for _, r := range c.Ranges {
		if len(r.Cons) > 0 && !c.Varies(r) && s.rangeOn(r, q).Empty() {
			return nil
		}
	}
	box := make([]dist.Triplet, len(c.Axes))
	for d, ax := range c.Axes {
		switch {
		case ax.All:
			box[d] = dist.Range(s.end(c.Array.Dims[d].Lo), s.end(c.Array.Dims[d].Hi), 1)
		case len(ax.Terms) == 0:
			box[d] = dist.Single(s.value(ax.Off))
		}
		for i, t := range ax.Terms {
			image := s.rangeOn(t.Range, q)
			if i == 0 {
				box[d] = image.Image(t.Coef, s.value(ax.Off))
			} else {
				box[d] = box[d].Plus(image.Image(t.Coef, 0))
			}
		}
	}
	s.outside = s.outside || evaluated(c) && s.beyond(c, box)
	return box
}

// Outside reports whether, of the communication that Messages was last asked of, references
// are evaluated to elements that do not exist: the scalars have values that they cannot have.
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

// rangeOn is the values of an index on PE q.
func (s *PESpace) rangeOn(r *comm.Range, q int) dist.Triplet {
	t := dist.All()
	switch {
	case r.By != nil:
		step := s.value(*r.By)
		if step == 0 { // not known, or the loop ends the program
			s.missing = true
			return t
		}
		t = dist.Range(s.value(r.Lo), s.value(r.Hi), step)
	case !r.Unknown:
		t = dist.Range(s.value(r.Lo), s.value(r.Hi), r.Step)
	}
	for _, k := range r.Cons {
		a := int(k.Sub.Coef(r.Index))
		rest, ok := k.Sub.Subst(r.Index, linalg.Const(0))
		if !ok {
			s.missing = true
			return t
		}
		t = s.layout(k.Array).Iters(q, k.Axis, a, s.value(rest), t)
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

// amount is how many elements p owns, or forwards, of what q wants.
func (s *PESpace) amount(c *comm.Comm, l *dist.Layout, box []dist.Triplet, subs []sub, p, q int) int {
	if !l.ReplicaFor(p, q) {
		return 0
	}
	if c.Kind == comm.Pipeline {
		pipe := c.Region.Pipe
		if ahead := l.Shape.Coord(q, pipe.GridDim) - l.Shape.Coord(p, pipe.GridDim); ahead*pipe.Dir <= 0 {
			return 0
		}
	}
	sect := append([]dist.Triplet(nil), box...)
	for axis, m := range subs {
		if m.axis < 0 || m.coef == 0 {
			continue
		}
		ax := l.Axes[axis]
		sect[m.axis] = sect[m.axis].Intersect(dist.Range(ax.Lo, ax.Hi, 1).Preimage(m.coef, m.off))
	}
	for axis, m := range subs {
		forwards := false
		for _, d := range c.Forward {
			forwards = forwards || d == axis
		}
		if forwards {
			if g := l.Axes[axis].Grid; g >= 0 && l.Shape.Coord(p, g) != l.Shape.Coord(q, g) {
				return 0
			}
			continue
		}
		own := l.Owned(p, axis)
		if m.axis < 0 || m.coef == 0 {
			if !own.Contains(m.off) {
				return 0
			}
			continue
		}
		sect[m.axis] = sect[m.axis].Intersect(own.Preimage(m.coef, m.off))
	}
	n := 1
	for _, t := range sect {
		n *= max(0, t.N)
	}
	return n
}
