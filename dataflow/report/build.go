package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/simulate"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc"
)

// Build makes the report on the program in file. It solves everything again to
// have each sweep. With full it has the states at all nodes, which JSON and page
// show and which take much room for large programs, else those at the nodes that
// matter.
func (a *Analysis) Build(file string, full bool) *Report {
	a.open()
	b := &builder{a: a, f: a.Functions, full: full, g: a.Graph, kills: a.Functions.KillsAfter, checker: proof.NewChecker(a.Graph), after: a.Graph.PostDominators(), towards: map[*cfg.Node][]bool{}, uses: map[int][]*cfg.Node{}, posts: map[int][]*cfg.Node{}, overs: map[int][]*cfg.Node{}}
	for _, n := range b.g.Nodes {
		switch n.Kind {
		case cfg.Comm:
			b.posts[n.Ref] = append(b.posts[n.Ref], n)
		case cfg.CommOver:
			b.overs[n.Ref] = append(b.overs[n.Ref], n)
		case cfg.UseOver:
			b.uses[n.Ref] = append(b.uses[n.Ref], n)
		}
	}
	r := &Report{File: file, Plan: string(a.Plan.Kind), Communications: []Communication{}, Collectives: []Collective{}, Fences: []Fence{}, Graph: graph(b.g), Table: a.Table(), PEs: a.pes()}
	for _, n := range b.g.Nodes {
		if isCollective(n) {
			c := Collective{Node: n.ID, Name: nodeName(n), Line: n.Line}
			if n.Kind == cfg.Reduce {
				c.Ref = n.Ref
			}
			r.Collectives = append(r.Collectives, c)
		}
	}
	for _, f := range a.Plan.Fenced {
		r.Fences = append(r.Fences, Fence(f))
	}
	for i := range b.f.Relations {
		c := b.communication(i + 1)
		for _, o := range c.Obligations {
			for _, v := range o.Values {
				r.Sweeps = max(r.Sweeps, len(v.In))
			}
		}
		r.Communications = append(r.Communications, c)
	}
	return r
}

// builder holds what the parts of a report need.
type builder struct {
	a                  *Analysis
	f                  *procfunc.Functions
	full               bool
	g                  *cfg.Graph
	kills              synch.Kills
	after              *cfg.Tree
	towards            map[*cfg.Node][]bool // see leadTo
	posts, overs, uses map[int][]*cfg.Node  // C, CO and UO nodes by communication

	over     *cfg.Tree                 // see dominators
	examples map[int]*simulate.Example // see example
	trials   *trials                   // see hints

	knownPlans []*plan.Plan   // by triedPEs, see known
	checker    *proof.Checker // of the plan's certificates
}

// dominators is asked for by few programs.
func (b *builder) dominators() *cfg.Tree {
	if b.over == nil {
		b.over = b.g.Dominators()
	}
	return b.over
}

func (b *builder) communication(r int) Communication {
	c := b.f.Relations[r-1].Comm
	slot := &b.a.Plan.Slots[r-1]
	out := Communication{
		ID: r, Kind: string(c.Kind), Array: c.Array.Name, References: []string{}, Line: c.Line, Column: c.Col, Moves: c.Moves(),
		C: points(b.posts[r]), CO: points(b.overs[r]), UO: points(b.uses[r]), Loops: []int{},
		Functions: b.f.Report(r), Slot: slotOf(slot), Elide: slotOf(b.a.source.slot(r)), PopL96: b.a.source.verdict(r).String(),
	}
	if slot.Strip != nil {
		out.Slot.Strips = b.a.Plan.WhyStrip(slot.Strip)
	}
	seen := map[string]bool{}
	for _, ref := range c.Refs {
		out.Lines = append(out.Lines, ref.Position().Line)
		if s := ir.ExprString(ref); !seen[s] {
			seen[s] = true
			out.References = append(out.References, s)
		}
	}
	slices.Sort(out.Lines)
	out.Lines = slices.Compact(out.Lines)
	for l := b.f.Put(r).Loop; l != nil; l = l.Parent {
		out.Loops = append([]int{l.ID}, out.Loops...)
	}
	b.reason(r, slot, &out)
	if out.OnDemand = b.onDemand(r, slot); out.OnDemand != nil {
		out.Why = out.OnDemand.sentence(b.reasonFor(proof.Ring(r, slot.Ring, slot.Staged), nil, nil).overwritten()) + "; with one slot " + out.Why
	}
	out.Exact = b.exact(r, slot)
	if len(slot.At) > 0 && slot.Ready != plan.Never {
		out.Why = fmt.Sprintf("%s messages order every use before the next put; on other numbers of PEs a ready message: %s", onPEs(slot.At), out.Why)
	}
	out.Literal = b.literal(r)
	return out
}

