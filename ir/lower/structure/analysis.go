package structure

import (
	"cmp"
	"slices"
)

// analysis is what is known of a node in its graph.
type analysis struct {
	order  int   // in reverse postorder, from 1; 0 means that nothing leads to the node
	idom   *node // the immediate dominator, nil for the entry
	head   *node // of the innermost loop that the node is in, itself for the first node of a loop
	outer  *node // of a node that is a head: that of the loop around it
	isHead bool

	block   bool    // several ways lead forward to the node, or one out of a loop: it stands behind a block
	inside  []*node // nodes behind blocks that this one dominates immediately, in its loop
	outside []*node // of a head: nodes behind blocks that are left out of the loop
}

// contract leaves out nodes without statements, so that a jump goes where its goal goes on.
func (r *region) contract() {
	final := func(n *node) *node {
		seen := map[*node]bool{}
		for n != r.end && len(n.stmts) == 0 && n.kind == nil && len(n.succ) == 1 && !seen[n] && r.has(n.succ[0]) {
			seen[n] = true
			n = n.succ[0]
		}
		return n
	}
	for _, n := range r.nodes {
		for i, s := range n.succ {
			if r.has(s) {
				n.succ[i] = final(s)
			}
		}
	}
}

// number finds the order of the nodes, and their predecessors. A branch that is later
// in the source comes later in the order where the graph leaves a choice.
func (r *region) number() []*node {
	for _, n := range r.nodes {
		n.analysis, n.pred = analysis{}, nil
	}
	var post []*node
	seen := map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		seen[n] = true
		next := slices.Clone(n.succ)
		slices.SortStableFunc(next, func(a, b *node) int { return cmp.Compare(b.no, a.no) })
		for _, s := range next {
			if r.has(s) && !seen[s] {
				visit(s)
			}
		}
		post = append(post, n)
	}
	visit(r.entry)
	slices.Reverse(post)
	if at := slices.Index(post, r.end); at >= 0 { // it leads to nothing
		post = append(slices.Delete(post, at, at+1), r.end)
	}
	for i, n := range post {
		n.order = i + 1
	}
	for _, n := range post {
		for _, s := range n.succ {
			if r.has(s) {
				s.pred = append(s.pred, n)
			}
		}
	}
	return post
}

// dominators finds the immediate dominators, by the algorithm of K. Cooper, T. Harvey and
// K. Kennedy, "A simple, fast dominance algorithm", 2001.
func dominators(post []*node) {
	for changed := true; changed; {
		changed = false
		for _, n := range post[1:] {
			var dom *node
			for _, p := range n.pred {
				if p != post[0] && p.idom == nil {
					continue
				}
				if dom == nil {
					dom = p
					continue
				}
				for a := p; a != dom; {
					for a.order > dom.order {
						a = a.idom
					}
					for dom.order > a.order {
						dom = dom.idom
					}
				}
			}
			if n.idom != dom {
				n.idom, changed = dom, true
			}
		}
	}
}

// loops finds the natural loops of a reducible graph, the inner ones last.
func loops(post []*node) {
	for _, h := range post {
		in := map[*node]bool{}
		var grow func(n *node)
		grow = func(n *node) {
			if in[n] {
				return
			}
			in[n] = true
			if n != h {
				for _, p := range n.pred {
					grow(p)
				}
			}
		}
		for _, p := range h.pred {
			if p.order >= h.order {
				grow(p)
			}
		}
		if len(in) == 0 {
			continue
		}
		h.isHead, h.outer = true, h.head
		in[h] = true
		for n := range in {
			n.head = h
		}
	}
}

// in reports whether n is in the loop that begins with h.
func (n *node) in(h *node) bool {
	for at := n.head; at != nil; at = at.outer {
		if at == h {
			return true
		}
	}
	return false
}

// arrange decides which nodes stand behind blocks, and where the blocks begin. The end stands behind
// all others, as control falls from it to what is behind it.
func arrange(post []*node, end *node) {
	for _, n := range post[1:] {
		forward := 0
		for _, p := range n.pred {
			if p.order < n.order {
				forward++
			}
			if p.loop != nil && slices.Contains(p.succ[1:], n) {
				forward = 2 // a jump out of a loop cannot have the node in its place
			}
		}
		at := n.idom
		if n == end {
			at, forward = post[0], 2
		}
		var left *node // the outermost loop around at that n is not in
		for h := at.head; h != nil; h = h.outer {
			if !n.in(h) {
				left = h
			}
		}
		n.block = forward > 1 || left != nil
		switch {
		case left != nil:
			left.outside = append(left.outside, n)
		case n.block:
			at.inside = append(at.inside, n)
		}
	}
}
