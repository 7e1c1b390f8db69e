package hb

import (
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/solve"
)

// solver solves the uses of one communication after the other over one system.
type solver struct {
	sys   *System
	pack  *pack
	flow  *solve.Flow         // over blocks
	nodes map[int][]*cfg.Node // by communication: its C, CO and UO nodes
	inert []bool              // by ID of first nodes: the block has no communication
	own   []bool              // by ID of first nodes: … has nodes of the use at hand
	need  map[*cfg.Node][]uint64
	last  *solve.Solution[state]
}

func newSolver(sys *System) *solver {
	g := sys.Graph
	s := &solver{
		sys: sys, pack: newPack(sys.PEs), flow: solve.NewBlocks(g), nodes: map[int][]*cfg.Node{},
		inert: make([]bool, len(g.Nodes)), own: make([]bool, len(g.Nodes)), need: map[*cfg.Node][]uint64{},
	}
	for _, first := range s.flow.Order() {
		s.inert[first.ID] = true
		for _, n := range s.flow.Unit(first) {
			if n.Kind.IsComm() {
				s.inert[first.ID] = false
			}
			if n.Kind == cfg.Comm || n.Kind == cfg.CommOver || n.Kind == cfg.UseOver {
				s.nodes[n.Ref] = append(s.nodes[n.Ref], n)
			}
			if puts(n) {
				s.need[n] = s.pack.need(sys.May[n.ID])
			}
		}
	}
	return s
}

// fixpoint is what is known of the uses of one communication.
type fixpoint struct {
	*rules
	s *solver
	// in is what is known in front of the first node of a block. It is valid until
	// the solver solves the next.
	sol *solve.Solution[state]
}

// solve finds the greatest fixpoint for the uses of a communication.
func (s *solver) solve(rules *rules) *fixpoint {
	use := rules.use
	f := &fixpoint{rules: rules, s: s}
	seeds := []*cfg.Node{}
	for _, n := range s.nodes[use] {
		first := s.flow.Unit(n)[0]
		s.own[first.ID] = true
		if puts(n) && !slices.Contains(seeds, first) {
			seeds = append(seeds, first)
		}
	}
	p := solve.Problem[state]{Entry: top, Top: top, Meet: f.meet, Equal: equal, Transfer: f.block}
	f.sol = solve.RoundRobin(s.flow, p, solve.Options[state]{Seeds: seeds, Reuse: s.last})
	s.last = f.sol
	for _, n := range s.nodes[use] {
		s.own[s.flow.Unit(n)[0].ID] = false
	}
	return f
}

// rules are those for the uses of an obligation; its Put does not matter.
func (s *solver) rules(o proof.Obligation) *rules {
	return &rules{pack: s.pack, sys: s.sys, use: o.Use, b: o.Ring, staged: o.Staged}
}

// block is the transfer of a whole block.
func (f *fixpoint) block(first *cfg.Node, in state) state {
	if f.s.inert[first.ID] || !f.s.own[first.ID] && f.idle(in) {
		return in
	}
	for _, n := range f.s.flow.Unit(first) {
		in = f.apply(in, n)
	}
	return in
}

// idle reports whether only nodes of the use itself make something of s: either
// nobody knows anything, or everybody knows.
func (f *fixpoint) idle(s state) bool {
	return len(s.flights) == 0 && !slices.ContainsFunc(s.known, func(w uint64) bool { return w != 0 })
}

// at is what is known in front of a node.
func (f *fixpoint) at(n *cfg.Node) state {
	unit := f.s.flow.Unit(n)
	if unit == nil {
		return top
	}
	v := f.sol.In[unit[0].ID]
	for _, m := range unit {
		if m == n {
			break
		}
		v = f.apply(v, m)
	}
	return v
}
