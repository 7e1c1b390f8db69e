package hb

import (
	"math/rand/v2"
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/clocks"
	"github.com/spmdc/spmdc/dataflow/internal/abstract"
)

// cells is the state of one slot, by PE.
type cells struct {
	live [abstract.MaxPEs]bool // filled, and the use not over
	held [abstract.MaxPEs]bool // its use ends at the next UO
	last [abstract.MaxPEs]int  // the event of the PE's own that ended the last use
}

// program is an abstract program with slots.
type program struct {
	*abstract.Built
	slots []slots // by number-1
	ready []int   // communications whose ready messages are counted on, ascending
}

// countReady counts on the ready messages of every other communication that is not pipelined.
func (p *program) countReady() *program {
	piped := map[int]bool{}
	for _, n := range p.Graph.Nodes {
		if n.Kind == cfg.Comm && n.Flavour != "" {
			piped[n.Ref] = true
		}
	}
	for x := 1; x <= p.Comms(); x += 2 {
		if !piped[x] {
			p.ready = append(p.ready, x)
		}
	}
	return p
}

// replay runs an execution and finds the puts that come before the consumer's
// last use of the slot is known to be over. Every put goes through: what is
// found for one communication does not depend on what is decided for others.
type replay struct {
	abstract.Execution
	p      *program
	strict bool                // every PE uses what a communication brings, receiver or not
	epoch  []int               // by number-1, instances so far
	slots  [][]cells           // by number-1 and slot of its own
	shared []cells             // by number-1: what it put into, or copied to, cells that others fill too
	back   [][]acknowledgement // by number-1: ready messages under way
	seen   *observed
}

// acknowledgement is a ready message to PE p, with what its sender knew.
type acknowledgement struct {
	p     int
	clock clocks.Clock
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
	r := &replay{Execution: abstract.NewExecution(p.Built, rng), p: p, strict: strict, epoch: make([]int, n), shared: make([]cells, n), seen: seen, back: make([][]acknowledgement, n)}
	for _, s := range p.slots {
		r.slots = append(r.slots, make([]cells, s.n))
	}
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
		if s.live[q] || s.last[q] > r.Clocks[p][q] {
			r.seen.early[x-1] = true
		}
	}
	if how := r.p.slots[x-1]; how.n > 1 || how.staged {
		late(r.at(x))
		return
	}
	for _, m := range r.p.Aliases(x) {
		if how := r.p.slots[m-1]; how.n == 1 || how.staged {
			late(&r.shared[m-1])
		}
	}
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
		r.Clocks[q][q]++
		s.last[q], s.live[q] = r.Clocks[q][q], false
	}
}

func (r *replay) run(path []abstract.State) {
	for _, s := range path {
		n := r.p.Graph.Nodes[s.Node]
		if region := r.p.Pipe(n); region != nil {
			r.pipe(region, s.At)
		} else if !r.p.Inner(n) {
			r.step(n, s.At)
		}
	}
}

func (r *replay) step(n *cfg.Node, at abstract.Iteration) {
	sent := r.Step(n, at)
	if n.Kind == cfg.CommOver {
		for _, a := range r.back[n.Ref-1] {
			r.Clocks.Arrive(a.p, a.clock)
		}
		r.back[n.Ref-1] = nil
	}
	if n.Kind == cfg.Comm {
		if r.back[n.Ref-1] = nil; slices.Contains(r.p.ready, n.Ref) {
			sent.Each(func(p, q int) { r.back[n.Ref-1] = append(r.back[n.Ref-1], acknowledgement{p, r.Clocks.Leave(q)}) })
		}
		r.epoch[n.Ref-1]++
		sent.Each(func(p, q int) { r.check(n.Ref, p, q) })
		r.fill(n.Ref, sent)
	}
	for q := range r.p.PEs {
		if n.Kind == cfg.UseOver && !r.p.slots[n.Ref-1].staged || n.Kind == cfg.CommOver && r.p.slots[n.Ref-1].staged {
			r.used(r.at(n.Ref), q)
		}
		if n.Kind == cfg.UseOver {
			r.used(&r.shared[n.Ref-1], q)
		}
	}
}

// pipe is a pipelined region, in which each communication goes on to its next slot.
func (r *replay) pipe(region *abstract.Region, at abstract.Iteration) {
	for x := region.First; x < region.First+region.Count; x++ {
		r.epoch[x-1]++
	}
	r.Pipe(region, at, r.check, func(x, p int, received bool) {
		for _, s := range []*cells{r.at(x), &r.shared[x-1]} {
			s.held[p] = received || r.strict
			r.used(s, p)
		}
	})
}
