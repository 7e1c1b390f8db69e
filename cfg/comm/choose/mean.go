package choose

import (
	"math"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// What a loop's bounds are, on average over the loops around. The bounds of
//
//	do k = 2, 2*n
//	   lo = max(0, k-n)
//	   hi = min(n, k)
//	   do i = lo, hi
//
// are no affine forms of k, but known well enough to tell some iterations from thousands.

// deepest is how far mean follows scalars to what they are assigned.
const deepest = 8

// value is about the value of a number that a program computes from the indices of the loops
// around, on average over these: that of a remainder is half of its divisor. It is not known
// where data decide it, or a scalar that is assigned in several places.
func (w *weigher) value(e ir.Expr) (float64, bool) { return w.valueIn(e, 0) }

func (w *weigher) valueIn(e ir.Expr, depth int) (float64, bool) {
	if f, ok := w.info.Affine(e); ok {
		return w.meanIn(f, depth)
	}
	switch e := e.(type) {
	case *ir.Const:
		if e.Typ.IsInteger() {
			return float64(e.Int), true
		}
	case *ir.Var:
		return w.scalar(e.Sym.Name, depth)
	case *ir.Conv:
		if e.Typ.IsInteger() {
			return w.valueIn(e.E, depth)
		}
	case *ir.Un:
		v, ok := w.valueIn(e.E, depth)
		switch e.Op {
		case ir.Neg:
			return -v, ok
		case ir.Group:
			return v, ok
		}
	case *ir.Bin:
		l, ok1 := w.valueIn(e.L, depth)
		r, ok2 := w.valueIn(e.R, depth)
		if !ok1 || !ok2 || !e.Typ.IsInteger() {
			return 0, false
		}
		switch e.Op {
		case ir.Add:
			return l + r, true
		case ir.Sub:
			return l - r, true
		case ir.Mul:
			return l * r, true
		case ir.Div:
			return math.Trunc(l / r), r != 0
		}
	case *ir.Call:
		return w.callValue(e, depth)
	}
	return 0, false
}

func (w *weigher) callValue(e *ir.Call, depth int) (float64, bool) {
	if !e.Typ.IsInteger() || len(e.Args) == 0 {
		return 0, false
	}
	switch e.Name {
	case "mod", "modulo":
		by, ok := w.valueIn(e.Args[1], depth)
		return math.Trunc(math.Abs(by) / 2), ok
	case "abs":
		v, ok := w.valueIn(e.Args[0], depth)
		return math.Abs(v), ok
	case "max", "min":
		best, ok := w.valueIn(e.Args[0], depth)
		for _, a := range e.Args[1:] {
			v, known := w.valueIn(a, depth)
			ok = ok && known
			if e.Name == "max" {
				best = max(best, v)
			} else {
				best = min(best, v)
			}
		}
		return best, ok
	}
	return 0, false
}

// meanIn is the value of f on average over the loops around.
func (w *weigher) meanIn(f linalg.Affine, depth int) (float64, bool) {
	sum := float64(f.C)
	for _, v := range f.Vars() {
		m, ok := w.means[v]
		if !ok {
			if m, ok = w.scalar(v, depth); !ok {
				return 0, false
			}
		}
		sum += float64(f.Coef(v)) * m
	}
	return sum, true
}

// scalar is about the value of a scalar that the program assigns in one place.
func (w *weigher) scalar(name string, depth int) (float64, bool) {
	if depth == deepest {
		return 0, false
	}
	if w.assigned == nil {
		w.assigned = assignedOnce(w.p.IR)
	}
	if e := w.assigned[name]; e != nil {
		return w.valueIn(e, depth+1)
	}
	return 0, false
}

// assignedOnce has what is assigned to each INTEGER scalar that one assignment, and nothing
// else, gives a value.
func assignedOnce(p *ir.Program) map[string]ir.Expr {
	once := map[string]ir.Expr{}
	ir.Walk(p.Body, func(s ir.Stmt) bool {
		for _, sym := range ir.Assigned(s) {
			_, twice := once[sym.Name]
			once[sym.Name] = nil
			if a, ok := s.(*ir.Assign); ok && !twice && !sym.IsArray() && sym.Type.IsInteger() {
				once[sym.Name] = a.RHS
			}
		}
		return true
	})
	return once
}
