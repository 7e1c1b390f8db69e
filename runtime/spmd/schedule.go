package spmd

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/runtime/dist"
	"github.com/spmdc/spmdc/runtime/transport"
)

// Box is a product of index sets, one for each axis of the index space of a
// communication. It is empty if one of them is, or if it is nil. An index space
// of rank 0 has one element, in the box Box{}.
type Box []dist.Triplet

// Sub is one subscript of the source reference as a function of the index
// space: Coef*x[Axis]+Off, or the constant Off if Axis is -1.
type Sub struct{ Axis, Coef, Off int }

// constant reports whether the subscript does not vary.
func (s Sub) constant() bool { return s.Axis < 0 || s.Coef == 0 }

// Box is the Box of the given axes in storage that belongs to the PE and lasts
// until the next call: for needs that are computed in hot loops, since a
// composite literal would be allocated anew each time.
func (pe *PE) Box(axes ...dist.Triplet) Box {
	pe.axes = append(pe.axes[:0], axes...)
	return pe.axes[:len(axes):len(axes)]
}

// transfer is one message (or local copy) of a schedule.
type transfer struct {
	pe    int // the consumer
	bytes int64
	move  transport.Move
	cells []dist.Triplet // in check builds: the elements, along each axis
}

// schedule is who sends what to whom in one communication: computed from the
// needs of all PEs, and kept as long as these stay the same.
//
// The elements that producer p sends to consumer q are a product of triplets:
// on each axis of the index space, the need of q intersected with the preimage
// of what p owns under every subscript that uses the axis. So a schedule takes
// a few divisions per PE and axis, and never looks at elements.
//
// Of the needs it keeps its own and those of the PEs that it sends to: whether another PE
// needs something of this one is found out anew each time, so that no PE has a table of
// all. Where all PEs need the same there is one need.
type schedule struct {
	self, np int
	site     int
	pe       *PE
	src      *geometry
	shadow   bool  // the target is the overlap of the source itself
	rank     int   // of the index space
	elem     int64 // bytes of an element

	valid    bool
	made     int            // how often it was built
	used     int            // of these, the last that an execution had
	fault    string         // why it cannot serve, of the compiler
	same     bool           // all PEs need what this one needs
	own      needed         // what this PE needs
	within   []dist.Triplet // what all PEs need is a part of this; nil: not known
	theirs   []needed       // [i]: what the consumer of message i needs
	scratch  needed         // of a PE that is looked at
	every    *everybody     // what all PEs need, where that is asked for
	inside   []dist.Triplet // [rank]: what lies inside of the array
	subs     []Sub          // as given
	maps     []Sub          // subs, or the identity if none were given
	forward  []bool         // [axis]: producers send their overlap along it; nil: none
	dim, dir int            // only producers on one side along a grid dimension; dir 0: all

	// staged: what comes for the overlap is packed into a stage, producer by
	// producer in the order of their numbers, and unpacked from there. All of it lies,
	// along axis, outside of what a PE owns; with -1 along some axis.
	staged  bool
	grouped bool // other communications fill the stage too
	axis    int
	unpack  []transport.Move
	strips  *stripping // the messages carry the first strip only; nil: everything

	sends  []transfer
	recvs  []int // producers of what this PE needs
	local  transfer
	copies bool // there is a local copy

	want  []dist.Triplet // scratch, see wanted
	sect  []dist.Triplet // scratch
	dims  []Dim          // scratch
	spans []dist.Span    // scratch, see producers
	list  []int          // scratch
}

func newSchedule(pe *PE, site int, src *geometry, rank int, shadow bool, elem int) schedule {
	return schedule{
		self: pe.id, np: pe.n, site: site, pe: pe, src: src, shadow: shadow, rank: rank, elem: int64(elem),
		inside: make([]dist.Triplet, rank),
		want:   make([]dist.Triplet, rank),
		sect:   make([]dist.Triplet, rank),
		dims:   make([]Dim, rank),
		spans:  make([]dist.Span, len(src.layout.Shape)),
	}
}

