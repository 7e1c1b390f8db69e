// Package solve finds fixpoints of forward data-flow equations over a
// control-flow graph,
//
//	In(n)  = meet of Out(p) over the predecessors p of n
//	Out(n) = Transfer(n, In(n))
//
// (equations 1 and 2 of Gupta and Schonberg, POPL'96, section 3.3), for values
// of any type. Two strategies exist. RoundRobin sweeps over all nodes in reverse
// post-order until nothing changes; for monotone transfers it ends with the
// greatest fixpoint, whatever the order. InnerFirst repeats the body of each
// loop until that loop is stable before it goes on to what surrounds it, as the
// paper describes; it serves transfers that are not monotone, where the order
// matters and the number of repetitions has to be capped.
//
// For
//
//	0 entry -> 1
//	1 loop -> 2 3
//	2 stmt -> 1
//	3 exit
//
// with sets of nodes as values, union as meet and "add n" as transfer, one sweep
// in the order 0 1 2 3 brings {0 1 2} to the end of the body, the next one
// carries it over the back edge to 1 and on to 3, the third changes nothing:
// Sweeps is 3.
package solve

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/spmdc/spmdc/cfg"
)

// Flow is a graph prepared for solving. One serves any number of problems: an
// analysis that solves for thousands of items over one graph shares it.
type Flow struct {
	graph *cfg.Graph
	order []*cfg.Node // of the sweeps
	at    []int32     // by node ID, position in order; -1 for what is not reached
	preds [][]int32   // by node ID, IDs of the reachable predecessors, each once
	nest  *region     // reverse post-order cut into loops, for InnerFirst
	back  int         // edges that lead back in order
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
	f := &Flow{graph: g, order: slices.Clone(order), at: make([]int32, len(g.Nodes)), preds: make([][]int32, len(g.Nodes))}
	for i := range f.at {
		f.at[i] = -1
	}
	for i, n := range order {
		if n.ID < 0 || n.ID >= len(g.Nodes) || g.Nodes[n.ID] != n || f.at[n.ID] >= 0 {
			return nil, fmt.Errorf("the order of the sweeps has node %d twice, or it lies outside of the graph", n.ID)
		}
		f.at[n.ID] = int32(i)
	}
	if f.at[g.Entry.ID] < 0 {
		return nil, fmt.Errorf("the order of the sweeps lacks the entry")
	}
	for _, n := range order {
		for _, s := range n.Succs {
			if f.at[s.ID] < 0 {
				return nil, fmt.Errorf("the order of the sweeps lacks node %d, which node %d leads to", s.ID, n.ID)
			}
			if slices.Contains(f.preds[s.ID], int32(n.ID)) {
				continue // both ways of a branch lead to one place
			}
			f.preds[s.ID] = append(f.preds[s.ID], int32(n.ID))
			if f.at[s.ID] <= f.at[n.ID] {
				f.back++
			}
		}
	}
	var all []int32 // the lists one after another, as the sweeps read them
	for _, n := range order {
		if n != g.Entry && len(f.preds[n.ID]) == 0 {
			return nil, fmt.Errorf("the order of the sweeps has node %d, which cannot be reached", n.ID)
		}
		at := len(all)
		all = append(all, f.preds[n.ID]...)
		f.preds[n.ID] = all[at:len(all):len(all)]
	}
	f.nest = nest(g)
	return f, nil
}

// Graph is what was prepared.
func (f *Flow) Graph() *cfg.Graph { return f.graph }

// Order is the order of the sweeps. The caller must not change it.
func (f *Flow) Order() []*cfg.Node { return f.order }

// Bound is an upper bound of the sweeps that RoundRobin needs for monotone
// transfers over values in which every descending chain has at most height
// steps. A sweep is determined by what the back edges carried when it began, so
// a sweep that leaves the ends of all back edges alone is followed by one that
// changes nothing; every other one lowers one of them by a step.
func (f *Flow) Bound(height int) int { return f.back*height + 2 }

// Problem is what to solve.
type Problem[V any] struct {
	Entry V // In of the entry
	Top   V // neutral for Meet: what an edge carries that was not reached yet
	// Transfer gives Out(n) from In(n); it has no side effects.
	Transfer func(n *cfg.Node, in V) V
	// Meet joins what two edges carry; idempotent, commutative, associative.
	Meet  func(a, b V) V
	Equal func(a, b V) bool
}

