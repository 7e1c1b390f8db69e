package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// literal is what the printed form says of communication r, and where that goes
// wrong if it says more than is proved.
func (b *builder) literal(r int) Literal {
	s := b.a.source.solveLiteral(r, b.a.source.literalKills)
	v, sound := s.Verdict(b.a.source.f.Graph), b.a.source.verdict(r)
	out := Literal{Verdict: v.String(), Converged: s.Converged}
	if b.full && b.a.Plan.Program == b.a.source.f.Program && b.a.Plan.Kind != plan.Barrier {
		out.Final = &Sweep{spans(s.In), spans(s.Out)} // else its nodes are those of another graph
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
	own := fmt.Sprintf("it takes C_%d, which has one slot, for its own answer", r)
	test := func() {
		for _, n := range f.Graph.Nodes {
			if y := n.Ref; n.Kind == cfg.CommOver && y != r && s.In[n.ID].Tags.Has(y) && !f.KillsAfter(y, r, 1) {
				why = append(why, fmt.Sprintf("its test takes C_%d for an answer to C_%d (%s), but %s", y, r, f.PrintedTest([]int{y}, r).Why, f.KillReason(y, r, r).Text))
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
