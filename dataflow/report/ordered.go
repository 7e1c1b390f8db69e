package report

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// once says why no use comes before a put.
func (b *builder) once(it proof.Obligation) string {
	put := b.f.Put(it.Put)
	if it.Use != it.Put {
		return fmt.Sprintf("no path leads from C_%d to C_%d", it.Use, it.Put)
	}
	if put.Loop == nil {
		return fmt.Sprintf("C_%d stands in no loop: no path leads from it back to it", it.Put)
	}
	return fmt.Sprintf("no path leads from C_%d back to it: behind it, every way leaves %s", it.Put, loopName(put.Loop))
}

// chains finds what the proof of an item rests on: going back from the put
// through points where NoSync is known, the nodes at which it became known.
// Every path from the use to the put passes one of them, and without any one
// of them some path would have none that counts here.
func (b *builder) chains(s *synch.Solution) []Chain {
	put := b.f.Put(s.Put)
	var out []Chain
	list := witnesses(put, preds, func(n *cfg.Node) synch.State { return s.In[n.ID] }, func(n *cfg.Node) synch.State { return s.Out[n.ID] })
	slices.SortFunc(list, func(a, b *cfg.Node) int { return a.ID - b.ID })
	for _, w := range list {
		out = append(out, b.chain(s, w, put))
	}
	return out
}

// chain is the chain through witness w: a collective, or the CO of a killer.
func (b *builder) chain(s *synch.Solution, w, put *cfg.Node) Chain {
	it := s.Obligation
	open := func(n *cfg.Node) bool { return pending(s.Out[n.ID]) }
	start := func(n *cfg.Node) bool {
		return open(n) && (n.Kind == cfg.UseOver && n.Ref == it.Use || it.Use != it.Put && n == put)
	}
	path := []*cfg.Node{w}
	c := Chain{}
	via := w // where the message of the chain begins
	if w.Kind == cfg.CommOver {
		c.By = w.Ref
		back := pathBack(w, preds, func(n *cfg.Node) bool { return n.Kind == cfg.Comm && n.Ref == w.Ref }, func(n *cfg.Node) bool { return s.Out[n.ID].Tags.Has(w.Ref) })
		path = append(back[:max(len(back)-1, 0)], path...)
		via = path[0]
	} else if w.Kind == cfg.Reduce {
		c.By = w.Ref
	}
	if back := pathBack(via, preds, start, open); back != nil {
		path = append(back[:len(back)-1], path...)
	}
	forth := pathForth(w, put, func(n *cfg.Node) bool { return s.Out[n.ID].Value == synch.NoSync })
	if forth != nil {
		path = append(path, forth[1:]...)
	}
	c.Path = ids(path)
	c.Hops = b.hops(it, path, via, w)
	return c
}

// hops is the path in sentences.
func (b *builder) hops(it proof.Obligation, path []*cfg.Node, via, w *cfg.Node) []Hop {
	ref := b.f.Relations[it.Use-1].Comm
	what := b.refText(it.Use)
	var hops []Hop
	last := 0
	add := func(n *cfg.Node, role, relation, text string) {
		i := last + slices.Index(path[last:], n)
		if l := crossed(path[last : i+1]); l != nil {
			text = next(l) + " " + text
		}
		last = i
		hops = append(hops, Hop{point(n), role, relation, text})
	}
	first := path[0]
	put := b.f.Relations[it.Put-1]
	switch {
	case first.Kind == cfg.UseOver:
		add(first, "use", "", fmt.Sprintf("every PE q that received %s is done with it, which only q knows", what))
	case first.Kind == cfg.Comm:
		add(first, "use", "", fmt.Sprintf("puts into the cells of C_%d after their last use; further puts have to come after that use too", ref.ID))
	}
	if w.Kind == cfg.CommOver {
		y := b.f.Relations[w.Ref-1]
		text := fmt.Sprintf("%s leaves: each PE q that C_%d will put to sends it to the PE p that will put to q", b.refText(w.Ref), it.Put)
		if by := b.relays(it.Put, w.Ref); by != nil && !b.f.KillsAfter(w.Ref, it.Put, 1) {
			text = fmt.Sprintf("%s leaves: what each PE q that C_%d will put to has sent with %s, one after the other, now goes on to the PE p that will put to q", b.refText(w.Ref), it.Put, refs(by, "and"))
		}
		add(via, "witness", y.String(), text)
		add(w, "known", "", "it has arrived: p knows that q has passed its last use")
	} else {
		add(w, "witness", "U -> U", "every PE contributes after its last use, and none has the result before all have contributed")
	}
	i := len(path) - 1
	text := fmt.Sprintf("p puts %s into the slot, and knows that q is done with it", b.refText(it.Put))
	if l := crossed(path[last : i+1]); l != nil {
		text = next(l) + " " + text
	}
	return append(hops, Hop{point(path[i]), "put", put.String(), text})
}

// relays are the communications before y in a chain that answers a put, nil if there is
// none that y ends.
func (b *builder) relays(put, y int) []int {
	for _, c := range b.f.Chains(put) {
		if last := len(c) - 1; c[last] == y {
			return c[:last]
		}
	}
	return nil
}

// refText is the first reference of a communication.
func (b *builder) refText(r int) string {
	return b.f.Put(r).Text
}

// crossed is the outermost loop whose back edge lies on the path, nil for none.
func crossed(path []*cfg.Node) *cfg.Loop {
	var out *cfg.Loop
	for i := 1; i < len(path); i++ {
		u, v := path[i-1], path[i]
		if v.Kind == cfg.LoopHead && v.Loop.Contains(u.Loop) && (out == nil || v.Loop.Contains(out)) {
			out = v.Loop
		}
	}
	return out
}

func ids(path []*cfg.Node) []int {
	out := make([]int, len(path))
	for i, n := range path {
		out[i] = n.ID
	}
	return out
}

// sentence says in one sentence why communication r has its verdict.
func (b *builder) sentence(r int, obligations []Obligation) string {
	var by []string
	for _, o := range obligations {
		if o.Gap != nil {
			return b.gapSentence(o)
		}
		for _, name := range witnessNames(o.Chains) {
			if !slices.Contains(by, name) {
				by = append(by, name)
			}
		}
	}
	if len(by) > 0 {
		if len(by) == 1 {
			return fmt.Sprintf("%s orders every use before the next put", by[0])
		}
		return list(by, "or") + ", whichever lies on the way, orders every use before the next put"
	}
	for _, o := range obligations {
		if o.Once != "" {
			return o.Once
		}
	}
	return fmt.Sprintf("nothing uses the cells of C_%d before it puts", r)
}
