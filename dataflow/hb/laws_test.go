package hb

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/spmdc/spmdc/cfg"
)

// randomState is any state of the rules, in settled form.
func (r *rules) randomState(rng *rand.Rand) state {
	s := state{posted: rng.IntN(8) > 0, rounds: rng.IntN(r.b + 1)}
	if !s.posted {
		return top
	}
	set := func() []uint64 {
		out := make([]uint64, s.rounds*r.words)
		dense := rng.IntN(3)
		for i := range out {
			out[i] = rng.Uint64() & r.full[i%r.words]
			if dense == 0 {
				out[i] = r.full[i%r.words]
			} else if dense == 1 {
				out[i] &= rng.Uint64()
			}
		}
		return out
	}
	s.known = set()
	for y := 1; y <= 4; y++ {
		if rng.IntN(2) == 0 {
			s.flights = with(s.flights, flight{y, set()})
		}
	}
	s.held = rng.Uint64() & everyone(r.pes)
	s.live = s.held & rng.Uint64()
	return r.settle(s)
}

// below is the order of states, written down without the meet: whatever is known
// in a is known in b.
func (r *rules) below(a, b state) bool {
	if b.posted && !a.posted || b.live&^a.live != 0 || b.held&^a.held != 0 {
		return false
	}
	at := func(known []uint64, generation, q int) uint64 {
		if generation*r.words >= len(known) {
			return everyone(r.pes)
		}
		return r.of(known[generation*r.words:], q)
	}
	// A message adds nothing where everybody is known.
	fly := func(s state, y, generation, q int) uint64 {
		if at(s.known, generation, q) == everyone(r.pes) {
			return everyone(r.pes)
		}
		for _, f := range s.flights {
			if f.ref == y {
				return at(f.known, generation, q)
			}
		}
		return 0
	}
	for generation := range r.b {
		for q := range r.pes {
			if at(a.known, generation, q)&^at(b.known, generation, q) != 0 {
				return false
			}
			for y := 1; y <= 4; y++ {
				if fly(a, y, generation, q)&^fly(b, y, generation, q) != 0 {
					return false
				}
			}
		}
	}
	return true
}

// lawful makes rules for communication 1 among random messages of 4, and nodes
// of every kind.
func lawful(rng *rand.Rand) (*rules, []*cfg.Node) {
	pes := []int{1, 2, 3, 5, 8, 9, 33, 64}[rng.IntN(8)]
	b := cfg.NewBuilder()
	for y := 1; y <= 4; y++ {
		n := b.Node(cfg.Comm, 1, y, "")
		if y == 4 {
			n.Flavour = recv
		}
		b.Node(cfg.CommOver, 1, y, "")
		if y == 4 {
			b.Node(cfg.Comm, 1, y, "").Flavour = send
		}
		b.Node(cfg.UseOver, 1, y, "")
	}
	b.Node(cfg.Reduce, 1, 5, "")
	b.Node(cfg.Barrier, 1, 0, "")
	b.Node(cfg.Stmt, 1, 0, "")
	sys := newSystem(b.Finish(), pes)
	for _, n := range sys.Graph.Nodes {
		if n.Kind != cfg.Comm {
			continue
		}
		m := make(Messages, pes)
		for p := range m {
			m[p] = rng.Uint64() & rng.Uint64() & everyone(pes) &^ (1 << p)
		}
		if pes < 9 && n.Flavour != recv { // rarely a chain of all PEs
			sys.set(n, m, m, rng.Uint64()&everyone(pes))
			continue
		}
		sys.set(n, m, m, everyone(pes))
	}
	how := slots{1 + rng.IntN(3), rng.IntN(4) == 0}
	s := newSolver(sys)
	r := s.rules(how.of([]int{1, 4}[rng.IntN(2)]))
	return r, sys.Graph.Nodes
}