// reason is why the puts of communication r wait, or do not, as its slot is.
func (b *builder) reason(r int, slot *plan.Slot, out *Communication) {
	out.Verdict = slot.Verdict.String()
	switch {
	case b.a.Plan.Kind == plan.Handshake:
		out.Verdict = synch.NeedsSync.String()
		out.Obligations = []Obligation{b.handshake(r)}
		out.Why = "plan handshake has a ready message before every put, and looks no further"
		return
	case slot.OwnProof() != nil:
		sol := b.a.solver.SolveRing(proof.Ring(r, slot.Ring, slot.Staged), b.kills, true)
		s, o := obligation(b, slot, sol)
		out.Obligations = []Obligation{o}
		out.Why = s.sentence(&o)
		return
	}
	if b.a.Plan.Kind == plan.PopL96Literal {
		b.printed(r, slot, out)
		return
	}
	worst := synch.Once
	for _, it := range b.a.Items {
		if it.Put == r {
			o, v := b.obligation(it)
			out.Obligations = append(out.Obligations, o)
			worst = min(worst, v)
		}
	}
	// What decides comes first, and a communication's own value before others.
	slices.SortStableFunc(out.Obligations, func(o, p Obligation) int {
		rank := func(o Obligation) int {
			k := slices.Index([]string{"Sync", "NoSync", "Once"}, o.Verdict) * 2
			if o.Use != r {
				k++
			}
			return k
		}
		return rank(o) - rank(p)
	})
	out.Why = b.sentence(r, out.Obligations)
	switch kind := b.a.Plan.Kind; {
	case kind == plan.Barrier:
		// Nobody puts before the barrier, whatever the analysis makes of it.
		if out.Verdict = worst.String(); worst == synch.NeedsSync {
			out.Verdict, out.Why = synch.NoReady.String(), strings.TrimPrefix(slot.Why, "no ready message: ")
		}
	case slot.Ready == plan.Never && worst == synch.NeedsSync:
		out.Why = strings.TrimPrefix(slot.Why, "no ready message: ")
	}
}

func slotOf(s *plan.Slot) Slot {
	out := Slot{Verdict: s.Verdict.String(), Ready: s.Ready != plan.Never, Form: s.Form.String(), Say: s.Say(), Cells: s.Cells, Count: s.Ring, Staged: s.Staged, Tried: []Tried{}}
	if out.ElidedOn = slices.Clone(s.At); out.ElidedOn == nil {
		out.ElidedOn = []int{}
	}
	for _, t := range s.Tried {
		chosen := t.Note == plan.Chosen
		tried := Tried{What: t.Say(), Ready: t.Form == plan.Form{Ready: plan.Always, Ring: 1}, Free: t.Ready == plan.Never && t.Not == "", OnDemand: t.Ready == plan.OnDemand, Rate: t.Rate, Cost: t.Cost, Chosen: chosen}
		if !chosen {
			tried.Note = t.Note
		}
		if t.Not != "" {
			tried.Note = "not possible, " + t.Not
		}
		out.Tried = append(out.Tried, tried)
	}
	return out
}

func (b *builder) obligation(it proof.Obligation) (Obligation, synch.Verdict) {
	sol := b.a.solve(it)
	_, o := obligation(b, nil, sol)
	v := sol.Verdict(b.g)
	if v == synch.NeedsSync {
		o.Gap = b.gap(sol)
	}
	return o, v
}

