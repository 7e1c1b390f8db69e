package solve

import "github.com/spmdc/spmdc/cfg"

// region is a loop, or the whole graph, as a sequence of nodes and inner loops.
type region struct {
	loop  *cfg.Loop // nil for the whole graph
	parts []part
}

// part is a node, or an inner loop.
type part struct {
	node  *cfg.Node
	inner *region
}

// nest cuts reverse post-order, of nodes or of first nodes of blocks, into loops as written. An inner loop stands where
// its head stands; nodes on the way to EXIT belong to the loop that they leave.
// Loops are entered at their heads only, so that in each region, but for the
// edges back to its head, what leads to a part comes before it.
func nest(g *cfg.Graph, order []*cfg.Node) *region {
	whole := &region{}
	regions := make([]*region, len(g.Loops)+1) // by loop ID
	regions[0] = whole
	var of func(l *cfg.Loop) *region
	of = func(l *cfg.Loop) *region {
		if l == nil {
			return whole
		}
		if regions[l.ID] == nil {
			r := &region{loop: l}
			regions[l.ID] = r
			outer := of(l.Parent)
			outer.parts = append(outer.parts, part{inner: r})
		}
		return regions[l.ID]
	}
	for _, n := range order {
		r := of(n.Loop)
		r.parts = append(r.parts, part{node: n})
	}
	return whole
}

// InnerFirst visits the nodes in reverse post-order, and each loop, when it comes to it,
// again and again until a pass over it changes nothing, inner loops in the same
// way within each pass. A loop gets at most limit passes per visit (limit >= 1);
// with transfers that are not monotone it may need more, or never settle: then
// Converged is false, and the values are what the last pass left.
func InnerFirst[V any](f *Flow, p Problem[V], limit int, record bool) *Solution[V] {
	r := start(f, &p, Options[V]{Record: record})
	r.s.Sweeps = 1
	r.pass(f.nest, limit)
	r.keep()
	return r.s
}

// pass visits all parts of a region once and reports a change of any Out.
func (r *solver[V]) pass(of *region, limit int) bool {
	changed := false
	for _, q := range of.parts {
		if q.node != nil {
			changed = r.visit(q.node) || changed
		} else {
			changed = r.loop(q.inner, limit) || changed
		}
	}
	return changed
}

// loop repeats an inner loop and reports a change of any Out in it.
func (r *solver[V]) loop(of *region, limit int) bool {
	changed := false
	for k := 1; ; k++ {
		again := r.pass(of, limit)
		changed = changed || again
		r.s.Sweeps = max(r.s.Sweeps, k)
		if of.loop.Parent == nil {
			r.keep()
		}
		if !again {
			return changed
		}
		if k == limit {
			r.s.Converged = false
			return changed
		}
	}
}
