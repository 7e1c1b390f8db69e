package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
)

// An array with open bounds that is aligned with another one lies where that has its bounds
// from, so that what it is aligned with is allocated first:
//
//	real :: w(m), z(0:m+1)        z is allocated, then w
//	!HPF$ ALIGN w(i) WITH z(i)
//
// and gets no other bounds while the array is in use. Of allocatable arrays the run finds that
// out, where what they are aligned with is allocated (see ir.Allocate); of others it is seen here.

// alignments puts allocations into the order that alignments need, and finds out who follows whom.
func (w *settling) alignments() {
	targets := w.targets()
	if len(targets) == 0 {
		return
	}
	w.l.prog.Body = w.ordered(w.l.prog.Body, targets)
	ir.Walk(w.l.prog.Body, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Allocate); ok && !a.Free {
			for _, t := range w.l.prog.Symbols {
				if targets[t][a.Sym] && w.l.allocs[t] != nil {
					a.Followers = append(a.Followers, t)
				}
			}
		}
		return true
	})
}

// targets are the arrays with open bounds that each array is aligned with, by way of others too.
func (w *settling) targets() map[*ir.Symbol]map[*ir.Symbol]bool {
	p := w.l.prog
	symbols, with := map[string]*ir.Symbol{}, map[string]string{}
	for _, s := range p.Symbols {
		symbols[s.Name] = s
	}
	for _, d := range p.HPF {
		if d.Kind == ir.AlignDirective {
			with[d.Name] = d.Target
		}
	}
	out := map[*ir.Symbol]map[*ir.Symbol]bool{}
	for name := range with {
		s, at := symbols[name], name
		for range with {
			if at = with[at]; at == "" {
				break
			}
			if t := symbols[at]; s != nil && t != nil && t != s && t.IsOpen() {
				if out[s] == nil {
					out[s] = map[*ir.Symbol]bool{}
				}
				out[s][t] = true
			}
		}
	}
	return out
}

// ordered puts, in a list, each allocation behind those of what the array is aligned with that
// come before it is used.
func (w *settling) ordered(list []ir.Stmt, targets map[*ir.Symbol]map[*ir.Symbol]bool) []ir.Stmt {
	out := slices.Clone(list)
	for i := len(out) - 1; i >= 0; i-- {
		a, ok := out[i].(*ir.Allocate)
		if !ok || a.Free || targets[a.Sym] == nil {
			continue
		}
		to := i
		for j := i + 1; j < len(out) && !uses(out[j], a.Sym); j++ {
			if b, ok := out[j].(*ir.Allocate); ok && !b.Free && targets[a.Sym][b.Sym] {
				to = j
			}
		}
		copy(out[i:to], out[i+1:to+1])
		out[to] = a
		if w.l.allocs[a.Sym] == nil {
			w.stays(a, out[to+1:], targets[a.Sym])
		}
	}
	for _, s := range out {
		ir.ReplaceBodies(s, func(inner []ir.Stmt) []ir.Stmt { return w.ordered(inner, targets) })
	}
	return out
}

// stays reports that what an array is aligned with, which is not allocatable itself, is allocated
// anew between its allocation and its last use, which are in list.
func (w *settling) stays(a *ir.Allocate, list []ir.Stmt, targets map[*ir.Symbol]bool) {
	last := -1
	for i, s := range list {
		if uses(s, a.Sym) {
			last = i
		}
	}
	ir.Walk(list[:last+1], func(s ir.Stmt) bool {
		if b, ok := s.(*ir.Allocate); ok && !b.Free && targets[b.Sym] {
			w.l.errorf(codeOutside, b.Pos, "%s gets other bounds while %s, which is aligned with it, is in use", b.Sym.Source(), a.Sym.Source()).
				WithNote(a.Pos, "%s gets its place here", a.Sym.Source()).
				WithHelp("allocate %s before, or align %s with a template", b.Sym.Source(), a.Sym.Source())
		}
		return true
	})
}

// uses reports whether a statement, or one in it, reads, assigns or allocates s.
func uses(s ir.Stmt, sym *ir.Symbol) bool {
	found := false
	ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool {
		found = found || slices.Contains(ir.Assigned(s), sym)
		for _, e := range ir.Exprs(s) {
			ir.WalkExpr(e, func(e ir.Expr) bool {
				r, ok := e.(*ir.Ref)
				found = found || ok && r.Sym == sym
				return !found
			})
		}
		return !found
	})
	return found
}
