package comm

import "github.com/spmdc/spmdc/ir"

// number gives communications and reductions their IDs in text order, and
// fills in the lines of CO and UO.
func (a *analyzer) number(body []Node) {
	last := func(nodes []Node) int {
		l := 0
		for _, n := range nodes {
			l = max(l, endLine(n))
		}
		return l
	}
	seen := map[*Comm]bool{}
	add := func(c *Comm) {
		if !seen[c] {
			seen[c] = true
			a.out.Comms = append(a.out.Comms, c)
			c.ID = len(a.out.Comms)
		}
	}
	var visit func(nodes []Node)
	visit = func(nodes []Node) {
		for i, n := range nodes {
			switch n := n.(type) {
			case *Post:
				for _, c := range n.Comms {
					add(c)
				}
			case *Wait:
				for _, c := range n.Comms {
					c.COLine = startLine(nodes[i+1:], c.CLine)
				}
			case *Done:
				for _, c := range n.Comms {
					c.UOLine = max(c.UOLine, last(nodes[:i]), c.CLine)
				}
			case *Region:
				if n.Pipe != nil {
					for _, c := range n.Pipe.Comms {
						add(c)
						c.COLine, c.UOLine = c.CLine, endLine(n)
					}
				}
			case *Combine:
				a.out.Reduces = append(a.out.Reduces, n.Reduce...)
			case *Loop:
				visit(n.Body)
			case *WhileLoop:
				visit(n.Pre)
				for _, c := range n.Used {
					c.UOLine = c.CLine
				}
				visit(n.Body)
			case *Branch:
				visit(n.Then)
				visit(n.Else)
			}
		}
	}
	visit(body)
	for i, r := range a.out.Reduces {
		r.ID = len(a.out.Comms) + 1 + i
	}
}

// startLine is the line of the first statement among nodes.
func startLine(nodes []Node, or int) int {
	for _, n := range nodes {
		switch n := n.(type) {
		case *Region:
			return n.Stmts[0].Position().Line
		case *Loop:
			return n.Do.Pos.Line
		case *WhileLoop:
			return n.While.Pos.Line
		case *Branch:
			return n.If.Pos.Line
		case *Simple:
			return n.Stmt.Position().Line
		}
	}
	return or
}

// endLine is the last line that a node covers.
func endLine(n Node) int {
	switch n := n.(type) {
	case *Region:
		return stmtEnd(n.Stmts[len(n.Stmts)-1])
	case *Loop:
		return stmtEnd(n.Do)
	case *WhileLoop:
		return stmtEnd(n.While)
	case *Branch:
		return stmtEnd(n.If)
	case *Simple:
		return n.Stmt.Position().Line
	}
	return 0
}

func stmtEnd(s ir.Stmt) int {
	switch s := s.(type) {
	case *ir.Do:
		if s.End.IsValid() {
			return s.End.Line
		}
	case *ir.While:
		if s.End.IsValid() {
			return s.End.Line
		}
	}
	l := s.Position().Line
	for _, b := range ir.Bodies(s) {
		for _, x := range b {
			l = max(l, stmtEnd(x))
		}
	}
	return l
}
