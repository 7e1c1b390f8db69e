package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// counterexample is a path on which nothing orders use and put, and what there is to say
// about it.
type counterexample struct {
	b    *builder
	it   proof.Obligation
	put  *cfg.Node
	path []*cfg.Node // from UO_use, or C_use where no UO lies on the path, to C_put

	list  []Refusal // what the path goes past
	late  []int     // communications that go the right way and arrive behind the put
	marks []mark
}

// mark is something that lies beside the path.
type mark struct {
	n    *cfg.Node
	from *cfg.Node // the decision that goes past it; nil: it comes before the use is over
}

// steps are the decisions on the path. Those between ways that do not differ
// in communication are left out.
func (d *counterexample) steps() []Step {
	first := d.path[0]
	text := fmt.Sprintf("%s: q is done with %s, and only q knows", nodeName(first), d.b.refText(d.it.Use))
	if first.Kind != cfg.UseOver {
		text = fmt.Sprintf("%s: %s is sent, and on this path its use is not over before the next put", nodeName(first), d.b.refText(d.it.Use))
	}
	steps := []Step{{first.Line, text}}
	add := func(n *cfg.Node, text string) { steps = append(steps, Step{n.Line, text}) }
	for i, n := range d.path[:len(d.path)-1] {
		round := i > 0 && n.Kind == cfg.LoopHead && n.Loop.Contains(d.path[i-1].Loop) // over the back edge
		matters := len(n.Succs) > 1 && n.Succs[0] != n.Succs[1] && d.matters(n)
		holds := d.path[i+1] == n.Succs[0]
		switch {
		case n.Kind == cfg.LoopHead && round && holds:
			add(n, loopName(n.Loop)+" goes on with its next iteration")
		case !matters:
		case n.Kind == cfg.LoopHead && holds:
			add(n, loopName(n.Loop)+" runs")
		case n.Kind == cfg.LoopHead && round:
			add(n, loopName(n.Loop)+" ends")
		case n.Kind == cfg.LoopHead:
			add(n, loopName(n.Loop)+" runs zero times")
		case holds:
			add(n, n.Text+" holds")
		default:
			add(n, n.Text+" does not hold")
		}
	}
	return append(steps, Step{d.put.Line, fmt.Sprintf("%s: p puts %s, and nothing on the way is known to acknowledge q's use", nodeName(d.put), d.b.refText(d.it.Put))})
}

// matters reports whether communication lies on one of the two ways from n before
// they meet for good.
func (d *counterexample) matters(n *cfg.Node) bool {
	meet := d.b.after.Idom(n)
	for _, s := range n.Succs {
		seen := map[*cfg.Node]bool{n: true, meet: true}
		for work := []*cfg.Node{s}; len(work) > 0; {
			v := work[0]
			work = work[1:]
			if seen[v] {
				continue
			}
			seen[v] = true
			if v.Kind.IsComm() || v.Kind == cfg.Exit {
				return true
			}
			work = append(work, v.Succs...)
		}
	}
	return false
}

// passed says of each communication on the path why it proves nothing.
func (d *counterexample) passed(states []synch.State) []Refusal {
	out := []Refusal{}
	for i, n := range d.path {
		if n.Kind != cfg.Comm || n.Ref == d.it.Use || n.Ref == d.it.Put {
			continue
		}
		r := Refusal{Ref: n.Ref, Point: point(n)}
		switch {
		case n.Flavour == "recv":
			continue
		case n.Flavour == "send":
			r.Why = "its values leave while its loop runs, on each PE at another time"
		case states[i].Value == synch.CS || states[i].Value == synch.U:
			r.Why = "it is sent before the use is over"
		default:
			reason := d.b.f.KillReason(n.Ref, d.it.Use, d.it.Put)
			// The name stands in front of it anyway.
			if rest, ok := strings.CutPrefix(reason.Text, n.Name()+" "); ok && !strings.HasPrefix(rest, "and ") {
				r.Why = rest
			} else {
				r.Why = reason.Text
			}
			if reason.Kills {
				over := d.b.overs[n.Ref]
				r.Why = fmt.Sprintf("it goes the right way, from each q to its p, but p waits for it (%s) only after it has put (%s)", at(over[0]), at(d.put))
				d.late = append(d.late, n.Ref)
			}
		}
		out = append(out, r)
	}
	return out
}

