package synch

import (
	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/solve"
)

// The printed form, kept as it stands in the paper: Figure 7 (SynchApply), Table
// 1 (SynchMeet) and the procedure of section 3.3. Its verdicts are for tables
// and dumps; programs that are generated from them may be wrong. Where it differs
// from the sound form:
//
//   - The loop "for k = 1 to #comm" of Figure 7 includes the communication r of
//     the node itself. C_r, reached at Cons, has just set r to Sync; if r answers
//     its own messages (b(n+1-i), a transpose), the loop overwrites that with
//     NoSyncP, and a put that nothing ordered counts as free. Sound: a
//     communication with one slot never kills its own requirement.
//   - Table 1 puts CS above NoSync: meet(CS, NoSync) = NoSync. If one way round a
//     loop reaches the next C_r with the value still in use (a CYCLE before the
//     use) and another way has it proved dead, the proof wins. Sound: CS is below
//     Cons, since it knows less.
//   - The tags of Figure 7 are never removed, and the paper gives no meet for
//     them. Here they are kept for good and united where paths meet. So a killer
//     on one branch only, or one posted in an earlier round, releases at its CO.
//     Sound: tags go when the round ends and are intersected, and NoSyncP without
//     a common tag is Cons.
//   - C_r sets r from NoSync to NoSync, not to CS: it does not start a new round.
//     What was proved for one repetition stays proved, whatever the next one
//     meets. And as CS goes to Sync there, while NoSync, which Table 1 puts below
//     it, stays, the transfer is not monotone: verdicts depend on the order of the
//     visits, and iterations need a limit. Sound: U and NoSync both start a round,
//     all else is Sync, and the verdict is read at the greatest fixpoint in front
//     of C_r.
//   - Only Cons, not NoSyncP, accepts a killer, so that the first one found is
//     the only tag. Sound: all are collected, since paths may meet where only one
//     of them is common.
//   - "Repetitions are identical" and NextProducers (section 4) are judged by the
//     innermost loop around C_x, and matrices that contain loop indices are
//     compared by name, though the next instance has other values: that is in the
//     test of kills that comes with the printed form. Sound: Kills quantifies over
//     the pairs of instances along all paths.
//   - Condition 3 is tested as RF_y * RF_x containing NP_x (section 3.2), a product
//     that shows that some consumer of each producer answers; the theorems want
//     all of them to. This, too, is in the test of kills. Sound: every message
//     that comes is asked for its answer.
//   - The state is one per reference, so that two references that fill the same
//     overlap cells never wait for each other's uses. Sound: one state per pair of
//     communications that fill the same cells (proof.Obligation).
//   - The verdict is read behind C_r, after r has been set, where the loop over k
//     may have hidden that the put came too early. Sound: in front of it.
//
// Loops that may run zero times are no difference between the two: graphs have
// loops that test first, so that both see the way around a killer's loop.
//
// A reduction or barrier is, after the paper's section 4, a communication of all
// with all that is posted and complete in one node: C_y and CO_y with y killing
// every k at Cons.

// LiteralKills is the printed test of Conditions 2 and 3, with what section 3
// calls identical repetitions and section 4 NextProducers: does y kill the
// requirement of repetitions of x? It is asked for y = x too.
type LiteralKills func(y, x int) bool

// LiteralApply is Figure 7 for the component k of the state.
func LiteralApply(in State, n *cfg.Node, k int, kills LiteralKills) State {
	out := in
	switch n.Kind {
	case cfg.Comm:
		if n.Flavour == recv {
			return in // the communication node of a pipelined one is where it puts
		}
		r := n.Ref
		if r == k {
			switch in.Value {
			case U:
				out.Value = CS
			case CS, Cons, NoSyncP:
				out.Value = Sync
			}
		}
		if in.Value == Cons && kills(r, k) {
			out = State{Value: NoSyncP, Tags: in.Tags.With(r)}
		}
	case cfg.UseOver:
		if n.Ref == k && in.Value == CS {
			out.Value = Cons
		}
	case cfg.CommOver:
		if in.Tags.Has(n.Ref) && in.Value == NoSyncP {
			out.Value = NoSync
		}
	case cfg.Reduce, cfg.Barrier:
		if in.Value == Cons {
			out.Value = NoSync
		}
	}
	return out
}

// literalRank is the order that Table 1 follows: its meet is the minimum of it.
var literalRank = [...]int{Sync: 0, Cons: 1, NoSyncP: 2, NoSync: 3, CS: 4, U: 5}

// LiteralMeet is Table 1. For the tags, of which the table says nothing, it is
// the union.
func LiteralMeet(a, b State) State {
	tags := a.Tags.Union(b.Tags)
	if literalRank[a.Value] <= literalRank[b.Value] {
		return State{Value: a.Value, Tags: tags}
	}
	return State{Value: b.Value, Tags: tags}
}

// LiteralLimit is how often SolveLiteral may be asked to pass over a loop where
// there is no reason for another number. The paper says that three iterations
// always suffice (section 3.3).
const LiteralLimit = 10

// LiteralSolution is what the printed procedure ends with for one reference.
type LiteralSolution struct {
	Ref     int
	In, Out []State // by node ID
	// Sweeps is the largest number of passes over one loop, the last one, which
	// changed nothing, included.
	Sweeps    int
	Converged bool         // false when the limit ended the iteration
	History   [][2][]State // In and Out per pass over an outermost loop, when recorded
}

// SolveLiteral runs the printed procedure for the references 1 to refs. Loops
// are iterated inner ones first, at most limit times per visit. No component of
// the state depends on another one, so that they are solved one by one: Figure 7
// reads and writes for k only SC[k] and the tags <k,r>. The result is by Ref-1.
func SolveLiteral(g *cfg.Graph, refs int, kills LiteralKills, limit int, record bool) []*LiteralSolution {
	f := solve.New(g)
	all := make([]*LiteralSolution, refs)
	for i := range all {
		all[i] = solveLiteral(f, i+1, kills, limit, record)
	}
	return all
}

// SolveLiteral is the printed procedure for one reference.
func (s *Solver) SolveLiteral(ref int, kills LiteralKills, limit int, record bool) *LiteralSolution {
	return solveLiteral(s.flow, ref, kills, limit, record)
}

func solveLiteral(f *solve.Flow, ref int, kills LiteralKills, limit int, record bool) *LiteralSolution {
	r := solve.InnerFirst(f, literalProblem(ref, kills), limit, record)
	s := solution(proof.Shared(ref, ref), r)
	return &LiteralSolution{ref, s.In, s.Out, s.Sweeps, r.Converged, s.History}
}

func literalProblem(ref int, kills LiteralKills) solve.Problem[State] {
	return solve.Problem[State]{
		Entry:    State{Value: U},
		Top:      State{Value: U},
		Transfer: func(n *cfg.Node, in State) State { return LiteralApply(in, n, ref, kills) },
		Meet:     LiteralMeet,
		Equal:    func(a, b State) bool { return a == b },
	}
}

// Verdict reads the value behind C_r, as the paper does (end of section 3.3): CS
// is Once, NoSync is NoReady. The paper holds Sync to be the only other value;
// NoSyncP, which the loop over k makes possible, counts as Sync too.
func (s *LiteralSolution) Verdict(g *cfg.Graph) Verdict {
	v := Once
	for _, n := range g.Nodes {
		if !puts(n, s.Ref) {
			continue
		}
		switch s.Out[n.ID].Value {
		case CS:
		case NoSync:
			v = min(v, NoReady)
		default:
			v = NeedsSync
		}
	}
	return v
}
