package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc"
)

// searchLimit is how many pairs of node and state the search for a path visits.
// Paths differ in the sets of messages under way; programs as people write them
// need a few thousand.
const searchLimit = 200_000

// gap finds a shortest path from the use to the next put on which nothing acknowledges
// the producers that the use is over, and says what lies on it and beside it.
func (b *builder) gap(s *synch.Solution) *Gap {
	it := s.Obligation
	put := b.f.Put(it.Put)
	rel := b.f.Relations[it.Put-1]
	g := &Gap{Consumer: party(rel, rel.Q), Producer: party(rel, rel.P), Ranges: ranges(rel), Path: []int{}, Steps: []Step{}, Passed: []Refusal{}, Missed: []Refusal{}, Hints: []Hint{}}
	path, states := b.search(it)
	if path == nil {
		g.State = s.In[put.ID].String()
		g.Steps = append(g.Steps, Step{put.Line, fmt.Sprintf("in front of %s the analysis knows only %s: on the paths that meet there different messages are under way, and none on all of them", at(put), g.State)})
		d := &counterexample{b: b, it: it, put: put}
		for _, h := range []*Hint{d.otherPlan(), d.known(), d.collective()} {
			if h != nil {
				g.Hints = append(g.Hints, *h)
			}
		}
		g.Example = b.example(it)
		return g
	}
	g.State = states[len(states)-1].String()
	// What comes before the end of the use matters to no one.
	for i := len(path) - 2; i > 0; i-- {
		if path[i].Kind == cfg.UseOver && path[i].Ref == it.Use {
			path, states = path[i:], states[i:]
			break
		}
	}
	g.Path = ids(path)
	d := &counterexample{b: b, it: it, put: put, path: path}
	g.Steps = d.steps()
	g.Passed = d.passed(states)
	d.missed()
	g.Missed = d.list
	g.Hints = d.hints()
	g.Example = b.example(it)
	return g
}

// search goes through pairs of node and state, breadth first, from behind C_use
// to C_put. It returns the nodes and the states in front of them, the first one
// apart, which has the state behind it. A path that goes past a loop that runs for
// certain is returned only where there is no other.
func (b *builder) search(it proof.Obligation) ([]*cfg.Node, []synch.State) {
	if path, states := b.searchOver(it, b.runs); path != nil {
		return path, states
	}
	return b.searchOver(it, func(*cfg.Loop) bool { return false })
}

// runs reports whether a loop runs at least once whenever it is reached.
func (b *builder) runs(l *cfg.Loop) bool {
	d, ok := b.f.Program.Loop(l).(*ir.Do)
	if !ok {
		return false
	}
	bounds := b.f.Program.Info.Bounds(d)
	if !bounds.LoOK || !bounds.HiOK || bounds.Step == 0 {
		return false
	}
	way, ok := bounds.Hi.Sub(bounds.Lo)
	return ok && way.IsConst() && (way.C == 0 || way.C > 0 == (bounds.Step > 0))
}

// searchOver is search with the loops given that run at least once.
func (b *builder) searchOver(it proof.Obligation, runs func(*cfg.Loop) bool) ([]*cfg.Node, []synch.State) {
	type place struct {
		n     *cfg.Node
		s     synch.State // in front of n
		fresh bool        // n is the head of a loop that runs, and was reached from outside
	}
	put := b.f.Put(it.Put)
	leads := b.leadTo(put)
	before := map[place]place{}
	var work []place
	var roots = map[place]bool{}
	for _, n := range b.posts[it.Use] {
		if n.Flavour == "recv" {
			continue
		}
		p := place{n, synch.State{Value: synch.U}, false}
		roots[p] = true
		work = append(work, p)
	}
	for len(work) > 0 && len(before) < searchLimit {
		p := work[0]
		work = work[1:]
		out := synch.SynchApply(p.s, p.n, it, b.kills)
		if roots[p] {
			out = synch.State{Value: synch.CS}
		}
		for i, succ := range p.n.Succs {
			if p.fresh && i > 0 {
				continue
			}
			q := place{succ, out, succ.Kind == cfg.LoopHead && !succ.Loop.Contains(p.n.Loop) && runs(succ.Loop)}
			if _, seen := before[q]; seen || roots[q] || !leads[succ.ID] {
				continue
			}
			before[q] = p
			if succ == put && out.Value != synch.NoSync && out.Value != synch.U {
				var nodes []*cfg.Node
				var states []synch.State
				for at, ok := q, true; ok; at, ok = before[at] {
					nodes, states = append(nodes, at.n), append(states, at.s)
				}
				slices.Reverse(nodes)
				slices.Reverse(states)
				return nodes, states
			}
			work = append(work, q)
		}
	}
	return nil, nil
}

// leadTo has, by node ID, the nodes from which control can come to put.
func (b *builder) leadTo(put *cfg.Node) []bool {
	if in := b.towards[put]; in != nil {
		return in
	}
	in := reach([]*cfg.Node{put}, len(b.g.Nodes), preds, nil)
	b.towards[put] = in
	return in
}

// reach has, by ID, the nodes from and all that next leads to from there, over
// nodes other than those that stop says.
func reach(from []*cfg.Node, size int, next func(*cfg.Node) []*cfg.Node, stop func(*cfg.Node) bool) []bool {
	in := make([]bool, size)
	work := slices.Clone(from)
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if in[n.ID] || stop != nil && stop(n) {
			continue
		}
		in[n.ID] = true
		work = append(work, next(n)...)
	}
	return in
}

// party describes the PEs at one end of a communication.
func party(r *procfunc.Relation, pos []procfunc.Pos) string {
	all, known := true, true
	var parts []string
	for _, p := range pos {
		all = all && p.Kind == procfunc.All
		known = known && p.Kind != procfunc.Nowhere && p.Kind != procfunc.Same
		switch p.Kind {
		case procfunc.All:
			parts = append(parts, "*")
		default:
			parts = append(parts, p.String())
		}
	}
	switch {
	case !known && r.Comm.RootOnly && &pos[0] == &r.Q[0]:
		return "PE 0"
	case !known:
		return "a PE that is known at run time only"
	case all:
		return "any PE"
	}
	where := strings.Join(parts, ",")
	if len(parts) > 1 {
		where = "(" + where + ")"
	}
	return "the owner of template position " + where
}

// ranges are the values of the indices in the positions of r.
func ranges(r *procfunc.Relation) []string {
	out := []string{}
	for _, v := range r.Vars {
		if !v.Idle && !slices.Contains(out, v.String()) {
			out = append(out, v.String())
		}
	}
	return out
}

func (b *builder) gapSentence(o Obligation) string {
	when := ""
	if len(o.Gap.Path) > 0 {
		var path []*cfg.Node
		for _, id := range o.Gap.Path {
			path = append(path, b.g.Nodes[id])
		}
		if l := crossed(path); l != nil {
			when = " " + next(l)
		}
	}
	put := "puts again"
	if o.Use != o.Put {
		put = fmt.Sprintf("puts %s (C_%d) into the same cells", b.refText(o.Put), o.Put)
	}
	if e := o.Gap.Example; e != nil && e.Sure {
		return fmt.Sprintf("nothing need have acknowledged to p that q is done with %s before it %s%s", b.refText(o.Use), put, when)
	}
	return fmt.Sprintf("it is not proved that p knows that q is done with %s before it %s%s", b.refText(o.Use), put, when)
}
