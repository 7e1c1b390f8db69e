package hb

import (
	"slices"

	"github.com/spmdc/spmdc/cfg"
)

// state is what is known at a point of the program about the uses of one
// communication's slots, for all consumers at once.
//
// A slot ring of b slots has b generations: generation 0 is the latest instance, generation b-1 the
// one whose slot the next put fills. known[generation] has, for each consumer q, the
// PEs that are known to be after q's use of that instance, and of all earlier
// ones in the same slot.
//
// Generations from rounds on are known to everybody, so that nothing is kept of them:
// before the first rounds the slots were never used, and everybody is after a use
// that never was. What is on its way adds nothing there either.
type state struct {
	posted bool // the communication may have been executed
	rounds int
	known  []uint64 // rounds times the words of a pack; never changed once made
	// flights are the messages that were sent and not yet received, ascending by
	// communication: what they make known at their arrival, laid out as known.
	// Those that make nothing known are left out.
	// Where everybody is known they make nothing known.
	flights []flight
	// live has the consumers whose latest use is not over, held those that the
	// next UO ends a use of.
	live, held uint64
}

type flight struct {
	ref   int
	known []uint64
}

// rules is the transfer of one communication's uses: of communication use with b
// slots.
type rules struct {
	*pack
	sys    *System
	use    int
	b      int
	staged bool
}

// top is nothing used yet: in front of the entry, and neutral for meet.
var top = state{}

// generations is the sets of one generation, nil where everybody is known.
func (r *rules) generation(s *state, a int) []uint64 {
	if a >= s.rounds {
		return nil
	}
	return s.known[a*r.words : (a+1)*r.words]
}

// apply is the transfer function. in is not changed.
func (r *rules) apply(in state, n *cfg.Node) state {
	if in.rounds == 0 && (n.Ref != r.use || !in.posted && !puts(n)) {
		return in
	}
	switch n.Kind {
	case cfg.Comm:
		return r.comm(in, n)
	case cfg.CommOver:
		in = r.arrive(in, n.Ref)
		if r.staged && n.Ref == r.use {
			in = r.over(in)
		}
	case cfg.UseOver:
		if !r.staged && n.Ref == r.use {
			in = r.over(in)
		}
	case cfg.Reduce, cfg.Barrier:
		in.known = slices.Clone(in.known)
		for a := range in.rounds {
			r.meetAll(in.known[a*r.words : (a+1)*r.words])
		}
		return r.settle(in)
	}
	return in
}

// settle forgets the oldest generations as long as everybody is known, and what is under
// way wherever everybody is known: it adds nothing there, now or when the use
// gets older. That keeps equal knowledge in equal form.
func (r *rules) settle(in state) state {
	n := in.rounds
	for n > 0 && slices.Equal(in.known[(n-1)*r.words:n*r.words], r.full) {
		n--
	}
	if n < in.rounds {
		in = r.cut(in, n)
	}
	if len(in.flights) == 0 {
		return in
	}
	idle := r.everybody(in.known)
	if !slices.ContainsFunc(in.flights, func(f flight) bool { return !disjoint(f.known, idle) }) {
		return in
	}
	old := in.flights
	in.flights = nil
	for _, f := range old {
		known := slices.Clone(f.known)
		for w := range known {
			known[w] &^= idle[w]
		}
		in.flights = with(in.flights, flight{f.ref, known})
	}
	return in
}

// everybody has all bits for each consumer and generation of which all PEs are known.
func (r *rules) everybody(known []uint64) []uint64 {
	out := make([]uint64, len(known))
	for i, x := range known {
		first := r.first[i%r.words]
		for s := range r.pes {
			first &= x >> s
		}
		out[i] = first * everyone(r.pes)
	}
	return out
}

func disjoint(a, b []uint64) bool {
	for w, x := range a {
		if x&b[w] != 0 {
			return false
		}
	}
	return true
}

// cut keeps the generations below n.
func (r *rules) cut(in state, n int) state {
	in.rounds, in.known = n, in.known[:n*r.words]
	old := in.flights
	in.flights = nil
	for _, f := range old {
		in.flights = with(in.flights, flight{f.ref, f.known[:n*r.words]})
	}
	return in
}

// comm is a communication node: what the senders know leaves with the messages,
// and the put of the communication itself starts the next round.
func (r *rules) comm(in state, n *cfg.Node) state {
	if must := r.sys.carried(n); must != nil {
		known := make([]uint64, len(in.known))
		for a := range in.rounds {
			r.spread(known[a*r.words:(a+1)*r.words], in.known[a*r.words:(a+1)*r.words], must)
		}
		in.flights = with(in.flights, flight{n.Ref, known})
	} else if n.Flavour != send {
		in.flights = without(in.flights, n.Ref)
	}
	if n.Ref != r.use || !puts(n) {
		return r.settle(in)
	}
	users := r.sys.Users[n.ID]
	keep := r.lanes(everyone(r.pes) &^ users)
	rounds := min(in.rounds+1, r.b)
	old := in.flights
	in.flights = nil
	for _, f := range old {
		in.flights = with(in.flights, flight{f.ref, r.shift(f.known, in.rounds, rounds, keep)})
	}
	in.known = r.shift(in.known, in.rounds, rounds, keep)
	in.rounds, in.posted = rounds, true
	in.held = in.live | users
	in.live = in.held
	return r.settle(in)
}

