package synch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/solve"
)

// Verdict is what the analysis says about the puts of a communication.
type Verdict uint8

// In ascending order: of several verdicts on one communication the lowest counts.
const (
	NeedsSync Verdict = iota // ready messages are needed
	NoReady                  // repeated, and every put is known to be free
	Once                     // never preceded by a use of the slot
)

var verdictNames = [...]string{"Sync", "NoSync", "Once"}

// String gives the words of the paper's tables: Sync, NoSync, Once.
func (v Verdict) String() string {
	if int(v) >= len(verdictNames) {
		return fmt.Sprintf("verdict %d", uint8(v))
	}
	return verdictNames[v]
}

// SolutionOf is the fixpoint for an obligation: with a State for one slot, with Generations
// for a ring or staging buffers.
type SolutionOf[V comparable] struct {
	proof.Obligation
	In, Out []V // by node ID; U where control cannot come
	Sweeps  int // passes over the graph, the last one, which changed nothing, included
	// History has In and Out after each sweep, only when recorded.
	History [][2][]V
}

// Solution is that for one slot, that others may fill too.
type Solution = SolutionOf[State]

// RingSolution is that for slots of the communication's own.
type RingSolution = SolutionOf[Generations]

// form is what the two kinds of values differ in.
type form[V comparable] struct {
	unseen  V
	apply   func(in V, n *cfg.Node, o proof.Obligation, kills Kills) V
	meet    func(a, b V) V
	of      func(v V, generation int) State
	settled func(v V) bool // only nodes of the communications themselves change v
}

var single = form[State]{
	unseen: State{Value: U}, apply: SynchApply, meet: SynchMeet,
	of:      func(v State, _ int) State { return v },
	settled: func(v State) bool { return !v.pending() },
}

var ring = form[Generations]{
	unseen: unseen, apply: Apply, meet: Meet,
	of: func(v Generations, generation int) State { return v[generation] },
	settled: func(v Generations) bool {
		for _, s := range v {
			if s.pending() {
				return false
			}
		}
		return true
	},
}

// problem is the data-flow problem of an obligation.
func (f *form[V]) problem(o proof.Obligation, kills Kills) solve.Problem[V] {
	return solve.Problem[V]{
		Entry: f.unseen, Top: f.unseen, Meet: f.meet,
		Transfer: func(n *cfg.Node, in V) V { return f.apply(in, n, o, kills) },
		Equal:    func(a, b V) bool { return a == b },
	}
}

// Solver solves many obligations over one graph. It is not for concurrent use.
type Solver struct {
	flow *solve.Flow
	fast *fast               // for Verdict, made when first asked for
	comm map[int][]*cfg.Node // by number, the C nodes of a communication

	chains *proof.Sequences // see Through
	single memory[State]
	ring   memory[Generations]
	within map[int][]bool // by number: the nodes from which control can come to the puts
}

// memory is that of solutions which are no longer needed.
type memory[V comparable] struct{ before, blocks *solve.Solution[V] }

// NewSolver prepares a graph, which must not change while the solver is used.
func NewSolver(g *cfg.Graph) *Solver { return newSolver(solve.New(g)) }

func newSolver(f *solve.Flow) *Solver {
	s := &Solver{flow: f, comm: map[int][]*cfg.Node{}, within: map[int][]bool{}}
	for _, n := range f.Order() {
		if n.Kind == cfg.Comm {
			s.comm[n.Ref] = append(s.comm[n.Ref], n)
		}
	}
	return s
}

// Solve finds the greatest fixpoint of SynchApply and SynchMeet for an obligation with one
// slot, starting from U at the entry. All orders of the sweeps end there.
func (s *Solver) Solve(o proof.Obligation, kills Kills, record bool) *Solution {
	return whole(s, s.singleForm(), o, kills, record)
}

// SolveRing is Solve for slots of a communication's own.
func (s *Solver) SolveRing(o proof.Obligation, kills Kills, record bool) *RingSolution {
	return whole(s, &ring, o, kills, record)
}

// Before is the fixpoint of Solve or SolveRing for the nodes from which control can come
// to a put of the obligation; elsewhere it has U. What it gave last is no longer valid.
func (s *Solver) Before(o proof.Obligation, kills Kills) proof.Fixpoint {
	if o.Own() {
		return before(s, &ring, &s.ring, o, kills)
	}
	return before(s, s.singleForm(), &s.single, o, kills)
}

