package hb

import (
	"math/rand/v2"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/internal/abstract"
)

// clock is what a PE knows to have happened on each PE, in events.
type clock [abstract.MaxPEs]int32

func (c *clock) join(d clock) {
	for i := range c {
		c[i] = max(c[i], d[i])
	}
}

// cells is the state of one slot, by PE.
type cells struct {
	live [abstract.MaxPEs]bool  // filled, and the use not over
	held [abstract.MaxPEs]bool  // its use ends at the next UO
	last [abstract.MaxPEs]int32 // the event of the PE's own that ended the last use
}

// program is an abstract program with slots.
type program struct {
	*abstract.Built
	slots []slots // by number-1
}

// replay runs an execution with vector clocks, in which only data messages and
// collectives carry knowledge, and finds the puts that come before the consumer's
// last use of the slot is known to be over. Every put goes through: what is
// found for one communication does not depend on what is decided for others.
type replay struct {
	p       *program
	rng     *rand.Rand
	strict  bool // every PE uses what a communication brings, receiver or not
	clock   [abstract.MaxPEs]clock
	epoch   []int     // by number-1, instances so far
	slots   [][]cells // by number-1 and slot of its own
	shared  []cells   // by number-1: what it put into, or copied to, cells that others fill too
	sent    []abstract.Relation
	carried [][abstract.MaxPEs]clock // what the senders knew
	seen    *observed
}

// observed is what executions show of each communication, by number-1.
type observed struct {
	put      []bool // some message was sent
	repeated []bool // … to a PE that had used the slot before
	early    []bool // … which was not known to be done with it
}

func newObserved(n int) *observed {
	return &observed{make([]bool, n), make([]bool, n), make([]bool, n)}
}

func newReplay(p *program, rng *rand.Rand, strict bool, seen *observed) *replay {
	n := p.Comms()
	r := &replay{p: p, rng: rng, strict: strict, epoch: make([]int, n), sent: make([]abstract.Relation, n), carried: make([][abstract.MaxPEs]clock, n), seen: seen}
	for _, s := range p.slots {
		r.slots = append(r.slots, make([]cells, s.n))
	}
	r.shared = make([]cells, n)
	return r
}

// at is the slot that the latest instance of x fills.
func (r *replay) at(x int) *cells { return &r.slots[x-1][r.epoch[x-1]%r.p.slots[x-1].n] }

// check is the oracle for a put p to q of x.
func (r *replay) check(x, p, q int) {
	r.seen.put[x-1] = true
	late := func(s *cells) {
		if s.live[q] || s.last[q] > 0 {
			r.seen.repeated[x-1] = true
		}
		if s.live[q] || s.last[q] > r.clock[p][q] {
			r.seen.early[x-1] = true
		}
	}
	if how := r.p.slots[x-1]; how.n > 1 || how.staged {
		late(r.at(x))
		return
	}
	for _, m := range r.p.Mates(x) {
		if how := r.p.slots[m-1]; how.n == 1 || how.staged {
			late(&r.shared[m-1])
		}
	}
}

// actual draws the messages of an instance.
func (r *replay) actual(x int, at abstract.Iteration) abstract.Relation {
	may, must := r.p.Messages(x, at)
	if may == must {
		return must
	}
	return must | may&abstract.Relation(r.rng.Uint32())
}

func (r *replay) fill(x int, messages abstract.Relation) {
	for _, s := range []*cells{r.at(x), &r.shared[x-1]} {
		s.held = s.live
		messages.Each(func(_, q int) { s.live[q], s.held[q] = true, true })
		if r.strict {
			for q := range r.p.PEs {
				s.live[q], s.held[q] = true, true
			}
		}
	}
}

// used is the end of a use on q.
func (r *replay) used(s *cells, q int) {
	if s.held[q] {
		r.clock[q][q]++
		s.last[q], s.live[q] = r.clock[q][q], false
	}
}

func (r *replay) run(path []abstract.State) {
	for _, s := range path {
		n := r.p.Graph.Nodes[s.Node]
		if region := r.p.Pipe(n); region != nil {
			r.pipe(region, s.At)
		}
		if r.p.Inner(n) || r.p.Pipe(n) != nil {
			continue
		}
		r.step(n, s.At)
	}
}

func (r *replay) step(n *cfg.Node, at abstract.Iteration) {
	x := n.Ref - 1
	switch n.Kind {
	case cfg.Comm:
		r.sent[x], r.carried[x] = r.actual(n.Ref, at), r.clock
		r.epoch[x]++
		r.sent[x].Each(func(p, q int) { r.check(n.Ref, p, q) })
		r.fill(n.Ref, r.sent[x])
	case cfg.CommOver:
		r.sent[x].Each(func(p, q int) { r.clock[q].join(r.carried[x][p]) })
		r.sent[x] = 0
	case cfg.Reduce, cfg.Barrier:
		var all clock
		for p := range r.p.PEs {
			all.join(r.clock[p])
		}
		for p := range r.p.PEs {
			r.clock[p] = all
		}
	}
	for q := range r.p.PEs {
		if n.Kind == cfg.UseOver && !r.p.slots[x].staged || n.Kind == cfg.CommOver && r.p.slots[x].staged {
			r.used(r.at(n.Ref), q)
		}
		if n.Kind == cfg.UseOver {
			r.used(&r.shared[x], q)
		}
	}
}

// pipe runs a pipelined region: PE by PE along the messages, each of which goes
// to a PE that is still waiting for it.
func (r *replay) pipe(region *abstract.Region, at abstract.Iteration) {
	messages := make([]abstract.Relation, region.Count)
	arrived := make([][abstract.MaxPEs]clock, region.Count) // by receiver
	for i := range messages {
		messages[i] = r.actual(region.First+i, at)
		r.epoch[region.First+i-1]++
	}
	for k := range r.p.PEs {
		p := k
		if region.Ahead < 0 {
			p = r.p.PEs - 1 - k
		}
		for i := range messages {
			r.clock[p].join(arrived[i][p])
		}
		for i := range messages {
			x, got := region.First+i, r.strict
			for q := range r.p.PEs {
				if messages[i].Has(p, q) {
					r.check(x, p, q)
					arrived[i][q].join(r.clock[p])
				}
				got = got || messages[i].Has(q, p)
			}
			for _, s := range []*cells{r.at(x), &r.shared[x-1]} {
				s.held[p] = got
				r.used(s, p)
			}
		}
	}
}
