package codegen

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// A loop whose iterations belong to the owners of elements that a variable picks is executed
// by a list of the PE's own iterations, which lasts as long as nothing changes that it
// depends on:
//
//	if !own1Known { // nothing that the list depends on changes in the loop of line 18
//		own1 = own1[:0]
//		for it, t := dist.Range(1, int(m), 1), 0; t < it.N; t++ {
//			l := it.Lo + t*it.Step
//			i = list.Data[list.At1(l)]
//			if x.Holds(pe.ID(), 0, int(i)) {
//				own1 = append(own1, l)
//			}
//		}
//		own1Known = true
//	}
//	for _, l := range own1 {
//		i = list.Data[list.At1(l)]
//		...
//	}

// ownList is such a list.
type ownList struct {
	name   string
	loop   *ir.Do
	lasts  ir.Stmt    // the loop while which it stays the same, nil for none
	known  string     // says that it is made, if it lasts
	picked *ir.Symbol // the variable whose values it has, nil for the index, which something uses
	made   bool       // for what is emitted next
}

// listOf is the list of loop d.
func (g *gen) listOf(d *ir.Do) *ownList {
	if g.own[d] == nil {
		g.own[d] = &ownList{name: g.names.fresh(fmt.Sprintf("own%d", len(g.own)+1)), loop: d}
	}
	return g.own[d]
}

// findLastingOwn finds, for the divided loops of r, the outermost of the loops around, in r
// too, that changes nothing which the list depends on.
func (g *gen) findLastingOwn(r *comm.Region, loops []ir.Stmt) {
	for d, k := range r.Picks {
		loops := append(slices.Clone(loops), loopsOver(r.Stmts, d)...)
		uses := newDependence(g)
		uses.iterations(d, r)
		at := slices.IndexFunc(loops, func(loop ir.Stmt) bool {
			return !changes(g.prog.Modified(loop), uses.depends) && !laysOut(loop, k)
		})
		if at >= 0 {
			list := g.listOf(d)
			list.lasts, list.known = loops[at], g.names.fresh(list.name+"Known")
		}
	}
}

// loopsOver are the loops of a list of statements that loop d is in.
func loopsOver(list []ir.Stmt, d *ir.Do) (loops []ir.Stmt) {
	ir.Walk(list, func(s ir.Stmt) bool {
		switch s.(type) {
		case *ir.Do, *ir.While:
			inside := s != ir.Stmt(d) && contains(s, d)
			if inside {
				loops = append(loops, s)
			}
			return inside
		}
		return true
	})
	return loops
}

// contains reports whether s contains d, or is it.
func contains(s, d ir.Stmt) bool {
	found := false
	ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool {
		found = found || s == d
		return !found
	})
	return found
}

// laysOut reports whether loop allocates an array whose owners k is about.
func laysOut(loop ir.Stmt, k *comm.Pick) bool {
	found := false
	ir.Walk([]ir.Stmt{loop}, func(s ir.Stmt) bool {
		a, ok := s.(*ir.Allocate)
		found = found || ok && !a.Free && slices.ContainsFunc(k.Own, func(c comm.Constraint) bool { return c.Array == a.Sym })
		return !found
	})
	return found
}

// listOwn emits the making of the list of d, unless that was done for the region already, and
// returns its name.
func (g *gen) listOwn(d *ir.Do, k *comm.Pick) string {
	list := g.listOf(d)
	if list.made {
		return list.name
	}
	g.out.at = d.Pos.Line
	if list.known != "" {
		g.out.p("if !%s { // nothing that the list depends on changes in the loop of line %d", list.known, list.lasts.Position().Line)
	}
	tests := make([]string, len(k.Own))
	g.out.p("%s = %s[:0]", list.name, list.name)
	g.overIterations(d, fmt.Sprintf("dist.Range(%s, %s, %s)", g.position(d.Lo), g.position(d.Hi), g.stepText(d)))
	g.bound[d.Index]++
	list.picked = nil
	if !g.outlives(d) && !usedBehind(d, k) {
		list.picked = k.Var()
	}
	delete(g.fromList, k.Set)
	g.assign(k.Set)
	value, from := g.names.sym(d.Index), ""
	if list.picked != nil {
		value, from = g.names.sym(k.Var()), fmt.Sprintf("%s[t]", list.name)
	}
	g.fromList[k.Set] = from
	for i, c := range k.Own {
		tests[i] = g.holds(c, "pe.ID()")
	}
	g.out.p("if %s {\n%s = append(%s, %s)\n}\n}", strings.Join(tests, " && "), list.name, list.name, value)
	g.bound[d.Index]--
	if list.known != "" {
		g.out.p("%s = true\n}", list.known)
	}
	return list.name
}

// usedBehind reports whether something in d but the assignment of k uses its index.
func usedBehind(d *ir.Do, k *comm.Pick) bool {
	used := false
	ir.WalkExprs(d.Body, func(s ir.Stmt, e ir.Expr) bool {
		v, ok := e.(*ir.Var)
		used = used || ok && v.Sym == d.Index && s != ir.Stmt(k.Set)
		return !used
	})
	return used
}

// listFirst emits the making of the list of the outermost of the loops of c's walk, if it has
// one, for all walks over its region and for the region.
func (g *gen) listFirst(c *comm.Comm) {
	d := c.Walk[0]
	if k := c.Region.Picks[d]; k != nil {
		g.listOwn(d, k)
		g.listOf(d).made = true
	}
}

// forgetOwn emits, in front of loops, that the lists which last while one of them runs are not
// made.
func (g *gen) forgetOwn(loops ...ir.Stmt) {
	for _, list := range g.listsOfOwn() {
		if list.lasts != nil && slices.Contains(loops, list.lasts) {
			g.out.at = loops[0].Position().Line
			g.out.p("%s = false", list.known)
		}
	}
}

// listsOfOwn are all lists by name.
func (g *gen) listsOfOwn() []*ownList {
	return slices.SortedFunc(maps.Values(g.own), func(x, y *ownList) int { return cmp.Compare(x.name, y.name) })
}

// declareOwn declares the lists that are used.
func (g *gen) declareOwn(used map[string]bool) {
	for _, list := range g.listsOfOwn() {
		if !used[list.name] {
			continue
		}
		if list.picked != nil {
			g.out.p("var %s []%s // what %s picks in iterations of its own of the loop in line %d", list.name, goType(list.picked.Type), list.picked.Source(), list.loop.Pos.Line)
		} else {
			g.out.p("var %s []int // iterations of its own of the loop in line %d", list.name, list.loop.Pos.Line)
		}
		if list.known != "" {
			g.out.p("var %s bool // whether they are listed", list.known)
		}
	}
}

// pickedLoop emits loop d of region r, which has a list.
func (g *gen) pickedLoop(d *ir.Do, r *comm.Region) {
	switch {
	case !g.opt.Check && g.isLeafInGo(d.Body) && g.inGo(g.newLeaf(d, r), g.vectorized(d, r), r):
	case g.flatLoop(d, r):
	default:
		g.loopInGo(d, r)
	}
}