// Options say how to solve. The zero value solves everything and records nothing.
type Options[V any] struct {
	Record bool // keep a History
	// Seeds are the only nodes that send on something other than Top when Top
	// comes in, the entry among them unless it sends on Top. Nil stands for all
	// nodes. What no seed reaches is then not looked at.
	Seeds []*cfg.Node
	// Limit is the most sweeps that RoundRobin makes; 0 for as many as it takes,
	// which is for monotone transfers only.
	Limit int
	// Within, by node ID, are the nodes to solve for; every predecessor of one has
	// to be one. Nil stands for all nodes. The values of others remain Top.
	Within []bool
	// Reuse is a solution over the same graph that is no longer needed. Its memory
	// becomes that of the result.
	Reuse *Solution[V]
}

// Snapshot is all values after a sweep, by node ID.
type Snapshot[V any] struct{ In, Out []V }

// Solution is what a strategy ended with.
type Solution[V any] struct {
	In, Out []V // by node ID; Top at nodes that the entry does not reach
	// Sweeps counts the passes over the nodes, the last one, which changed
	// nothing, included. For InnerFirst it is the largest number of passes that
	// one visit of a loop took.
	Sweeps int
	// Visits counts applications of Transfer: RoundRobin leaves out the nodes for
	// which nothing in front of them has changed.
	Visits int
	// Converged is false when the cap ended the work before a fixpoint.
	Converged bool
	// History has the values after each sweep, when asked for. For InnerFirst
	// there is one per pass over an outermost loop, and one at the end.
	History []Snapshot[V]
}

// solver is the state of a run.
type solver[V any] struct {
	f      *Flow
	p      *Problem[V]
	s      *Solution[V]
	record bool
}

func start[V any](f *Flow, p *Problem[V], o Options[V]) *solver[V] {
	s := o.Reuse
	n := len(f.graph.Nodes)
	if s == nil {
		values := make([]V, 2*n)
		s = &Solution[V]{In: values[:n:n], Out: values[n:]}
	}
	for i := range n {
		s.In[i], s.Out[i] = p.Top, p.Top
	}
	s.Sweeps, s.Visits, s.Converged, s.History = 0, 0, true, nil
	return &solver[V]{f, p, s, o.Record}
}

// visit applies both equations to n and reports whether Out(n) changed.
func (r *solver[V]) visit(n *cfg.Node) bool {
	var in V
	preds := r.f.preds[n.ID]
	if len(preds) == 0 {
		in = r.p.Entry
	} else {
		in = r.s.Out[preds[0]]
		for _, p := range preds[1:] {
			in = r.p.Meet(in, r.s.Out[p])
		}
	}
	out := r.p.Transfer(n, in)
	changed := !r.p.Equal(out, r.s.Out[n.ID])
	r.s.In[n.ID], r.s.Out[n.ID] = in, out
	r.s.Visits++
	return changed
}

// keep records the values as they are.
func (r *solver[V]) keep() {
	if r.record {
		r.s.History = append(r.s.History, Snapshot[V]{slices.Clone(r.s.In), slices.Clone(r.s.Out)})
	}
}

// RoundRobin sweeps over all nodes until a sweep changes nothing. For monotone
// transfers and finite descending chains that is the greatest fixpoint; without
// these it may take a Limit to end.
func RoundRobin[V any](f *Flow, p Problem[V], o Options[V]) *Solution[V] {
	r := start(f, &p, o)
	stale := newMarks(len(f.order)) // by position: something in front of the node has changed
	if o.Seeds == nil {
		for i, n := range f.order {
			if o.Within == nil || o.Within[n.ID] {
				stale.set(int32(i))
			}
		}
	}
	for _, n := range o.Seeds {
		if o.Within == nil || o.Within[n.ID] {
			stale.set(f.at[n.ID])
		}
	}
	for changed := true; changed; {
		if o.Limit > 0 && r.s.Sweeps == o.Limit {
			r.s.Converged = false
			break
		}
		changed = false
		for i := stale.take(0); i >= 0; i = stale.take(i + 1) {
			n := f.order[i]
			if !r.visit(n) {
				continue
			}
			changed = true
			for _, s := range n.Succs {
				if o.Within == nil || o.Within[s.ID] {
					stale.set(f.at[s.ID])
				}
			}
		}
		r.s.Sweeps++
		r.keep()
	}
	return r.s
}

// marks is a set of positions.
type marks []uint64

func newMarks(n int) marks { return make(marks, (n+63)/64) }

func (m marks) set(i int32) { m[i>>6] |= 1 << (i & 63) }

// take removes the lowest member that is at least from, and returns it; -1 when
// there is none.
func (m marks) take(from int32) int32 {
	w := from >> 6
	if int(w) >= len(m) {
		return -1
	}
	word := m[w] &^ (1<<(from&63) - 1)
	for word == 0 {
		if w++; int(w) == len(m) {
			return -1
		}
		word = m[w]
	}
	i := w<<6 | int32(bits.TrailingZeros64(word))
	m[w] &^= 1 << (i & 63)
	return i
}
