package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Nests that follow one another and use the same arrays are executed by turns, a strip of
// each at a time, while what the one has touched is in the cache. Of
//
//	do j = 2, n-1
//	   b(:,j) = a(:,j-1) + a(:,j+1)
//	end do
//	do j = 2, n-1
//	   a(:,j) = b(:,j)
//	end do
//
// the second nest stays one iteration behind the first, which still reads what it
// overwrites:
//
//	allF1, allF2, sizeF := b.Iters(...), a.Iters(...), spmd.StripSize(b.Stride(1, 1))
//	for strip := 0; ; strip++ {
//		partF1 := allF1.Strip(strip, sizeF)
//		... the first nest for partF1
//		last := strip+1 >= allF1.Strips(sizeF)
//		partF2, restF2 := allF2.Behind(partF1, 1, last)
//		...
//
// Each PE does so with its own iterations; nothing is sent or received on the way.

// fusedNest is a nest of such a row.
type fusedNest struct {
	r     *comm.Region
	d     *ir.Do
	delay int64 // how far it stays behind the first
}

// maxDelay limits how far nests stay behind each other.
const maxDelay = 3

// fusedNests is the row of nests with which list begins, at least two, and how many nodes
// they and what stands between them are; nil if there is none.
func (g *gen) fusedNests(list []comm.Node) (row []*fusedNest, nodes int) {
	if g.opt.Check || g.opt.Strip < 0 || g.prog.IR.SPMD || g.loops >= longProgram {
		return nil, 0
	}
	for i, n := range list {
		switch n := n.(type) {
		case *comm.Done:
			if len(row) == 0 || slices.ContainsFunc(n.Comms, func(c *comm.Comm) bool { return g.strip(c) != nil }) {
				return fused(row, nodes)
			}
			continue
		case *comm.Region:
			next := &fusedNest{r: n}
			if !g.fusable(next) || !g.follows(row, next) {
				return fused(row, nodes)
			}
			row = append(row, next)
			nodes = i + 1
			continue
		}
		break
	}
	return fused(row, nodes)
}

func fused(row []*fusedNest, nodes int) ([]*fusedNest, int) {
	if len(row) < 2 {
		return nil, 0
	}
	return row, nodes
}

// fusable reports whether a region is a nest that may be executed in strips: it is divided
// among the PEs by its outermost loop, assigns elements and private scalars alone, and
// nobody uses its indices behind it.
func (g *gen) fusable(n *fusedNest) bool {
	r := n.r
	if r.Fallback || r.Pipe != nil || len(r.Guard)+len(r.StoreBack) > 0 || len(r.Stmts) != 1 {
		return false
	}
	d, ok := r.Stmts[0].(*ir.Do)
	if !ok || len(r.Part[d]) == 0 || g.step(d) != 1 || !g.prog.Info.Bounds(d).Affine() {
		return false
	}
	n.d = d
	for _, c := range r.Comms {
		if c.Kind == comm.Irregular || g.strip(c) != nil {
			return false
		}
	}
	fine := true
	ir.Walk(r.Stmts, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Do:
			fine = fine && !g.labelled[s] && !g.outlives(s) && len(g.stripped(s)) == 0
			for _, e := range []ir.Expr{s.Lo, s.Hi, s.Step} {
				fine = fine && len(ir.ExprRefs(e)) == 0
			}
		case *ir.Assign, *ir.If:
		default:
			fine = false
		}
		return fine
	})
	for sym := range g.prog.Modified(d) {
		index := false
		ir.Walk(r.Stmts, func(s ir.Stmt) bool {
			x, ok := s.(*ir.Do)
			index = index || ok && x.Index == sym
			return !index
		})
		fine = fine && (sym.IsArray() || index || g.prog.Info.Class(d, sym) == scalar.Private)
	}
	return fine
}

