package synch

import (
	"math/rand/v2"

	"github.com/spmdc/spmdc/cfg"
)

// clock is what a PE knows to have happened on each PE, in events.
type clock [maxPEs]int32

func (c *clock) join(d clock) {
	for i := range c {
		c[i] = max(c[i], d[i])
	}
}

// slots is the state of the cells that one communication fills, by PE.
type slots struct {
	live [maxPEs]bool  // filled, and the use not over
	held [maxPEs]bool  // received in the latest instance, or still live from an earlier one
	last [maxPEs]int32 // the event of the PE's own that ended the last use
}

// replay runs an execution with vector clocks, in which only data messages and
// collectives carry knowledge, and finds the puts that come before the consumer's
// last use of the cells is known to be over. Every put goes through: what is
// found for one communication does not depend on what is decided for others.
type replay struct {
	b       *built
	rng     *rand.Rand
	strict  bool // every PE uses what a communication brings, receiver or not
	clock   [maxPEs]clock
	slots   []slots
	sent    []relation      // by number-1, messages on their way
	carried [][maxPEs]clock // by number-1, and what their senders knew
	early   [][]bool        // to note items in whose put came too early
	seen    *observed       // to note in what was put
}

func newReplay(b *built, rng *rand.Rand, early [][]bool, seen *observed, strict bool) *replay {
	n := len(b.comms)
	return &replay{b: b, rng: rng, strict: strict, slots: make([]slots, n), sent: make([]relation, n), carried: make([][maxPEs]clock, n), early: early, seen: seen}
}

// actual draws the messages of an instance.
func (r *replay) actual(x int, at iteration) relation {
	may, must := r.b.messages(x, at)
	if may == must {
		return must
	}
	return must | may&relation(r.rng.Uint32())
}

// check is the oracle for a put p to q of x.
func (r *replay) check(x, p, q int) {
	r.seen.put[x-1] = true
	for k, m := range r.b.classes[x-1] {
		s := &r.slots[m-1]
		if !r.strict && (s.live[q] || s.last[q] > 0) {
			r.seen.repeated[x-1] = true
		}
		if s.live[q] || s.last[q] > r.clock[p][q] {
			r.early[x-1][k] = true
		}
	}
}

// fill notes that messages arrive in x's cells from now on. Where a jump has left
// out the end of an earlier use, the end of this one is that of both.
func (r *replay) fill(x int, messages relation) {
	s := &r.slots[x-1]
	s.held = s.live
	messages.each(func(_, q int) { s.live[q], s.held[q] = true, true })
	if r.strict {
		for q := range r.b.pes {
			s.live[q], s.held[q] = true, true
		}
	}
}

// used is UO of x on q.
func (r *replay) used(x, q int) {
	if s := &r.slots[x-1]; s.held[q] {
		r.clock[q][q]++
		s.last[q], s.live[q] = r.clock[q][q], false
	}
}

func (r *replay) run(path []state) {
	for _, s := range path {
		n := r.b.graph.Nodes[s.node]
		if p := r.b.pipes[n]; p != nil {
			r.pipe(p, s.at)
		}
		if r.b.inner[n] || r.b.pipes[n] != nil {
			continue
		}
		x := n.Ref - 1
		switch n.Kind {
		case cfg.Comm:
			r.sent[x] = r.actual(n.Ref, s.at)
			r.carried[x] = r.clock
			r.sent[x].each(func(p, q int) { r.check(n.Ref, p, q) })
			r.fill(n.Ref, r.sent[x])
		case cfg.CommOver:
			r.sent[x].each(func(p, q int) { r.clock[q].join(r.carried[x][p]) })
			r.sent[x] = 0
		case cfg.UseOver:
			for q := range r.b.pes {
				r.used(n.Ref, q)
			}
		case cfg.Reduce, cfg.Barrier:
			var all clock
			for p := range r.b.pes {
				all.join(r.clock[p])
			}
			for p := range r.b.pes {
				r.clock[p] = all
			}
		}
	}
}

// pipe runs a pipelined region: PE by PE along the messages, each of which goes
// to a PE that is still waiting for it. The communications of a region fill
// different cells.
func (r *replay) pipe(s *stmt, at iteration) {
	first := r.b.first[s]
	messages := make([]relation, len(s.comms))
	arrived := make([][maxPEs]clock, len(s.comms)) // by receiver
	for i := range s.comms {
		messages[i] = r.actual(first+i, at)
	}
	for k := range r.b.pes {
		p := k
		if s.comms[0].shape.ahead < 0 {
			p = r.b.pes - 1 - k
		}
		for i := range s.comms {
			r.clock[p].join(arrived[i][p])
		}
		for i := range s.comms {
			x, got := first+i, r.strict
			for q := range r.b.pes {
				if messages[i].has(p, q) {
					r.check(x, p, q)
					arrived[i][q].join(r.clock[p])
				}
				got = got || messages[i].has(q, p)
			}
			r.slots[x-1].held[p] = got
			r.used(x, p)
		}
	}
}

// walk draws a path of at most limit states.
func (u *space) walk(rng *rand.Rand, limit int) []state {
	var path []state
	at := 0
	// Some executions turn mostly one way, so that loops run long or not at all.
	bias := rng.IntN(3)
	for len(path) < limit {
		path = append(path, u.list[at])
		next := u.next[at]
		if len(next) == 0 {
			break
		}
		at = next[rng.IntN(len(next))]
		if bias > 0 && rng.IntN(4) > 0 {
			at = next[(bias-1)*(len(next)-1)]
		}
	}
	return path
}
