package report

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// The generation of the value that the last put brought is 0, that of the put before 1, and
// the next put overwrites the oldest. A put makes all values one generation older. Where a
// communication has no slots of its own, all values are of generation 0.

// reason is how the end of a use becomes known to the put that overwrites it.
type reason struct {
	b    *builder
	o    proof.Obligation
	slot *plan.Slot // nil where only the words for the slots are needed
	put  *cfg.Node
	sol  solution
}

// solution is a fixpoint of the analysis, by point and generation.
type solution interface {
	Before(point, generation int) synch.State
	Behind(point, generation int) synch.State
}

func (b *builder) reasonFor(o proof.Obligation, slot *plan.Slot, sol solution) *reason {
	return &reason{b: b, o: o, slot: slot, put: b.f.Put(o.Put), sol: sol}
}

// obligation reports an obligation with its solution. Where the puts have to wait, the
// caller says why.
func obligation[V comparable](b *builder, slot *plan.Slot, sol *synch.SolutionOf[V]) (*reason, Obligation) {
	s := b.reasonFor(sol.Obligation, slot, sol)
	v := sol.Verdict(b.g)
	o := Obligation{Use: sol.Use, Put: sol.Put, Verdict: v.String(), Own: sol.Own(), Slots: sol.Ring, Staged: sol.Staged, Sweeps: []Sweep{}}
	switch v {
	case synch.Once:
		o.Once = s.once()
	case synch.NoReady:
		for _, w := range s.witnesses() {
			o.Chains = append(o.Chains, s.chain(w))
		}
	}
	o.Values = values(b, &o, sol.History, sol.Text)
	if b.full {
		o.Sweeps = sweeps(sol.History, sol.Text)
	}
	return s, o
}

// once says why no use comes before the put.
func (s *reason) once() string {
	o := s.o
	switch {
	case o.Own():
		return fmt.Sprintf("C_%d is executed at most %s times, each time with a slot of its own", o.Use, numeral(o.Ring))
	case o.Use != o.Put:
		return fmt.Sprintf("no path leads from C_%d to C_%d", o.Use, o.Put)
	case s.put.Loop == nil:
		return fmt.Sprintf("C_%d stands in no loop: no path leads from it back to it", o.Put)
	}
	return fmt.Sprintf("no path leads from C_%d back to it: behind it, every way leaves %s", o.Put, loopName(s.put.Loop))
}

// valueAt is behind a node, where the value has a generation.
type valueAt struct {
	n          *cfg.Node
	generation int
}

// before is the generation in front of a node of what has one behind it; -1 where it
// comes into being there.
func (s *reason) before(p valueAt) int {
	if p.n == s.put && s.o.Use == s.o.Put {
		return p.generation - 1
	}
	return p.generation
}

func (s *reason) in(p valueAt) synch.State {
	if g := s.before(p); g >= 0 {
		return s.sol.Before(p.n.ID, g)
	}
	return synch.State{Value: synch.U}
}

func (s *reason) out(p valueAt) synch.State { return s.sol.Behind(p.n.ID, p.generation) }

func (s *reason) known(p valueAt) bool { return s.out(p).Value == synch.NoSync }

// end is the put that overwrites, as the place in front of which the value is the
// oldest.
func (s *reason) end() valueAt {
	if s.o.Use == s.o.Put {
		return valueAt{s.put, s.o.Ring}
	}
	return valueAt{s.put, s.o.Ring - 1}
}

// preds are the places in front of which a place lies.
func (s *reason) preds(at valueAt) []valueAt {
	g := s.before(at)
	if g < 0 {
		return nil
	}
	list := make([]valueAt, len(at.n.Preds))
	for i, n := range at.n.Preds {
		list[i] = valueAt{n, g}
	}
	return list
}

// back is a shortest path to p (see pathBack).
func (s *reason) back(p valueAt, start, through func(valueAt) bool) []valueAt {
	return pathBack(p, s.preds, start, through)
}

