package synch

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg"
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

// Solution is the fixpoint for one item.
type Solution struct {
	Item    Item
	In, Out []State // by node ID; U where control cannot come
	Sweeps  int     // passes over the graph, the last one, which changed nothing, included
	// History has In and Out after each sweep, only when recorded.
	History [][2][]State
}

// Solver solves many items over one graph. It is not for concurrent use.
type Solver struct {
	flow *solve.Flow
	fast *fast               // for Verdict, made when first asked for
	comm map[int][]*cfg.Node // by number, the C nodes of a communication

	before     *solve.Solution[State] // of SolveBefore
	agedBefore *solve.Solution[Aged]  // of SolveAgedBefore
	within     map[int][]bool         // by number: the nodes from which control can come to the puts
}

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

func problem(it Item, kills Kills) solve.Problem[State] {
	return solve.Problem[State]{
		Entry:    State{Value: U},
		Top:      State{Value: U},
		Transfer: func(n *cfg.Node, in State) State { return SynchApply(in, n, it, kills) },
		Meet:     SynchMeet,
		Equal:    func(a, b State) bool { return a == b },
	}
}

// Solve finds the greatest fixpoint of SynchApply and SynchMeet for an item,
// starting from U at the entry. All orders of the sweeps end there.
func (s *Solver) Solve(it Item, kills Kills, record bool) *Solution {
	// Only C_use makes something of U.
	r := solve.RoundRobin(s.flow, problem(it, kills), solve.Options[State]{Record: record, Seeds: s.seeds(it)})
	return solution(it, r)
}

// SolveBefore is Solve for the nodes from which control can come to a put of the item;
// at others it has U. The solution that it gave last is no longer valid.
func (s *Solver) SolveBefore(it Item, kills Kills) *Solution {
	s.before = solve.RoundRobin(s.flow, problem(it, kills), solve.Options[State]{Seeds: s.seeds(it), Within: s.leadTo(it.Put), Reuse: s.before})
	return solution(it, s.before)
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
func (s *Solver) seeds(it Item) []*cfg.Node {
	return append(make([]*cfg.Node, 0, 2), s.comm[it.Use]...)
}

func solution(it Item, r *solve.Solution[State]) *Solution {
	s := &Solution{Item: it, In: r.In, Out: r.Out, Sweeps: r.Sweeps}
	for _, h := range r.History {
		s.History = append(s.History, [2][]State{h.In, h.Out})
	}
	return s
}

// Solve is NewSolver(g).Solve(it, kills, record), for one item.
func Solve(g *cfg.Graph, it Item, kills Kills, record bool) *Solution {
	return NewSolver(g).Solve(it, kills, record)
}

// Verdict says whether the puts of Item.Put may go without ready messages as far
// as the uses of Item.Use are concerned: from what is known in front of the node
// that puts. Once means that no use can come before it; so does a put that
// control cannot reach. A communication needs no ready message when that is the
// verdict of all its items.
func (s *Solution) Verdict(g *cfg.Graph) Verdict {
	v := Once
	for _, n := range g.Nodes {
		if puts(n, s.Item.Put) {
			v = min(v, verdict(s.In[n.ID].Value))
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
