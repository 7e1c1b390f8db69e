package transform

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
)

// Bounds of the search for arrays of known contents: elements of an array, statements that
// are executed to fill all of them, and pieces in which the contents are affine.
const (
	maxElements = 100_000
	maxFill     = 1_000_000
	maxRuns     = 4
)

// run is a part of an array: element k is slope*k + offset for lo <= k <= hi.
type run struct{ lo, hi, slope, offset int }

// filled is an array of known contents: those that it has behind the statement of the main
// program that fills it last.
type filled struct {
	runs []run
	last int // position of that statement
}

// known are the contents of the array of r, a reference in the program, where they are known: of an INTEGER array of one
// dimension of which every PE has a copy, and which is filled once, by statements whose effect does not depend on
// anything that the run time knows.
func (a *Analysis) known(r *ir.Ref) ([]run, bool) {
	if !candidate(r.Sym) {
		return nil, false
	}
	if a.contents == nil {
		a.contents = fill(a.program)
		a.under = map[ir.Expr]int{}
		for at, s := range a.program.Body {
			ir.WalkExprs([]ir.Stmt{s}, func(_ ir.Stmt, e ir.Expr) bool {
				if _, ok := e.(*ir.Ref); ok {
					a.under[e] = at
				}
				return true
			})
		}
	}
	c, ok := a.contents[r.Sym]
	at, is := a.under[r]
	if !ok || !is || at <= c.last {
		return nil, false
	}
	return c.runs, true
}

func candidate(s *ir.Symbol) bool {
	return s.Type.IsInteger() && len(s.Dims) == 1 && !s.Distributed() && !s.Coarray && s.Dims[0].Extent() > 0 && s.Dims[0].Extent() <= maxElements
}

// filler executes the statements that fill arrays.
type filler struct {
	scalars map[*ir.Symbol]*ir.Const
	arrays  map[*ir.Symbol][]*ir.Const // nil: not known any more
	left    int                        // statements
}

// fill finds the arrays of known contents of p.
func fill(p *ir.Program) map[*ir.Symbol]*filled {
	f := &filler{scalars: map[*ir.Symbol]*ir.Const{}, arrays: map[*ir.Symbol][]*ir.Const{}, left: maxFill}
	subscripts := map[*ir.Symbol]bool{}
	ir.WalkExprs(p.Body, func(_ ir.Stmt, e ir.Expr) bool {
		if r, ok := e.(*ir.Ref); ok {
			subscripts[r.Sym] = true
		}
		return true
	})
	for _, s := range p.Symbols {
		if c, ok := s.Init.(*ir.Const); ok && !s.IsArray() {
			f.scalars[s] = c
		}
		if candidate(s) && subscripts[s] && s.Init == nil && s.Values == nil && !allocated(p, s) {
			f.arrays[s] = make([]*ir.Const, s.Dims[0].Extent())
		}
	}
	last := map[*ir.Symbol]int{}
	for at, s := range p.Body {
		changed := modified(s)
		fills := slices.ContainsFunc(changed, func(sym *ir.Symbol) bool { return f.arrays[sym] != nil })
		_, plain := s.(*ir.Assign)
		if (!fills && !plain) || !f.stmt(s) {
			f.forget(changed)
		}
		for _, sym := range changed {
			last[sym] = at
		}
	}
	found := map[*ir.Symbol]*filled{}
	for sym, values := range f.arrays {
		if runs := pieces(values, sym.Dims[0].Lo); runs != nil {
			found[sym] = &filled{runs: runs, last: last[sym]}
		}
	}
	return found
}

// modified are the variables that s may change, with those in statements inside.
func modified(s ir.Stmt) (list []*ir.Symbol) {
	ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool {
		list = append(list, ir.Assigned(s)...)
		return true
	})
	return list
}

func (f *filler) forget(list []*ir.Symbol) {
	for _, sym := range list {
		delete(f.scalars, sym)
		delete(f.arrays, sym)
	}
}