// follows reports whether a nest may be executed by turns with those of the row, and
// shares an array with one of them, and finds how far it stays behind.
func (g *gen) follows(row []*fusedNest, next *fusedNest) bool {
	shares := len(row) == 0
	for _, n := range row {
		for sym := range g.prog.Modified(n.d) {
			// What the bounds of the one depend on the other must not change.
			if !sym.IsArray() && !g.isIndex(n.d, sym) && mentionedInBounds(next.d, sym) {
				return false
			}
		}
		far, common := g.behind(n, next)
		if far < 0 {
			return false
		}
		shares = shares || common
		next.delay = max(next.delay, n.delay+far)
	}
	return shares && next.delay <= maxDelay
}

func (g *gen) isIndex(d *ir.Do, sym *ir.Symbol) bool {
	found := false
	ir.Walk([]ir.Stmt{d}, func(s ir.Stmt) bool {
		x, ok := s.(*ir.Do)
		found = found || ok && x.Index == sym
		return !found
	})
	return found
}

func mentionedInBounds(d *ir.Do, sym *ir.Symbol) bool {
	found := false
	ir.Walk([]ir.Stmt{d}, func(s ir.Stmt) bool {
		if x, ok := s.(*ir.Do); ok {
			for _, e := range []ir.Expr{x.Lo, x.Hi, x.Step} {
				found = found || ir.Mentions(e, sym)
			}
		}
		return !found
	})
	return found
}

// behind is how many iterations y has to stay behind x, so that each element is touched
// in the order of the source: no iteration of y touches what an iteration of x touches
// that is further ahead. It is -1 if that is not known to be few. common tells whether
// they have an array in common.
func (g *gen) behind(x, y *fusedNest) (far int64, common bool) {
	for _, a := range g.elements(x.d) {
		for _, b := range g.elements(y.d) {
			if a.ref.Sym != b.ref.Sym {
				continue
			}
			common = true
			if !a.write && !b.write {
				continue
			}
			for g.touches(x.d, y.d, a.ref, b.ref, far+1) {
				if far++; far > maxDelay {
					return -1, common
				}
			}
		}
	}
	return far, common
}

type fusedRef struct {
	ref   *ir.Ref
	write bool
}

func (g *gen) elements(d *ir.Do) (list []fusedRef) {
	written := map[*ir.Ref]bool{}
	ir.Walk([]ir.Stmt{d}, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok {
			if r, ok := a.LHS.(*ir.Ref); ok {
				written[r] = true
			}
		}
		return true
	})
	ir.WalkExprs([]ir.Stmt{d}, func(_ ir.Stmt, e ir.Expr) bool {
		if r, ok := e.(*ir.Ref); ok {
			list = append(list, fusedRef{r, written[r]})
		}
		return true
	})
	return list
}