// relevant are the nodes that matter to an obligation, in program order: C,
// CO and UO of both communications, what orders them, and the heads of the loops
// around.
func (b *builder) relevant(o *Obligation) []int {
	var nodes []int
	for _, r := range []int{o.Use, o.Put} {
		for _, list := range [][]*cfg.Node{b.posts[r], b.overs[r], b.uses[r]} {
			nodes = append(nodes, ids(list)...)
		}
	}
	for l := b.f.Put(o.Put).Loop; l != nil; l = l.Parent {
		nodes = append(nodes, l.Head.ID)
	}
	for _, ch := range o.Chains {
		for _, h := range ch.Hops {
			nodes = append(nodes, h.Node)
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// values are the states after each sweep at the nodes that matter to an obligation.
func values[V any](b *builder, o *Obligation, history [][2][]V, text func(V) string) []Values {
	var out []Values
	for _, id := range b.relevant(o) {
		n := b.g.Nodes[id]
		v := Values{Node: id, Name: bare(nodeName(n)), Line: n.Line}
		switch {
		case n.Kind == cfg.LoopHead && n.Loop.Index != "":
			v.Name = "loop " + n.Loop.Index
		case n.Kind == cfg.LoopHead:
			v.Name = "loop while"
		}
		for _, h := range history {
			v.In, v.Out = append(v.In, text(h[0][id])), append(v.Out, text(h[1][id]))
		}
		out = append(out, v)
	}
	return out
}

func sweeps[V comparable](history [][2][]V, text func(V) string) []Sweep {
	out := []Sweep{}
	for _, h := range history {
		out = append(out, Sweep{spans(h[0], text), spans(h[1], text)})
	}
	return out
}

func spans[V comparable](states []V, text func(V) string) []Span {
	out := []Span{}
	for i, s := range states {
		if i > 0 && s == states[i-1] {
			out[len(out)-1].To = i
			continue
		}
		out = append(out, Span{i, i, text(s)})
	}
	return out
}

func isCollective(n *cfg.Node) bool { return n.Kind == cfg.Reduce || n.Kind == cfg.Barrier }

// nodeName is what a node is called in a sentence.
func nodeName(n *cfg.Node) string {
	switch {
	case n.Kind == cfg.Barrier:
		return "the barrier"
	case n.Kind == cfg.Reduce && n.Flavour == "agree":
		return "the agreement on the elements of " + n.Text
	case n.Kind == cfg.Reduce:
		return fmt.Sprintf("the %s of %s", n.Flavour, n.Text)
	}
	return n.Name()
}

// at is the name with the line.
func at(n *cfg.Node) string { return fmt.Sprintf("%s (line %d)", nodeName(n), n.Line) }

func point(n *cfg.Node) Point { return Point{n.ID, nodeName(n), n.Line} }

func points(nodes []*cfg.Node) []Point {
	out := []Point{}
	for _, n := range nodes {
		out = append(out, point(n))
	}
	return out
}

// loopName is "the loop over i (line 91)".
func loopName(l *cfg.Loop) string {
	if l.Index == "" {
		return fmt.Sprintf("the loop in line %d", l.Line)
	}
	return fmt.Sprintf("the loop over %s (line %d)", l.Index, l.Line)
}

// next is "in the next iteration of i (line 91)".
func next(l *cfg.Loop) string {
	if l.Index == "" {
		return fmt.Sprintf("in the next iteration of the loop in line %d", l.Line)
	}
	return fmt.Sprintf("in the next iteration of %s (line %d)", l.Index, l.Line)
}

func graph(g *cfg.Graph) Graph {
	out := Graph{Nodes: []Node{}, Loops: []Loop{}}
	for _, n := range g.Nodes {
		d := Node{ID: n.ID, Kind: n.Kind.String(), Name: nodeName(n), Ref: n.Ref, Line: n.Line, Text: n.Text, Succs: []int{}}
		if n.Loop != nil {
			d.Loop = n.Loop.ID
		}
		for _, s := range n.Succs {
			d.Succs = append(d.Succs, s.ID)
		}
		out.Nodes = append(out.Nodes, d)
	}
	for _, l := range g.Loops {
		d := Loop{ID: l.ID, Head: l.Head.ID, Line: l.Line, Index: l.Index}
		if l.Parent != nil {
			d.Parent = l.Parent.ID
		}
		out.Loops = append(out.Loops, d)
	}
	return out
}
