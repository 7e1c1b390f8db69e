package kernel

import (
	"math"

	e "github.com/spmdc/spmdc/runtime/elementary"
)

// reduce is that of package elementary, but for what is beyond Farthest.
func (b builder) reduce(x *Node) (n, r, low, not *Node) {
	t := b.fma(x, b.f(2/math.Pi), b.f(e.Shifter))
	k := b.sub(t, b.f(e.Shifter))
	first := b.fma(k, b.f(-e.HalfPiHigh), x)
	p := b.mul(k, b.f(e.HalfPiMid))
	pl := b.fma(k, b.f(e.HalfPiMid), b.neg(p))
	s := b.sub(first, p)
	c := b.sub(s, first)
	lost := b.sub(b.sub(first, b.sub(s, c)), b.add(p, c))
	l := b.fma(k, b.f(e.HalfPiLow), b.sub(pl, lost))
	r = b.sub(s, l)
	return b.op2I(t), r, b.sub(l, b.sub(s, r)), b.not(b.is(Le, b.abs(x), b.f(e.Farthest)))
}

func (b builder) sine(r, low *Node) (s, more *Node) {
	z := b.mul(r, r)
	v := b.mul(z, r)
	p := b.terms(z, -e.Sin13, -e.Sin11, -e.Sin9, -e.Sin7, -e.Sin5)
	c := b.fma(v, b.f(-e.Sin3), b.fma(z, b.fma(v, p, b.mul(b.f(-0.5), low)), low))
	s = b.sub(r, c)
	return s, b.sub(b.sub(r, s), c)
}

func (b builder) cosine(r, low *Node) (c, more *Node) {
	z := b.mul(r, r)
	p := b.terms(z, e.Cos14, e.Cos12, e.Cos10, e.Cos8, e.Cos6, e.Cos4)
	half := b.mul(b.f(0.5), z)
	w := b.sub(b.f(1), half)
	rest := b.add(b.sub(b.sub(b.f(1), w), half), b.fma(z, b.mul(z, p), b.mul(r, low)))
	c = b.add(w, rest)
	return c, b.add(b.sub(w, c), rest)
}

// quadrant is x where n is even, else y, with the opposite sign where bit 1 of n+plus is set.
func (b builder) quadrant(n, x, y *Node, plus int) *Node {
	odd := b.is(Ne, b.whole(BitAnd, n, b.i(1)), b.i(0))
	v := b.pick(odd, y, x)
	if plus > 0 {
		n = b.whole(Add, n, b.i(plus))
	}
	sign := b.Shift(Shl, b.Shift(Shr, n, 1), 63)
	return b.op(Bits, b.whole(BitXor, b.op2I(v), sign))
}

func (b builder) sin(x []*Node) (value, not *Node) {
	n, r, low, not := b.reduce(x[0])
	s, _ := b.sine(r, low)
	c, _ := b.cosine(r, low)
	return b.quadrant(n, s, c, 0), not
}

func (b builder) cos(x []*Node) (value, not *Node) {
	n, r, low, not := b.reduce(x[0])
	s, _ := b.sine(r, low)
	c, _ := b.cosine(r, low)
	return b.quadrant(n, c, s, 1), not
}

func (b builder) tan(x []*Node) (value, not *Node) {
	n, r, low, not := b.reduce(x[0])
	s, moreS := b.sine(r, low)
	c, moreC := b.cosine(r, low)
	odd := b.is(Ne, b.whole(BitAnd, n, b.i(1)), b.i(0))
	up, moreUp := b.pick(odd, c, s), b.pick(odd, moreC, moreS)
	down, moreDown := b.pick(odd, b.neg(s), c), b.pick(odd, b.neg(moreS), moreC)
	q := b.div(up, down)
	over := b.add(b.fma(q, down, b.neg(up)), b.sub(b.mul(q, moreDown), moreUp))
	return b.sub(q, b.div(over, down)), not
}

// turn is one case of an arc tangent: atan(c), and the quotient for the rest.
type turn struct {
	above, up, down, high, low *Node
}

