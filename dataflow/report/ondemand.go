package report

import (
	"fmt"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
)

// onDemand says how PEs decide, as the program runs, who needs a ready message
// before the puts of communication r: nil where the plan does not let them.
func (b *builder) onDemand(r int, slot *plan.Slot) *OnDemand {
	if slot.Ready != plan.OnDemand {
		return nil
	}
	out := &OnDemand{Hops: []Hop{}}
	for _, t := range slot.Tried {
		if t.Note == plan.Chosen && t.Ready == plan.OnDemand {
			out.Rate, out.Estimated = t.Rate, true
		}
	}
	s := b.reasonFor(proof.Ring(r, slot.Ring, slot.Staged), slot, nil)
	ends := b.uses[r]
	what := "is done with " + b.refText(r)
	if slot.Staged {
		ends, what = b.overs[r], fmt.Sprintf("has copied %s out of the staging buffer", b.refText(r))
	}
	if len(ends) > 0 {
		out.Hops = append(out.Hops, Hop{point(ends[0]), "use", "", "q " + what + "; both q and p note when, since control is the same on all PEs"})
	}
	var others []string
	for _, n := range b.acknowledging(s.put) {
		others = append(others, nodeName(n))
	}
	if k := len(others) - mostOthers; k > 0 {
		others = append(others[:mostOthers], fmt.Sprintf("%d others", k))
	}
	out.Hops = append(out.Hops, Hop{point(s.put), "put", b.f.Relations[r-1].String(),
		fmt.Sprintf("p puts into the slot again, where it overwrites %s; if q has sent it nothing since then, be it by %s, q sends a ready message first, and both know that it does", s.overwritten(), list(others, "or"))})
	return out
}

// acknowledging are the nodes whose messages may acknowledge a use between two executions
// of a put: C nodes and collectives in its outermost loop.
func (b *builder) acknowledging(put *cfg.Node) []*cfg.Node {
	outer := put.Loop
	for outer != nil && outer.Parent != nil {
		outer = outer.Parent
	}
	var out []*cfg.Node
	for _, n := range b.g.Nodes {
		if outer != nil && outer.Contains(n.Loop) && (isCollective(n) || n.Kind == cfg.Comm && n.Flavour != "recv") {
			out = append(out, n)
		}
	}
	return out
}

// sentence is the reason in one sentence.
func (l *OnDemand) sentence(age string) string {
	text := "a put overwrites " + age + ", and waits for ready messages only from those q that have sent p nothing since they were done with that"
	switch {
	case !l.Estimated:
		return text
	case l.Rate == 0:
		return text + "; in examples on a few PEs there were none"
	}
	return text + fmt.Sprintf("; in examples on a few PEs these were before %.2g %% of the puts", 100*l.Rate)
}