// TestLaws: the meet is that of the order, and all transfers are monotone, for
// all sizes of sets and numbers of slots.
func TestLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	above := 0
	for range 400 {
		r, nodes := lawful(rng)
		for range 10 {
			a, b, c := r.randomState(rng), r.randomState(rng), r.randomState(rng)
			ab := r.meet(a, b)
			if !equal(ab, r.meet(b, a)) || !equal(r.meet(a, a), a) || !equal(r.meet(a, top), a) || !equal(r.meet(ab, c), r.meet(a, r.meet(b, c))) {
				t.Fatalf("meet of %v, %v, %v", a, b, c)
			}
			if !r.below(ab, a) || !r.below(ab, b) {
				t.Fatalf("meet(%v, %v) = %v is not below them", a, b, ab)
			}
			if r.below(a, b) != equal(ab, a) {
				t.Fatalf("%v below %v is %v, but their meet is %v", a, b, r.below(a, b), ab)
			}
			for _, n := range nodes {
				before := r.randomCopy(a)
				lo, hi := r.apply(ab, n), r.apply(a, n)
				if !equal(a, before) {
					t.Fatalf("%s changes what comes in", n.Name())
				}
				if !r.below(lo, hi) {
					t.Fatalf("%s with %d slots, %d PEs: %v is below %v, but %v is not below %v", n.Name(), r.b, r.pes, ab, a, lo, hi)
				}
				if !equal(lo, ab) || !equal(hi, a) {
					above++
				}
				if !equal(hi, r.settle(hi)) {
					t.Fatalf("%s: %v is not settled", n.Name(), hi)
				}
			}
		}
	}
	if above < 1000 {
		t.Errorf("only %d transfers did something", above)
	}
}

// randomCopy shares no memory with s.
func (r *rules) randomCopy(s state) state {
	s.known = slices.Clone(s.known)
	flights := slices.Clone(s.flights)
	for i := range flights {
		flights[i].known = slices.Clone(flights[i].known)
	}
	s.flights = flights
	return s
}

// exchange is
//
//	do
//	   C_1 left, C_2 right; CO_1, CO_2; UO_1, UO_2
//	end do
//
// with messages to the right in C_1 and to the left in C_2.
func exchange(pes int) *System {
	b := cfg.NewBuilder()
	b.BeginLoop(1, "do")
	for _, k := range []cfg.Kind{cfg.Comm, cfg.CommOver, cfg.UseOver} {
		b.Node(k, 1, 1, "")
		b.Node(k, 1, 2, "")
	}
	b.EndLoop()
	sys := newSystem(b.Finish(), pes)
	for _, n := range sys.Graph.Nodes {
		m := make(Messages, pes)
		for p := range pes {
			switch {
			case n.Ref == 1 && p < pes-1:
				m[p] = 1 << (p + 1)
			case n.Ref == 2 && p > 0:
				m[p] = 1 << (p - 1)
			}
		}
		if n.Kind == cfg.Comm {
			sys.set(n, m, m, everyone(pes))
		}
	}
	return sys
}

// TestLeftAndRight: neighbours that exchange both ways need no ready messages
// with two slots, and need them with one; if all generations were cleared at C, or the
// receivers did not tell each other, two slots would be of no use.
func TestLeftAndRight(t *testing.T) {
	for pes := 2; pes <= 9; pes++ {
		s := newSolver(exchange(pes))
		for x := 1; x <= 2; x++ {
			for b := 1; b <= 3; b++ {
				v := s.solve(s.rules(slots{n: b}.of(x))).verdict(x)
				if want := b > 1; (v.String() == "NoSync") != want {
					t.Errorf("%d PEs, %d slots: C_%d is %v", pes, b, x, v)
				}
			}
		}
		m := &mutant{rules: s.rules(slots{n: 2}.of(1))}
		m.step = func(in state, n *cfg.Node) state {
			out := m.apply(in, n)
			if puts(n) && n.Ref == m.use {
				out = m.grown(out, 2)
				clear(out.known)
				out.flights = nil
			}
			return out
		}
		if m.free(s, 1) {
			t.Errorf("%d PEs: two slots suffice although all generations are cleared", pes)
		}
	}
}

// TestSecondEnd: what was sent after the first end of a use says nothing of the
// second one, even if it arrives later.
func TestSecondEnd(t *testing.T) {
	for _, twice := range []bool{false, true} {
		b := cfg.NewBuilder()
		b.BeginLoop(1, "do")
		b.Node(cfg.Comm, 1, 1, "")
		b.Node(cfg.CommOver, 1, 1, "")
		b.Node(cfg.UseOver, 1, 1, "")
		b.Node(cfg.Comm, 1, 2, "")
		if twice {
			b.Node(cfg.UseOver, 1, 1, "")
		}
		b.Node(cfg.CommOver, 1, 2, "")
		b.Node(cfg.UseOver, 1, 2, "")
		b.EndLoop()
		sys := newSystem(b.Finish(), 2)
		for _, n := range sys.Graph.Nodes {
			if n.Kind == cfg.Comm {
				m := make(Messages, 2)
				m[n.Ref-1] = 1 << (2 - n.Ref) // C_1: 0 to 1, C_2: 1 to 0
				sys.set(n, m, m, everyone(2))
			}
		}
		s := newSolver(sys)
		if v := s.solve(s.rules(slots{n: 1}.of(1))).verdict(1); (v.String() == "NoSync") == twice {
			t.Errorf("second end %v: %v", twice, v)
		}
	}
}
