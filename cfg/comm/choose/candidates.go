package choose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/transform"
)

// candidate is a statement to try a kind on. What stands at one place of the
// source may have become several statements; the key distinguishes them.
type candidate struct {
	stmt       ir.Stmt
	place, key string
	arrays     []*ir.Symbol // to gather
	why        string       // for people
	divided    bool         // PEs have parts of the work for themselves
}

// exchangeShare is the part of the cost of a loop that has to be for messages, for arrays to
// be gathered.
const exchangeShare = 0.2

// candidates lists the statements of the SPMD form to try a kind on, inner ones
// first.
func (u *unit) candidates(kind transform.Kind, facts *transform.Analysis) []candidate {
	p := u.tree
	var list []candidate
	count := map[string]int{}
	add := func(s ir.Stmt) {
		pos := s.Position()
		place := fmt.Sprintf("%s %d:%d", kind, pos.Line, pos.Col)
		if call := s.CallSite(); call != nil { // each call of a procedure has places of its own
			place += fmt.Sprintf(" %d", call.ID)
		}
		count[place]++
		list = append(list, candidate{stmt: s, place: place, key: fmt.Sprintf("%s/%d", place, count[place])})
	}
	if look := map[transform.Kind]func(*ir.Do) bool{transform.Wrap: facts.Wraps, transform.Hoist: facts.Hoists}[kind]; look != nil {
		ir.Walk(u.body, func(s ir.Stmt) bool { // outer loops first: a part with the loops inside
			if d, ok := s.(*ir.Do); ok && look(d) {
				add(d)
				return false
			}
			return true
		})
		return list
	}
	nests := func(s ir.Stmt) bool {
		if d, ok := s.(*ir.Do); ok && kind == transform.Interchange && facts.Misordered(d) {
			add(d)
			return false
		}
		if d, ok := s.(*ir.Do); ok && kind == transform.Guard && transform.Picks(d) {
			add(d)
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
				case kind == transform.Gather && (n.Undivided() || u.exchanges(n.Do)):
					add(n.Do)
					last := len(list) - 1
					list = append(list[:last], u.gatherings(list[last], n)...)
				case kind == transform.Interchange && facts.Misordered(n.Do):
					add(n.Do)
				case kind == transform.Distribute && len(n.Do.Body) > 1,
					kind == transform.Redistribute && facts.Redistributable(n.Do),
					kind == transform.Periodic && transform.Flips(n.Do),
					kind == transform.Guard && transform.Picks(n.Do),
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
					if kind == transform.Peel && wraps(n) && branches(s) {
						add(s)
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

// wraps reports whether r uses whole dimensions of arrays that are distributed along them, as
// where the first element is a neighbour of the last.
func wraps(r *comm.Region) bool {
	return slices.ContainsFunc(r.Comms, func(c *comm.Comm) bool {
		for d, ax := range c.Axes {
			if ax.All && c.Subs == nil && c.Array.Mapping.Map.Axes[d].Grid >= 0 {
				return true
			}
		}
		return false
	})
}

// branches reports whether loop holds an IF that compares INTEGER values, as
// those do that a loop index decides, or a MOD.
func branches(loop *ir.Do) bool {
	found := false
	ir.WalkExprs(loop.Body, func(_ ir.Stmt, e ir.Expr) bool {
		c, ok := e.(*ir.Call)
		found = found || ok && c.Name == "mod"
		return !found
	})
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

// exchanges reports whether what is sent in a loop is a large part of its cost, and saving it
// may be worth it.
func (u *unit) exchanges(loop *ir.Do) bool {
	c := u.parts[loop]
	return c.Waits > 0 && c.Total() > gatherGain && c.Total()-statementCost*c.Statements > exchangeShare*c.Total()
}

// source is the loop of the program as it was given that loop does the same as, or loop
// itself, if it is in the place of none.
func (u *unit) source(loop *ir.Do) *ir.Do {
	if s, ok := u.same[loop].(*ir.Do); ok {
		return s
	}
	return loop
}

// gatherings are the candidates to gather arrays for a loop: those that it assigns to and of
// which elements are sent in it; all of which elements are sent; and all.
func (u *unit) gatherings(c candidate, n *comm.Loop) (list []candidate) {
	loop := u.source(n.Do)
	var all, sent, both []*ir.Symbol
	moved := n.Sent()
	ir.WalkExprs(loop.Body, func(_ ir.Stmt, e ir.Expr) bool {
		r, ok := e.(*ir.Ref)
		if ok && r.Sym.Distributed() && !r.Sym.Temp && !slices.Contains(all, r.Sym) {
			all = append(all, r.Sym)
		}
		return true
	})
	slices.SortFunc(all, func(a, b *ir.Symbol) int { return strings.Compare(a.Name, b.Name) })
	for _, s := range all {
		if slices.Contains(moved, s) {
			sent = append(sent, s)
			if u.tree.Modified(n.Do)[s] {
				both = append(both, s)
			}
		}
	}
	c.why, c.divided = u.tree.Notes[n.Do], !n.Undivided()
	if c.why == "" || c.divided {
		c.why = "the messages in it would take longer than one PE takes for all of it"
	}
	for _, arrays := range [][]*ir.Symbol{both, sent, all} {
		if len(arrays) == 0 || len(list) > 0 && len(arrays) == len(list[len(list)-1].arrays) {
			continue
		}
		x := c
		x.key += fmt.Sprint("/", len(arrays))
		x.arrays = arrays
		list = append(list, x)
	}
	return list
}
