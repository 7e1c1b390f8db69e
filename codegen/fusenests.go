package codegen

import (
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Which nests may be fused, and how far one stays behind another.

// fusable is a statement of a region as a nest that may be executed in strips, nil if it is
// none: a loop that assigns elements and private scalars, and accumulates scalars, and
// nobody uses its indices behind it.
func (g *gen) fusable(r *comm.Region, s ir.Stmt) *fusedNest {
	d, ok := s.(*ir.Do)
	if !ok || g.marks(d) || r.Fallback || r.Pipe != nil || len(r.Picks) > 0 || g.step(d) != 1 || !g.prog.Info.Bounds(d).Affine() {
		return nil
	}
	for _, c := range r.Comms {
		if c.Kind == comm.Irregular || g.strip(c) != nil {
			return nil
		}
	}
	fine := true
	ir.Walk([]ir.Stmt{d}, func(s ir.Stmt) bool {
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
		fine = fine && (sym.IsArray() || g.isIndex(d, sym) || g.prog.Info.Class(d, sym) == scalar.Private || g.accumulates(d, sym))
	}
	if !fine {
		return nil
	}
	return &fusedNest{r: r, d: d}
}

// accumulates reports whether d, divided into strips, accumulates a scalar in the order in
// which it does as a whole. Kernels have partial sums of an execution of a loop, so that
// strips of that loop would have others.
func (g *gen) accumulates(d *ir.Do, sym *ir.Symbol) bool {
	if g.prog.Info.Class(d, sym) != scalar.Reduced {
		return false
	}
	red, ok := g.prog.Info.ReductionOf(d, sym)
	return ok && (!inexact(red) || slices.ContainsFunc(d.Body, isLoop))
}

// inexact reports whether the value of a reduction depends on the order.
func inexact(red scalar.Reduction) bool {
	return red.Sym.Type.IsReal() && red.Op <= scalar.Mul
}

// directive is the innermost directive REGION around a statement, nil if there is none.
func directive(s ir.Stmt) *ir.Site {
	site := s.CallSite()
	for site != nil && !site.Region {
		site = site.Parent
	}
	return site
}

// comesAfter reports whether a nest may be fused with those of the row, and uses
// what one of them does, and finds how far it stays behind.
func (g *gen) comesAfter(row []*fusedNest, next *fusedNest) bool {
	if len(row) > 0 && directive(row[0].d) != directive(next.d) {
		return false
	}
	shares := len(row) == 0
	for _, n := range row {
		far := g.behind(n, next)
		if far < 0 || !g.scalarsApart(n.d, next.d) || !g.scalarsApart(next.d, n.d) {
			return false
		}
		shares = shares || g.shares(n.d, next.d)
		next.delay = max(next.delay, n.delay+far)
	}
	return shares && next.delay <= maxDelay
}

// scalarsApart reports whether y may be executed in the midst of x, and x in the midst of y,
// as far as the scalars go that x changes: y does not mention them, gives them values of its
// own first, or accumulates into them what can be in any order.
func (g *gen) scalarsApart(x, y *ir.Do) bool {
	for sym := range g.prog.Modified(x) {
		if sym.IsArray() || g.isIndex(x, sym) || !refersTo(y, sym) {
			continue
		}
		a, b := g.prog.Info.Class(x, sym), g.prog.Info.Class(y, sym)
		if a == scalar.Private && b == scalar.Private {
			continue
		}
		p, ok1 := g.prog.Info.ReductionOf(x, sym)
		q, ok2 := g.prog.Info.ReductionOf(y, sym)
		if a != scalar.Reduced || b != scalar.Reduced || !ok1 || !ok2 || p.Op != q.Op || !anyOrder(p) || !anyOrder(q) {
			return false
		}
	}
	return true
}

// anyOrder reports whether all orders of the statements of a reduction give one value. Of
// zeros of two signs an IF takes the first.
func anyOrder(red scalar.Reduction) bool {
	branches := slices.ContainsFunc(red.Stmts, func(s ir.Stmt) bool { _, ok := s.(*ir.If); return ok })
	return !inexact(red) && !(branches && red.Sym.Type.IsReal())
}

// shares reports whether iterations of two nests that have the same number may use the same
// elements: all that loops inside run over, where one of the nests has any.
func (g *gen) shares(x, y *ir.Do) bool {
	loops := slices.ContainsFunc(x.Body, isLoop) || slices.ContainsFunc(y.Body, isLoop)
	for _, a := range g.elements(x) {
		for _, b := range g.elements(y) {
			if a.ref.Sym != b.ref.Sym || loops && !(g.runsOver(x, a.ref) && g.runsOver(y, b.ref)) {
				continue
			}
			for k := range a.ref.Subs {
				if g.follows(x, a.ref, k) && g.follows(y, b.ref, k) {
					return true
				}
			}
		}
	}
	return false
}

// followed is the first subscript of a reference that follows the index of d, -1 if none.
func (g *gen) followed(d *ir.Do, r *ir.Ref) int {
	for k := range r.Subs {
		if g.follows(d, r, k) {
			return k
		}
	}
	return -1
}

// follows reports whether subscript k of a reference follows the index of d.
func (g *gen) follows(d *ir.Do, r *ir.Ref, k int) bool {
	f, ok := g.prog.Affine(r.Subs[k])
	return ok && f.Uses(d.Index.Name)
}

// runsOver reports whether a loop inside d runs over elements of a reference, in another
// dimension than d.
func (g *gen) runsOver(d *ir.Do, r *ir.Ref) bool {
	found := false
	ir.Walk(d.Body, func(s ir.Stmt) bool {
		if inner, ok := s.(*ir.Do); ok {
			for k := range r.Subs {
				found = found || g.follows(inner, r, k) && !g.follows(d, r, k)
			}
		}
		return !found
	})
	return found
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

// behind is how many iterations y has to stay behind x, so that each element is touched
// in the order of the source: no iteration of y touches what an iteration of x touches
// that is further ahead. It is -1 if that is not known to be few.
func (g *gen) behind(x, y *fusedNest) (far int64) {
	for _, a := range g.elements(x.d) {
		for _, b := range g.elements(y.d) {
			if a.ref.Sym != b.ref.Sym || !a.write && !b.write {
				continue
			}
			for g.touches(x.d, y.d, a, b, far+1) {
				if far++; far > maxDelay {
					return -1
				}
			}
		}
	}
	return far
}

// fusedRef is a reference to an element in a nest.
type fusedRef struct {
	ref    *ir.Ref
	write  bool
	around []*ir.Do // the loops around it, from that of the nest on
}

// elements lists the references in the statements of d, those in bounds of loops aside.
func (g *gen) elements(d *ir.Do) (list []fusedRef) {
	var visit func(body []ir.Stmt, around []*ir.Do)
	visit = func(body []ir.Stmt, around []*ir.Do) {
		for _, s := range body {
			if l, ok := s.(*ir.Do); ok {
				visit(l.Body, append(slices.Clip(around), l))
				continue
			}
			for _, r := range ir.Refs(s) {
				a, assigns := s.(*ir.Assign)
				list = append(list, fusedRef{r, assigns && a.LHS == r, around})
			}
			for _, inner := range ir.Bodies(s) {
				visit(inner, around)
			}
		}
	}
	visit(d.Body, []*ir.Do{d})
	return list
}

// touches reports whether a, in an iteration of x, may be the element that b is in an
// iteration of y at least far iterations before. Both are there only in iterations of the
// loops around them; other loops of the nests may have none then, or others.
func (g *gen) touches(x, y *ir.Do, a, b fusedRef, far int64) bool {
	of, ineqs := g.standing(x, a, " 1")
	by, more := g.standing(y, b, " 2")
	fine := true
	var eqs []linalg.Affine
	for d := range a.ref.Subs {
		f, ok1 := of(g.prog.Affine(a.ref.Subs[d]))
		h, ok2 := by(g.prog.Affine(b.ref.Subs[d]))
		if !ok1 || !ok2 {
			continue
		}
		diff, ok := f.Sub(h)
		fine = fine && ok
		eqs = append(eqs, diff)
	}
	ahead, ok1 := linalg.Var(x.Index.Name + " 1").Sub(linalg.Var(y.Index.Name + " 2"))
	ahead, ok2 := ahead.Sub(linalg.Const(far))
	return !fine || !ok1 || !ok2 || !depend.Infeasible(eqs, slices.Concat(ineqs, more, []linalg.Affine{ahead}))
}

// standing is where reference r of nest d stands: in renders a form that holds there with mark
// behind the indices of the loops around r, and fails if the nest changes something else in
// it, so that it has no known value; within are forms that are not negative there.
func (g *gen) standing(d *ir.Do, r fusedRef, mark string) (in func(f linalg.Affine, ok bool) (linalg.Affine, bool), within []linalg.Affine) {
	own, changed := map[string]bool{}, map[string]bool{}
	for sym := range g.prog.Modified(d) {
		changed[sym.Name] = true
	}
	for _, l := range r.around {
		own[l.Index.Name] = true
	}
	in = func(f linalg.Affine, ok bool) (linalg.Affine, bool) {
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
	for _, l := range r.around {
		bounds := g.prog.Info.Bounds(l)
		index := linalg.Var(l.Index.Name + mark)
		lo, okLo := in(bounds.Lo, bounds.LoOK)
		hi, okHi := in(bounds.Hi, bounds.HiOK)
		if bounds.Step < 0 {
			lo, okLo, hi, okHi = hi, okHi, lo, okLo
		}
		if gap, ok := index.Sub(lo); ok && okLo && bounds.Step != 0 {
			within = append(within, gap)
		}
		if gap, ok := hi.Sub(index); ok && okHi && bounds.Step != 0 {
			within = append(within, gap)
		}
	}
	return in, within
}
