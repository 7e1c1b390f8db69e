package codegen

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
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
	if n.tail != nil || n.adds(g) {
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

// adds reports whether the iterations form a sum, whose order would change, or another reduction
// that is none of the largest or least value.
func (n *outerNest) adds(g *gen) bool {
	return slices.ContainsFunc(g.prog.IR.Symbols, func(sym *ir.Symbol) bool {
		if !g.prog.Modified(n.loop)[sym] || sym.IsArray() || sym == n.loop.Index {
			return false
		}
		red, ok := g.prog.Info.ReductionOf(n.loop, sym)
		if !ok {
			return false
		}
		_, plain := red.Stmts[0].(*ir.Assign)
		return !plain || red.Op != scalar.Max && red.Op != scalar.Min
	})
}

// lags is how many iterations of the one loop inside the next iteration of the loop has to be behind, so
// that each element is stored, and read, in the order of the source, and nothing waits for what is computed
// at the same time; 0 if there is no such number, or it is large. In
//
//	do j = 2, n - 1
//	   do i = 2, n - 1
//	      u(i,j) = u(i-1,j) + u(i+1,j) + u(i,j-1) + u(i,j+1)
//
// it is 1: u(i,j-1) is there when iteration i of j begins, and u(i,j+1) is as it was. With u(i+1,j-1) it is 2.
func (n *outerNest) lags(g *gen, r *comm.Region) int {
	e, ok := n.loop.Body[0].(*ir.Do)
	if !ok || len(n.loop.Body) > 1 || !isLeaf(e.Body) || g.step(e) != 1 || len(r.Part[e]) > 0 {
		return 0
	}
	step, known := g.steps(n.loop, r)
	if !known || abs(int(step)) != 1 {
		return 0
	}
	l := g.newLeaf(e, r)
	refs := l.refs()
	stored := map[*ir.Ref]bool{}
	ir.Walk(e.Body, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok {
			if ref, ok := a.LHS.(*ir.Ref); ok {
				stored[ref] = true
			}
		}
		return true
	})
	lag := 1
	for _, w := range refs {
		if !stored[w.ref] {
			continue
		}
		for _, f := range refs {
			if f.object != w.object {
				continue
			}
			if acc := g.access(f.ref); acc != nil && acc.Mode != comm.Own {
				return 0
			}
			i, j, ok := n.distance(w, f, e)
			switch {
			case !ok:
				return 0
			case step < 0:
				j = -j
			}
			if j < 0 {
				i, j = -i, -j
			}
			if 0 < j && j < mostTurns { // i + lag*j > 0
				lag = max(lag, int(-linalg.FloorDiv(i-1, j)))
			}
		}
	}
	for _, f := range refs {
		if moving, _, slice := l.way(f); moving > 0 && !slice {
			return 0
		}
	}
	if lag > mostTurns {
		return 0
	}
	return lag
}

// distance is by how much the indices of e and of the loop are larger where f is the element that
// w is. Far apart are elements of which it never is one.
func (n *outerNest) distance(w, f leafRef, e *ir.Do) (i, j int64, ok bool) {
	inner, outer := 0, 0
	for d, sub := range w.subs {
		by, err := sub.Sub(f.subs[d])
		if !err || !by.IsConst() {
			return 0, 0, false
		}
		in, out := sub.Coef(e.Index.Name), sub.Coef(n.loop.Index.Name)
		switch {
		case in == 0 && out == 0 && by.C != 0:
			return 0, 0, true // two elements, whatever the indices
		case in == 0 && out == 0:
		case (in == 1 || in == -1) && out == 0:
			i, inner = by.C*in, inner+1
		case (out == 1 || out == -1) && in == 0:
			j, outer = by.C*out, outer+1
		default:
			return 0, 0, false
		}
	}
	return i, j, inner == 1 && outer == 1
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
				g.newLeaf(e, r).inTurns(j, n.beside, n.lag, r)
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

// inTurns emits a leaf loop for several iterations of the loop around, each of which lags behind the
// one before.
func (l *leaf) inTurns(j *jam, turns, lag int, r *comm.Region) {
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
	if lag > 0 {
		g.out.p("for t := 0; t < nT+%d; t++ { // each is %d behind the one before", lag*(turns-1), lag)
	} else {
		g.out.p("%s", l.head(true))
		g.out.p("%s := %s", index, l.now())
	}
	g.inLeaf++
	for c := range turns {
		at := len(g.out.lines)
		if lag > 0 && c == 0 {
			g.out.p("if t < nT {")
		} else if lag > 0 {
			g.out.p("if t := t - %d; uint(t) < uint(nT) {", c*lag)
		}
		if lag > 0 {
			g.out.p("%s := %s", index, l.now())
		}
		for _, f := range refs {
			g.leaf[f.ref] = names[c][f.ref]
			if rolled[c][f.ref] != "" {
				g.rolled[f.ref] = rolled[c][f.ref]
			}
		}
		j.named(g, c, func() string { g.stmts(l.body, r); return "" })
		l.forget(refs)
		if lag > 0 {
			g.dropUnused(at+1, index)
			g.out.p("}")
		}
	}
	g.inLeaf--
	if lag == 0 {
		g.dropUnused(inner, index)
	}
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
