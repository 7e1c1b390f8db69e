package structure

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/parser/ast"
)

// has reports whether n is a node of the region, not one of a region around it.
func (r *region) has(n *node) bool { return n.home == r }

// reduce makes the graph reducible: every cycle gets one node through which all ways into it
// go. Where there are several, a variable remembers which way was taken, and a SELECT behind
// the one node goes on accordingly, as in "node splitting" but without copies:
//
//	   go to 20 or 10           state = 2, go to D or state = 1, go to D
//	10 ...                   D  select state: 1, 2
//	20 ...                   10 ...
//	   go to 10              20 ...
//	                            state = 1, go to D
func (b *builder) reduce(r *region) {
	var reachable []*node
	for _, n := range r.nodes {
		if n.order > 0 {
			reachable = append(reachable, n)
		}
	}
	b.reducible(r, reachable)
}

// reducible makes the part of the graph that consists of nodes reducible.
func (b *builder) reducible(r *region, nodes []*node) {
	for _, cycle := range cycles(nodes) {
		inside := map[*node]bool{}
		for _, n := range cycle {
			inside[n] = true
		}
		var entries []*node
		for _, n := range r.nodes {
			if n.order == 0 {
				continue
			}
			for _, s := range n.succ {
				if inside[s] && !inside[n] && !slices.Contains(entries, s) {
					entries = append(entries, s)
				}
			}
		}
		if inside[r.entry] && !slices.Contains(entries, r.entry) {
			entries = append(entries, r.entry)
		}
		head := r.entry
		if len(entries) > 0 {
			head = entries[0]
		}
		if len(entries) > 1 {
			slices.SortFunc(entries, func(a, c *node) int { return a.no - c.no })
			head, cycle = b.dispatch(r, entries, cycle)
		}
		b.reducible(r, slices.DeleteFunc(slices.Clone(cycle), func(n *node) bool { return n == head }))
	}
}

// dispatch lets all ways to entries go through one node, which it returns with the cycle
// as it is then.
func (b *builder) dispatch(r *region, entries, cycle []*node) (*node, []*node) {
	add := func(like *node) *node {
		b.count++
		n := &node{no: like.no, pos: like.pos, home: r}
		n.order = 1 // something leads to it
		r.nodes = append(r.nodes, n)
		return n
	}
	b.lets++
	name := fmt.Sprintf("state%%%d", b.lets)
	at := ast.XBase{Pos: entries[0].pos, End: entries[0].pos}
	head := add(entries[0])
	sel := &ast.Select{Base: ast.Base{Pos: head.pos}, X: &ast.Ident{XBase: at, Name: name}}
	old := slices.Clone(r.nodes)
	for _, n := range old {
		for i, s := range n.succ {
			k := slices.Index(entries, s)
			if k < 0 || n.order == 0 {
				continue
			}
			set := add(s)
			value := &ast.IntLit{XBase: ast.XBase{Pos: s.pos, End: s.pos}, Text: fmt.Sprint(k + 1)}
			set.stmts = []ast.Stmt{&Let{ast.Base{Pos: s.pos}, name, value}}
			set.succ = []*node{head}
			n.succ[i] = set
			if slices.Contains(cycle, n) {
				cycle = append(cycle, set)
			}
		}
	}
	for k, e := range entries {
		c := ast.Case{Pos: e.pos}
		if k < len(entries)-1 {
			c.Values = []ast.CaseValue{{Lo: &ast.IntLit{XBase: at, Text: fmt.Sprint(k + 1)}}}
		}
		sel.Cases = append(sel.Cases, c)
		head.succ = append(head.succ, e)
	}
	head.kind = sel
	head.entries = len(entries)
	return head, append(cycle, head)
}

// cycles are the strongly connected components of the nodes that have a way from a node to
// itself, by Tarjan's algorithm.
func cycles(nodes []*node) [][]*node {
	inside := map[*node]bool{}
	for _, n := range nodes {
		inside[n] = true
	}
	index, low, on := map[*node]int{}, map[*node]int{}, map[*node]bool{}
	var stack []*node
	var out [][]*node
	var visit func(n *node)
	visit = func(n *node) {
		index[n] = len(index) + 1
		low[n] = index[n]
		stack, on[n] = append(stack, n), true
		self := false
		for _, s := range n.succ {
			switch {
			case !inside[s]:
			case index[s] == 0:
				visit(s)
				low[n] = min(low[n], low[s])
			case on[s]:
				low[n] = min(low[n], index[s])
			}
			self = self || s == n
		}
		if low[n] != index[n] {
			return
		}
		at := slices.Index(stack, n)
		cycle := slices.Clone(stack[at:])
		stack = stack[:at]
		for _, m := range cycle {
			on[m] = false
		}
		if len(cycle) > 1 || self {
			out = append(out, cycle)
		}
	}
	for _, n := range nodes {
		if index[n] == 0 {
			visit(n)
		}
	}
	return out
}
