package codegen

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
)

// Where each iteration of a loop waits for a REAL that the one before computes, the processor
// has little to do. If the loops around have iterations that are independent of each other,
// some of these take turns:
//
//	do j = 1, n                          for block1N, t := ..., 0; t < block1N.N; { // 4 iterations at once
//	   b(1,j) = 0                            ...
//	   do i = 2, n                           for t := 0; t < nT; t++ {
//	      b(i,j) = c*b(i-1,j) + a(i,j)           bN1Last = float64(c*bN1Last) + aN3[t]
//	   end do                                    bN2[t] = bN1Last
//	end do                                       bN4Last = float64(c*bN4Last) + aN6[t] // of j + 1
//	                                             ...
//
// What an outerNest is in strips, this is where elements of neighbouring iterations are far apart:
// columns are read as they lie in memory. Each iteration computes what it would alone.

// takesTurns is how many iterations take turns, 0 if they should not.
func (n *outerNest) takesTurns(g *gen, r *comm.Region) int {
	sum := func(sym *ir.Symbol) bool { // whose order would change
		return g.prog.Modified(n.loop)[sym] && !sym.IsArray() && sym != n.loop.Index && g.prog.Info.Class(n.loop, sym) == scalar.Reduced
	}
	if n.tail != nil || slices.ContainsFunc(g.prog.IR.Symbols, sum) {
		return 0
	}
	most, waits := 0, false
	for _, s := range n.loop.Body {
		e, ok := s.(*ir.Do)
		if !ok {
			continue // a statement of a leaf
		}
		v := g.vectorized(e, r)
		begins := func(s ir.Stmt) bool { a, ok := s.(*ir.Assign); return ok && g.starts[a] != "" }
		if !isLeaf(e.Body) || v.k != nil || slices.ContainsFunc(e.Body, begins) {
			return 0
		}
		l := g.newLeaf(e, r)
		refs := l.refs()
		if len(refs) != len(references(e.Body)) || len(l.part) > 0 && g.parts[e] != "" {
			return 0
		}
		most, waits = max(most, len(refs)), waits || v.waits
	}
	switch _, ok := g.jamLoop(n.loop, r, mostTurns); {
	case !waits || !ok:
		return 0
	case most > 2*mostTurns:
		return 2
	}
	return mostTurns
}

// mostTurns is how many iterations take turns at most.
const mostTurns = 4

// references are those in statements.
func references(body []ir.Stmt) (list []*ir.Ref) {
	ir.WalkExprs(body, func(_ ir.Stmt, e ir.Expr) bool {
		if r, ok := e.(*ir.Ref); ok {
			list = append(list, r)
		}
		return true
	})
	return list
}

// takeTurns emits such a loop.
func (g *gen) takeTurns(n *outerNest, r *comm.Region) bool {
	l, ok := g.jamLoop(n.loop, r, n.beside)
	if !ok || g.regions.divided {
		return false
	}
	j := &jam{loops: []jamLoop{l}, saved: map[*ir.Symbol][]string{}}
	g.emitJam(l, r, &vectorLoop{k: kernel.New(""), jam: j}, func() {
		at := len(g.out.lines)
		var own []string
		for _, sym := range n.locals {
			name := g.names.sym(sym)
			j.saved[sym] = []string{name}
			for range n.beside - 1 {
				other := g.names.fresh(name + "Turn")
				j.saved[sym] = append(j.saved[sym], other)
				own = append(own, other)
				g.out.p("var %s %s", other, goType(sym.Type))
			}
		}
		for _, s := range n.loop.Body {
			if e, ok := s.(*ir.Do); ok {
				g.newLeaf(e, r).inTurns(j, n.beside, r)
				continue
			}
			for c := range n.beside {
				j.named(g, c, func() string { g.stmt(s, r); return "" })
			}
		}
		for i, name := range slices.Backward(own) {
			g.dropUnused(at+i, name)
		}
	}, func() { g.stmts(n.loop.Body, r) })
	return true
}

// inTurns emits a leaf loop for several iterations of the loop around.
func (l *leaf) inTurns(j *jam, turns int, r *comm.Region) {
	g, d := l.g, l.d
	g.out.at = d.Pos.Line
	refs := l.refs()
	first := l.open()
	l.sure(refs, r)
	l.findAlone(refs)
	names, rolled := make([]map[*ir.Ref]string, turns), make([]map[*ir.Ref]string, turns)
	for c := range turns {
		j.named(g, c, func() string {
			for _, f := range refs {
				l.address(f)
			}
			l.roll(refs)
			return ""
		})
		names[c], rolled[c] = map[*ir.Ref]string{}, map[*ir.Ref]string{}
		for _, f := range refs {
			names[c][f.ref], rolled[c][f.ref] = g.leaf[f.ref], g.rolled[f.ref]
		}
		l.forget(refs)
	}
	g.out.at = d.Pos.Line
	inner := len(g.out.lines) + 1
	index := g.names.sym(d.Index)
	g.out.p("%s", l.head(true))
	g.out.p("%s := %s", index, l.now())
	g.inLeaf++
	for c := range turns {
		for _, f := range refs {
			g.leaf[f.ref] = names[c][f.ref]
			if rolled[c][f.ref] != "" {
				g.rolled[f.ref] = rolled[c][f.ref]
			}
		}
		j.named(g, c, func() string { g.stmts(l.body, r); return "" })
		l.forget(refs)
	}
	g.inLeaf--
	g.dropUnused(inner, index)
	if len(l.streams) > 0 && !g.mentioned(inner, "t") {
		g.out.lines[inner-1].text = l.head(false)
	}
	g.out.p("}")
	l.dropUnusedFirst(first, inner)
	for _, text := range l.after {
		g.out.p("%s", text)
	}
	g.out.p("}")
	g.bound[d.Index]--
}

// turns says, of a loop in Go, that iterations of the loop around take turns.
func (n *outerNest) turns() string {
	return fmt.Sprintf("; %d iterations of the loop in line %d take turns", n.beside, n.loop.Pos.Line)
}
