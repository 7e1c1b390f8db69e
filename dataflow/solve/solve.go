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
	"math/bits"
	"slices"

	"github.com/spmdc/spmdc/cfg"
)

// Problem is what to solve.
type Problem[V any] struct {
	Entry V // In of the entry
	Top   V // neutral for Meet: what an edge carries that was not reached yet
	// Transfer gives Out(n) from In(n); it has no side effects that matter. Over
	// blocks it is given the first node of a block, and gives what holds behind the
	// last one.
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
	// Until ends the work as soon as it is true after a visit; the values are then
	// no fixpoint. It is read, not called, as that is cheap; Transfer may set it.
	Until *bool
	// Limit is the most sweeps that RoundRobin makes; 0 for as many as it takes,
	// which is for monotone transfers only.
	Limit int
	// Within, by node ID, are the nodes to solve for; every predecessor of one has
	// to be one. Nil stands for all nodes. The values of others remain Top.
	Within []bool
	// Reuse is a solution over the same Flow, with the same Top, that is no longer
	// needed. Its memory becomes that of the result.
	Reuse *Solution[V]
}

// Snapshot is all values after a sweep, by node ID.
type Snapshot[V any] struct{ In, Out []V }

// Solution is what a strategy ended with.
type Solution[V any] struct {
	In, Out []V // by node ID; Top at nodes that the entry does not reach; over blocks, at their first nodes
	// Sweeps counts the passes over the nodes, the last one, which changed
	// nothing, included. For InnerFirst it is the largest number of passes that
	// one visit of a loop took.
	Sweeps int
	// Visits counts applications of Transfer: RoundRobin leaves out the nodes for
	// which nothing in front of them has changed.
	Visits int
	// Converged is false when a limit ended the work before a fixpoint.
	Converged bool
	// History has the values after each sweep, when asked for. For InnerFirst
	// there is one per pass over an outermost loop, and one at the end.
	History []Snapshot[V]

	visited []int // IDs of the nodes that have values, some more than once
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
	if s == nil {
		n := len(f.graph.Nodes)
		values := make([]V, 2*n)
		for i := range values {
			values[i] = p.Top
		}
		s = &Solution[V]{In: values[:n:n], Out: values[n:]}
	}
	for _, id := range s.visited { // what else there is is never written
		s.In[id], s.Out[id] = p.Top, p.Top
	}
	s.visited = s.visited[:0]
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
	r.s.visited = append(r.s.visited, n.ID)
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
			changedOut := r.visit(f.order[i])
			if o.Until != nil && *o.Until {
				r.s.Sweeps++
				r.s.Converged = false
				return r.s
			}
			if !changedOut {
				continue
			}
			changed = true
			for _, s := range f.succs[i] {
				if o.Within == nil || o.Within[f.order[s].ID] {
					stale.set(s)
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
