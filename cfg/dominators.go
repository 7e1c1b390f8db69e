package cfg

import "slices"

// RPO returns the nodes that Entry reaches in reverse post-order: apart from
// back edges, every node comes after its predecessors. Where that leaves a
// choice, what the first successor leads to comes first: the body of a loop
// before what its head leads to when it ends, THEN before ELSE.
func (g *Graph) RPO() []*Node {
	return reversePostOrder(g.Entry, func(n *Node) []*Node { return n.Succs })
}

// reversePostOrder walks from root along next. Successors are visited last to
// first, which puts the first one, the body of a loop, earliest in the result.
func reversePostOrder(root *Node, next func(*Node) []*Node) []*Node {
	var order []*Node
	seen := map[*Node]bool{root: true}
	// An explicit stack: nests are shallow but programs are long.
	type visit struct {
		n    *Node
		left int // successors not visited yet
	}
	stack := []visit{{root, len(next(root))}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.left == 0 {
			order = append(order, top.n)
			stack = stack[:len(stack)-1]
			continue
		}
		top.left--
		s := next(top.n)[top.left]
		if !seen[s] {
			seen[s] = true
			stack = append(stack, visit{s, len(next(s))})
		}
	}
	slices.Reverse(order)
	return order
}

// Tree is a dominator or post-dominator tree.
type Tree struct {
	idom map[*Node]*Node // the root is its own
	// Pre-order interval of each node's subtree: a dominates b exactly when
	// first[a] <= first[b] <= last[a].
	first, last map[*Node]int
	root        *Node
}

// Dominators returns the tree rooted at Entry.
func (g *Graph) Dominators() *Tree {
	return newTree(g.Entry, func(n *Node) []*Node { return n.Succs }, func(n *Node) []*Node { return n.Preds })
}

// PostDominators returns the tree rooted at Exit, in which a node dominates b
// when every path from b to Exit passes it. Nodes that cannot reach Exit are not
// in the tree.
func (g *Graph) PostDominators() *Tree {
	return newTree(g.Exit, func(n *Node) []*Node { return n.Preds }, func(n *Node) []*Node { return n.Succs })
}

// newTree is the iterative method of Cooper, Harvey and Kennedy: immediate
// dominators are intersected along the tree built so far, in reverse post-order,
// until nothing changes.
func newTree(root *Node, succs, preds func(*Node) []*Node) *Tree {
	order := reversePostOrder(root, succs)
	number := make(map[*Node]int, len(order))
	for i, n := range order {
		number[n] = i
	}
	// idom by number; -1 where nothing is known yet.
	idom := make([]int, len(order))
	for i := range idom {
		idom[i] = -1
	}
	idom[0] = 0
	for changed := true; changed; {
		changed = false
		for i, n := range order[1:] {
			best := -1
			for _, p := range preds(n) {
				j, reached := number[p]
				if !reached || idom[j] < 0 {
					continue
				}
				if best < 0 {
					best = j
					continue
				}
				for best != j { // climb from the deeper of the two
					if best > j {
						best = idom[best]
					} else {
						j = idom[j]
					}
				}
			}
			if idom[i+1] != best {
				idom[i+1], changed = best, true
			}
		}
	}
	t := &Tree{idom: map[*Node]*Node{}, first: map[*Node]int{}, last: map[*Node]int{}, root: root}
	for i, n := range order {
		t.idom[n] = order[idom[i]]
	}
	t.number(order)
	return t
}

// number assigns the pre-order intervals. Parents come before their children in
// order, so that sizes add up backwards and positions are dealt out forwards.
func (t *Tree) number(order []*Node) {
	size := make(map[*Node]int, len(order))
	for _, n := range slices.Backward(order) {
		size[n]++ // itself, after its children
		if n != t.root {
			size[t.idom[n]] += size[n]
		}
	}
	free := make(map[*Node]int, len(order)) // next position in the subtree
	for _, n := range order {
		at := 0
		if p := t.idom[n]; n != t.root {
			at = free[p]
			free[p] += size[n]
		}
		t.first[n], t.last[n], free[n] = at, at+size[n]-1, at+1
	}
}

// Idom is the immediate dominator of n: nil for the root and for nodes that are
// not in the tree.
func (t *Tree) Idom(n *Node) *Node {
	if n == t.root {
		return nil
	}
	return t.idom[n]
}

// Dominates reports whether a dominates b; every node of the tree dominates
// itself. It is false when either is not in the tree.
func (t *Tree) Dominates(a, b *Node) bool {
	fa, ok := t.first[a]
	fb, ok2 := t.first[b]
	return ok && ok2 && fa <= fb && fb <= t.last[a]
}

// Edge is the successor number Slot of From.
type Edge struct {
	From *Node
	Slot int
}

// To is the node that the edge leads to.
func (e Edge) To() *Node { return e.From.Succs[e.Slot] }

// BackEdges returns the edges whose end dominates their start, by the ID of the
// start. In graphs made by Builder these are exactly the edges to loop heads
// from inside the loop.
func (g *Graph) BackEdges() []Edge {
	dom := g.Dominators()
	var back []Edge
	for _, n := range g.Nodes {
		for slot, s := range n.Succs {
			if dom.Dominates(s, n) {
				back = append(back, Edge{n, slot})
			}
		}
	}
	return back
}
