package synch

import (
	"math/rand/v2"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/internal/abstract"
)

// slots is the state of the cells that one communication fills, by PE.
type slots struct {
	live [abstract.MaxPEs]bool // filled, and the use not over
	held [abstract.MaxPEs]bool // received in the latest instance, or still live from an earlier one
	last [abstract.MaxPEs]int  // the event of the PE's own that ended the last use
}

// replay runs an execution and finds the puts that come before the consumer's
// last use of the cells is known to be over. Every put goes through: what is
// found for one communication does not depend on what is decided for others.
type replay struct {
	abstract.Execution
	b      *built
	strict bool // every PE uses what a communication brings, receiver or not
	slots  []slots
	early  [][]bool  // to note items in whose put came too early
	seen   *observed // to note in what was put
}

func newReplay(b *built, rng *rand.Rand, early [][]bool, seen *observed, strict bool) *replay {
	return &replay{Execution: abstract.NewExecution(b.Built, rng), b: b, strict: strict, slots: make([]slots, b.Comms()), early: early, seen: seen}
}

// check is the oracle for a put p to q of x.
func (r *replay) check(x, p, q int) {
	r.seen.put[x-1] = true
	for k, m := range r.b.Aliases(x) {
		s := &r.slots[m-1]
		if !r.strict && (s.live[q] || s.last[q] > 0) {
			r.seen.repeated[x-1] = true
		}
		if s.live[q] || s.last[q] > r.Clocks[p][q] {
			r.early[x-1][k] = true
		}
	}
}

// fill notes that messages arrive in x's cells from now on. Where a jump has left
// out the end of an earlier use, the end of this one is that of both.
func (r *replay) fill(x int, messages abstract.Relation) {
	s := &r.slots[x-1]
	s.held = s.live
	messages.Each(func(_, q int) { s.live[q], s.held[q] = true, true })
	if r.strict {
		for q := range r.b.PEs {
			s.live[q], s.held[q] = true, true
		}
	}
}

// used is UO of x on q.
func (r *replay) used(x, q int) {
	if s := &r.slots[x-1]; s.held[q] {
		r.Clocks[q][q]++
		s.last[q], s.live[q] = r.Clocks[q][q], false
	}
}

func (r *replay) run(path []abstract.State) {
	for _, s := range path {
		n := r.b.Graph.Nodes[s.Node]
		if p := r.b.Pipe(n); p != nil {
			r.Pipe(p, s.At, r.check, func(x, p int, received bool) {
				r.slots[x-1].held[p] = received || r.strict
				r.used(x, p)
			})
			continue
		}
		if r.b.Inner(n) {
			continue
		}
		sent := r.Step(n, s.At)
		switch n.Kind {
		case cfg.Comm:
			sent.Each(func(p, q int) { r.check(n.Ref, p, q) })
			r.fill(n.Ref, sent)
		case cfg.UseOver:
			for q := range r.b.PEs {
				r.used(n.Ref, q)
			}
		}
	}
}
