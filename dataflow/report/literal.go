package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// printed says what the printed analysis does with communication r: its sweeps, and which
// Condition fails in which dimension. Beside it stands what the sound analysis makes of the
// obligations.
func (b *builder) printed(r int, slot *plan.Slot, out *Communication) {
	s := b.a.source.solver.SolveLiteral(r, b.a.source.literalKills, synch.LiteralLimit, true)
	history := settled(s.History)
	worst, o := synch.Once, Obligation{}
	for _, it := range b.a.Items {
		if it.Put != r {
			continue
		}
		if of, v := b.obligation(it); o.Use == 0 || v < worst {
			worst, o = v, of
		}
	}
	o.Use, o.Put, o.Verdict, o.Slots, o.Printed, o.Sweeps = r, r, slot.Verdict.String(), 1, b.printedTests(r), []Sweep{}
	o.Values = values(b, &o, history, synch.State.String)
	if b.full {
		o.Sweeps = sweeps(history, synch.State.String)
	}
	out.Obligations = []Obligation{o}
	switch {
	case slot.Verdict > worst:
		out.Why = "the printed analysis says so, which proves nothing: the sound one finds a path on which nothing is known to order use and put"
	case slot.Verdict == synch.NeedsSync && worst != synch.NeedsSync:
		out.Why = "the printed analysis finds no message that makes it unnecessary, though the sound one does"
	case slot.Verdict == synch.NeedsSync:
		out.Why = "the printed analysis finds no message that makes it unnecessary"
	default:
		out.Why = "the printed analysis says so, and the sound one agrees"
	}
}

// settled are the sweeps that change something, and one that confirms: the printed
// procedure passes over one outermost loop after the other, most of which have nothing to
// do with a communication.
func settled(history [][2][]synch.State) [][2][]synch.State {
	var out [][2][]synch.State
	for _, h := range history {
		if k := len(out) - 1; k < 0 || !slices.Equal(out[k][0], h[0]) || !slices.Equal(out[k][1], h[1]) {
			out = append(out, h)
		}
	}
	if len(history) > 0 {
		out = append(out, history[len(history)-1])
	}
	return out
}

// printedTests are the printed tests of Conditions 2 and 3 of the communications in the
// outermost loop around the puts of r, r itself included.
func (b *builder) printedTests(r int) []Refusal {
	out := []Refusal{}
	outer := b.f.Put(r).Loop
	for outer != nil && outer.Parent != nil {
		outer = outer.Parent
	}
	for y := range b.f.Relations {
		n := b.f.Put(y + 1)
		if outer != nil && outer.Contains(n.Loop) {
			out = append(out, Refusal{Ref: y + 1, Point: point(n), Why: b.f.PrintedTest(0, []int{y + 1}, r).Why})
		}
	}
	return out
}

// literal is what the printed form says of communication r, and where that goes
// wrong if it says more than is proved.
func (b *builder) literal(r int) Literal {
	s := b.a.source.solveLiteral(r, b.a.source.literalKills)
	v, sound := s.Verdict(b.a.source.f.Graph), b.a.source.verdict(r)
	out := Literal{Verdict: v.String(), Converged: s.Converged}
	if b.full && b.a.Graph == b.a.source.f.Graph {
		out.Final = &Sweep{spans(s.In, synch.State.String), spans(s.Out, synch.State.String)} // else its nodes are those of another graph
	}
	switch {
	case v == sound:
	case v == synch.NeedsSync || v < sound:
		out.Why = "the printed form proves less here"
		if v == synch.NoReady {
			out.Why = "the printed form holds a repetition possible"
		}
	default:
		out.Why = b.overrated(r, s)
	}
	if !s.Converged {
		out.Why = strings.TrimPrefix(out.Why+"; its iteration was stopped, since it does not settle", "; ")
	}
	return out
}

// overrated looks for the place where the printed form leaves the sound one: it
// solves again with one step of the printed test undone at a time.
func (b *builder) overrated(r int, s *synch.LiteralSolution) string {
	f := b.a.source.f
	without := func(kills synch.LiteralKills) synch.Verdict {
		return b.a.source.solveLiteral(r, kills).Verdict(f.Graph)
	}
	v := s.Verdict(f.Graph)
	printed := b.a.source.literalKills
	self := func(y, x int) bool { return y != x && printed(y, x) }
	exact := func(y, x int) bool { return y == x && printed(y, x) || y != x && f.KillsAfter(y, x, 1) }
	both := func(y, x int) bool { return y != x && f.KillsAfter(y, x, 1) }
	var why []string
	own := fmt.Sprintf("it takes C_%d, which has one slot, for its own acknowledgement", r)
	test := func() {
		for _, n := range f.Graph.Nodes {
			if y := n.Ref; n.Kind == cfg.CommOver && y != r && s.In[n.ID].Tags.Has(y) && !f.KillsAfter(y, r, 1) {
				why = append(why, fmt.Sprintf("its test takes C_%d for an acknowledgement of C_%d (%s), but %s", y, r, f.PrintedTest(0, []int{y}, r).Why, f.KillReason(y, r, r).Text))
			}
		}
	}
	switch {
	case without(self) < v:
		why = append(why, own)
	case without(exact) < v:
		test()
	case without(both) < v:
		why = append(why, own)
		test()
	}
	if slices.ContainsFunc(f.Classes(), func(c []int) bool { return len(c) > 1 && slices.Contains(c, r) }) {
		why = append(why, fmt.Sprintf("it looks at C_%d alone, though other communications use the same cells", r))
	}
	if len(why) == 0 {
		why = append(why, "its meet of paths (Table 1), its tags that never retire, or a put that starts no new round let knowledge of one path or round pass for that of another")
	}
	return "not proved: " + strings.Join(why, "; ")
}
