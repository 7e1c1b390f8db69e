package ir

import (
	"cmp"
	"math"
	"strings"

	"github.com/spmdc/spmdc/runtime/elementary"
)

// Compute is the value of an operation, a conversion or a call whose operands are the
// constants args, as emitted programs compute it, to the bit. ok tells whether there is
// one; fits is false for an INTEGER that overflows, which is wrapped, and for what is no
// finite number.
func Compute(e Expr, args []*Const) (c *Const, fits, ok bool) {
	c = &Const{X: X{Pos: e.Position(), Typ: e.Type()}}
	switch e := e.(type) {
	case *Un:
		fits, ok = c.unary(e.Op, args[0])
	case *Conv:
		fits, ok = c.convert(args[0])
	case *Bin:
		fits, ok = c.binary(e.Op, args[0], args[1])
	case *Call:
		fits, ok = c.call(e.Name, args)
	}
	return c, fits, ok
}

// setInt gives c an INTEGER, wrapped.
func (c *Const) setInt(n int) (fits bool) {
	c.Int = c.Typ.Wrap(n)
	return c.Int == n
}

// setFloat gives c a real, rounded.
func (c *Const) setFloat(f float64) (fits bool) {
	c.Float = c.Typ.Round(f)
	return !math.IsNaN(c.Float) && !math.IsInf(c.Float, 0)
}

// Round is a number rounded to the precision of a real type.
func (t Type) Round(f float64) float64 {
	if t.Part() == Real {
		return float64(float32(f))
	}
	return f
}

func (c *Const) unary(op Op, x *Const) (fits, ok bool) {
	switch {
	case op == Group:
		pos := c.Pos
		*c = *x
		c.Pos = pos
	case op == Not:
		c.Bool = !x.Bool
	case op == Neg && c.Typ.IsInteger():
		return c.setInt(-x.Int) && (x.Int != -x.Int || x.Int == 0), true
	case op == Neg:
		c.Float = -x.Float
		if c.Typ.IsComplex() {
			c.Imag = -x.Imag
		}
	default:
		return false, false
	}
	return true, true
}

func (c *Const) convert(x *Const) (fits, ok bool) {
	switch {
	case x.Typ.IsInteger() && c.Typ.IsInteger():
		return c.setInt(x.Int), true
	case x.Typ.IsInteger() && c.Typ == Real:
		return c.setFloat(float64(float32(x.Int))), true
	case x.Typ.IsInteger() && c.Typ.IsReal():
		return c.setFloat(float64(x.Int)), true
	case x.Typ.IsReal() && c.Typ.IsReal():
		return c.setFloat(x.Float), true
	case x.Typ.IsReal() && c.Typ.IsInteger():
		return c.truncate(x.Float)
	case x.Typ.IsComplex() && c.Typ.IsComplex():
		return c.setComplex(x.complex()), true
	}
	return false, false
}

// truncate gives c a real without its fraction.
func (c *Const) truncate(f float64) (fits, ok bool) {
	if !(math.Abs(f) < 1<<63) {
		return false, false
	}
	return c.setInt(int(f)), true
}

func (c *Const) binary(op Op, x, y *Const) (fits, ok bool) {
	switch {
	case op >= Eq && op <= Ge:
		return true, x.Typ == y.Typ && c.compare(op, x, y)
	case op == Concat:
		c.Str = x.Str + y.Str
		return true, true
	case c.Typ.IsLogical():
		return true, c.logical(op, x.Bool, y.Bool)
	case c.Typ.IsInteger() && x.Typ.IsInteger() && y.Typ.IsInteger():
		return c.integer(op, x.Int, y.Int)
	case c.Typ.IsReal() && x.Typ.IsReal() && (op == Pow || y.Typ.IsReal()):
		return c.real(op, x.Float, y)
	case c.Typ.IsComplex() && x.Typ == c.Typ && (y.Typ == c.Typ || op == Pow && y.Typ.IsInteger()):
		return c.complexes(op, x, y)
	}
	return false, false
}

