package hb

import (
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/exact"
	"github.com/spmdc/spmdc/procfunc"
)

// Prover finds proofs for one number of PEs, use by use, and puts them down in the
// form that package exact checks.
type Prover struct {
	System *System

	s      *solver
	loops  []int // heads of the loops told apart
	order  []int // nodes of the system, in the order of the copies
	copyOf []int // by node of the system
	made   map[item]*fixed

	scratch *demands // memory of Claims
}

// fixed is what is known of a fixpoint once it is over.
type fixed struct {
	free map[int]bool // by put; of those that were asked for
}

// NewProver prepares proofs for a number of PEs, which is at most MaxPEs.
func NewProver(f *procfunc.Functions, pes int) *Prover {
	sys := newProgram(f, pes)
	p := &Prover{System: sys, s: newSolver(sys), loops: sys.loops, made: map[item]*fixed{}}
	p.arrange()
	return p
}

// arrange numbers the copies so that most follow the one before.
func (p *Prover) arrange() {
	g := p.System.Graph
	p.copyOf = make([]int, len(g.Nodes))
	for i := range p.copyOf {
		p.copyOf[i] = -1
	}
	work := []*cfg.Node{g.Entry}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if p.copyOf[n.ID] >= 0 {
			continue
		}
		p.copyOf[n.ID] = len(p.order)
		p.order = append(p.order, n.ID)
		for _, s := range slices.Backward(n.Succs) {
			work = append(work, s)
		}
	}
}

// Free reports, for each of some communications, whether the uses of the slots of
// communication use are over before any of its puts. The slots are the
// communication's own if there are several or they are staged; then puts is it
// alone.
func (p *Prover) Free(use, slotCount int, staged bool, puts []int) []bool {
	it := item{use, slots{slotCount, staged}}
	f := p.made[it]
	if f == nil {
		f = &fixed{free: map[int]bool{}}
		p.made[it] = f
	}
	var open []int
	for _, x := range puts {
		if _, known := f.free[x]; !known {
			open = append(open, x)
		}
	}
	if open != nil {
		fix := p.s.solve(p.s.rules(it.use, it.how))
		for _, x := range open {
			f.free[x] = fix.orders(x)
		}
	}
	out := make([]bool, len(puts))
	for i, x := range puts {
		out[i] = f.free[x]
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

// Proof is the copies of the program's nodes and their messages, without claims.
func (p *Prover) Proof() *exact.Proof {
	g := p.System.Graph
	out := &exact.Proof{PEs: p.System.PEs, Loops: p.loops}
	sent := map[string]int{}
	for i, id := range p.order {
		n := g.Nodes[id]
		c := exact.Copy{Node: p.System.Origin[id]}
		for _, s := range n.Succs {
			c.Succs = append(c.Succs, p.copyOf[s.ID])
		}
		out.Copies = append(out.Copies, c)
		if n.Kind != cfg.Comm {
			continue
		}
		s := exact.Sent{Comm: n.Ref, Must: exact.Messages(p.System.Must[id]), May: exact.Messages(p.System.May[id]), Users: p.System.Users[id]}
		if s.May == nil {
			s.May = s.Must // of a pipelined one where it is received
		}
		key := sentKey(&s)
		k, ok := sent[key]
		if !ok {
			k = len(out.Sent)
			sent[key] = k
			out.Sent = append(out.Sent, s)
		}
		out.Sent[k].Copies = append(out.Sent[k].Copies, i)
	}
	return out
}

func sentKey(s *exact.Sent) string {
	one := exact.Proof{PEs: exact.MaxPEs, Sent: []exact.Sent{*s}}
	return one.String()
}
