package choose

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/transform"
)

// candidate is a statement to try a kind on. What stands at one place of the
// source may have become several statements; the key distinguishes them.
type candidate struct {
	stmt       ir.Stmt
	place, key string
}

// candidates lists the statements of the SPMD form to try a kind on, inner ones
// first.
func candidates(p *comm.Program, kind transform.Kind, facts *transform.Analysis) []candidate {
	var list []candidate
	count := map[string]int{}
	add := func(s ir.Stmt) {
		pos := s.Position()
		place := fmt.Sprintf("%s %d:%d", kind, pos.Line, pos.Col)
		if call := s.CallSite(); call != nil { // each call of a procedure has places of its own
			place += fmt.Sprintf(" %d", call.ID)
		}
		count[place]++
		list = append(list, candidate{s, place, fmt.Sprintf("%s/%d", place, count[place])})
	}
	nests := func(s ir.Stmt) bool {
		if d, ok := s.(*ir.Do); ok && kind == transform.Interchange && facts.Misordered(d) {
			add(d)
			return false
		}
		return true
	}
	var visit func(nodes []comm.Node, inLoop bool)
	visit = func(nodes []comm.Node, inLoop bool) {
		for _, n := range nodes {
			switch n := n.(type) {
			case *comm.Loop:
				if kind == transform.Replicate && facts.Replicable(n.Do) {
					add(n.Do)
					continue // the loops inside with it
				}
				visit(n.Body, true)
				switch {
				case kind == transform.Interchange && facts.Misordered(n.Do):
					add(n.Do)
				case kind == transform.Distribute && len(n.Do.Body) > 1,
					kind == transform.Redistribute && facts.Redistributable(n.Do),
					kind == transform.Periodic && transform.Flips(n.Do),
					kind == transform.Gather && n.Undivided(),
					kind == transform.Expand && len(n.Do.Body) > 1 && reduces(n.Body),
					kind == transform.Peel && branches(n.Do),
					kind == transform.Split && transform.Crossed(p.Info, n.Do):
					add(n.Do)
				}
			case *comm.WhileLoop:
				visit(n.Pre, true)
				visit(n.Body, true)
			case *comm.Branch:
				visit(n.Then, inLoop)
				visit(n.Else, inLoop)
				if kind == transform.Guard && inLoop && guardsLoop(n.If) {
					add(n.If)
				}
			case *comm.Region:
				ir.Walk(n.Stmts, nests)
				switch s := n.Stmts[0].(type) {
				case *ir.If: // that all PEs execute on what was brought to them
					if kind == transform.Guard && inLoop && guardsLoop(s) {
						add(s)
					}
				case *ir.Do: // one statement may be to blame for all
					if kind == transform.Redistribute && n.Fallback {
						ir.Walk(n.Stmts, func(s ir.Stmt) bool {
							if d, ok := s.(*ir.Do); ok && facts.Redistributable(d) {
								add(d)
							}
							return true
						})
					}
					if kind == transform.Distribute && (n.Fallback || n.Pipe != nil) && len(s.Body) > 1 {
						add(s)
					}
				}
			}
		}
	}
	visit(p.Body, false)
	return list
}

// branches reports whether loop holds an IF that compares INTEGER values, as
// those do that a loop index decides.
func branches(loop *ir.Do) bool {
	found := false
	ir.Walk(loop.Body, func(s ir.Stmt) bool {
		if c, ok := s.(*ir.If); ok {
			ir.WalkExpr(c.Cond, func(e ir.Expr) bool {
				b, ok := e.(*ir.Bin)
				found = found || ok && b.L.Type().IsInteger()
				return !found
			})
		}
		return !found
	})
	return found
}

// guardsLoop reports whether s does nothing but guard loops.
func guardsLoop(s *ir.If) bool {
	return len(s.Else) == 0 && slices.ContainsFunc(s.Then, func(x ir.Stmt) bool {
		_, ok := x.(*ir.Do)
		return ok
	})
}
