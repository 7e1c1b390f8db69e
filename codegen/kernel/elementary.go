package kernel

import (
	"math"
	"math/bits"

	e "github.com/spmdc/spmdc/runtime/elementary"
)

// The functions of this file are those of package elementary, operation for operation, so
// that vector code gives the same bits.

// functions are the functions by their operations.
var functions = map[Op]function{
	Exp:     {"Exp", []Type{F64}, builder.exp},
	Log:     {"Log", []Type{F64}, builder.log},
	Log10:   {"Log10", []Type{F64}, builder.log10},
	Sin:     {"Sin", []Type{F64}, builder.sin},
	Cos:     {"Cos", []Type{F64}, builder.cos},
	Tan:     {"Tan", []Type{F64}, builder.tan},
	Asin:    {"Asin", []Type{F64}, builder.asin},
	Acos:    {"Acos", []Type{F64}, builder.acos},
	Atan:    {"Atan", []Type{F64}, builder.atan},
	Atan2:   {"Atan2", []Type{F64, F64}, builder.atan2},
	Sinh:    {"Sinh", []Type{F64}, builder.sinh},
	Cosh:    {"Cosh", []Type{F64}, builder.cosh},
	Tanh:    {"Tanh", []Type{F64}, builder.tanh},
	Pow:     {"Pow", []Type{F64, F64}, builder.pow},
	Mod:     {"Mod", []Type{F64, F64}, builder.mod},
	Powi:    {"Powi", []Type{F64, I64}, builder.powi},
	PowHalf: {"PowHalf", []Type{F64, I64}, builder.powHalf},
}

// Quotient is x/by, cut off, or with rest what it leaves, of INTEGERs, by a number that is not
// 0, 1 or -1, and for I64 no larger than LargestDivisor.
//
// Vector code has no division of integers. That of I32 multiplies |x|+1/2 by the reciprocal: what is
// cut off there is at least 1/(2*by), which is far more than the rounding.
func (k *Kernel) Quotient(x *Node, by int, rest bool) *Node {
	op := Quo
	if rest {
		op = Rem
	}
	p := k.node(Node{Op: op, Type: x.Type, Args: []*Node{x}, N: by})
	if p.fast != nil {
		return p
	}
	switch size := max(by, -by); {
	case size&(size-1) == 0:
		p.fast = k.shifted(x, by, rest)
		return p
	case x.Type == I64:
		p.fast = k.longQuotient(x, by, rest)
		return p
	}
	y := k.Op(Conv, F64, x)
	y = k.Op(Add, F64, y, k.Op(CopySign, F64, k.Float(F64, 0.5), y))
	p.fast = k.Op(Conv, I32, k.Op(Mul, F64, y, k.Float(F64, 1/float64(by))))
	if rest {
		p.fast = k.Op(Sub, I32, x, k.Op(Mul, I32, p.fast, k.Int(I32, by)))
	}
	return p
}

// shifted is Quotient for a power of two, or one less its sign: a shift of x, or of what is as much
// nearer to zero as the shift is to cut off. The shift leaves the sign as it is: what comes in as a
// zero is made one by the difference.
func (k *Kernel) shifted(x *Node, by int, rest bool) *Node {
	t, size := x.Type, max(by, -by)
	up := k.Op(Select, t, k.Op(Lt, Mask, x, k.Int(t, 0)), k.Int(t, size-1), k.Int(t, 0))
	sum := k.Op(Add, t, x, up)
	if rest {
		return k.Op(Sub, t, k.Op(BitAnd, t, sum, k.Int(t, size-1)), up)
	}
	s := bits.TrailingZeros64(uint64(size))
	sign := k.Int(t, 1<<(8*t.size()-1-s))
	q := k.Op(Sub, t, k.Op(BitXor, t, k.Shift(Shr, sum, s), sign), sign)
	if by < 0 {
		q = k.Op(Neg, t, q)
	}
	return q
}

// LargestDivisor is the largest number, and less its sign the smallest one, that Quotient divides
// I64 by.
const LargestDivisor = 1 << 52