func whole[V comparable](s *Solver, f *form[V], o proof.Obligation, kills Kills, record bool) *SolutionOf[V] {
	// Only C_use makes something of U.
	return solution(o, solve.RoundRobin(s.flow, f.problem(o, kills), solve.Options[V]{Record: record, Seeds: s.seeds(o)}))
}

func before[V comparable](s *Solver, f *form[V], m *memory[V], o proof.Obligation, kills Kills) *SolutionOf[V] {
	m.before = solve.RoundRobin(s.flow, f.problem(o, kills), solve.Options[V]{Seeds: s.seeds(o), Within: s.leadTo(o.Put), Reuse: m.before})
	return solution(o, m.before)
}

// leadTo has the nodes from which control can come to the C nodes of a communication,
// these included.
func (s *Solver) leadTo(put int) []bool {
	if in := s.within[put]; in != nil {
		return in
	}
	in := make([]bool, len(s.flow.Graph().Nodes))
	work := slices.Clone(s.comm[put])
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if !in[n.ID] {
			in[n.ID] = true
			work = append(work, n.Preds...)
		}
	}
	s.within[put] = in
	return in
}

// seeds is never nil, which would stand for all nodes.
func (s *Solver) seeds(o proof.Obligation) []*cfg.Node {
	return append(make([]*cfg.Node, 0, 2), s.comm[o.Use]...)
}

func solution[V comparable](o proof.Obligation, r *solve.Solution[V]) *SolutionOf[V] {
	s := &SolutionOf[V]{Obligation: o, In: r.In, Out: r.Out, Sweeps: r.Sweeps}
	for _, h := range r.History {
		s.History = append(s.History, [2][]V{h.In, h.Out})
	}
	return s
}

// at is what holds of a generation.
func (s *SolutionOf[V]) at(v V, generation int) State {
	switch v := any(v).(type) {
	case State:
		return v
	case Generations:
		return v[generation]
	}
	panic("synch: a solution of another kind")
}

// Before is what holds of a generation in front of a node.
func (s *SolutionOf[V]) Before(point, generation int) State { return s.at(s.In[point], generation) }

// Behind is what holds of a generation behind a node.
func (s *SolutionOf[V]) Behind(point, generation int) State { return s.at(s.Out[point], generation) }

// Text has what holds of each generation, the youngest first.
func (s *SolutionOf[V]) Text(v V) string {
	parts := make([]string, s.Ring)
	for g := range parts {
		parts[g] = s.at(v, g).String()
	}
	return strings.Join(parts, " | ")
}

// Verdict says whether the puts of s.Put may go without ready messages as far
// as the uses of s.Use are concerned: from what is known of the oldest value in front of
// the node that puts. Once means that no use can come before it; so does a put that
// control cannot reach. A communication needs no ready message when that is the
// verdict of all its obligations.
func (s *SolutionOf[V]) Verdict(g *cfg.Graph) Verdict {
	v := Once
	for _, n := range g.Nodes {
		if puts(n, s.Put) {
			v = min(v, verdict(s.Before(n.ID, s.Ring-1).Value))
		}
	}
	return v
}

// verdict reads the value in front of a put.
func verdict(in Value) Verdict {
	switch in {
	case U:
		return Once
	case NoSync:
		return NoReady
	}
	return NeedsSync
}

// Has are those of the PEs of a symbolic fact of which it holds in front of a node.
func (s *SolutionOf[V]) Has(point int, f proof.Fact) uint64 {
	return s.Before(point, f.Generation).Has(f)
}

// Has are those of the PEs of a fact that a state knows of.
func (s State) Has(f proof.Fact) uint64 {
	relays, next := f.PEs&^(proof.RelayPEs(1)-1), f.PEs&proof.Next
	if f.Under > 0 {
		if s.Value == NoSyncP && s.Tags.Has(f.Under) {
			return next | s.relays(relays, flying)
		}
		return s.relays(relays, flying)
	}
	switch {
	case s.Value == U:
		return f.PEs
	case s.Value == NoSync:
		return f.PEs&(proof.Consumer|proof.Next) | s.relays(relays, arrived)
	case s.Value >= Cons:
		return f.PEs&proof.Consumer | s.relays(relays, arrived)
	}
	return 0
}
