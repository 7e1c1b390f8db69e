package synch

import (
	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/solve"
)

// fast finds verdicts without values for all nodes: by basic blocks, most of
// which let most values pass, and only between the use and the put.
type fast struct {
	flow  *solve.Flow   // over blocks
	nodes [][]*cfg.Node // by number, the nodes of a communication
	inert []bool        // by ID of first nodes: the block has no communication node
	own   []bool        // by ID of first nodes: the block has nodes of the item at hand
}

func newFast(g *cfg.Graph) *fast {
	f := &fast{flow: solve.NewBlocks(g), inert: make([]bool, len(g.Nodes)), own: make([]bool, len(g.Nodes))}
	refs := 0
	for _, n := range g.Nodes {
		refs = max(refs, n.Ref)
	}
	f.nodes = make([][]*cfg.Node, refs+1)
	for _, first := range f.flow.Order() {
		f.inert[first.ID] = true
		for _, n := range f.flow.Unit(first) {
			if n.Kind.IsComm() {
				f.inert[first.ID] = false
			}
			if n.Kind == cfg.Comm || n.Kind == cfg.CommOver || n.Kind == cfg.UseOver {
				f.nodes[n.Ref] = append(f.nodes[n.Ref], n)
			}
		}
	}
	return f
}

// mark notes in which blocks the obligation has nodes of its own.
func (f *fast) mark(o proof.Obligation, to bool) {
	for _, r := range []int{o.Use, o.Put} {
		for _, n := range f.nodes[r] {
			f.own[f.flow.Unit(n)[0].ID] = to
		}
	}
}

// Verdict is the verdict of Solve or SolveRing, and the number of sweeps that it took, for
// less: kills is asked only about communications between the use and the put, no
// values are kept, and the work ends with the first put that is not free, since
// values only fall. A communication that the graph does not have is Once.
func (s *Solver) Verdict(o proof.Obligation, kills Kills) (Verdict, int) {
	if o.Own() {
		return byBlocks(s, &ring, &s.ring, o, kills)
	}
	return byBlocks(s, s.singleForm(), &s.single, o, kills)
}

func byBlocks[V comparable](s *Solver, form *form[V], m *memory[V], o proof.Obligation, kills Kills) (Verdict, int) {
	if s.fast == nil {
		s.fast = newFast(s.flow.Graph())
	}
	f := s.fast
	if len(s.comm[o.Use]) == 0 || len(s.comm[o.Put]) == 0 {
		return Once, 0
	}
	f.mark(o, true)
	defer f.mark(o, false)
	// What is known in front of the puts, each as it was last visited; they have
	// been visited last when nothing changes any more.
	v, found, refuted := Once, map[*cfg.Node]Verdict{}, false
	p := form.problem(o, kills)
	p.Transfer = func(first *cfg.Node, in V) V {
		if f.inert[first.ID] || !f.own[first.ID] && form.settled(in) {
			return in
		}
		for _, n := range f.flow.Unit(first) {
			if puts(n, o.Put) {
				found[n] = verdict(form.of(in, o.Ring-1).Value)
				refuted = refuted || found[n] == NeedsSync
			}
			in = form.apply(in, n, o, kills)
		}
		return in
	}
	m.blocks = solve.RoundRobin(f.flow, p, solve.Options[V]{
		Seeds: s.seedBlocks(o), Within: s.leadTo(o.Put), Until: &refuted, Reuse: m.blocks,
	})
	for _, w := range found {
		v = min(v, w)
	}
	return v, m.blocks.Sweeps
}

// seedBlocks are the blocks in which something becomes of U.
func (s *Solver) seedBlocks(o proof.Obligation) []*cfg.Node {
	var seeds []*cfg.Node
	for _, n := range s.comm[o.Use] {
		seeds = append(seeds, s.fast.flow.Unit(n)[0])
	}
	return seeds
}