// longQuotient is Quotient of I64. The product of x and the reciprocal of by, as F64, is rounded three
// times, each time by 2**-53 of itself at most, and |x| is at most 2**63: it is wrong by less than
// e/|by|, where e is 3*2**10+1. With q as the product cut off, and the sign of x put aside, y = x-q*by
// is at least -e and less than |by|+e. What y is beyond 0 and |by| corrects q.
func (k *Kernel) longQuotient(x *Node, by int, rest bool) *Node {
	const e = 3<<10 + 1
	i := func(c int) *Node { return k.Int(I64, c) }
	op := func(o Op, x, y *Node) *Node { return k.Op(o, I64, x, y) }
	pick := func(m, x, y *Node) *Node { return k.Op(Select, I64, m, x, y) }
	less := k.Op(Lt, Mask, x, i(0))
	size := max(by, -by)
	q := k.Op(Conv, I64, k.Op(Mul, F64, k.Op(Conv, F64, x), k.Float(F64, 1/float64(by))))
	y := op(Sub, x, op(Mul, q, i(by)))
	y = pick(less, k.Op(Neg, I64, y), y)
	var more *Node // by how much the quotient is larger than q, but for its sign
	if size > e {
		under, over := k.Op(Lt, Mask, y, i(0)), k.Op(Ge, Mask, y, i(size))
		more = pick(under, i(-1), pick(over, i(1), i(0)))
		y = pick(under, op(Add, y, i(size)), pick(over, op(Sub, y, i(size)), y))
	} else {
		up := (e + size - 1) / size
		small := k.Op(Conv, I32, op(Add, y, i(up*size)))
		more = op(Sub, k.Op(Conv, I64, k.Quotient(small, size, false)), i(up))
		y = k.Op(Conv, I64, k.Quotient(small, size, true))
	}
	if rest {
		return pick(less, k.Op(Neg, I64, y), y)
	}
	minus := k.Op(Neg, I64, more)
	if by < 0 {
		more, minus = minus, more
	}
	return op(Add, q, pick(less, minus, more))
}

// builder makes operations on F64.
type builder struct{ *Kernel }

func (b builder) f(c float64) *Node             { return b.Float(F64, c) }
func (b builder) op(op Op, x ...*Node) *Node    { return b.Op(op, F64, x...) }
func (b builder) add(x, y *Node) *Node          { return b.op(Add, x, y) }
func (b builder) sub(x, y *Node) *Node          { return b.op(Sub, x, y) }
func (b builder) mul(x, y *Node) *Node          { return b.op(Mul, x, y) }
func (b builder) div(x, y *Node) *Node          { return b.op(Div, x, y) }
func (b builder) fma(x, y, z *Node) *Node       { return b.op(FMA, x, y, z) }
func (b builder) neg(x *Node) *Node             { return b.op(Neg, x) }
func (b builder) abs(x *Node) *Node             { return b.op(Abs, x) }
func (b builder) pick(m, x, y *Node) *Node      { return b.op(Select, m, x, y) }
func (b builder) is(op Op, x, y *Node) *Node    { return b.Op(op, Mask, x, y) }
func (b builder) both(x, y *Node) *Node         { return b.Op(And, Mask, x, y) }
func (b builder) not(x *Node) *Node             { return b.Op(Not, Mask, x) }
func (b builder) whole(op Op, x, y *Node) *Node { return b.Op(op, I64, x, y) }
func (b builder) i(c int) *Node                 { return b.Int(I64, c) }
func (b builder) double(x *Node) *Node          { return b.add(x, x) }

// terms is a polynomial in z, from the highest power.
func (b builder) terms(z *Node, list ...float64) *Node {
	p := b.f(list[0])
	for _, c := range list[1:] {
		p = b.fma(p, z, b.f(c))
	}
	return p
}

// power2 is 2**n for n in the lowest bits of an integer that is larger by less.
func (b builder) power2(n *Node, less int) *Node {
	return b.op(Bits, b.Shift(Shl, b.whole(Sub, n, b.i(less)), 52))
}

const shifterBits = 0x4338000000000000