func (c *Const) logical(op Op, x, y bool) (ok bool) {
	switch op {
	case And:
		c.Bool = x && y
	case Or:
		c.Bool = x || y
	case Eqv:
		c.Bool = x == y
	case Neqv:
		c.Bool = x != y
	default:
		return false
	}
	return true
}

// compare compares two constants of one type; CHARACTER values are padded with blanks to
// equal length.
func (c *Const) compare(op Op, x, y *Const) (ok bool) {
	var order int
	switch {
	case x.Typ.IsInteger():
		order = cmp.Compare(x.Int, y.Int)
	case x.Typ == Character:
		n := max(len(x.Str), len(y.Str))
		order = strings.Compare(padded(x.Str, n), padded(y.Str, n))
	case x.Typ.IsReal():
		a, b := x.Typ.Round(x.Float), y.Typ.Round(y.Float)
		if math.IsNaN(a) || math.IsNaN(b) {
			c.Bool = op == Ne
			return true
		}
		order = cmp.Compare(a, b)
	case x.Typ.IsComplex() && op <= Ne:
		c.Bool = (x.complex() == y.complex()) == (op == Eq)
		return true
	default:
		return false
	}
	switch op {
	case Eq:
		c.Bool = order == 0
	case Ne:
		c.Bool = order != 0
	case Lt:
		c.Bool = order < 0
	case Le:
		c.Bool = order <= 0
	case Gt:
		c.Bool = order > 0
	case Ge:
		c.Bool = order >= 0
	}
	return true
}

// padded is a text with blanks up to a length.
func padded(s string, n int) string { return s + strings.Repeat(" ", n-len(s)) }

func (c *Const) integer(op Op, x, y int) (fits, ok bool) {
	n := 0
	fits = true
	switch op {
	case Add:
		n = x + y
		fits = (n > x) == (y > 0)
	case Sub:
		n = x - y
		fits = (n < x) == (y > 0)
	case Mul:
		n, fits = multiply(x, y)
	case Div:
		if y == 0 || x == math.MinInt && y == -1 {
			return false, false
		}
		n = x / y
	case Pow:
		if x == 0 && y < 0 {
			return false, false
		}
		n, fits = power(x, y)
	default:
		return false, false
	}
	return c.setInt(n) && fits, true
}

// multiply is a*b, wrapped if it does not fit.
func multiply(a, b int) (n int, fits bool) {
	n = a * b
	return n, a == 0 || n/a == b && (a != -1 || b != math.MinInt)
}

// power is a**b with Fortran's meaning for negative b (1/a**-b, truncated).
func power(a, b int) (n int, fits bool) {
	switch {
	case a == 1 || b == 0:
		return 1, true
	case a == -1:
		return 1 - 2*(b&1), true
	case b < 0 || a == 0:
		return 0, true
	}
	n, fits = 1, b < 64 // |a| >= 2
	for square := a; b > 0; b >>= 1 {
		ok := true
		if b&1 != 0 {
			n, ok = multiply(n, square)
			fits = fits && ok
		}
		if b > 1 {
			square, ok = multiply(square, square)
			fits = fits && ok
		}
	}
	return n, fits
}

func (c *Const) real(op Op, x float64, y *Const) (fits, ok bool) {
	switch op {
	case Add:
		return c.setFloat(x + y.Float), true
	case Sub:
		return c.setFloat(x - y.Float), true
	case Mul:
		return c.setFloat(x * y.Float), true
	case Div:
		return c.setFloat(x / y.Float), true
	case Pow:
		switch n, half := HalfPower(y); {
		case half:
			return c.setFloat(elementary.PowHalf(x, n)), true
		case y.Typ.IsReal():
			return c.setFloat(elementary.Pow(x, y.Float)), true
		case c.Typ == Real:
			return c.setFloat(float64(elementary.Powi(float32(x), y.Int))), true
		}
		return c.setFloat(elementary.Powi(x, y.Int)), true
	}
	return false, false
}
