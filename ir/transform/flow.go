package transform

import (
	"github.com/spmdc/spmdc/ir"
)

// exposes reports whether s may use a value of scalar sym that it did not
// assign itself. It is true when in doubt.
func exposes(s ir.Stmt, sym *ir.Symbol) bool {
	e := &exposure{sym: sym}
	e.stmt(s, false)
	return e.found
}

// surelyAssigns reports whether s assigns all of scalar sym whenever it is
// executed to its end. It is false when in doubt.
func surelyAssigns(s ir.Stmt, sym *ir.Symbol) bool {
	e := &exposure{sym: sym}
	return e.stmt(s, false)
}

// exposure walks forward and looks for a use of sym before its assignment.
type exposure struct {
	sym   *ir.Symbol
	found bool
}

func (e *exposure) use(x ir.Expr, assigned bool) {
	if !assigned && ir.Mentions(x, e.sym) {
		e.found = true
	}
}

func (e *exposure) block(body []ir.Stmt, assigned bool) bool {
	for _, s := range body {
		assigned = e.stmt(s, assigned)
	}
	return assigned
}

// stmt returns whether sym is assigned behind s. Behind an EXIT or CYCLE
// nothing runs, so what is said there does not matter; the loop itself counts
// as passed by.
func (e *exposure) stmt(s ir.Stmt, assigned bool) bool {
	switch s := s.(type) {
	case *ir.Assign:
		e.use(s.RHS, assigned)
		if v, ok := s.LHS.(*ir.Var); ok {
			return assigned || v.Sym == e.sym
		}
		e.use(s.LHS, assigned) // subscripts; of a substring also the rest
	case *ir.If:
		e.use(s.Cond, assigned)
		then := e.block(s.Then, assigned)
		return e.block(s.Else, assigned) && then
	case *ir.Do:
		for _, x := range ir.Exprs(s) {
			e.use(x, assigned)
		}
		assigned = assigned || s.Index == e.sym
		e.block(s.Body, assigned)
	case *ir.While:
		e.use(s.Cond, assigned)
		e.block(s.Body, assigned)
	default:
		for _, x := range ir.Exprs(s) {
			e.use(x, assigned)
		}
		if r, ok := s.(*ir.Read); ok {
			for _, v := range r.Items {
				e.use(v, assigned) // a null value leaves it
			}
		}
	}
	return assigned
}

// mentions reports whether s, or a statement inside, uses or assigns sym.
func mentions(s ir.Stmt, sym *ir.Symbol) bool {
	found := false
	ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool {
		for _, x := range ir.Exprs(s) {
			found = found || ir.Mentions(x, sym)
		}
		if d, ok := s.(*ir.Do); ok {
			found = found || d.Index == sym
		}
		return !found
	})
	return found
}