// exponent is that of package elementary.
func (b builder) exponent(x, more *Node) (t, r, square *Node) {
	t = b.fma(x, b.f(1/math.Ln2), b.f(e.Shifter))
	k := b.sub(t, b.f(e.Shifter))
	high := b.fma(k, b.f(-e.Ln2High), x)
	low := b.fma(k, b.f(-e.Ln2Low), more)
	r = b.add(high, low)
	rest := b.add(b.sub(high, r), low)
	p := b.terms(r, 1.0/6227020800, 1.0/479001600, 1.0/39916800, 1.0/3628800, 1.0/362880, 1.0/40320, 1.0/5040, 1.0/720, 1.0/120, 1.0/24, 1.0/6, 0.5)
	return t, r, b.fma(b.mul(r, r), p, rest)
}

func (b builder) exponential(x, more *Node) *Node {
	x = b.pick(b.is(Gt, x, b.f(710)), b.f(710), x)
	x = b.pick(b.is(Lt, x, b.f(-746)), b.f(-746), x)
	t, m, less := b.exponent(x, more)
	n := b.whole(Sub, b.op2I(t), b.i(shifterBits-2048))
	half := b.Shift(Shr, n, 1)
	sum := b.add(b.f(1), m)
	y := b.add(sum, b.add(b.add(b.sub(b.f(1), sum), m), less))
	y = b.mul(y, b.power2(half, 1))
	return b.mul(y, b.power2(b.whole(Sub, n, half), 1))
}

// op2I is the bits of a float.
func (b builder) op2I(x *Node) *Node { return b.Op(Bits, I64, x) }

func (b builder) exp(x []*Node) (value, not *Node) { return b.exponential(x[0], b.f(0)), nil }

// split is that of package elementary.
func (b builder) split(x *Node) (k, f *Node) {
	const sqrtHalf = 0x3fe6a09e667f3bcd
	tiny := b.is(Lt, x, b.f(0x1p-1022))
	scaled := b.pick(tiny, b.mul(x, b.f(0x1p54)), x)
	less := b.pick(tiny, b.f(54), b.f(0))
	bits := b.op2I(scaled)
	n := b.Shift(Shr, b.whole(Add, bits, b.i(1024<<52-sqrtHalf)), 52)
	k = b.sub(b.sub(b.op(Bits, b.whole(BitOr, n, b.i(0x433<<52))), b.f(0x1p52+1024)), less)
	return k, b.sub(b.op(Bits, b.whole(Add, b.whole(Sub, bits, b.Shift(Shl, n, 52)), b.i(1024<<52))), b.f(1))
}

// logOf is y, the logarithm of a proper x, or what it is of others.
func (b builder) logOf(x, y *Node) *Node {
	proper := b.both(b.is(Gt, x, b.f(0)), b.is(Le, x, b.f(math.MaxFloat64)))
	other := b.pick(b.is(Lt, x, b.f(0)), b.f(math.NaN()), x)
	other = b.pick(b.is(Eq, x, b.f(0)), b.f(math.Inf(-1)), other)
	return b.pick(proper, y, other)
}

func (b builder) log(x []*Node) (value, not *Node) {
	k, f := b.split(x[0])
	s := b.div(f, b.add(b.f(2), f))
	z := b.mul(s, s)
	p := b.terms(z, 2.0/21, 2.0/19, 2.0/17, 2.0/15, 2.0/13, 2.0/11, 2.0/9, 2.0/7, 2.0/5, 2.0/3)
	h := b.mul(b.mul(b.f(0.5), f), f)
	v := b.fma(k, b.f(e.Ln2Low), b.mul(s, b.fma(p, z, h)))
	return b.logOf(x[0], b.fma(k, b.f(e.Ln2High), b.sub(f, b.sub(h, v)))), nil
}

