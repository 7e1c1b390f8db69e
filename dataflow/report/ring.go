package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// A communication with slots of its own is followed by the generation of each value: that of
// the last put is generation 0, that of the put before generation 1, and the next put
// overwrites the oldest. A put makes all values one generation older.

// ringReason is how the end of a use becomes known to the put that overwrites it.
type ringReason struct {
	b     *builder
	slot  *plan.Slot
	slots proof.Obligation
	put   *cfg.Node
	sol   *synch.RingSolution
}

// valueAt is behind a node, where the value has a generation.
type valueAt struct {
	n          *cfg.Node
	generation int
}

// ring solves for the slots that the plan gives communication r.
func (b *builder) ring(r int) *ringReason {
	slot := &b.a.Plan.Slots[r-1]
	s := &ringReason{b: b, slot: slot, slots: proof.Ring(r, slot.Ring, slot.Staged), put: b.f.Put(r)}
	s.sol = synch.NewSolver(b.g).SolveRing(s.slots, b.kills, true)
	return s
}

// before is the generation in front of a node of what has one behind it; -1 where it
// comes into being there.
func (s *ringReason) before(p valueAt) int {
	if p.n == s.put {
		return p.generation - 1
	}
	return p.generation
}

func (s *ringReason) in(p valueAt) synch.State {
	if g := s.before(p); g >= 0 {
		return s.sol.In[p.n.ID][g]
	}
	return synch.State{Value: synch.U}
}

func (s *ringReason) out(p valueAt) synch.State { return s.sol.Out[p.n.ID][p.generation] }

// end is the put that overwrites, as the place in front of which the value is the
// oldest.
func (s *ringReason) end() valueAt { return valueAt{s.put, s.slots.Ring} }

