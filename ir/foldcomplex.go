package ir

import (
	"github.com/spmdc/spmdc/runtime/elementary"
)

// complexFunctions are the functions of COMPLEX arguments by their generic names, as emitted
// programs call them: single is that of COMPLEX(4), double that of COMPLEX(8).
var complexFunctions = map[string]struct {
	single func(complex64) complex64
	double func(complex128) complex128
}{
	"conjg": {elementary.Conj64, elementary.Conj128},
	"exp":   {elementary.Exp64, elementary.Exp128}, "log": {elementary.Log64, elementary.Log128}, "sqrt": {elementary.Sqrt64, elementary.Sqrt128},
	"sin": {elementary.Sin64, elementary.Sin128}, "cos": {elementary.Cos64, elementary.Cos128}, "tan": {elementary.Tan64, elementary.Tan128},
	"sinh": {elementary.Sinh64, elementary.Sinh128}, "cosh": {elementary.Cosh64, elementary.Cosh128}, "tanh": {elementary.Tanh64, elementary.Tanh128},
	"asinh": {elementary.Asinh64, elementary.Asinh128}, "acosh": {elementary.Acosh64, elementary.Acosh128}, "atanh": {elementary.Atanh64, elementary.Atanh128},
	"asin": {elementary.Asin64, elementary.Asin128}, "acos": {elementary.Acos64, elementary.Acos128}, "atan": {elementary.Atan64, elementary.Atan128},
}

// complex is the value of a COMPLEX constant, single that of one of kind 4.
func (c *Const) complex() complex128 { return complex(c.Float, c.Imag) }
func (c *Const) single() complex64   { return complex64(c.complex()) }

// setComplex gives c a COMPLEX number, rounded.
func (c *Const) setComplex(z complex128) (fits bool) {
	fits = c.setFloat(imag(z))
	c.Imag = c.Float
	return c.setFloat(real(z)) && fits
}

// complexes is an operation on COMPLEX operands; the exponent of a power may be an INTEGER.
func (c *Const) complexes(op Op, x, y *Const) (fits, ok bool) {
	single := c.Typ == Complex
	switch {
	case op == Add:
		return c.setComplex(x.complex() + y.complex()), true
	case op == Sub:
		return c.setComplex(x.complex() - y.complex()), true
	case op == Mul && single:
		return c.setComplex(complex128(elementary.Mul64(x.single(), y.single()))), true
	case op == Mul:
		return c.setComplex(elementary.Mul128(x.complex(), y.complex())), true
	case op == Div && single:
		return c.setComplex(complex128(elementary.Div64(x.single(), y.single()))), true
	case op == Div:
		return c.setComplex(elementary.Div128(x.complex(), y.complex())), true
	case op != Pow:
		return false, false
	case y.Typ.IsInteger() && single:
		return c.setComplex(complex128(elementary.Powi64(x.single(), y.Int))), true
	case y.Typ.IsInteger():
		return c.setComplex(elementary.Powi128(x.complex(), y.Int)), true
	case single:
		return c.setComplex(complex128(elementary.Pow64(x.single(), y.single()))), true
	}
	return c.setComplex(elementary.Pow128(x.complex(), y.complex())), true
}

// ofComplex is a function of a COMPLEX argument.
func (c *Const) ofComplex(name string, x *Const) (fits, ok bool) {
	switch f := complexFunctions[name]; {
	case f.single != nil && c.Typ == Complex:
		return c.setComplex(complex128(f.single(x.single()))), true
	case f.double != nil:
		return c.setComplex(f.double(x.complex())), true
	case name == "real":
		return c.setFloat(x.Float), true
	case name == "aimag":
		return c.setFloat(x.Imag), true
	case name == "abs" && x.Typ == Complex:
		return c.setFloat(float64(elementary.Abs64(x.single()))), true
	case name == "abs":
		return c.setFloat(elementary.Abs128(x.complex())), true
	}
	return false, false
}
