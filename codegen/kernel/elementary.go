package kernel

import "math"

// The functions of this file are those of the run time (spmd.Exp, spmd.Log), operation for
// operation, so that vector code gives the same bits.

// Function is a function of F64, Exp or Log.
func (k *Kernel) Function(op Op, x *Node) *Node {
	p := k.node(Node{Op: op, Type: F64, Args: []*Node{x}})
	if p.fast == nil {
		p.fast = map[Op]func(*Node) *Node{Exp: k.exp, Log: k.log}[op](x)
	}
	return p
}

// Quotient is x/by of I32, by a number that is not 0, 1 or -1, or with rest what it leaves.
// Vector code has no division of integers. It multiplies |x|+1/2 by the reciprocal: what is
// cut off there is at least 1/(2*by), which is far more than the rounding.
func (k *Kernel) Quotient(x *Node, by int, rest bool) *Node {
	op := Quo
	if rest {
		op = Rem
	}
	p := k.node(Node{Op: op, Type: I32, Args: []*Node{x}, N: by})
	if p.fast != nil {
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

const (
	ln2High = 0x1.62e42feep-1
	ln2Low  = 0x1.a39ef35793c76p-33
	shifter = 0x1.8p52
)

func (k *Kernel) exp(x *Node) *Node {
	f := func(c float64) *Node { return k.Float(F64, c) }
	fma := func(a, b, c *Node) *Node { return k.Op(FMA, F64, a, b, c) }
	whole := func(op Op, a, b *Node) *Node { return k.Op(op, I64, a, b) }
	x = k.Op(Select, F64, k.Op(Gt, Mask, x, f(710)), f(710), x)
	x = k.Op(Select, F64, k.Op(Lt, Mask, x, f(-746)), f(-746), x)
	t := fma(x, f(1/math.Ln2), f(shifter))
	e := k.Op(Sub, F64, t, f(shifter))
	add := func(a, b *Node) *Node { return k.Op(Add, F64, a, b) }
	sub := func(a, b *Node) *Node { return k.Op(Sub, F64, a, b) }
	high := fma(e, f(-ln2High), x)
	r := fma(e, f(-ln2Low), high)
	rest := fma(e, f(-ln2Low), sub(high, r))
	terms := []float64{1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5}
	p := f(terms[0])
	for _, c := range terms[1:] {
		p = fma(p, r, f(c))
	}
	sum := add(f(1), r)
	y := add(sum, add(add(sub(f(1), sum), r), fma(k.Op(Mul, F64, r, r), p, rest)))
	n := whole(Sub, k.Op(Bits, I64, t), k.Int(I64, int(math.Float64bits(shifter))-2048))
	a := k.Shift(Shr, n, 1)
	for _, part := range []*Node{a, whole(Sub, n, a)} {
		power := k.Op(Bits, F64, k.Shift(Shl, whole(Sub, part, k.Int(I64, 1)), 52))
		y = k.Op(Mul, F64, y, power)
	}
	return y
}

func (k *Kernel) log(x *Node) *Node {
	const sqrtHalf = 0x3fe6a09e667f3bcd
	f := func(c float64) *Node { return k.Float(F64, c) }
	op := func(o Op, args ...*Node) *Node { return k.Op(o, F64, args...) }
	whole := func(op Op, a, b *Node) *Node { return k.Op(op, I64, a, b) }
	tiny := k.Op(Lt, Mask, x, f(0x1p-1022))
	scaled := op(Select, tiny, op(Mul, x, f(0x1p54)), x)
	less := op(Select, tiny, f(54), f(0))
	bits := k.Op(Bits, I64, scaled)
	n := k.Shift(Shr, whole(Add, bits, k.Int(I64, 1024<<52-sqrtHalf)), 52)
	e := op(Sub, op(Sub, op(Bits, whole(BitOr, n, k.Int(I64, 0x433<<52))), f(0x1p52+1024)), less)
	y := op(Sub, op(Bits, whole(Add, whole(Sub, bits, k.Shift(Shl, n, 52)), k.Int(I64, 1024<<52))), f(1))
	s := op(Div, y, op(Add, f(2), y))
	z := op(Mul, s, s)
	terms := []float64{2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3}
	p := f(terms[0])
	for _, c := range terms[1:] {
		p = op(FMA, p, z, f(c))
	}
	h := op(Mul, op(Mul, f(0.5), y), y)
	v := op(FMA, e, f(ln2Low), op(Mul, s, op(FMA, p, z, h)))
	r := op(FMA, e, f(ln2High), op(Sub, y, op(Sub, h, v)))
	proper := k.Op(And, Mask, k.Op(Gt, Mask, x, f(0)), k.Op(Le, Mask, x, f(math.MaxFloat64)))
	other := op(Select, k.Op(Lt, Mask, x, f(0)), f(math.NaN()), x)
	other = op(Select, k.Op(Eq, Mask, x, f(0)), f(math.Inf(-1)), other)
	return op(Select, proper, r, other)
}