// missed lists what would order use and put and lies beside the path: in a
// branch or loop that it does not take, or before the use is over.
func (d *counterexample) missed() {
	d.list = []Refusal{}
	size := len(d.b.g.Nodes)
	on := make([]bool, size)
	for _, n := range d.path {
		on[n.ID] = true
	}
	around := crossed(d.path)
	// What lies outside of the loop that brings the next put cannot help.
	outside := func(n *cfg.Node) bool { return around != nil && !around.Contains(n.Loop) }
	var candidates []*cfg.Node
	for _, n := range d.b.g.Nodes {
		if !on[n.ID] && !outside(n) && d.b.leadTo(d.put)[n.ID] && d.helps(n) {
			candidates = append(candidates, n)
		}
	}
	if len(candidates) == 0 {
		return
	}
	departure := make([]*cfg.Node, size) // the last decision whose other way leads there
	for i := len(d.path) - 2; i >= 0; i-- {
		v := d.path[i]
		if len(v.Succs) < 2 {
			continue
		}
		other := v.Succs[0]
		if other == d.path[i+1] {
			other = v.Succs[1]
		}
		beyond := reach([]*cfg.Node{other}, size, succs, func(n *cfg.Node) bool { return n == d.put || n == v || outside(n) })
		for _, n := range candidates {
			if beyond[n.ID] && departure[n.ID] == nil {
				departure[n.ID] = v
			}
		}
	}
	early := d.early()
	for _, n := range candidates {
		if from := departure[n.ID]; from != nil {
			d.miss(n, from)
		} else if early[n.ID] {
			d.miss(n, nil)
		}
	}
}

// early has the nodes between C_use and the end of the use, by ID.
func (d *counterexample) early() []bool {
	size := len(d.b.g.Nodes)
	use := d.path[0]
	if use.Kind != cfg.UseOver {
		return make([]bool, size)
	}
	posts := d.b.posts[d.it.Use]
	stop := func(n *cfg.Node) bool { return n == use || slices.Contains(posts, n) }
	var after []*cfg.Node
	for _, c := range posts {
		after = append(after, c.Succs...)
	}
	in := reach(after, size, succs, stop)
	back := reach(use.Preds, size, preds, stop)
	for i := range in {
		in[i] = in[i] && back[i]
	}
	return in
}

// helps reports whether n would order use and put if it lay between them.
func (d *counterexample) helps(n *cfg.Node) bool {
	if isCollective(n) {
		return true
	}
	return n.Kind == cfg.Comm && n.Flavour != "recv" && n.Flavour != "send" && n.Ref != d.it.Use && n.Ref != d.it.Put &&
		d.b.kills(n.Ref, d.it.Put, 1)
}

func (d *counterexample) miss(n, from *cfg.Node) {
	r := Refusal{Ref: n.Ref, Point: point(n)}
	if n.Kind == cfg.Barrier {
		r.Ref = 0
	}
	d.marks = append(d.marks, mark{n, from})
	way := "would order them"
	if n.Kind == cfg.Comm {
		way = "goes the right way, from each q to its p"
	}
	switch {
	case from == nil:
		r.Why = fmt.Sprintf("it %s, but comes before %s, when the use of this round is not over", way, at(d.path[0]))
	case from.Kind == cfg.LoopHead:
		r.Why = fmt.Sprintf("it %s, but %s goes past it", way, d.leaves(from))
	default:
		r.Why = fmt.Sprintf("it %s, but the path goes past it where %s (line %d) %s", way, from.Text, from.Line, d.outcome(from))
	}
	d.list = append(d.list, r)
}

func (d *counterexample) outcome(branch *cfg.Node) string {
	i := slices.Index(d.path, branch)
	if d.path[i+1] == branch.Succs[0] {
		return "holds"
	}
	return "does not hold"
}

// leaves says how the path goes on at the head of a loop.
func (d *counterexample) leaves(head *cfg.Node) string {
	i := slices.Index(d.path, head)
	switch {
	case d.path[i+1] == head.Succs[0]:
		return "the path goes into " + loopName(head.Loop) + ", and"
	case i > 0 && head.Loop.Contains(d.path[i-1].Loop):
		return "the path leaves " + loopName(head.Loop) + ", and"
	}
	return loopName(head.Loop) + " may run zero times, and then the path"
}