// arc is the arc tangent of the last case that holds, at most, of the list.
func (b builder) arc(up, down *Node, turns []turn) (t, high, low *Node) {
	high, low = b.f(0), b.f(0)
	for _, c := range turns {
		up, down = b.pick(c.above, c.up, up), b.pick(c.above, c.down, down)
		high, low = b.pick(c.above, c.high, high), b.pick(c.above, c.low, low)
	}
	return b.div(up, down), high, low
}

// arcEnd is the angle.
func (b builder) arcEnd(t, high, low *Node) *Node {
	z := b.mul(t, t)
	p := b.terms(z, e.AtanTerms[:]...)
	return b.sub(high, b.sub(b.fma(t, b.mul(z, p), b.neg(low)), t))
}

func (b builder) atan(x []*Node) (value, not *Node) {
	f := b.f
	a := b.abs(x[0])
	t, high, low := b.arc(a, f(1), []turn{
		{b.is(Gt, a, f(7.0/16)), b.sub(b.double(a), f(1)), b.add(a, f(2)), f(e.AtanHalfHigh), f(e.AtanHalfLow)},
		{b.is(Gt, a, f(11.0/16)), b.sub(a, f(1)), b.add(a, f(1)), f(e.AtanOneHigh), f(e.AtanOneLow)},
		{b.is(Gt, a, f(19.0/16)), b.sub(a, f(1.5)), b.fma(f(1.5), a, f(1)), f(e.AtanMoreHigh), f(e.AtanMoreLow)},
		{b.is(Gt, a, f(39.0/16)), f(-1), a, f(e.HalfPiHigh), f(e.HalfPiMid)},
	})
	return b.op(CopySign, b.arcEnd(t, high, low), x[0]), nil
}

func (b builder) atan2(args []*Node) (value, not *Node) {
	f := b.f
	x, y := args[1], args[0]
	a, c := b.abs(y), b.abs(x)
	above := func(limit float64) *Node { return b.is(Gt, a, b.mul(f(limit), c)) }
	t, high, low := b.arc(a, c, []turn{
		{above(7.0 / 16), b.fma(f(-0.5), c, a), b.fma(f(0.5), a, c), f(e.AtanHalfHigh), f(e.AtanHalfLow)},
		{above(11.0 / 16), b.sub(a, c), b.add(a, c), f(e.AtanOneHigh), f(e.AtanOneLow)},
		{above(19.0 / 16), b.fma(f(-1.5), c, a), b.fma(f(1.5), a, c), f(e.AtanMoreHigh), f(e.AtanMoreLow)},
		{above(39.0 / 16), b.neg(c), a, f(e.HalfPiHigh), f(e.HalfPiMid)},
	})
	left := b.is(Lt, x, f(0))
	t = b.pick(left, b.neg(t), t)
	h := b.sub(f(2*e.HalfPiHigh), high)
	rest := b.add(b.sub(b.sub(f(2*e.HalfPiHigh), h), high), b.sub(f(2*e.HalfPiMid), low))
	high, low = b.pick(left, h, high), b.pick(left, rest, low)
	value = b.op(CopySign, b.arcEnd(t, high, low), y)
	within := func(v *Node) *Node { return b.both(b.is(Ge, v, f(0x1p-400)), b.is(Le, v, f(0x1p400))) }
	return value, b.not(b.both(within(a), within(c)))
}

func (b builder) asinSmall(z *Node) *Node {
	p := b.terms(z, e.AsinUp5, e.AsinUp4, e.AsinUp3, e.AsinUp2, e.AsinUp1, e.AsinUp0)
	q := b.terms(z, e.AsinDown4, e.AsinDown3, e.AsinDown2, e.AsinDown1, 1)
	return b.div(b.mul(z, p), q)
}

