package comm

import "github.com/spmdc/spmdc/ir"

// Lists are the lists of nodes that n executes, in order. They may be changed.
func Lists(n Node) []*[]Node {
	switch n := n.(type) {
	case *Loop:
		return []*[]Node{&n.Body}
	case *WhileLoop:
		return []*[]Node{&n.Pre, &n.Body}
	case *Branch:
		return []*[]Node{&n.Then, &n.Else}
	}
	return nil
}

// Within are the nodes of a list with all that is in them, in order.
func Within(list ...Node) (all []Node) {
	for _, n := range list {
		all = append(all, n)
		for _, l := range Lists(n) {
			all = append(all, Within(*l...)...)
		}
	}
	return all
}

// rewrite replaces each list that n executes by what f makes of it.
func rewrite(n Node, f func([]Node) []Node) {
	for _, l := range Lists(n) {
		*l = f(*l)
	}
}

// statements are those of n that are in no node within it: of a loop or branch none.
func statements(n Node) []ir.Stmt {
	switch n := n.(type) {
	case *Region:
		return n.Stmts
	case *Simple:
		return []ir.Stmt{n.Stmt}
	}
	return nil
}