// preds are the places in front of which a place lies.
func (s *ringReason) preds(at valueAt) []valueAt {
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

// witnesses are the places where NoSync became known of the value that is
// overwritten, by node.
func (s *ringReason) witnesses() []valueAt {
	list := witnesses(s.end(), s.preds, s.in, s.out)
	slices.SortFunc(list, func(x, y valueAt) int { return x.n.ID - y.n.ID })
	return slices.CompactFunc(list, func(x, y valueAt) bool { return x.n == y.n })
}

// back is a shortest path to p (see pathBack).
func (s *ringReason) back(p valueAt, start, through func(valueAt) bool) []valueAt {
	return pathBack(p, s.preds, start, through)
}

// chain is the path through witness w: from the put whose value it is about, over
// the end of its use and the message or collective that acknowledges it, to the put
// that overwrites it.
func (s *ringReason) chain(w valueAt) Chain {
	path, via := []valueAt{w}, w
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
		tagged := func(p valueAt) bool { return s.out(p).Tags.Has(w.n.Ref) }
		join(s.back(w, func(p valueAt) bool { return p.n.Kind == cfg.Comm && p.n.Ref == w.n.Ref && tagged(p) }, tagged))
		via = path[0]
	}
	ends := cfg.UseOver
	if s.slots.Staged {
		ends = cfg.CommOver
	}
	over := func(p valueAt) bool {
		return p.n.Kind == ends && p.n.Ref == s.slots.Use && p.generation == 0 && pending(s.out(p))
	}
	if !over(via) {
		join(s.back(via, over, func(p valueAt) bool { return pending(s.out(p)) }))
	}
	use := path[0]
	join(s.back(use, func(p valueAt) bool { return p.n == s.put && p.generation == 0 }, func(p valueAt) bool { return s.out(p).Value == synch.CS }))
	known := func(p valueAt) bool { return s.out(p).Value == synch.NoSync }
	if forth := s.back(s.end(), func(p valueAt) bool { return p == w }, known); forth != nil {
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
func (s *ringReason) hops(path []valueAt, nodes []*cfg.Node, use, via, w valueAt) []Hop {
	r := s.slots.Use
	what := s.b.refText(r)
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
	own := s.b.f.Relations[r-1]
	if first := path[0]; first.n == s.put && first != via {
		add(first, "before", own.String(), fmt.Sprintf("p puts %s into %s of q", what, s.slotName()))
	}
	if use != path[0] || use.n != s.put {
		kind := "slot"
		if s.planes() {
			kind = "plane"
		}
		text := fmt.Sprintf("q is done with the %s of %s, which only q knows", kind, what)
		if s.slots.Staged {
			text = "q has copied it from the staging buffer into its overlap: the buffer is free, which only q knows"
		}
		add(use, "use", "", text)
	}
	if w.n.Kind == cfg.CommOver {
		y := s.b.f.Relations[w.n.Ref-1]
		text := fmt.Sprintf("%s leaves: each PE q that C_%d will put to sends it to the PE p that will put to q", s.b.refText(w.n.Ref), r)
		add(via, "witness", y.String(), text)
		add(w, "known", "", "it has arrived: p knows that q was done with it")
	} else {
		add(w, "witness", "U -> U", "every PE contributes after that, and none has the result before all have contributed")
	}
	text := "p puts into the same slot again, and knows that q is done with it"
	if s.planes() {
		text = "p puts into a plane that it has filled before, and knows that q is done with it"
	}
	if s.slots.Staged {
		text = "p puts into the same staging buffer again, and knows that it is free"
	}
	add(s.end(), "put", own.String(), text)
	return hops
}

// numeral is a number of slots in words.
func numeral(n int) string {
	if words := []string{"no", "one", "two", "three", "four"}; n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}

// slotName is "the staging buffer", "a slot (there are two, used in turn)".
func (s *ringReason) slotName() string {
	kind := "slot"
	if s.slots.Staged {
		kind = "staging buffer"
	}
	if s.planes() {
		kind = "plane of the overlap"
	}
	if s.slots.Ring == 1 {
		return "the " + kind
	}
	return fmt.Sprintf("a %s (there are %s, used in turn)", kind, numeral(s.slots.Ring))
}

// planes reports whether the slots are planes of an overlap.
func (s *ringReason) planes() bool { return s.slot != nil && s.slot.Planes != nil }

// overwritten says what a put overwrites: "what came two iterations of it before".
func (s *ringReason) overwritten() string {
	n := s.slots.Ring
	if l := s.everyIteration(); l != nil {
		name := "iteration"
		if l.Index != "" {
			name += " of " + l.Index
		}
		switch n {
		case 1:
			return fmt.Sprintf("what came in the %s before", name)
		default:
			return fmt.Sprintf("what came %s iterations%s before", numeral(n), strings.TrimPrefix(name, "iteration"))
		}
	}
	if n == 1 {
		return "what the execution before brought"
	}
	return fmt.Sprintf("what came %s executions before", numeral(n))
}

// everyIteration is the innermost loop around the put if each of its iterations
// that goes on passes the put, else nil.
func (s *ringReason) everyIteration() *cfg.Loop {
	l := s.put.Loop
	if l == nil {
		return nil
	}
	tree := s.b.dominators()
	for _, p := range l.Head.Preds {
		if l.Contains(p.Loop) && !tree.Dominates(s.put, p) {
			return nil
		}
	}
	return l
}

// obligation is what the report says of the slots.
func (s *ringReason) obligation() Obligation {
	r := s.slots.Use
	o := Obligation{Use: r, Put: r, Verdict: synch.NoReady.String(), Own: true, Slots: s.slots.Ring, Staged: s.slots.Staged, Sweeps: []Sweep{}}
	for _, w := range s.witnesses() {
		o.Chains = append(o.Chains, s.chain(w))
	}
	if o.Chains == nil {
		o.Once = fmt.Sprintf("C_%d is executed at most %s times, each time with a slot of its own", r, numeral(s.slots.Ring))
	}
	o.Values = s.b.valuesAt(s.b.relevant(&o), func(id int) (in, out []string) {
		for _, h := range s.sol.History {
			in, out = append(in, s.state(h[0][id])), append(out, s.state(h[1][id]))
		}
		return in, out
	})
	if s.b.full {
		for _, h := range s.sol.History {
			o.Sweeps = append(o.Sweeps, Sweep{s.spans(h[0]), s.spans(h[1])})
		}
	}
	return o
}

// state shows what is known of each generation, the youngest value first.
func (s *ringReason) state(v synch.Generations) string {
	parts := make([]string, s.slots.Ring)
	for a := range parts {
		parts[a] = v[a].String()
	}
	return strings.Join(parts, " | ")
}

func (s *ringReason) spans(states []synch.Generations) []Span {
	out := []Span{}
	for i, v := range states {
		if i > 0 && v == states[i-1] {
			out[len(out)-1].To = i
			continue
		}
		out = append(out, Span{i, i, s.state(v)})
	}
	return out
}

// sentence is the reason in one sentence.
func (s *ringReason) sentence(o *Obligation) string {
	overwrites := fmt.Sprintf("a put overwrites %s", s.overwritten())
	switch {
	case s.slots.Staged && s.slots.Ring > 1:
		overwrites = fmt.Sprintf("%s staging buffers, used in turn: %s", numeral(s.slots.Ring), overwrites)
	case s.slots.Staged:
		overwrites = "it comes into a staging buffer, which is free as soon as q has copied it into its overlap: " + overwrites
	case s.planes():
		overwrites = fmt.Sprintf("%v, the subscript in dimension %d, is another one in each execution, so that the planes of the overlap are two slots: %s", s.slot.Planes.Sub, s.slot.Planes.Dim, overwrites)
	case s.slots.Ring > 1:
		overwrites = fmt.Sprintf("%s slots, used in turn: %s", numeral(s.slots.Ring), overwrites)
	}
	if o.Chains == nil {
		return overwrites + "; " + o.Once
	}
	acknowledged := "has by then acknowledged to p that q is done with it"
	by := witnessNames(o.Chains)
	overwrites += ", and " + list(by, "or")
	if len(by) > 1 {
		overwrites += ", whichever lies on the way,"
	}
	overwrites += " " + acknowledged
	return overwrites
}

// witnessNames names what acknowledges the end of a use in chains, with lines.
func witnessNames(chains []Chain) []string {
	var by []string
	for _, c := range chains {
		for _, h := range c.Hops {
			if name := fmt.Sprintf("%s (line %d)", h.Name, h.Line); h.Role == "witness" && !slices.Contains(by, name) {
				by = append(by, name)
			}
		}
	}
	return by
}

// refs is "C_1 and C_2".
func refs(numbers []int, and string) string {
	var names []string
	for _, r := range numbers {
		names = append(names, fmt.Sprintf("C_%d", r))
	}
	return list(names, and)
}

// list is "a, b and c".
func list(items []string, and string) string {
	if k := len(items) - 1; k > 0 {
		return strings.Join(items[:k], ", ") + " " + and + " " + items[k]
	}
	return strings.Join(items, "")
}
