package codegen

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Of fused nests the first may hand an array over to the others, as a Jacobi iteration
// does that is copied back:
//
//	do j = 2, n-1                        do j = 2, n-1
//	   do i = 2, n-1                        do i = 2, n-1
//	      w(i,j) = a(i,j-1) + a(i,j+1)         a(i,j) = w(i,j)
//
// If the program reads elements of w nowhere else, and there only such as the first nest has
// just assigned, what w holds behind the nests does not matter. Then the columns that a strip
// uses lie at the beginning of w's piece, one strip's after the other's (spmd.Window): they
// stay in the cache, and the rest of the memory is not touched.

// handover is such an array.
type handover struct {
	sym   *ir.Symbol
	first int64 // the column that the first iteration of a strip assigns, less its index
	keep  int64 // how many columns before that later nests still read
}

// handovers finds the arrays of a row.
func (g *gen) handovers(row *fusedRow) (list []handover) {
	var seen []*ir.Symbol
	for _, e := range g.elements(row.nests[0].d) {
		if !e.write || slices.Contains(seen, e.ref.Sym) {
			continue
		}
		seen = append(seen, e.ref.Sym)
		if h, ok := g.handsOver(row, e.ref); ok {
			list = append(list, h)
		}
	}
	return list
}

// handsOver decides for the array of an element that the first nest of a row assigns.
func (g *gen) handsOver(row *fusedRow, w *ir.Ref) (h handover, ok bool) {
	sym := w.Sym
	last := len(w.Subs) - 1
	if last < 1 || sym.Coarray || sym.Cell || !g.ownAlone(row, sym) {
		return h, false
	}
	var written box
	var read []box
	for k, n := range row.nests {
		for _, e := range g.elements(n.d) {
			if e.ref.Sym != sym {
				continue
			}
			b, known := g.boxOf(row, n, e.ref)
			if !known || e.write && e.ref != w || !e.write && k == 0 {
				return h, false
			}
			if e.write {
				written = b
			} else {
				b.delay = n.delay
				read = append(read, b)
			}
		}
	}
	h = handover{sym: sym, first: written.last}
	for _, b := range read {
		if !b.within(written) {
			return h, false
		}
		h.keep = max(h.keep, b.delay+written.last-b.last)
	}
	return h, len(read) > 0 && g.readElsewhere(sym) == len(read)
}

// ownAlone reports whether PEs have the elements of sym that they read from themselves
// alone: no message brings any, and an array that is whole on each PE is computed by each.
func (g *gen) ownAlone(row *fusedRow, sym *ir.Symbol) bool {
	if slices.ContainsFunc(g.prog.Comms, func(c *comm.Comm) bool { return c.Array == sym }) {
		return false
	}
	for _, n := range row.nests {
		if len(n.r.StoreBack)+len(n.r.Guard)+len(n.combines) > 0 {
			return false
		}
		for _, part := range n.r.Part {
			if sym.Mapping == nil && len(part) > 0 {
				return false
			}
		}
	}
	return true
}

// box is the elements that a reference touches in a nest: those between bounds in each
// dimension.
type box struct {
	lo, hi []linalg.Affine
	last   int64 // its last subscript less the index of the nest
	delay  int64 // of the nest
}

// within reports whether all elements of b are in c.
func (b box) within(c box) bool {
	for d := range b.lo {
		below, ok1 := b.lo[d].Sub(c.lo[d])
		above, ok2 := c.hi[d].Sub(b.hi[d])
		if !ok1 || !ok2 || !below.IsConst() || !above.IsConst() || below.C < 0 || above.C < 0 {
			return false
		}
	}
	return true
}

// boxOf is the box of a reference that each iteration of the loops around it evaluates: each
// of its subscripts is the index of another one of all these, the last that of the nest, and
// a constant. It fails for others, and where the nests of the row change a bound.
func (g *gen) boxOf(row *fusedRow, n *fusedNest, r *ir.Ref) (b box, ok bool) {
	loops := loopsAround(n.d, r)
	if len(loops) != len(r.Subs) {
		return b, false
	}
	used := map[*ir.Do]bool{}
	for _, s := range r.Subs {
		f, affine := g.prog.Affine(s)
		at := slices.IndexFunc(loops, func(l *ir.Do) bool { return f.Uses(l.Index.Name) })
		if !affine || at < 0 || used[loops[at]] || g.step(loops[at]) != 1 {
			return b, false
		}
		l := loops[at]
		used[l] = true
		off, ok1 := f.Sub(linalg.Var(l.Index.Name))
		bounds := g.prog.Info.Bounds(l)
		lo, ok2 := bounds.Lo.Add(off)
		hi, ok3 := bounds.Hi.Add(off)
		if !ok1 || !ok2 || !ok3 || !off.IsConst() || !bounds.Affine() || g.changesAny(row, append(lo.Vars(), hi.Vars()...)) {
			return b, false
		}
		b.lo, b.hi, b.last = append(b.lo, lo), append(b.hi, hi), off.C
		ok = l == n.d
	}
	return b, ok
}

// changesAny reports whether nests of a row change a variable of these names.
func (g *gen) changesAny(row *fusedRow, names []string) bool {
	for _, n := range row.nests {
		for sym := range g.prog.Modified(n.d) {
			if slices.Contains(names, sym.Name) {
				return true
			}
		}
	}
	return false
}

// loopsAround lists the loops around a reference in d, d first; nil if something else is
// around its statement.
func loopsAround(d *ir.Do, r *ir.Ref) []*ir.Do {
	for _, s := range d.Body {
		if l, ok := s.(*ir.Do); ok {
			if in := loopsAround(l, r); in != nil {
				return append([]*ir.Do{d}, in...)
			}
			continue
		}
		for _, e := range ir.Exprs(s) {
			if slices.Contains(surely(e, func(*ir.Ref) bool { return true }), r) {
				return []*ir.Do{d}
			}
		}
	}
	return nil
}

// readElsewhere counts what the program reads of an array, elements or all of it, by whatever
// is no assignment to an element.
func (g *gen) readElsewhere(sym *ir.Symbol) (n int) {
	targets := map[ir.Expr]bool{}
	ir.Walk(g.prog.IR.Body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Assign:
			if r, ok := s.LHS.(*ir.Ref); ok {
				targets[r] = true
			}
		case *ir.Transfer, *ir.Collective:
			n++
		}
		return true
	})
	ir.WalkExprs(g.prog.IR.Body, func(_ ir.Stmt, e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Ref:
			if e.Sym == sym && !targets[e] {
				n++
			}
		case *ir.Var:
			if e.Sym == sym {
				n++
			}
		case *ir.Substr:
			n++
		}
		return true
	})
	return n
}

// openWindows emits what opens the windows of arrays that are handed over, in strips of at
// most size iterations; slideWindows and closeWindows what moves and closes them.
func (g *gen) openWindows(list []handover, serial int, size string) {
	for i, h := range list {
		g.out.p("%s := %s.Window(%s, %d)", windowName(serial, i), g.names.sym(h.sym), size, h.keep)
	}
}

func (g *gen) slideWindows(list []handover, serial int, part string) {
	for i, h := range list {
		at := part + ".Lo"
		if h.first != 0 {
			at += fmt.Sprintf(" + %d", h.first)
		}
		g.out.p("%s.Slide(%s)", windowName(serial, i), at)
	}
}

func (g *gen) closeWindows(list []handover, serial int) {
	for i := range list {
		g.out.p("%s.Close()", windowName(serial, i))
	}
}

func windowName(serial, i int) string { return fmt.Sprintf("windowF%d_%d", serial, i+1) }
