package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// Allocation on assignment: where a whole allocatable array is assigned an array of
// another shape, or is not allocated, it is allocated anew.
//
//	a = b      if (.not. a_allocated .or. size(b) /= size(a)) then ... allocate (a)
//	           a(i) = b(i) in a loop
//
// A right side that reads the array is evaluated into another one first.

// regrow lowers what an assignment to allocatable array s does in front; staged is where
// the value is then, nil if it is still to be evaluated, and s changes to what is left to
// do. ok is false after an error.
func (l *lowerer) regrow(s *ast.Assign, sym *ir.Symbol, pre *[]ir.Stmt) (staged *argument, ok bool) {
	a, pos := l.allocs[sym], s.Pos
	if l.firstPart(s.RHS) == nil {
		return nil, true // a scalar: the array has its shape
	}
	if s.RHS = l.shaped(s.RHS, pre); s.RHS == nil {
		return nil, false
	}
	lo, n, ok := l.shapeOf(s.RHS, pre)
	if !ok || l.phantom {
		return nil, ok
	}
	have := l.shapes[sym].n
	if len(n) != len(have) {
		return nil, true // told when the elements are assigned
	}
	var differ ir.Expr
	compare := func(x, y ir.Expr) {
		if ir.Same(x, y) {
			return
		}
		d := l.bin(ir.Ne, ir.Clone(x), ir.Clone(y), pos, pos)
		if differ == nil {
			differ = d
		} else {
			differ = l.bin(ir.Or, differ, d, pos, pos)
		}
	}
	for k := range n {
		compare(n[k], have[k])
	}
	if s.Anew {
		for k := range lo {
			compare(lo[k], l.shapes[sym].lo[k])
		}
	}
	if differ == nil {
		return nil, true // it is as large as itself
	}
	if l.reads(s.RHS, sym) {
		like := &argument{pos: pos, typ: sym.Type, name: sym.Source(), view: l.views[sym], shape: &shape{lo: lo, n: n}}
		staged = l.arrayTemp(like, pos, pre)
		if !l.assignAll(s, staged, pre) {
			return nil, false
		}
		n = staged.shape.n // which the new bounds of sym do not change
	}
	absent := l.bin(ir.Or, &ir.Un{X: ir.X{Pos: pos, Typ: ir.Logical}, Op: ir.Not, E: varOf(a.flag, pos)}, differ, pos, pos)
	then, lower := l.allocated(sym, a, lo, n, pos)
	when := &ir.If{S: ir.S{Pos: pos}, Cond: absent, Then: then}
	if lower && s.Anew {
		l.again.vary[sym.Source()] = true
	}
	if l.pointers[sym] == nil { // else its bounds are in its descriptor, and no ends
		l.regrown = append(l.regrown, regrown{when, sym, differ, lower})
	}
	*pre = append(*pre, when)
	return staged, true
}

// reads reports whether e mentions s.
func (l *lowerer) reads(e ast.Expr, s *ir.Symbol) bool {
	return ast.Any(e, func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.Ident:
			return l.lookup(e.Name) == s
		case *ast.Index:
			return l.lookup(e.Name) == s || l.functionOf(e) != nil // a function may read anything
		case *ast.CoIndex, *ast.Array, *ast.Complex:
			return true
		}
		return false
	})
}

// lows finds the lower bounds of allocatable arrays that are the same constants wherever
// ALLOCATE names them. Where an array turns out to get others, from what is assigned to it or from
// SOURCE=, the program is lowered again, and then those of this array are variables.
type lows struct {
	byName map[string][]low // per dimension
	all    []low            // of all names
	united bool             // arrays may be known by several names
	vary   map[string]bool  // of these they are variables
}

// low is what is known of the lower bound of a dimension.
type low struct {
	set, varies bool
	at          int
}

func (a *low) meet(at int, known bool) {
	switch {
	case !known || a.set && a.at != at:
		a.varies = true
	default:
		a.at = at
	}
	a.set = true
}

// of is the lower bound, from the first dimension on, nil where it varies.
func (w *lows) of(name string, k int, pos source.Pos) ir.Expr {
	if w.vary[name] {
		return nil
	}
	list := w.byName[name]
	if w.united {
		list = w.all
	}
	switch {
	case k >= len(list) || !list[k].set:
		return intConstOf(ir.Integer, 1, pos)
	case list[k].varies || ir.Integer.Wrap(list[k].at) != list[k].at:
		return nil
	}
	return intConstOf(ir.Integer, list[k].at, pos)
}

func (w *lows) meet(name string, k, at int, known bool) {
	for len(w.byName[name]) <= k {
		w.byName[name] = append(w.byName[name], low{})
	}
	for len(w.all) <= k {
		w.all = append(w.all, low{})
	}
	w.byName[name][k].meet(at, known)
	w.all[k].meet(at, known)
}

// findLows looks at all of a file.
func findLows(f *ast.File, vary map[string]bool) *lows {
	w := &lows{byName: map[string][]low{}, vary: vary}
	for u := range f.Units() {
		args := map[string]bool{}
		for _, a := range u.Args {
			args[a.Name] = true
		}
		for _, s := range u.Spec {
			switch s := s.(type) {
			case *ast.TypeDecl:
				for _, e := range s.Entities {
					w.united = w.united || s.Allocatable && args[e.Name]
				}
			case *ast.AllocatableStmt:
				for _, e := range s.Entities {
					w.united = w.united || args[e.Name]
				}
			}
		}
		ast.Each(u.Body, func(s ast.Stmt) {
			switch s := s.(type) {
			case *ast.Allocate:
				w.statement(s)
			case *ast.Call:
				w.united = w.united || s.Proc.Name == "move_alloc"
			}
		})
	}
	return w
}

// statement takes the bounds of an ALLOCATE.
func (w *lows) statement(s *ast.Allocate) {
	if s.Free {
		return
	}
	for _, e := range s.Args {
		if co, ok := e.(*ast.CoIndex); ok {
			e = co.Base
		}
		switch e := e.(type) {
		case *ast.Substring:
			at, known := literal(e.Lo)
			w.meet(nameOf(e), 0, at, known || e.Lo == nil)
		case *ast.Index:
			for k, b := range e.Args {
				at, known := 1, true
				if t, is := b.(*ast.Triplet); is && t.Lo != nil {
					at, known = literal(t.Lo)
				}
				w.meet(e.Name, k, at, known)
			}
		}
	}
}

// literal is the value of an integer as written; nil stands for 1.
func literal(e ast.Expr) (int, bool) {
	switch e := e.(type) {
	case nil:
		return 1, true
	case *ast.IntLit:
		n := 0
		for _, c := range e.Text {
			if n = n*10 + int(c-'0'); n > 1<<30 {
				return 0, false
			}
		}
		return n, true
	case *ast.Unary:
		n, ok := literal(e.X)
		return -n, ok && e.Op == "-"
	}
	return 0, false
}
