package report

import (
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// A hint that says what would do is tried before it is given: the change is made
// in a copy of the graph, and the analysis repeated there.

// virtual is a copy of a graph that may be changed.
type virtual struct {
	g  *cfg.Graph
	of map[*cfg.Node]*cfg.Node // the copies
}

// newVirtual copies g. Loops are those of g, but for their heads.
func newVirtual(g *cfg.Graph) *virtual {
	v := &virtual{g: &cfg.Graph{}, of: make(map[*cfg.Node]*cfg.Node, len(g.Nodes))}
	for _, n := range g.Nodes {
		c := *n
		v.of[n] = &c
		v.g.Nodes = append(v.g.Nodes, &c)
	}
	copies := func(nodes []*cfg.Node) []*cfg.Node {
		out := make([]*cfg.Node, len(nodes))
		for i, n := range nodes {
			out[i] = v.of[n]
		}
		return out
	}
	for _, n := range v.g.Nodes {
		n.Succs, n.Preds = copies(n.Succs), copies(n.Preds)
	}
	loops := map[*cfg.Loop]*cfg.Loop{}
	for _, l := range g.Loops {
		c := *l
		c.Head, c.Parent = v.of[l.Head], loops[l.Parent]
		loops[l] = &c
		v.g.Loops = append(v.g.Loops, &c)
	}
	for _, n := range v.g.Nodes {
		n.Loop = loops[n.Loop]
	}
	v.g.Entry, v.g.Exit = v.of[g.Entry], v.of[g.Exit]
	return v
}

// node adds a node that no edge leads to yet.
func (v *virtual) node(kind cfg.Kind, ref int, loop *cfg.Loop) *cfg.Node {
	n := &cfg.Node{ID: len(v.g.Nodes), Kind: kind, Ref: ref, Loop: loop}
	v.g.Nodes = append(v.g.Nodes, n)
	return n
}

// put sets n on the edges from those of froms to to, all nodes of the copy.
func (v *virtual) put(n, to *cfg.Node, froms []*cfg.Node) {
	for _, from := range slices.Clone(froms) {
		lead(from, to, n)
	}
	n.Succs = append(n.Succs, to)
	to.Preds = append(to.Preds, n)
}

// lead makes the edges of from that lead to one node lead to another.
func lead(from, to, other *cfg.Node) {
	for i, s := range from.Succs {
		if s == to {
			from.Succs[i] = other
			other.Preds = append(other.Preds, from)
			k := slices.Index(to.Preds, from)
			to.Preds = slices.Delete(to.Preds, k, k+1)
		}
	}
}

// before sets a node in front of n, a node of the original, on all ways to it.
func (v *virtual) before(n *cfg.Node, kind cfg.Kind, ref int) {
	at := v.of[n]
	v.put(v.node(kind, ref, at.Loop), at, at.Preds)
}

// behind sets a node behind n, which has one successor.
func (v *virtual) behind(n *cfg.Node, kind cfg.Kind, ref int) {
	at := v.of[n]
	v.put(v.node(kind, ref, at.Loop), at.Succs[0], []*cfg.Node{at})
}

// first sets a node in front of the body of a loop.
func (v *virtual) first(l *cfg.Loop, kind cfg.Kind, ref int) {
	head := v.of[l.Head]
	v.put(v.node(kind, ref, head.Loop), head.Succs[0], []*cfg.Node{head})
}

// drop makes a node one that does nothing.
func (v *virtual) drop(n *cfg.Node) { v.of[n].Kind, v.of[n].Ref = cfg.Stmt, 0 }

// atLeastOnce leads what comes to a loop from outside into its body.
func (v *virtual) atLeastOnce(l *cfg.Loop) {
	head := v.of[l.Head]
	body := head.Succs[0]
	for _, from := range slices.Clone(head.Preds) {
		if head.Loop.Contains(from.Loop) {
			continue
		}
		lead(from, head, body)
	}
}

// solver says of communications whether they need no ready message with one slot:
// all their items are proved there.
func (v *virtual) solver(items []proof.Obligation, kills synch.Kills) func(r int) bool {
	s := synch.NewSolver(v.g)
	return func(r int) bool {
		for _, it := range items {
			if it.Put != r {
				continue
			}
			if s.Solve(it, kills, false).Verdict(v.g) == synch.NeedsSync {
				return false
			}
		}
		return true
	}
}
