package report

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/ir"
)

// Build makes the report on the program in file. It solves everything again to
// have each sweep. With full it has the states at all nodes, which JSON and page
// show and which take much room for large programs, else those at the nodes that
// matter.
func (a *Analysis) Build(file string, full bool) *Report {
	b := &builder{a: a, full: full, g: a.Graph, kills: a.Functions.Kills, after: a.Graph.PostDominators(), towards: map[*cfg.Node][]bool{}, uses: map[int][]*cfg.Node{}, posts: map[int][]*cfg.Node{}, overs: map[int][]*cfg.Node{}}
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
	r := &Report{File: file, Communications: []Communication{}, Collectives: []Collective{}, Graph: graph(b.g), Table: a.Table()}
	for _, n := range b.g.Nodes {
		if isCollective(n) {
			c := Collective{Node: n.ID, Name: nodeName(n), Line: n.Line}
			if n.Kind == cfg.Reduce {
				c.Ref = n.Ref
			}
			r.Collectives = append(r.Collectives, c)
		}
	}
	for i := range a.Functions.Relations {
		c := b.communication(i + 1)
		for _, o := range c.Obligations {
			r.Sweeps = max(r.Sweeps, len(o.Values[0].In))
		}
		r.Communications = append(r.Communications, c)
	}
	return r
}

// Table counts the verdicts, as the paper's section 5 does.
func (a *Analysis) Table() []Total {
	count := func(form string, verdict func(int) synch.Verdict) Total {
		t := Total{Form: form, Communications: len(a.sound)}
		for r := range a.sound {
			switch verdict(r + 1) {
			case synch.NoReady:
				t.NoSync++
			case synch.Once:
				t.Once++
			default:
				t.Sync++
			}
		}
		if t.Communications > 0 {
			t.Percent = 100 * float64(t.Sync) / float64(t.Communications)
		}
		return t
	}
	return []Total{count("literal", a.Literal), count("popl96", a.Verdict)}
}

// builder holds what the parts of a report need.
type builder struct {
	a                  *Analysis
	full               bool
	g                  *cfg.Graph
	kills              synch.Kills
	after              *cfg.Tree
	towards            map[*cfg.Node][]bool // see leadTo
	posts, overs, uses map[int][]*cfg.Node  // C, CO and UO nodes by communication
}

func (b *builder) communication(r int) Communication {
	c := b.a.Functions.Relations[r-1].Comm
	out := Communication{
		ID: r, Kind: string(c.Kind), Array: c.Array.Name, References: []string{}, Line: c.Line, Column: c.Col, Moves: c.Moves(),
		C: points(b.posts[r]), CO: points(b.overs[r]), UO: points(b.uses[r]), Loops: []int{},
		Functions: b.a.Functions.Report(r), Verdict: b.a.Verdict(r).String(),
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
	for l := b.a.Functions.Put(r).Loop; l != nil; l = l.Parent {
		out.Loops = append([]int{l.ID}, out.Loops...)
	}
	for _, it := range b.a.Items {
		if it.Put == r {
			out.Obligations = append(out.Obligations, b.obligation(it))
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
	out.Literal = b.literal(r)
	return out
}

func (b *builder) obligation(it synch.Item) Obligation {
	s := b.a.solve(it)
	v := s.Verdict(b.g)
	o := Obligation{Use: it.Use, Put: it.Put, Verdict: v.String(), Sweeps: []Sweep{}}
	if b.full {
		o.Sweeps = sweeps(s.History)
	}
	switch v {
	case synch.Once:
		o.Once = b.once(it)
	case synch.NoReady:
		o.Chains = b.chains(s)
	default:
		o.Gap = b.gap(s)
	}
	o.Values = b.values(&o, s)
	return o
}

// values are the states at the nodes that tell the story of an obligation, in
// program order: C, CO and UO of both communications, what orders them, and the
// heads of the loops around.
func (b *builder) values(o *Obligation, s *synch.Solution) []Values {
	var nodes []int
	for _, r := range []int{o.Use, o.Put} {
		for _, list := range [][]*cfg.Node{b.posts[r], b.overs[r], b.uses[r]} {
			nodes = append(nodes, ids(list)...)
		}
	}
	for l := b.a.Functions.Put(o.Put).Loop; l != nil; l = l.Parent {
		nodes = append(nodes, l.Head.ID)
	}
	for _, ch := range o.Chains {
		for _, h := range ch.Hops {
			nodes = append(nodes, h.Node)
		}
	}
	slices.Sort(nodes)
	var out []Values
	for _, id := range slices.Compact(nodes) {
		n := b.g.Nodes[id]
		v := Values{Node: id, Name: bare(nodeName(n)), Line: n.Line}
		switch {
		case n.Kind == cfg.LoopHead && n.Loop.Index != "":
			v.Name = "loop " + n.Loop.Index
		case n.Kind == cfg.LoopHead:
			v.Name = "loop while"
		}
		for _, h := range s.History {
			v.In, v.Out = append(v.In, h[0][id].String()), append(v.Out, h[1][id].String())
		}
		out = append(out, v)
	}
	return out
}

func sweeps(history [][2][]synch.State) []Sweep {
	out := []Sweep{}
	for _, h := range history {
		out = append(out, Sweep{spans(h[0]), spans(h[1])})
	}
	return out
}

func spans(states []synch.State) []Span {
	out := []Span{}
	for i, s := range states {
		if i > 0 && s == states[i-1] {
			out[len(out)-1].To = i
			continue
		}
		out = append(out, Span{i, i, s.String()})
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
