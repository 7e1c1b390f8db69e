package report

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// literal is what the printed form says of communication r, and where that goes
// wrong if it says more than is proved.
func (b *builder) literal(r int) Literal {
	s := b.a.literal(r, b.a.literalKills)
	v, sound := s.Verdict(b.g), b.a.Verdict(r)
	out := Literal{Verdict: v.String(), Converged: s.Converged}
	if b.full {
		out.Final = &Sweep{spans(s.In), spans(s.Out)}
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
	f := b.a.Functions
	without := func(kills synch.LiteralKills) synch.Verdict {
		return b.a.literal(r, kills).Verdict(b.g)
	}
	v := s.Verdict(b.g)
	self := func(y, x int) bool { return y != x && b.a.literalKills(y, x) }
	exact := func(y, x int) bool { return y == x && b.a.literalKills(y, x) || y != x && b.kills(y, x, x) }
	both := func(y, x int) bool { return y != x && b.kills(y, x, x) }
	var why []string
	own := fmt.Sprintf("it takes C_%d, which has one slot, for its own answer", r)
	test := func() {
		for _, n := range b.g.Nodes {
			if y := n.Ref; n.Kind == cfg.CommOver && y != r && s.In[n.ID].Tags.Has(y) && !b.kills(y, r, r) {
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
	if !b.alone(r) {
		why = append(why, fmt.Sprintf("it looks at C_%d alone, though other communications use the same cells", r))
	}
	if len(why) == 0 {
		why = append(why, "its meet of paths (Table 1), its tags that never retire, or a put that starts no new round let knowledge of one path or round pass for that of another")
	}
	return "not proved: " + strings.Join(why, "; ")
}
