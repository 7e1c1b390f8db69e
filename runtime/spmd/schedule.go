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
	boxes    []dist.Triplet // [q*rank+axis]: the needs that it was built for
	none     []bool         // [q]: the need was nil
	inside   []dist.Triplet // [rank]: what lies inside of the array
	subs     []Sub          // as given
	maps     []Sub          // subs, or the identity if none were given
	forward  []bool         // [axis]: producers send their overlap along it; nil: none
	dim, dir int            // only producers on one side along a grid dimension; dir 0: all

	// staged: what comes for the overlap is packed into a stage, producer by
	// producer in the order of their numbers, and unpacked from there. All of it lies,
	// along axis, outside of what a PE owns; with -1 along some axis.
	staged bool
	axis   int
	unpack []transport.Move
	strips *stripping // the messages carry the first strip only; nil: everything

	sends  []transfer
	recvs  []int // producers of what this PE needs
	local  transfer
	copies bool // there is a local copy

	want []dist.Triplet // scratch, see wanted
	sect []dist.Triplet // scratch
	dims []Dim          // scratch
}

func newSchedule(pe *PE, site int, src *geometry, rank int, shadow bool, elem int) schedule {
	return schedule{
		self: pe.id, np: pe.n, site: site, pe: pe, src: src, shadow: shadow, rank: rank, elem: int64(elem),
		boxes:  make([]dist.Triplet, pe.n*rank),
		none:   make([]bool, pe.n),
		inside: make([]dist.Triplet, rank),
		want:   make([]dist.Triplet, rank),
		sect:   make([]dist.Triplet, rank),
		dims:   make([]Dim, rank),
	}
}

// refresh brings the schedule up to date. What the compiler has done wrong is told when an
// execution starts: a need may be stated where there is none.
func (s *schedule) refresh(dim, dir int, need func(q int) Box, subs []Sub) {
	changed := !s.valid || s.dim != dim || s.dir != dir
	for q := range s.np {
		box := need(q)
		none := box == nil || len(box) == 0 && s.rank > 0
		if none != s.none[q] {
			s.none[q], changed = none, true
		}
		if none {
			if s.strips != nil {
				s.strips.more[q] = false
			}
			continue
		}
		if len(box) != s.rank {
			s.pe.internal(s.site, "a need of rank %d where %d is expected", len(box), s.rank)
		}
		have := s.boxes[q*s.rank : (q+1)*s.rank]
		for d := range have {
			if have[d] != box[d] {
				have[d], changed = box[d], true
			}
		}
		if s.strips != nil && s.strips.refresh(s, q) {
			changed = true
		}
	}
	if !slices.Equal(s.subs, subs) {
		s.subs, changed = append(s.subs[:0], subs...), true
	}
	if changed {
		s.dim, s.dir = dim, dir
		s.build()
		s.valid = true
		s.made++
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
func (s *schedule) build() {
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
	sends := s.has(s.self)
	for k := 1; k < s.np; k++ {
		// Each PE starts with its right neighbour, lest all of them put to
		// PE 0 first.
		q := s.self + k
		if q >= s.np {
			q -= s.np
		}
		if sends && s.section(s.self, q) {
			base := 0
			if s.staged {
				base = s.before(s.self, q)
				s.section(s.self, q)
			}
			s.sends = append(s.sends, transfer{pe: q})
			t := &s.sends[len(s.sends)-1]
			if s.strips == nil || s.sectionOf(s.self, q, s.target(q)) {
				s.fill(t, s.self, q, base, s.target(q))
			} else {
				t.move.Loop(0, 1, 1) // the message tells only that the owner has come here
			}
		}
		if s.has(q) && s.section(q, s.self) {
			s.recvs = append(s.recvs, q)
		}
	}
	if !s.shadow && !s.none[s.self] && s.sectionOf(s.self, s.self, s.target(s.self)) {
		s.copies = true
		s.local.pe = s.self
		s.fill(&s.local, s.self, s.self, 0, s.target(s.self))
	}
	if s.staged {
		s.layOutStage()
	}
}

// layOutStage describes the copies from the stage of this PE into its overlap.
func (s *schedule) layOutStage() {
	s.unpack = s.unpack[:0]
	at := 0
	for p := range s.np {
		if p == s.self || !s.section(p, s.self) {
			continue
		}
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
	for o := range p {
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

// wanted is what PE q needs of what the array has, until the next call.
func (s *schedule) wanted(q int) []dist.Triplet {
	return s.clipped(s.want, s.boxes[q*s.rank:(q+1)*s.rank])
}

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

// target is what the temporary of PE q holds when it is posted, until the next call.
func (s *schedule) target(q int) []dist.Triplet {
	if s.strips != nil {
		return s.clipped(s.want, s.strips.boxes[q*s.rank:(q+1)*s.rank])
	}
	return s.wanted(q)
}

// section computes in s.sect the elements that p sends to q; it reports whether
// there are any.
func (s *schedule) section(p, q int) bool {
	return !s.none[q] && s.sectionOf(p, q, s.wanted(q))
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
