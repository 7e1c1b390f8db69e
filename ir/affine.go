package ir

import "github.com/spmdc/spmdc/procfunc/linalg"

// Affine is the value of the INTEGER expression e as an affine form, given those of the
// variables in it; false if it is none, or may wrap on the way.
func Affine(e Expr, variable func(*Symbol) (linalg.Affine, bool)) (linalg.Affine, bool) {
	if c, ok := e.(*Conv); !e.Type().IsInteger() || ok && c.Typ != Long { // to Long no value changes
		return linalg.Affine{}, false
	}
	return AffineOf(e, variable, func(x Expr) (linalg.Affine, bool) { return Affine(x, variable) })
}

// AffineOf is the affine form of the INTEGER expression e, given those of variables and of its
// operands.
func AffineOf(e Expr, variable func(*Symbol) (linalg.Affine, bool), operand func(Expr) (linalg.Affine, bool)) (linalg.Affine, bool) {
	switch e := e.(type) {
	case *Const:
		return linalg.Const(int64(e.Int)), true
	case *Var:
		return variable(e.Sym)
	case *Conv: // of an INTEGER of another kind
		return operand(e.E)
	case *Un:
		x, ok := operand(e.E)
		switch {
		case !ok:
		case e.Op == Group:
			return x, true
		case e.Op == Neg:
			return x.Scale(-1)
		}
	case *Bin:
		x, okX := operand(e.L)
		y, okY := operand(e.R)
		switch {
		case !okX || !okY:
		case e.Op == Add:
			return x.Add(y)
		case e.Op == Sub:
			return x.Sub(y)
		case e.Op == Mul && x.IsConst():
			return y.Scale(x.C)
		case e.Op == Mul && y.IsConst():
			return x.Scale(y.C)
		case e.Op == Div && x.IsConst() && y.IsConst() && y.C != 0:
			return linalg.Const(x.C / y.C), true // truncated, as Fortran does
		}
	}
	return linalg.Affine{}, false
}