func (b builder) logParts(x *Node) (high, low *Node) {
	k, f := b.split(x)
	d := b.add(b.f(2), f)
	moreD := b.sub(f, b.sub(d, b.f(2)))
	s := b.div(f, d)
	minus := b.neg(s)
	moreS := b.div(b.fma(minus, moreD, b.fma(minus, d, f)), d)
	z := b.mul(s, s)
	moreZ := b.fma(b.double(s), moreS, b.fma(s, s, b.neg(z)))
	q := b.mul(b.terms(z, 1.0/25, 1.0/23, 1.0/21, 1.0/19, 1.0/17, 1.0/15, 1.0/13, 1.0/11, 1.0/9, 1.0/7, 1.0/5), z)
	p := b.add(b.f(e.ThirdHigh), q)
	moreP := b.add(b.add(b.sub(b.f(e.ThirdHigh), p), q), b.f(e.ThirdLow))
	v := b.mul(z, p)
	moreV := b.fma(z, moreP, b.fma(moreZ, p, b.fma(z, p, b.neg(v))))
	w := b.mul(s, v)
	moreW := b.fma(s, moreV, b.fma(moreS, v, b.fma(s, v, b.neg(w))))
	u := b.add(s, w)
	moreU := b.add(b.add(b.sub(s, u), w), b.add(moreS, moreW))
	a, c := b.mul(k, b.f(e.Ln2High)), b.double(u)
	sum := b.add(a, c)
	rest := b.add(b.add(b.sub(a, sum), c), b.fma(k, b.f(e.Ln2Low), b.double(moreU)))
	high = b.add(sum, rest)
	return high, b.add(b.sub(sum, high), rest)
}

func (b builder) log10(x []*Node) (value, not *Node) {
	high, low := b.logParts(x[0])
	y := b.mul(high, b.f(e.PerTenHigh))
	more := b.add(b.fma(high, b.f(e.PerTenHigh), b.neg(y)), b.fma(high, b.f(e.PerTenLow), b.mul(low, b.f(e.PerTenHigh))))
	return b.logOf(x[0], b.add(y, more)), nil
}

func (b builder) pow(x []*Node) (value, not *Node) {
	high, low := b.logParts(x[0])
	p := b.mul(x[1], high)
	more := b.fma(x[1], low, b.fma(x[1], high, b.neg(p)))
	more = b.pick(b.is(Lt, b.abs(p), b.f(750)), more, b.f(0))
	proper := b.both(b.is(Gt, x[0], b.f(0)), b.is(Le, x[0], b.f(math.MaxFloat64)))
	return b.exponential(p, more), b.not(b.both(proper, b.is(Le, b.abs(x[1]), b.f(math.MaxFloat64))))
}

// powHalf is products and a square root, where that is no power that is too great or too
// small, nor one of what is negative, 0, or no number.
func (b builder) powHalf(args []*Node) (value, not *Node) {
	x, n := args[0], int(args[1].Bits)
	root := b.op(Sqrt, x)
	var y *Node
	for m := max(n, -n-1); m > 0; m >>= 1 {
		if m&1 != 0 && y == nil {
			y = x
		} else if m&1 != 0 {
			y = b.mul(y, x)
		}
		if m > 1 {
			x = b.mul(x, x)
		}
	}
	if y == nil {
		y = root
	} else {
		y = b.mul(y, root)
	}
	if n < 0 {
		y = b.div(b.f(1), y)
	}
	size := b.abs(y)
	return y, b.not(b.both(b.is(Ge, size, b.f(0x1p-1022)), b.is(Le, size, b.f(math.MaxFloat64))))
}

// mod is exact where the quotient is, or is too large by 1.
func (b builder) mod(args []*Node) (value, not *Node) {
	x, y := b.abs(args[0]), b.abs(args[1])
	q := b.div(x, y)
	r := b.fma(b.neg(b.Whole(Trunc, q)), y, x)
	r = b.pick(b.is(Lt, r, b.f(0)), b.add(r, y), r)
	easy := b.both(b.is(Lt, q, b.f(0x1p52)), b.is(Le, y, b.f(math.MaxFloat64)))
	return b.op(CopySign, r, args[0]), b.not(easy)
}

// powi is a power up to 31 by the products of Powi.
func (b builder) powi(args []*Node) (value, not *Node) {
	x, n := args[0], args[1]
	m := b.Op(Abs, I64, n)
	y := b.f(1)
	for bit := 1; bit <= 16; bit *= 2 {
		has := b.is(Ne, b.whole(BitAnd, m, b.i(bit)), b.i(0))
		if bit == 1 {
			y = b.pick(has, x, y)
		} else {
			y = b.pick(has, b.mul(y, x), y)
		}
		if bit < 16 {
			x = b.mul(x, x)
		}
	}
	below := b.is(Lt, n, b.i(0))
	return b.pick(below, b.div(b.f(1), y), y), b.not(b.both(b.is(Ge, m, b.i(0)), b.is(Lt, m, b.i(32))))
}