// started begins an execution, and reports whether the messages are others than in the
// one before.
func (s *schedule) started() (changed bool) {
	if s.fault != "" || !s.valid {
		s.unfit()
	}
	changed = s.used != s.made
	s.used = s.made
	return changed
}

func (s *schedule) unfit() {
	if s.fault == "" {
		s.fault = "a communication is posted before it is said what is needed"
	}
	s.pe.internal(s.site, "%s", s.fault)
}

// build computes the messages from the needs.
func (s *schedule) build(state statement) {
	s.sends, s.recvs, s.copies, s.fault = s.sends[:0], s.recvs[:0], false, ""
	s.maps = append(s.maps[:0], s.subs...)
	if len(s.subs) == 0 {
		for axis := range s.rank {
			s.maps = append(s.maps, Sub{axis, 1, 0})
		}
	}
	if len(s.maps) != s.src.layout.Rank() {
		s.pe.internal(s.site, "%d subscripts for an array of rank %d", len(s.maps), s.src.layout.Rank())
	}
	s.clip()
	if !s.same && (s.pe.orders != nil || s.staged && s.grouped) {
		if s.every == nil {
			s.every = &everybody{boxes: make([]dist.Triplet, s.np*s.rank), none: make([]bool, s.np)}
		}
		s.every.changed(s, state)
	}
	if s.serves() {
		s.buildSends(state)
	}
	s.buildRecvs()
	if !s.shadow && !s.own.none && s.sectionOf(s.self, s.self, s.target(&s.own)) {
		s.copies = true
		s.local.pe = s.self
		s.fill(&s.local, s.self, s.self, 0, s.target(&s.own))
	}
	if s.staged {
		s.layOutStage()
	}
}

// buildRecvs finds the producers of what this PE needs.
func (s *schedule) buildRecvs() {
	if s.own.none {
		return
	}
	want := s.wanted(s.own.box)
	s.list = s.producers(s.list[:0], s.self, want)
	right, _ := slices.BinarySearch(s.list, s.self+1)
	for k := range s.list {
		if k += right; k >= len(s.list) {
			k -= len(s.list)
		}
		if p := s.list[k]; p != s.self && s.sectionOf(p, s.self, want) {
			s.recvs = append(s.recvs, p)
		}
	}
}

// producers appends the PEs that may send elements to q, which wants some, in the order of
// their numbers. Which these are is known without looking at all PEs.
func (s *schedule) producers(list []int, q int, want []dist.Triplet) []int {
	l := s.src.layout
	l.Serving(q, s.spans)
	for axis, sub := range s.maps {
		switch {
		case s.forward != nil && s.forward[axis]:
			if g := l.Axes[axis].Grid; g >= 0 {
				s.spans[g] = dist.Span{First: l.Shape.Coord(q, g), N: 1}
			}
		case sub.constant():
			l.Narrow(s.spans, axis, sub.Off, sub.Off)
		default:
			x := want[sub.Axis].Image(sub.Coef, sub.Off)
			if x.Empty() {
				return list
			}
			l.Narrow(s.spans, axis, x.Lo, x.Hi())
		}
	}
	return l.Shape.PEs(list, s.spans)
}

// buildSends computes what this PE sends.
func (s *schedule) buildSends(state statement) {
	if s.same && s.alike() {
		s.sendAll()
		return
	}
	x := &s.scratch
	for k := 1; k < s.np; k++ {
		q := s.around(k)
		if s.same {
			x = &s.own
		} else {
			state(x, q)
		}
		if !s.reaches(s.self, q, x) {
			continue
		}
		s.sends = append(s.sends, transfer{pe: q})
		if !s.same {
			s.keepNeed(len(s.sends) - 1)
		}
		s.describe(&s.sends[len(s.sends)-1], x)
	}
}

// alike reports whether PEs that need the same get the same message.
func (s *schedule) alike() bool {
	return !s.shadow && s.dir == 0 && s.forward == nil && s.strips == nil && !s.src.layout.Replicated()
}