// witnesses are the places where NoSync became known of the value that is overwritten, by
// node. Every path from the use to the put passes one of them, and without any one of them
// some path would have none that counts here.
func (s *reason) witnesses() (list []valueAt) {
	seen := map[valueAt]bool{}
	for work := []valueAt{s.end()}; len(work) > 0; {
		v := work[0]
		work = work[1:]
		for _, p := range s.preds(v) {
			if seen[p] || !s.known(p) {
				continue // U: the first time
			}
			seen[p] = true
			if pending(s.in(p)) {
				list = append(list, p)
				continue
			}
			work = append(work, p)
		}
	}
	slices.SortFunc(list, func(x, y valueAt) int { return x.n.ID - y.n.ID })
	return slices.CompactFunc(list, func(x, y valueAt) bool { return x.n == y.n })
}

// chain is the chain through witness w, a collective or the CO of a message that
// acknowledges: from the end of the use (with slots of its own from the put of the value)
// to the put that overwrites it.
func (s *reason) chain(w valueAt) Chain {
	path, via := []valueAt{w}, w // via is where the message of the chain begins
	join := func(more []valueAt) {
		if more != nil {
			path = append(more[:len(more)-1:len(more)-1], path...)
		}
	}
	c := Chain{}
	if w.n.Kind == cfg.CommOver || w.n.Kind == cfg.Reduce {
		c.By = w.n.Ref
	}
	if w.n.Kind == cfg.CommOver {
		join(s.back(w, func(p valueAt) bool { return p.n.Kind == cfg.Comm && p.n.Ref == w.n.Ref }, func(p valueAt) bool { return s.out(p).Tags.Has(w.n.Ref) }))
		via = path[0]
	}
	open := func(p valueAt) bool { return pending(s.out(p)) }
	over := func(p valueAt) bool {
		return open(p) && p.generation == 0 && (s.o.Ends(p.n) || s.o.Use != s.o.Put && p.n == s.put)
	}
	if !over(via) {
		join(s.back(via, over, open))
	}
	use := path[0]
	if s.o.Own() {
		join(s.back(use, func(p valueAt) bool { return p.n == s.put && p.generation == 0 }, func(p valueAt) bool { return s.out(p).Value == synch.CS }))
	}
	if forth := s.back(s.end(), func(p valueAt) bool { return p == w }, s.known); forth != nil {
		path = append(path, forth[1:]...)
	}
	nodes := make([]*cfg.Node, len(path))
	for i, p := range path {
		nodes[i] = p.n
	}
	c.Path = ids(nodes)
	c.Hops = s.hops(path, nodes, use, via, w)
	return c
}

// hops is a path in sentences.
func (s *reason) hops(path []valueAt, nodes []*cfg.Node, use, via, w valueAt) []Hop {
	var hops []Hop
	last := 0
	add := func(at valueAt, role, relation, text string) {
		i := last + slices.Index(path[last:], at)
		if l := crossed(nodes[last : i+1]); l != nil {
			text = next(l) + " " + text
		}
		last = i
		hops = append(hops, Hop{point(at.n), role, relation, text})
	}
	what, put := s.b.refText(s.o.Put), s.b.f.Relations[s.o.Put-1].String()
	if first := path[0]; s.o.Own() && first.n == s.put && first != via {
		add(first, "before", put, fmt.Sprintf("p puts %s into %s of q", what, s.slotName()))
	}
	if use != path[0] || !s.o.Own() || use.n != s.put {
		add(use, "use", "", s.useOver(use.n))
	}
	if w.n.Kind == cfg.CommOver {
		add(via, "witness", s.b.f.Relations[w.n.Ref-1].String(), s.leaves(w.n.Ref))
		add(w, "known", "", "it has arrived: p knows that q has passed its last use")
	} else {
		add(w, "witness", "U -> U", "every PE contributes after its last use, and none has the result before all have contributed")
	}
	add(s.end(), "put", put, s.overwrites())
	return hops
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
