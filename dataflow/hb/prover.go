package hb

import (
	"fmt"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/procfunc"
)

// Prover finds proofs for one number of PEs, use by use.
type Prover struct {
	f     *procfunc.Functions
	s     *solver
	loops []int                      // heads of the loops kept apart
	made  map[proof.Obligation]*made // by obligation without Put

	unfolding *proof.Unfolding
	cutter    *proof.Cutter
	order     []*cfg.Node // the nodes of the system, in the order of the copies
	copyOf    []int       // by node of the system
	known     *states     // memory of Certificate
}

// made is what is known of a fixpoint once it is over.
type made struct {
	free map[int]bool // by put; of those that were asked for
}

// NewProver prepares proofs for a number of PEs, which is at most proof.MaxPEs.
func NewProver(f *procfunc.Functions, pes int) *Prover {
	sys := newProgram(f, pes)
	return &Prover{f: f, s: newSolver(sys), loops: sys.loops, made: map[proof.Obligation]*made{}}
}

// Counting is a prover that counts on the ready messages of some communications too, given
// in ascending order: they have one before each put, and are not pipelined.
func (p *Prover) Counting(ready []int) *Prover {
	sys := p.s.sys.counting(ready)
	return &Prover{f: p.f, s: newSolver(sys), loops: p.loops, made: map[proof.Obligation]*made{}}
}

// Ready are the communications whose ready messages the prover counts on.
func (p *Prover) Ready() []int { return p.s.sys.Ready }

// Acknowledges reports whether there are certain messages of a communication, which is not
// pipelined, so that its ready messages can be counted on.
func (p *Prover) Acknowledges(x int) bool {
	for _, n := range p.s.nodes[x] {
		if n.Flavour == recv || n.Flavour == send {
			return false
		}
		if len(p.s.sys.Must[n.ID]) > 0 {
			return true
		}
	}
	return false
}

// Free reports, for each of some communications, whether the uses of o.Use are over before
// any of its puts into the same slots; o.Put does not matter. Of a ring of several slots,
// or staging buffers, puts is the communication alone.
func (p *Prover) Free(o proof.Obligation, puts []int) []bool {
	o.Put = 0
	m := p.made[o]
	if m == nil {
		m = &made{free: map[int]bool{}}
		p.made[o] = m
	}
	var open []int
	for _, x := range puts {
		if _, known := m.free[x]; !known {
			open = append(open, x)
		}
	}
	if open != nil {
		fix := p.s.solve(p.s.rules(o))
		for _, x := range open {
			m.free[x] = fix.orders(x)
		}
	}
	out := make([]bool, len(puts))
	for i, x := range puts {
		out[i] = m.free[x]
	}
	return out
}

// orders reports whether the uses are over before the puts of a communication.
func (f *fixpoint) orders(put int) bool {
	for _, n := range f.s.nodes[put] {
		if puts(n) {
			if in := f.at(n); in.posted && !f.free(&in, f.s.need[n]) {
				return false
			}
		}
	}
	return true
}

// Certificate is the proof that the uses of o.Use are over before the puts of some
// communications, or its own, for which Free has said so.
func (p *Prover) Certificate(o proof.Obligation, puts []int) (*proof.Certificate, error) {
	if p.cutter == nil {
		p.unfold()
		checked, err := p.unfolding.Check(p.f.Graph)
		if err != nil {
			return nil, fmt.Errorf("hb: the copies for %d PEs: %w", p.unfolding.PEs, err)
		}
		p.cutter = checked.NewCutter()
		p.known = &states{at: make([]*state, len(p.order))}
	}
	fix := p.s.solve(p.s.rules(o))
	p.known.start(fix, p)
	return p.cutter.Finite(o, puts, p.known)
}

// Unfolding is the copies of the program's nodes and their messages.
func (p *Prover) Unfolding() *proof.Unfolding {
	p.unfold()
	return p.unfolding
}

func (p *Prover) unfold() {
	if p.unfolding != nil {
		return
	}
	p.order, p.copyOf = p.s.sys.arrange()
	p.unfolding = p.s.sys.unfolding(p.order, p.copyOf, p.loops)
}

// states are those in front of the nodes that are asked for.
type states struct {
	p    *Prover
	f    *fixpoint
	at   []*state // by node of the system
	made []*cfg.Node
}

// start makes room for another fixpoint.
func (s *states) start(f *fixpoint, p *Prover) {
	for _, n := range s.made {
		s.at[n.ID] = nil
	}
	s.made, s.f, s.p = s.made[:0], f, p
}

// state is the fixpoint in front of a node.
func (s *states) state(n *cfg.Node) *state {
	if s.at[n.ID] == nil {
		unit := s.f.s.flow.Unit(n)
		if unit == nil { // never reached
			s.note(n, top)
			return s.at[n.ID]
		}
		v := s.f.sol.In[unit[0].ID]
		for _, m := range unit {
			s.note(m, v)
			v = s.f.apply(v, m)
		}
	}
	return s.at[n.ID]
}

func (s *states) note(n *cfg.Node, v state) {
	s.at[n.ID] = &v
	s.made = append(s.made, n)
}

// Has are those of the PEs of a fact of which it holds in front of a copy.
func (s *states) Has(point int, f proof.Fact) uint64 {
	v := s.state(s.p.order[point])
	all := everyone(s.f.pes)
	switch {
	case f.Under == proof.Over:
		return f.PEs & all &^ v.live
	case f.Under == proof.Idle:
		return f.PEs & all &^ v.held
	case f.Under == 0:
		if known := s.f.generation(v, f.Generation); known != nil {
			return f.PEs & s.f.of(known, f.At)
		}
		return f.PEs & all
	}
	for _, g := range v.flights {
		if g.ref == f.Under && f.Generation < v.rounds {
			return f.PEs & s.f.of(g.known[f.Generation*s.f.words:], f.At)
		}
	}
	return 0
}