// sendAll computes what this PE sends where it is the same for all.
func (s *schedule) sendAll() {
	if s.np == 1 || !s.reaches(s.self, s.around(1), &s.own) {
		return
	}
	first := transfer{pe: s.around(1)}
	s.describe(&first, &s.own)
	for k := 1; k < s.np; k++ {
		s.sends = append(s.sends, first)
		s.sends[k-1].pe = s.around(k)
	}
}

// describe describes the message of s.sect to a PE that needs x.
func (s *schedule) describe(t *transfer, x *needed) {
	base := 0
	if s.staged {
		base = s.before(s.self, t.pe)
		s.section(s.self, t.pe)
	}
	if s.strips == nil || s.sectionOf(s.self, t.pe, s.target(x)) {
		s.fill(t, s.self, t.pe, base, s.target(x))
	} else {
		t.move.Loop(0, 1, 1) // the message tells only that the owner has come here
	}
}

// layOutStage describes the copies from the stage of this PE into its overlap.
func (s *schedule) layOutStage() {
	s.unpack = s.unpack[:0]
	at := 0
	s.list = append(s.list[:0], s.recvs...)
	slices.Sort(s.list)
	for _, p := range s.list {
		s.section(p, s.self)
		s.unpack = append(s.unpack, transport.Move{})
		at += s.unstage(&s.unpack[len(s.unpack)-1], at)
	}
}

// unstage describes the copy of s.sect from place at of the stage of this PE into its
// overlap, and returns how many elements these are.
func (s *schedule) unstage(m *transport.Move, at int) (count int) {
	piece := s.src.piece(s.self)
	*m = transport.Move{Src: at}
	count = 1
	for d, x := range s.sect {
		m.Dst += piece[d].at(x.Lo)
		if x.N > 1 {
			m.Loop(x.N, count, x.Step/piece[d].Step*piece[d].Stride)
		}
		count *= x.N
	}
	return count
}

// before is where the part of PE p begins in the stage of q.
func (s *schedule) before(p, q int) int {
	at := 0
	box, _ := s.needOf(q)
	s.list = s.producers(s.list[:0], q, s.wanted(box))
	for _, o := range s.list {
		if o >= p {
			break
		}
		if o != q && s.section(o, q) {
			count := 1
			for _, x := range s.sect {
				count *= x.N
			}
			at += count
		}
	}
	return at
}

// clip finds out what the array has: subscripts that a guard keeps from being evaluated may
// lie outside its bounds.
func (s *schedule) clip() {
	for d := range s.inside {
		s.inside[d] = dist.All()
	}
	for axis, sub := range s.maps {
		if sub.constant() {
			continue
		}
		ax := s.src.layout.Axes[axis]
		x := &s.inside[sub.Axis]
		*x = dist.Range(ax.Lo, ax.Hi, 1).Preimage(sub.Coef, sub.Off).Intersect(*x)
	}
}

// wanted is what a need has of what the array has, until the next call.
func (s *schedule) wanted(box []dist.Triplet) []dist.Triplet { return s.clipped(s.want, box) }

// clipped is a box, less what lies outside the array, in storage of its own.
func (s *schedule) clipped(into, box []dist.Triplet) []dist.Triplet {
	for d, x := range box {
		if all := &s.inside[d]; x.N > 0 && all.Step == 1 && all.Lo <= x.Lo && x.Hi() <= all.Hi() {
			into[d] = x
		} else {
			into[d] = x.Intersect(*all)
		}
	}
	return into
}

// target is what the temporary of a PE that needs x holds when it is posted, until the
// next call.
func (s *schedule) target(x *needed) []dist.Triplet {
	if s.strips != nil {
		return s.clipped(s.want, x.first)
	}
	return s.wanted(x.box)
}

// section computes in s.sect the elements that p sends to q, if it is known what q needs;
// it reports whether there are any.
func (s *schedule) section(p, q int) bool {
	box, known := s.needOf(q)
	return known && s.sectionOf(p, q, s.wanted(box))
}

// reaches computes in s.sect the elements that p sends to q, which needs x; it reports
// whether there are any.
func (s *schedule) reaches(p, q int, x *needed) bool {
	return !x.none && s.sectionOf(p, q, s.wanted(x.box))
}

