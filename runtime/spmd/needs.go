package spmd

import (
	"slices"

	"github.com/spmdc/spmdc/runtime/dist"
)

// everybody is what all PEs need: in check builds, and for the places in a stage that
// several communications fill together.
type everybody struct {
	boxes []dist.Triplet // [q*rank+axis]
	none  []bool         // [q]
}

// needed is what a PE needs in the executions of a schedule.
type needed struct {
	none  bool           // nothing is needed
	box   []dist.Triplet // [axis]
	first []dist.Triplet // of a communication in strips: what the first strip needs
	more  bool           // and box is more than that
}

// refresh brings the schedule up to date. What the compiler has done wrong is reported when an
// execution starts: a need may be stated where there is none. With same, need(0) is that of
// all PEs.
func (s *schedule) refresh(dim, dir int, need func(q int) Box, subs []Sub, same bool) {
	state := func(x *needed, q int) bool { return s.state(x, q, need) }
	changed := !s.valid || s.dim != dim || s.dir != dir || s.same != same || !slices.Equal(s.subs, subs)
	changed = state(&s.own, s.self) || changed
	if changed || !same && s.consumersChanged(state) {
		s.dim, s.dir, s.same = dim, dir, same
		s.subs = append(s.subs[:0], subs...)
		s.build(state)
		s.valid = true
		s.made++
	}
}

// statement stores what PE q needs, and reports whether that is something else than before.
type statement func(x *needed, q int) (changed bool)

// state is the statement of a need.
func (s *schedule) state(x *needed, q int, need func(q int) Box) (changed bool) {
	box := need(q)
	none := box == nil || len(box) == 0 && s.rank > 0
	if changed = none != x.none; none {
		x.none, x.more = true, false
		return changed
	}
	if len(box) != s.rank {
		s.pe.internal(s.site, "a need of rank %d where %d is expected", len(box), s.rank)
	}
	if s.pe.orders != nil && len(s.within) > 0 && !covers(s.within, box) {
		s.pe.internal(s.site, "a need outside of what all PEs need")
	}
	x.none = false
	changed = assign(&x.box, box) || changed
	if s.strips != nil {
		changed = assign(&x.first, s.strips.need(q, 0)) || changed
		more := !slices.Equal(x.first, x.box)
		changed = changed || more != x.more
		x.more = more
	}
	return changed
}

// covers reports whether all elements of box are elements of another one.
func covers(of, box []dist.Triplet) bool {
	for d, x := range box {
		if x.Empty() {
			return true
		}
		if x.Intersect(of[d]).N != x.N {
			return false
		}
	}
	return true
}

// assign makes to what from is, and reports whether it was something else.
func assign(to *[]dist.Triplet, from []dist.Triplet) (changed bool) {
	if slices.Equal(*to, from) {
		return false
	}
	*to = append((*to)[:0], from...)
	return true
}

// consumersChanged reports whether some other PE needs other elements of this one than
// when the schedule was built.
func (s *schedule) consumersChanged(state statement) (changed bool) {
	if s.every != nil {
		return s.every.changed(s, state)
	}
	if !s.serves() {
		return len(s.sends) > 0
	}
	next := 0
	for k := 1; k < s.np; k++ {
		q := s.around(k)
		if next < len(s.sends) && s.sends[next].pe == q {
			if state(&s.theirs[next], q) {
				return true
			}
			next++
		} else if state(&s.scratch, q); s.reaches(s.self, q, &s.scratch) {
			return true
		}
	}
	return false
}

// around is the PE that comes k behind this one. Each PE starts with its right neighbour,
// lest all of them put to PE 0 first.
func (s *schedule) around(k int) int {
	if k += s.self; k >= s.np {
		k -= s.np
	}
	return k
}

// changed brings up to date what all PEs need, and reports whether it was something else.
func (e *everybody) changed(s *schedule, state statement) (changed bool) {
	for q := range s.np {
		x := &s.scratch
		state(x, q)
		if x.none != e.none[q] {
			e.none[q], changed = x.none, true
		}
		if have := e.boxes[q*s.rank : (q+1)*s.rank]; !x.none && !slices.Equal(have, x.box) {
			copy(have, x.box)
			changed = true
		}
	}
	return changed
}

// needOf is what PE q needs. Of a PE that this one sends nothing to, that is only known
// where everybody's needs are kept.
func (s *schedule) needOf(q int) (box []dist.Triplet, known bool) {
	switch {
	case s.same || q == s.self:
		return s.own.box, !s.own.none
	case s.every != nil:
		return s.every.boxes[q*s.rank : (q+1)*s.rank], !s.every.none[q]
	}
	if at, sends := s.message(q); sends {
		return s.theirs[at].box, true
	}
	return nil, false
}

// message is the number of the message to PE q, if there is one.
func (s *schedule) message(q int) (at int, sends bool) {
	distance := func(q int) int { return (q - s.self + s.np) % s.np }
	return slices.BinarySearchFunc(s.sends, distance(q), func(t transfer, d int) int { return distance(t.pe) - d })
}

// keepNeed makes what has been looked at last the need of the consumer of message n.
func (s *schedule) keepNeed(n int) {
	if n == len(s.theirs) {
		s.theirs = append(s.theirs, needed{})
	}
	s.theirs[n].copy(&s.scratch)
}

func (x *needed) copy(from *needed) {
	x.none, x.more = from.none, from.more
	x.box, x.first = append(x.box[:0], from.box...), append(x.first[:0], from.first...)
}
