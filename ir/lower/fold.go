package lower

import (
	"cmp"
	"math"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
)

// foldUnary returns the constant that u is, or u.
func (l *lowerer) foldUnary(u *ir.Un) ir.Expr {
	c, ok := u.E.(*ir.Const)
	if !ok {
		return u
	}
	out := &ir.Const{X: u.X, Int: -c.Int, Float: -c.Float, Bool: !c.Bool}
	switch u.Typ {
	case ir.Integer, ir.Long:
		out.Float, out.Bool = 0, false
		if c.Int != 0 && out.Int == c.Int || u.Typ.Wrap(out.Int) != out.Int {
			l.errorf(codeOverflow, u.Pos, "the constant -(%s) does not fit in INTEGER(%d)", ir.ExprString(c), kindOf(u.Typ))
			return bad(u.Pos)
		}
	case ir.Logical:
		out.Int, out.Float = 0, 0
	default:
		out.Int, out.Bool = 0, false
	}
	return out
}

// foldBinary returns the constant that b is, or b. An INTEGER division by the
// constant 0 is an error, whatever is divided.
func (l *lowerer) foldBinary(b *ir.Bin, opPos source.Pos) ir.Expr {
	x, okX := b.L.(*ir.Const)
	y, okY := b.R.(*ir.Const)
	if b.Op == ir.Div && okY && y.Int == 0 && y.Float == 0 && (okX || y.Typ.IsInteger()) {
		l.errorf(codeOverflow, opPos, "division by zero").
			WithHelp("check the divisor, the constant %s", ir.ExprString(y))
		return bad(b.Pos)
	}
	if !okX || !okY {
		return b
	}
	out := &ir.Const{X: b.X}
	switch b.Op {
	case ir.Concat:
		if len(x.Str)+len(y.Str) > maxText {
			return b // formed at run time
		}
		out.Str = x.Str + y.Str
	case ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Pow:
		if b.Typ.IsInteger() {
			return l.foldInteger(out, b, x, y, opPos)
		}
		return l.foldReal(out, b, x, y, opPos)
	case ir.And:
		out.Bool = x.Bool && y.Bool
	case ir.Or:
		out.Bool = x.Bool || y.Bool
	case ir.Eqv:
		out.Bool = x.Bool == y.Bool
	case ir.Neqv:
		out.Bool = x.Bool != y.Bool
	default:
		out.Bool = compares(b.Op, order(x, y))
	}
	return out
}

// order compares two constants of equal type as cmp.Compare does; CHARACTER
// operands are padded with blanks to equal length. The constants hold no NaN.
func order(x, y *ir.Const) int {
	switch x.Typ {
	case ir.Integer, ir.Long:
		return cmp.Compare(x.Int, y.Int)
	case ir.Character:
		n := max(len(x.Str), len(y.Str))
		return strings.Compare(pad(x.Str, n), pad(y.Str, n))
	}
	return cmp.Compare(x.Float, y.Float)
}

// compares is the value of a comparison whose operands are ordered so.
func compares(op ir.Op, order int) bool {
	switch op {
	case ir.Eq:
		return order == 0
	case ir.Ne:
		return order != 0
	case ir.Lt:
		return order < 0
	case ir.Le:
		return order <= 0
	case ir.Gt:
		return order > 0
	}
	return order >= 0
}

func (l *lowerer) foldInteger(out *ir.Const, b *ir.Bin, x, y *ir.Const, opPos source.Pos) ir.Expr {
	n, ok := 0, true
	switch b.Op {
	case ir.Add:
		n = x.Int + y.Int
		ok = (n > x.Int) == (y.Int > 0)
	case ir.Sub:
		n = x.Int - y.Int
		ok = (n < x.Int) == (y.Int > 0)
	case ir.Mul:
		n, ok = mul(x.Int, y.Int)
	case ir.Div:
		n, ok = x.Int/y.Int, x.Int != math.MinInt || y.Int != -1
	case ir.Pow:
		if x.Int == 0 && y.Int < 0 {
			l.errorf(codeOverflow, opPos, "division by zero: 0 to a negative power")
			return bad(b.Pos)
		}
		n, ok = power(x.Int, y.Int)
	}
	if !ok || b.Typ.Wrap(n) != n {
		d := l.errorf(codeOverflow, opPos, "the constant %s %s %s does not fit in INTEGER(%d)", ir.ExprString(x), b.Op, ir.ExprString(y), kindOf(b.Typ))
		if b.Typ == ir.Integer {
			d.WithHelp("use kind 8, as in %d_8, or real numbers", x.Int)
		}
		return bad(b.Pos)
	}
	out.Int = n
	return out
}

// kindOf is the kind of an INTEGER type.
func kindOf(t ir.Type) int {
	if t == ir.Long {
		return 8
	}
	return 4
}

// mul is a*b, or false on overflow.
func mul(a, b int) (int, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	n := a * b
	return n, n/b == a && (a != -1 || b != math.MinInt) && (b != -1 || a != math.MinInt)
}

// power is a**b with Fortran's meaning for negative b (1/a**-b, truncated), or
// false on overflow.
func power(a, b int) (int, bool) {
	switch {
	case a == 1 || b == 0:
		return 1, true
	case a == -1:
		return 1 - 2*(b&1), true
	case b < 0 || a == 0:
		return 0, true
	}
	n, ok := 1, true
	for ; b > 0; b-- { // |a| >= 2, so that this ends by overflow within 64 steps
		if n, ok = mul(n, a); !ok {
			return 0, false
		}
	}
	return n, true
}

func (l *lowerer) foldReal(out *ir.Const, b *ir.Bin, x, y *ir.Const, opPos source.Pos) ir.Expr {
	var f float64
	switch b.Op {
	case ir.Add:
		f = x.Float + y.Float
	case ir.Sub:
		f = x.Float - y.Float
	case ir.Mul:
		f = x.Float * y.Float
	case ir.Div:
		f = x.Float / y.Float
	case ir.Pow:
		switch n, half := ir.HalfPower(y); {
		case half:
			f = powHalf(x.Float, n)
		case !y.Typ.IsInteger():
			f = math.Pow(x.Float, y.Float)
		case b.Typ == ir.Real:
			f = float64(powi(float32(x.Float), y.Int))
		default:
			f = powi(x.Float, y.Int)
		}
	}
	f = roundTo(b.Typ, f)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		l.errorf(codeOverflow, opPos, "the constant %s %s %s is not a number of %s", ir.ExprString(x), b.Op, ir.ExprString(y), b.Typ)
		return bad(b.Pos)
	}
	out.Float = f
	return out
}

// powHalf is spmd.PowHalf.
func powHalf(x float64, n int) float64 {
	r := powi(x, max(n, -n-1)) * math.Sqrt(x)
	if n < 0 {
		r = 1 / r
	}
	if a := math.Abs(r); a >= 0x1p-1022 && a <= math.MaxFloat64 {
		return r
	}
	return math.Pow(x, float64(n)+0.5)
}

// powi is x**n with the roundings of the run time.
func powi[F float32 | float64](x F, n int) F {
	y := F(1)
	for m := max(n, -n); m > 0; m >>= 1 {
		if m&1 != 0 {
			y *= x
		}
		x *= x
	}
	if n < 0 {
		return 1 / y
	}
	return y
}