// has reports whether PE p has elements with the subscripts that do not vary, those that it
// only forwards among them.
func (s *schedule) has(p int) bool {
	for axis, sub := range s.maps {
		if sub.constant() && (s.forward == nil || !s.forward[axis]) && !s.src.layout.Owned(p, axis).Contains(sub.Off) {
			return false
		}
	}
	return true
}

// serves reports whether this PE may have to send something, as far as that is known without
// the needs.
func (s *schedule) serves() bool {
	if !s.has(s.self) {
		return false
	}
	if len(s.within) == 0 || s.forward != nil {
		return true
	}
	for axis, sub := range s.maps {
		if !sub.constant() && s.within[sub.Axis].Intersect(s.src.layout.Owned(s.self, axis).Preimage(sub.Coef, sub.Off)).Empty() {
			return false
		}
	}
	return true
}

// sectionOf is section for a q that needs box.
func (s *schedule) sectionOf(p, q int, box []dist.Triplet) bool {
	l := s.src.layout
	if !l.ReplicaFor(p, q) {
		return false
	}
	if s.dir != 0 {
		ahead := l.Shape.Coord(q, s.dim) - l.Shape.Coord(p, s.dim)
		if ahead*s.dir <= 0 {
			return false
		}
	}
	for d := range box {
		if box[d].Empty() {
			return false
		}
		s.sect[d] = box[d]
	}
	for axis, sub := range s.maps {
		if s.forward != nil && s.forward[axis] {
			if g := l.Axes[axis].Grid; g >= 0 && l.Shape.Coord(p, g) != l.Shape.Coord(q, g) {
				return false
			}
			continue // p has what q wants: they want the same along this axis
		}
		own := l.Owned(p, axis)
		if sub.constant() {
			if !own.Contains(sub.Off) {
				return false
			}
			continue
		}
		t := s.sect[sub.Axis].Intersect(own.Preimage(sub.Coef, sub.Off))
		if t.Empty() {
			return false
		}
		s.sect[sub.Axis] = t
	}
	return true
}

// fill describes the copy of s.sect from p to q: into a temporary that holds box, or
// in a stage from base on.
func (s *schedule) fill(t *transfer, p, q, base int, box []dist.Triplet) {
	target := s.dims
	if s.shadow {
		target = s.src.piece(q)
	} else {
		boxDims(target, box)
	}
	piece := s.src.piece(p)
	m := &t.move
	*m = transport.Move{}
	packed := 1
	if s.staged {
		m.Dst = base
	}
	for axis, sub := range s.maps {
		i := sub.Off
		if !sub.constant() {
			i += sub.Coef * s.sect[sub.Axis].Lo
		}
		m.Src += piece[axis].at(i)
	}
	for d, x := range s.sect {
		if s.shadow && !target[d].holds(x.Lo, x.Hi()) {
			s.fault = fmt.Sprintf("PE %d needs %v on axis %d, outside its overlap", q, x, d+1)
		}
		if s.forward != nil && s.forward[d] && !piece[d].holds(x.Lo, x.Hi()) {
			s.fault = fmt.Sprintf("PE %d forwards %v on axis %d, outside its overlap", p, x, d+1)
		}
		to := packed
		if packed *= x.N; !s.staged {
			m.Dst += target[d].at(x.Lo)
			to = x.Step / target[d].Step * target[d].Stride
		}
		if x.N == 1 {
			continue
		}
		// Two subscripts on one axis, as in a(i,i), add up their strides.
		src := 0
		for axis, sub := range s.maps {
			if sub.Axis == d {
				src += sub.Coef * x.Step / piece[axis].Step * piece[axis].Stride
			}
		}
		m.Loop(x.N, src, to)
	}
	t.bytes = int64(m.Count()) * s.elem
	if s.pe.orders != nil {
		t.cells = slices.Clone(s.sect)
	}
}

// Apart calls f, a loop of a long program. The Go compiler does not put it in line
// here, as it would where f is called directly, and is done with the program sooner.
//
//go:noinline
func (pe *PE) Apart(f func()) { f() }