// shift makes everything older by one generation. Generation 0 is a new use, of which nobody
// is known to be after it. A consumer that does not take part (in keep) does not
// use the slot: its last use remains the one of b rounds before.
func (r *rules) shift(known []uint64, from, to int, keep []uint64) []uint64 {
	out := make([]uint64, to*r.words)
	for w := range r.words {
		last := r.full[w]
		if from == r.b {
			last = known[(r.b-1)*r.words+w]
		}
		out[w] = last & keep[w]
	}
	copy(out[r.words:], known)
	return out
}

// arrive is CO of communication y.
func (r *rules) arrive(in state, y int) state {
	for _, f := range in.flights {
		if f.ref != y {
			continue
		}
		known := slices.Clone(in.known)
		for w, x := range f.known {
			known[w] |= x
		}
		in.known = known
		in.flights = without(in.flights, y)
		return r.settle(in)
	}
	return in
}

// over is UO of the communication: each consumer is after its use, and nobody
// else is known to be, also if a use of the same round was over before.
func (r *rules) over(in state) state {
	in.live = 0
	held := r.lanes(in.held)
	in = r.grown(in, 1)
	for w := range r.words {
		in.known[w] = in.known[w]&^held[w] | r.self[w]
	}
	old := in.flights
	in.flights = nil
	for _, f := range old {
		known := slices.Clone(f.known)
		for w := range r.words {
			known[w] &^= held[w]
		}
		in.flights = with(in.flights, flight{f.ref, known})
	}
	return r.settle(in)
}

// grown keeps at least n generations, in a copy that may be changed.
func (r *rules) grown(in state, n int) state {
	n = max(n, in.rounds)
	grow := func(known []uint64) []uint64 {
		known = slices.Clone(known)
		for len(known) < n*r.words {
			known = append(known, r.full[len(known)%r.words])
		}
		return known
	}
	in.known, in.flights = grow(in.known), slices.Clone(in.flights)
	for i := range in.flights {
		in.flights[i].known = grow(in.flights[i].known)
	}
	in.rounds = n
	return in
}

// with adds or replaces a flight; one that makes nothing known is none.
func with(list []flight, f flight) []flight {
	list = without(list, f.ref)
	if !slices.ContainsFunc(f.known, func(w uint64) bool { return w != 0 }) {
		return list
	}
	i := 0
	for i < len(list) && list[i].ref < f.ref {
		i++
	}
	return slices.Insert(list[:len(list):len(list)], i, f)
}

// without lacks the flight of communication ref.
func without(list []flight, ref int) []flight {
	for i, f := range list {
		if f.ref == ref {
			return slices.Delete(slices.Clone(list), i, i+1)
		}
	}
	return list
}

// meet is what is known where two paths meet, whichever was taken.
func (r *rules) meet(a, b state) state {
	if a.rounds < b.rounds {
		a, b = b, a
	}
	out := state{posted: a.posted || b.posted, rounds: a.rounds, live: a.live | b.live, held: a.held | b.held}
	out.known = both(a.known, b.known)
	if len(a.flights) == 0 && len(b.flights) == 0 {
		return out
	}
	// What is not under way adds nothing, nor does anything where everybody is known.
	idleA, idleB := r.everybody(a.known), r.everybody(b.known)
	i, j := 0, 0
	for i < len(a.flights) || j < len(b.flights) {
		var ref int
		fa, fb := idleA, idleB
		if i < len(a.flights) && (j == len(b.flights) || a.flights[i].ref <= b.flights[j].ref) {
			ref = a.flights[i].ref
			fa = either(a.flights[i].known, idleA)
		}
		if j < len(b.flights) && (ref == 0 || b.flights[j].ref == ref) {
			ref = b.flights[j].ref
			fb = either(b.flights[j].known, idleB)
			j++
		}
		if i < len(a.flights) && a.flights[i].ref == ref {
			i++
		}
		out.flights = with(out.flights, flight{ref, both(fa, fb)})
	}
	return r.settle(out)
}

// either is the union of sets of the same generations.
func either(a, b []uint64) []uint64 {
	out := slices.Clone(a)
	for w := range b {
		out[w] |= b[w]
	}
	return out
}

// both is the intersection; the shorter one holds everybody beyond its end.
func both(a, b []uint64) []uint64 {
	out := slices.Clone(a)
	for w := range b {
		out[w] &= b[w]
	}
	return out
}

func equal(a, b state) bool {
	return a.posted == b.posted && a.rounds == b.rounds && a.live == b.live && a.held == b.held && slices.Equal(a.known, b.known) &&
		slices.EqualFunc(a.flights, b.flights, func(f, g flight) bool { return f.ref == g.ref && slices.Equal(f.known, g.known) })
}

// free reports whether each PE that may put to a consumer is known to be after
// the use of the slot that it fills. need is as made by pack.need.
func (r *rules) free(s *state, need []uint64) bool {
	last := r.generation(s, r.b-1)
	for w := range last {
		if need[w]&^last[w] != 0 {
			return false
		}
	}
	return true
}
