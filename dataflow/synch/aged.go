package synch

import (
	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/solve"
)

// A communication may have several slots: its instance e puts into slot e mod b,
// so that it has to come after the use of instance e-b only. What is known is
// then kept by age: of the value that came last, age 0, of the one before, age 1,
// up to b-1. In
//
//	do t = 1, n
//	   C_1  left neighbour's a        C_2  right neighbour's a
//	   CO_1   CO_2   use   UO_1   UO_2
//	end do
//
// neither of the two answers the other with one slot, since it is posted before
// the value is used. With two, the values of communication 1 in front of each
// node, at the fixpoint, are (age 0, then age 1)
//
//	C_1 Cons NoSync · C_2 CS Cons · CO_1 CS NoSyncP{2} · CO_2 CS NoSyncP{2} · UO_1 CS NoSync
//
// and C_1 finds NoSync at age 1: the message of the right neighbour in this round
// tells what it was done with in the round before.

// MaxSlots is the most slots that a communication can have.
const MaxSlots = 4

// Slots says how a communication that fills cells of its own keeps its values.
type Slots struct {
	Comm  int
	Count int // slots: 1 to MaxSlots
	// Staged: the values arrive in a stage, from which each PE copies them where
	// they belong when they have arrived. So the use of a slot ends at CO.
	Staged bool
}

// Aged is a State per age, age 0 first. Ages that a communication does not have
// stay U, the state of their zero slots. Values are comparable with ==.
type Aged [MaxSlots]State

// unseen is what holds at the entry.
var unseen = Aged{{Value: U}, {Value: U}, {Value: U}, {Value: U}}

// KillsAfter is Kills for the instance of put that comes as number nth behind y,
// from 1. y may be put itself.
type KillsAfter func(y, put, nth int) bool

// AgedApply is the transfer function for the slots of one communication.
//
// At the C node that puts, the slot is that of the oldest value, so its age has
// to be NoSync or U. Then all values are one older, and age 0 is the new one. A
// value of age a is overwritten by the instance of C that comes as number b-a
// from now on: about that one a killer is asked. A tag stays a tag when its value
// grows older, as the messages that it stands for are under way all the same, and
// what they answer comes nearer by one. From then on C itself may be a killer of
// the older values: its messages carry what the senders know.
func AgedApply(in Aged, n *cfg.Node, s Slots, kills KillsAfter) Aged {
	switch n.Kind {
	case cfg.Comm:
		switch {
		case n.Flavour == recv:
			return in
		case n.Ref == s.Comm:
			in = in.shift(s)
		}
		return in.answer(n, s, kills)
	case cfg.CommOver:
		for a, v := range in {
			if v.Value == NoSyncP && v.Tags.Has(n.Ref) {
				in[a] = State{Value: NoSync}
			}
		}
		if n.Ref == s.Comm && s.Staged {
			in[0] = used(in[0])
		}
	case cfg.UseOver:
		if n.Ref == s.Comm && !s.Staged {
			in[0] = used(in[0])
		}
	case cfg.Reduce, cfg.Barrier:
		for a, v := range in {
			if v.Value == Cons || v.Value == NoSyncP {
				in[a] = State{Value: NoSync}
			}
		}
	}
	return in
}

// settled reports whether only nodes of the communication itself change v.
func (v Aged) settled() bool {
	for _, x := range v {
		if x.Value == Cons || x.Value == NoSyncP {
			return false
		}
	}
	return true
}

// used is a value whose use is over, be it for the second time.
func used(v State) State {
	if v.Value == Sync || v.Value == U {
		return v
	}
	return State{Value: Cons}
}

// shift is the put itself: all values grow older.
func (v Aged) shift(s Slots) Aged {
	if oldest := v[s.Count-1].Value; oldest != U && oldest != NoSync {
		return Aged{}.only(s.Count)
	}
	out := unseen
	out[0] = State{Value: CS}
	for a := 1; a < s.Count; a++ {
		out[a] = v[a-1]
		if out[a].Value == CS { // the use of this value is not told from the next one's
			out[a] = State{Value: Sync}
		}
	}
	return out
}

// only has v's first ages, and U for the rest.
func (v Aged) only(count int) Aged {
	for a := count; a < MaxSlots; a++ {
		v[a] = State{Value: U}
	}
	return v
}