// arcSine has what arc sine and cosine share: asinSmall of x*x, or of (1-a)/2 with twice its
// root and what that is short of.
func (b builder) arcSine(x, a *Node) (small, w, s, more *Node) {
	small = b.is(Lt, a, b.f(0.5))
	z := b.mul(b.sub(b.f(1), a), b.f(0.5))
	w = b.asinSmall(b.pick(small, b.mul(x, x), z))
	s = b.op(Sqrt, z)
	more = b.pick(b.is(Eq, z, b.f(0)), b.f(0), b.div(b.fma(b.neg(s), s, z), b.double(s)))
	return small, w, b.double(s), b.fma(s, w, more)
}

func (b builder) asin(args []*Node) (value, not *Node) {
	x := args[0]
	small, w, s, more := b.arcSine(x, b.abs(x))
	h := b.sub(b.f(e.HalfPiHigh), s)
	rest := b.add(b.sub(b.sub(b.f(e.HalfPiHigh), h), s), b.sub(b.f(e.HalfPiMid), b.double(more)))
	return b.pick(small, b.fma(x, w, x), b.op(CopySign, b.add(h, rest), x)), nil
}

func (b builder) acos(args []*Node) (value, not *Node) {
	x := args[0]
	small, w, s, more := b.arcSine(x, b.abs(x))
	middle := b.sub(b.f(e.HalfPiHigh), x)
	middle = b.add(middle, b.add(b.sub(b.sub(b.f(e.HalfPiHigh), middle), x), b.fma(b.neg(x), w, b.f(e.HalfPiMid))))
	more = b.double(more)
	h := b.sub(b.f(2*e.HalfPiHigh), s)
	left := b.add(h, b.add(b.sub(b.sub(b.f(2*e.HalfPiHigh), h), s), b.sub(b.f(2*e.HalfPiMid), more)))
	return b.pick(small, middle, b.pick(b.is(Gt, x, b.f(0)), b.add(s, more), left)), nil
}

func (b builder) less1(x *Node) (y, more *Node) {
	t, r, square := b.exponent(x, b.f(0))
	scale := b.power2(b.op2I(t), shifterBits-1023)
	m := b.add(r, square)
	moreM := b.add(b.sub(r, m), square)
	whole, part := b.sub(scale, b.f(1)), b.mul(scale, m)
	y = b.add(whole, part)
	return y, b.add(b.add(b.sub(whole, y), part), b.mul(scale, moreM))
}

func (b builder) quotient(x, moreX, y, moreY *Node) (q, more *Node) {
	q = b.div(x, y)
	return q, b.div(b.add(b.fma(b.neg(q), y, x), b.sub(moreX, b.mul(q, moreY))), y)
}

func (b builder) plus(x, y *Node) (sum, more *Node) {
	sum = b.add(x, y)
	c := b.sub(sum, x)
	return sum, b.add(b.sub(x, b.sub(sum, c)), b.sub(y, c))
}

func (b builder) tanh(x []*Node) (value, not *Node) {
	a := b.abs(x[0])
	a = b.pick(b.is(Gt, a, b.f(22)), b.f(22), a)
	m, moreM := b.less1(b.double(a))
	d, moreD := b.plus(m, b.f(2))
	q, more := b.quotient(m, moreM, d, b.add(moreM, moreD))
	return b.op(CopySign, b.add(q, more), x[0]), nil
}

func (b builder) sinh(x []*Node) (value, not *Node) {
	a := b.abs(x[0])
	m, moreM := b.less1(a)
	d, moreD := b.plus(m, b.f(1))
	q, moreQ := b.quotient(m, moreM, d, b.add(moreM, moreD))
	s, more := b.plus(m, q)
	value = b.mul(b.f(0.5), b.add(s, b.add(more, b.add(moreM, moreQ))))
	return b.op(CopySign, value, x[0]), b.is(Gt, a, b.f(709))
}

func (b builder) cosh(x []*Node) (value, not *Node) {
	a := b.abs(x[0])
	m, moreM := b.less1(a)
	d, moreD := b.plus(m, b.f(1))
	moreD = b.add(moreD, moreM)
	q, moreQ := b.quotient(b.f(1), b.f(0), d, moreD)
	s, more := b.plus(d, q)
	return b.mul(b.f(0.5), b.add(s, b.add(more, b.add(moreD, moreQ)))), b.is(Gt, a, b.f(709))
}
