package comm

import "slices"

// Barriers is the program with barriers in front of those groups of communications, and
// of those pipelined regions, for which before holds, and no others. It is p where that
// changes nothing; else all but the nodes and the graph is that of p.
func (p *Program) Barriers(before func(group []*Comm) bool) *Program {
	b := &barriers{before: before}
	body := b.list(p.Body)
	if !b.changed {
		return p
	}
	out := *p
	out.Body, out.graph, out.stmts, out.loops, out.conds = body, nil, nil, nil, nil
	return &out
}

type barriers struct {
	before  func(group []*Comm) bool
	changed bool
}

func (b *barriers) list(list []Node) []Node {
	var out []Node
	stands := false // a barrier is the last node
	begin := func(group []*Comm) {
		wanted := b.before(group)
		switch {
		case wanted && !stands:
			out = append(out, &Barrier{group[0]})
		case !wanted && stands:
			out = slices.Delete(out, len(out)-1, len(out))
		}
		b.changed = b.changed || wanted != stands
	}
	for _, n := range list {
		switch x := n.(type) {
		case *Post:
			begin(x.Comms)
		case *Region:
			if x.Pipe != nil {
				begin(x.Pipe.Comms)
			}
		case *Loop:
			c := *x
			n = &c
		case *WhileLoop:
			c := *x
			n = &c
		case *Branch:
			c := *x
			n = &c
		}
		rewrite(n, b.list)
		_, stands = n.(*Barrier)
		out = append(out, n)
	}
	return out
}