// touches reports whether a, in an iteration of x, may be the element that b is in an
// iteration of y at least far iterations before.
func (g *gen) touches(x, y *ir.Do, a, b *ir.Ref, far int64) bool {
	var eqs, ineqs []linalg.Affine
	fine := true
	side := func(d *ir.Do, mark string) func(f linalg.Affine, ok bool) (linalg.Affine, bool) {
		own, changed := map[string]bool{}, map[string]bool{}
		for sym := range g.prog.Modified(d) {
			changed[sym.Name] = true
		}
		ir.Walk([]ir.Stmt{d}, func(s ir.Stmt) bool {
			if l, ok := s.(*ir.Do); ok {
				own[l.Index.Name] = true
			}
			return true
		})
		// What the nest changes, its indices aside, has no known value.
		in := func(f linalg.Affine, ok bool) (linalg.Affine, bool) {
			if !ok || slices.ContainsFunc(f.Vars(), func(v string) bool { return changed[v] && !own[v] }) {
				return f, false
			}
			return f.Rename(func(v string) string {
				if own[v] {
					return v + mark
				}
				return v
			})
		}
		ir.Walk([]ir.Stmt{d}, func(s ir.Stmt) bool {
			l, ok := s.(*ir.Do)
			if !ok {
				return true
			}
			bounds := g.prog.Info.Bounds(l)
			index := linalg.Var(l.Index.Name + mark)
			lo, okLo := in(bounds.Lo, bounds.LoOK)
			hi, okHi := in(bounds.Hi, bounds.HiOK)
			if bounds.Step < 0 {
				lo, okLo, hi, okHi = hi, okHi, lo, okLo
			}
			if gap, ok := index.Sub(lo); ok && okLo && bounds.Step != 0 {
				ineqs = append(ineqs, gap)
			}
			if gap, ok := hi.Sub(index); ok && okHi && bounds.Step != 0 {
				ineqs = append(ineqs, gap)
			}
			return true
		})
		return in
	}
	of, by := side(x, " 1"), side(y, " 2")
	for d := range a.Subs {
		f, ok1 := of(g.prog.Affine(a.Subs[d]))
		h, ok2 := by(g.prog.Affine(b.Subs[d]))
		if !ok1 || !ok2 {
			continue
		}
		diff, ok := f.Sub(h)
		fine = fine && ok
		eqs = append(eqs, diff)
	}
	ahead, ok1 := linalg.Var(x.Index.Name + " 1").Sub(linalg.Var(y.Index.Name + " 2"))
	ahead, ok2 := ahead.Sub(linalg.Const(far))
	return !fine || !ok1 || !ok2 || !depend.Infeasible(eqs, append(ineqs, ahead))
}

// fusedLoops emits a row of nests.
func (g *gen) fusedLoops(row []*fusedNest) {
	first := row[0]
	g.out.at = first.d.Pos.Line
	g.serial++
	serial := g.serial
	name := func(what string, k int) string { return fmt.Sprintf("%sF%d_%d", what, serial, k+1) }
	var lines, all, sets []string
	for k, n := range row {
		lines = append(lines, fmt.Sprint(n.d.Pos.Line))
		all, sets = append(all, name("all", k)), append(sets, g.ownIterations(n.d, n.r.Part[n.d]))
	}
	for _, n := range row {
		g.settle(n.d)
	}
	g.out.p("// The loops in lines %s by turns, in strips.", strings.Join(lines, ", "))
	for k := range row {
		g.out.p("%s := %s", all[k], sets[k])
	}
	size, strip, last := name("size", 0), name("strip", 0), name("last", 0)
	g.out.p("%s := %s", size, g.stripSize(first))
	g.out.p("for %s, %s := 0, false; !%s; %s++ {", strip, last, last, strip)
	g.out.p("%s = %s+1 >= %s.Strips(%s)", last, strip, all[0], size)
	for k, n := range row {
		part := name("part", k)
		if k == 0 {
			g.out.p("%s := %s.Strip(%s, %s)", part, all[k], strip, size)
		} else {
			g.out.p("var %s dist.Triplet", part)
			g.out.p("%s, %s = %s.Behind(%s, %d, %s)", part, all[k], all[k], name("part", 0), n.delay, last)
		}
		g.called(n.r)
		g.parts[n.d] = part
		g.alone(n.r)
		delete(g.parts, n.d)
	}
	g.out.p("}")
}

// stripSize renders how many iterations of the outermost loop of n are a strip: what they
// touch of an array should fit in the cache.
func (g *gen) stripSize(n *fusedNest) string {
	if g.opt.Strip > 0 {
		return fmt.Sprint(g.opt.Strip)
	}
	for _, e := range g.elements(n.d) {
		if acc := g.access(e.ref); !e.write || acc != nil && acc.Mode == comm.Temp {
			continue
		}
		for d, s := range e.ref.Subs {
			if f, ok := g.prog.Affine(s); ok && f.Uses(n.d.Index.Name) {
				return fmt.Sprintf("spmd.StripSize(%s.Stride(%d, 1))", g.names.sym(e.ref.Sym), d)
			}
		}
	}
	return "spmd.StripSize(1)"
}
