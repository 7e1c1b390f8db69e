package codegen

import (
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
)

// keptList is the list of an irregular communication that stays what it is while a loop
// runs which all PEs execute together: it is made in the first iteration.
type keptList struct {
	loop  ir.Stmt
	known string // the Go variable that tells whether it is made
}

// findKeptLists finds them, each with the outermost loop that changes nothing which the
// list depends on.
func (g *gen) findKeptLists(list []comm.Node, loops []ir.Stmt) {
	for _, n := range list {
		switch n := n.(type) {
		case *comm.Loop:
			g.findKeptLists(n.Body, append(loops[:len(loops):len(loops)], n.Do))
		case *comm.WhileLoop:
			inside := append(loops[:len(loops):len(loops)], n.While)
			g.findKeptLists(n.Pre, inside)
			g.findKeptLists(n.Body, inside)
		case *comm.Branch:
			g.findKeptLists(n.Then, loops)
			g.findKeptLists(n.Else, loops)
		case *comm.Post:
			for _, c := range n.Comms {
				if c.Kind != comm.Irregular {
					continue
				}
				depends := g.listDepends(c)
				for _, loop := range loops {
					if !changes(g.prog.Modified(loop), depends) {
						g.lasting[c] = keptList{loop, g.names.fresh(g.lists[c] + "Known")}
						break
					}
				}
			}
		}
	}
}

// changes reports whether a variable that something depends on is modified, or is not known.
func changes(modified, depends map[*ir.Symbol]bool) bool {
	for s := range depends {
		if s == nil || modified[s] {
			return true
		}
	}
	return false
}

// listDepends are the variables that the walk reads which makes the list of c, but for the
// indices of its own loops inside of these. A nil among them stands for what is not known.
func (g *gen) listDepends(c *comm.Comm) map[*ir.Symbol]bool {
	depends, inside := map[*ir.Symbol]bool{}, map[*ir.Symbol]bool{}
	read := func(s *ir.Symbol) {
		if !inside[s] {
			depends[s] = true
		}
	}
	expr := func(e ir.Expr) {
		ir.WalkExpr(e, func(e ir.Expr) bool {
			switch e := e.(type) {
			case *ir.Var:
				read(e.Sym)
			case *ir.Ref:
				read(e.Sym)
			}
			return true
		})
	}
	owned := func(list []comm.Constraint) {
		for _, k := range list {
			for _, v := range k.Sub.Vars() {
				read(g.symbols[v])
			}
		}
	}
	owned(c.Region.Guard)
	for _, d := range c.Walk {
		expr(d.Lo)
		expr(d.Hi)
		expr(d.Step)
		inside[d.Index] = true
		owned(c.Region.Part[d])
	}
	for _, s := range c.Refs[0].Subs {
		expr(s)
	}
	return depends
}

// forgetLists emits, in front of a loop, that the lists which stay what they are in it are
// not made yet.
func (g *gen) forgetLists(n comm.Node) {
	loop := controls(n)
	if loop == nil {
		return
	}
	for _, c := range g.prog.Comms {
		if l, ok := g.lasting[c]; ok && l.loop == loop {
			g.out.at = loop.Position().Line
			g.out.p("%s = false", l.known)
		}
	}
}

// list emits the walk that lists the elements which an irregular reference
// will read, in that order.
func (g *gen) list(c *comm.Comm) {
	ref := c.Refs[0]
	name := g.lists[c]
	lasting, lasts := g.lasting[c]
	known := "false"
	if lasts {
		known = lasting.known
		g.out.p("if !%s { // nothing that the list depends on changes in the loop of line %d", known, lasting.loop.Position().Line)
	}
	g.out.p("%s = %s[:0]", name, name)
	g.divided = divides(c.Region)
	closers := g.guard(c.Region)
	for _, d := range c.Walk {
		g.out.at = d.Pos.Line
		closers += g.openLoop(d, c.Region)
	}
	g.out.at = ref.Pos.Line
	subs := make([]string, len(ref.Subs))
	for i, s := range ref.Subs {
		subs[i] = g.position(s)
	}
	g.out.p("%s = append(%s, %s)", name, name, strings.Join(subs, ", "))
	for i := len(c.Walk) - 1; i >= 0; i-- {
		g.closeLoop(c.Walk[i])
	}
	for range closers - len(c.Walk) {
		g.out.p("}")
	}
	g.divided = false
	if lasts {
		g.out.p("}")
	}
	g.out.p("%s.Post(%s, %s) // %s", g.comms[c], name, known, source.Printable(g.plan.Comment(c)))
	if lasts {
		g.out.p("%s = true", known)
	}
}