// answer is C_y of a communication that may be a killer.
func (v Aged) answer(n *cfg.Node, s Slots, kills KillsAfter) Aged {
	if n.Flavour == send {
		return v
	}
	for a := range s.Count {
		x := v[a]
		if x.Value != Cons && x.Value != NoSyncP || x.Tags.Has(n.Ref) {
			continue
		}
		if kills(n.Ref, s.Comm, s.Count-a) {
			v[a] = State{NoSyncP, x.Tags.With(n.Ref)}
		}
	}
	return v
}

// AgedMeet is SynchMeet, age by age: each path that comes here is one on which
// what is known of each age holds.
func AgedMeet(a, b Aged) Aged {
	if a == b {
		return a
	}
	for i := range a {
		a[i] = SynchMeet(a[i], b[i])
	}
	return a
}

// AgedSolution is the fixpoint for the slots of one communication.
type AgedSolution struct {
	Slots   Slots
	In, Out []Aged // by node ID; U where control cannot come
	Sweeps  int
}

func agedProblem(s Slots, kills KillsAfter) solve.Problem[Aged] {
	return solve.Problem[Aged]{
		Entry:    unseen,
		Top:      unseen,
		Transfer: func(n *cfg.Node, in Aged) Aged { return AgedApply(in, n, s, kills) },
		Meet:     AgedMeet,
		Equal:    func(a, b Aged) bool { return a == b },
	}
}

// SolveAged finds the greatest fixpoint of AgedApply and AgedMeet.
func (s *Solver) SolveAged(slots Slots, kills KillsAfter) *AgedSolution {
	r := s.solveAged(slots, kills, nil, nil)
	return &AgedSolution{Slots: slots, In: r.In, Out: r.Out, Sweeps: r.Sweeps}
}

// SolveAgedBefore is SolveAged for the nodes from which control can come to a put; at
// others it has U. The solution that it gave last is no longer valid.
func (s *Solver) SolveAgedBefore(slots Slots, kills KillsAfter) *AgedSolution {
	s.agedBefore = s.solveAged(slots, kills, s.leadTo(slots.Comm), s.agedBefore)
	return &AgedSolution{Slots: slots, In: s.agedBefore.In, Out: s.agedBefore.Out, Sweeps: s.agedBefore.Sweeps}
}

func (s *Solver) solveAged(slots Slots, kills KillsAfter, within []bool, reuse *solve.Solution[Aged]) *solve.Solution[Aged] {
	seeds := append(make([]*cfg.Node, 0, 2), s.comm[slots.Comm]...)
	return solve.RoundRobin(s.flow, agedProblem(slots, kills), solve.Options[Aged]{Seeds: seeds, Within: within, Reuse: reuse})
}

// Verdict says whether the puts may go without ready messages: by the oldest age
// in front of the node that puts.
func (s *AgedSolution) Verdict(g *cfg.Graph) Verdict {
	v := Once
	for _, n := range g.Nodes {
		if puts(n, s.Slots.Comm) {
			v = min(v, verdict(s.In[n.ID][s.Slots.Count-1].Value))
		}
	}
	return v
}

// AgedVerdict is the verdict of SolveAged, for less: values are kept for blocks
// only, and the work ends with the first put that is not free.
func (s *Solver) AgedVerdict(slots Slots, kills KillsAfter) Verdict {
	if s.fast == nil {
		s.fast = newFast(s.flow.Graph())
	}
	f := s.fast
	if len(s.comm[slots.Comm]) == 0 {
		return Once
	}
	it := Item{slots.Comm, slots.Comm}
	f.mark(it, true)
	defer f.mark(it, false)
	found, refuted := map[*cfg.Node]Verdict{}, false
	p := agedProblem(slots, kills)
	p.Transfer = func(first *cfg.Node, in Aged) Aged {
		if f.inert[first.ID] || !f.own[first.ID] && in.settled() {
			return in
		}
		for _, n := range f.flow.Unit(first) {
			if puts(n, slots.Comm) {
				found[n] = verdict(in[slots.Count-1].Value)
				refuted = refuted || found[n] == NeedsSync
			}
			in = AgedApply(in, n, slots, kills)
		}
		return in
	}
	f.aged = solve.RoundRobin(f.flow, p, solve.Options[Aged]{
		Seeds: s.seedBlocks(it), Within: s.leadTo(slots.Comm), Until: &refuted, Reuse: f.aged,
	})
	v := Once
	for _, w := range found {
		v = min(v, w)
	}
	return v
}