func (f *filler) block(list []ir.Stmt) bool {
	for _, s := range list {
		if !f.stmt(s) {
			return false
		}
	}
	return true
}

// stmt executes s; false: what s changes is not known.
func (f *filler) stmt(s ir.Stmt) bool {
	if f.left--; f.left < 0 {
		return false
	}
	switch s := s.(type) {
	case *ir.Assign:
		return f.assign(s)
	case *ir.If:
		c := f.value(s.Cond)
		if c == nil {
			return false
		}
		if c.Bool {
			return f.block(s.Then)
		}
		return f.block(s.Else)
	case *ir.Do:
		lo, hi, step := f.value(s.Lo), f.value(s.Hi), f.value(s.Step)
		if lo == nil || hi == nil || step == nil || step.Int == 0 {
			return false
		}
		i := lo.Int
		for ; step.Int > 0 && i <= hi.Int || step.Int < 0 && i >= hi.Int; i += step.Int {
			f.scalars[s.Index] = &ir.Const{X: ir.X{Typ: s.Index.Type}, Int: i}
			if !f.block(s.Body) {
				return false
			}
		}
		f.scalars[s.Index] = &ir.Const{X: ir.X{Typ: s.Index.Type}, Int: i}
		return true
	}
	return false
}

// assign stores a value, if it is known, in a scalar or an array that is looked at.
func (f *filler) assign(s *ir.Assign) bool {
	switch l := s.LHS.(type) {
	case *ir.Var:
		if c := f.value(s.RHS); c != nil {
			f.scalars[l.Sym] = c
		} else {
			delete(f.scalars, l.Sym)
		}
		return true
	case *ir.Ref:
		values := f.arrays[l.Sym]
		if values == nil {
			delete(f.arrays, l.Sym)
			return true
		}
		at, c := f.place(l), f.value(s.RHS)
		if at < 0 || c == nil {
			return false
		}
		values[at] = c
		return true
	}
	return false
}

// place is the position of r in its array; -1 if it is not known, or outside.
func (f *filler) place(r *ir.Ref) int {
	c := f.value(r.Subs[0])
	if c == nil || c.Int < r.Sym.Dims[0].Lo || c.Int > r.Sym.Dims[0].Hi {
		return -1
	}
	return c.Int - r.Sym.Dims[0].Lo
}

// value is the value of e; nil if it is not known.
func (f *filler) value(e ir.Expr) *ir.Const {
	c, fits := ir.Evaluate(e, func(e ir.Expr) *ir.Const {
		switch e := e.(type) {
		case *ir.Var:
			return f.scalars[e.Sym]
		case *ir.Ref:
			if values := f.arrays[e.Sym]; values != nil {
				if at := f.place(e); at >= 0 {
					return values[at]
				}
			}
		}
		return nil
	})
	if !fits {
		return nil
	}
	return c
}

// pieces are the runs of values, of which the first has the subscript lo; nil if they are too many, or a value is not known.
func pieces(values []*ir.Const, lo int) (runs []run) {
	for _, c := range values {
		if c == nil {
			return nil
		}
	}
	for k := 0; k < len(values); {
		if len(runs) == maxRuns {
			return nil
		}
		end, slope := k, 0
		if k+1 < len(values) {
			slope = values[k+1].Int - values[k].Int
			for end+1 < len(values) && values[end+1].Int-values[end].Int == slope {
				end++
			}
			if end < k+2 && slope != 1 { // two elements always are in line
				end, slope = k, 0
			}
		}
		runs = append(runs, run{lo + k, lo + end, slope, values[k].Int - slope*(lo+k)})
		k = end + 1
	}
	return runs
}

// allocated reports whether the run time knows the ends of s.
func allocated(p *ir.Program, s *ir.Symbol) bool {
	found := false
	ir.Walk(p.Body, func(x ir.Stmt) bool {
		a, ok := x.(*ir.Allocate)
		found = found || ok && a.Sym == s
		return !found
	})
	return found
}
