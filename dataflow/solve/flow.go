package solve

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg"
)

// Flow is a graph prepared for solving. One serves any number of problems: an
// analysis that solves for thousands of items over one graph shares it.
//
// What is visited in a sweep is a unit: a node, or a block of nodes that control
// passes one after another. A unit goes by its first node.
type Flow struct {
	graph *cfg.Graph
	order []*cfg.Node   // of the sweeps: the first nodes of the units
	units [][]*cfg.Node // by position in order
	at    []int32       // by node ID, the position of the unit in order; -1 for what is not reached
	preds [][]int32     // by node ID of first nodes, IDs of the first nodes of the units that lead there, each once
	succs [][]int32     // by position, positions of the units that come next, each once
	nest  *region       // reverse post-order cut into loops, for InnerFirst
	back  int           // edges between units that lead back in order
}

// New prepares g, which must not change while the result is used.
func New(g *cfg.Graph) *Flow {
	f, err := NewOrdered(g, g.RPO())
	if err != nil {
		panic(err) // reverse post-order has each reachable node once
	}
	return f
}

// NewOrdered is New with another order of the sweeps of RoundRobin. The order has
// to hold every reachable node once and no other; orders unlike reverse
// post-order take more sweeps.
func NewOrdered(g *cfg.Graph, order []*cfg.Node) (*Flow, error) {
	units := make([][]*cfg.Node, len(order))
	for i := range order {
		units[i] = order[i : i+1 : i+1]
	}
	f := &Flow{graph: g, order: slices.Clone(order), units: units}
	if err := f.connect(); err != nil {
		return nil, err
	}
	f.nest = nest(g, g.RPO())
	return f, nil
}

// NewBlocks is New with basic blocks for nodes: Transfer is asked for a whole
// block at a time. It is for problems in which most nodes do nothing most of the
// time, and Transfer knows which.
func NewBlocks(g *cfg.Graph) *Flow {
	f := &Flow{graph: g}
	for _, n := range g.RPO() {
		if p := onlyPred(n); p != nil && onlySucc(p) == n {
			continue // in the block of p
		}
		block := []*cfg.Node{n}
		for s := onlySucc(n); s != nil && onlyPred(s) != nil; s = onlySucc(s) {
			block = append(block, s)
		}
		f.order, f.units = append(f.order, n), append(f.units, block)
	}
	if err := f.connect(); err != nil {
		panic(err) // each reachable node is in one block
	}
	f.nest = nest(g, f.order)
	return f
}

// onlySucc is the one node that n leads to, nil when there are none or several.
func onlySucc(n *cfg.Node) *cfg.Node { return only(n.Succs) }

// onlyPred is the one node that leads to n, nil when there are none or several.
func onlyPred(n *cfg.Node) *cfg.Node { return only(n.Preds) }

func only(nodes []*cfg.Node) *cfg.Node {
	if len(nodes) == 0 {
		return nil
	}
	for _, n := range nodes[1:] {
		if n != nodes[0] {
			return nil
		}
	}
	return nodes[0]
}

// connect derives the rest from order and units.
func (f *Flow) connect() error {
	g := f.graph
	f.at = make([]int32, len(g.Nodes))
	for i := range f.at {
		f.at[i] = -1
	}
	for i, unit := range f.units {
		for _, n := range unit {
			if n.ID < 0 || n.ID >= len(g.Nodes) || g.Nodes[n.ID] != n || f.at[n.ID] >= 0 {
				return fmt.Errorf("the order of the sweeps has node %d twice, or it lies outside of the graph", n.ID)
			}
			f.at[n.ID] = int32(i)
		}
	}
	if f.at[g.Entry.ID] < 0 {
		return fmt.Errorf("the order of the sweeps lacks the entry")
	}
	f.preds, f.succs = make([][]int32, len(g.Nodes)), make([][]int32, len(f.units))
	for i, unit := range f.units {
		last := unit[len(unit)-1]
		for _, s := range last.Succs {
			to := f.at[s.ID]
			if to < 0 {
				return fmt.Errorf("the order of the sweeps lacks node %d, which node %d leads to", s.ID, last.ID)
			}
			if slices.Contains(f.succs[i], to) {
				continue // both ways of a branch lead to one place
			}
			f.succs[i] = append(f.succs[i], to)
			f.preds[s.ID] = append(f.preds[s.ID], int32(unit[0].ID))
			if to <= int32(i) {
				f.back++
			}
		}
	}
	for _, n := range f.order {
		if n != g.Entry && len(f.preds[n.ID]) == 0 {
			return fmt.Errorf("the order of the sweeps has node %d, which cannot be reached", n.ID)
		}
	}
	return nil
}

// Graph is what was prepared.
func (f *Flow) Graph() *cfg.Graph { return f.graph }

// Order is the order of the sweeps: the nodes, or the first nodes of the blocks.
// The caller must not change it.
func (f *Flow) Order() []*cfg.Node { return f.order }

// Unit lists the nodes that are visited together with n, in the order in which
// control passes them: n alone, or its block; nil when n cannot be reached. The
// caller must not change it.
func (f *Flow) Unit(n *cfg.Node) []*cfg.Node {
	if f.at[n.ID] < 0 {
		return nil
	}
	return f.units[f.at[n.ID]]
}

// Bound is an upper bound of the sweeps that RoundRobin needs for monotone
// transfers over values in which every descending chain has at most height
// steps. A sweep is determined by what the back edges carried when it began, so
// a sweep that leaves the ends of all back edges alone is followed by one that
// changes nothing; every other one lowers one of them by a step.
func (f *Flow) Bound(height int) int { return f.back*height + 2 }
