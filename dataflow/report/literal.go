package report

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// literal is what the printed form says of communication r, and where that goes
// wrong if it says more than is proved.
func (b *builder) literal(r int, s *synch.LiteralSolution) Literal {
	v, sound := s.Verdict(b.g), b.a.Verdict(r)
	out := Literal{Verdict: v.String(), Converged: s.Converged, Sweeps: sweeps(s.History)}
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

// overrated looks at where the printed form leaves the sound one: at what it
// takes for killers.
func (b *builder) overrated(r int, s *synch.LiteralSolution) string {
	var why []string
	tags := map[int]bool{}
	for _, n := range b.g.Nodes {
		in, out := s.In[n.ID], s.Out[n.ID]
		if n.Kind == cfg.CommOver && in.Value == synch.NoSyncP && out.Value == synch.NoSync && in.Tags.Has(n.Ref) && !tags[n.Ref] {
			tags[n.Ref] = true
			switch {
			case n.Ref == r:
				why = append(why, fmt.Sprintf("it takes C_%d, which has one slot, for its own answer", r))
			case !b.kills(n.Ref, r, r):
				why = append(why, fmt.Sprintf("its test takes C_%d for an answer to C_%d (%s), but: %s", n.Ref, r,
					b.a.Functions.PrintedTest([]int{n.Ref}, r).Why, b.a.Functions.KillReason(n.Ref, r, r).Text))
			}
		}
	}
	if b.a.Functions.LiteralKills(r, r) && !tags[r] {
		why = append(why, fmt.Sprintf("it takes C_%d, which has one slot, for its own answer", r))
	}
	if !b.alone(r) {
		why = append(why, fmt.Sprintf("it looks at C_%d alone, though other communications use the same cells", r))
	}
	if len(why) == 0 {
		why = append(why, "its meet of paths (Table 1), its tags that never retire, or a put that starts no new round let knowledge of one path or round pass for that of another")
	}
	return "not proved: " + strings.Join(why, "; ")
}
