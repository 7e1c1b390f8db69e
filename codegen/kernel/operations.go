package kernel

import (
	"fmt"
	"math"
)

func (l *lowering) float(n *Node, x func(int) operand, w int) operand {
	t := n.Type
	s := suffix(t)
	sign, rest := uint64(1)<<63, uint64(math.MaxInt64)
	if t == F32 {
		sign, rest = 1<<31, math.MaxInt32
	}
	and, or, xor := "VANDP"+s, "VORP"+s, "VXORP"+s
	switch n.Op {
	case Add, Sub, Mul, Div:
		return l.bin(w, floatOps[n.Op]+s, x(0), x(1), n.Op == Add || n.Op == Mul)
	case FMA:
		c := l.reg(x(2), w)
		if !c.value() { // a pin stays as it is
			c = l.ins(w, l.t.move, c)
		}
		d := l.code.fresh(vector, w)
		l.code.list = append(l.code.list, instr{op: "VFMADD231P" + s, srcs: []operand{x(1), l.reg(x(0), w)}, dst: d, tied: c.v})
		return d
	case Neg:
		return l.bin(w, xor, x(0), l.bits(t, sign), true)
	case Abs:
		return l.bin(w, and, x(0), l.bits(t, rest), true)
	case Sqrt:
		return l.ins(w, "VSQRTP"+s, x(0))
	case Whole:
		op := "VROUNDP"
		if l.t.evex {
			op = "VRNDSCALEP"
		}
		return l.ins(w, op+s, mem("$%d", n.N), x(0))
	case CopySign:
		return l.bin(w, or, l.bin(w, and, x(0), l.bits(t, rest), true), l.bin(w, and, x(1), l.bits(t, sign), true), true)
	case Max, Min:
		if l.t.evex {
			imm := map[Op]string{Max: "$5", Min: "$4"}[n.Op]
			return l.ins(w, "VRANGEP"+s, mem("%s", imm), x(1), l.reg(x(0), w))
		}
		op, zeros := "VMAXP"+s, and
		if n.Op == Min {
			op, zeros = "VMINP"+s, or
		}
		a, b := l.reg(x(0), w), l.reg(x(1), w)
		// Each gives its second operand for zeros and for a NaN.
		r := l.bin(w, zeros, l.ins(w, op, b, a), l.ins(w, op, a, b), true)
		r = l.ins(w, "VBLENDVP"+s, l.ins(w, "VCMPP"+s, mem("$3"), b, b), a, r)
		return l.ins(w, "VBLENDVP"+s, l.ins(w, "VCMPP"+s, mem("$3"), a, a), b, r)
	}
	panic(fmt.Sprintf("kernel: %s of %s", n.Op, t.Go()))
}

func (l *lowering) integer(n *Node, x func(int) operand, w int) operand {
	t := n.Type
	s := wordSuffix(t)
	bitwise := func(op string, x, y operand) operand {
		if l.t.evex {
			op += s
		}
		return l.bin(w, op, x, y, true)
	}
	switch n.Op {
	case Add, Sub:
		op := map[Op]string{Add: "VPADD", Sub: "VPSUB"}[n.Op]
		return l.bin(w, op+s, x(0), x(1), n.Op == Add)
	case Mul:
		switch {
		case t == I32:
			return l.bin(w, "VPMULLD", x(0), x(1), true)
		case n.Args[0].short() && n.Args[1].short():
			return l.bin(w, "VPMULDQ", x(0), x(1), true)
		case l.t.evex:
			return l.bin(w, "VPMULLQ", x(0), x(1), true)
		}
		a, b := l.reg(x(0), w), l.reg(x(1), w)
		low := l.ins(w, "VPMULUDQ", b, a)
		cross := l.ins(w, "VPADDQ", l.ins(w, "VPMULUDQ", b, l.ins(w, "VPSRLQ", mem("$32"), a)), l.ins(w, "VPMULUDQ", a, l.ins(w, "VPSRLQ", mem("$32"), b)))
		return l.ins(w, "VPADDQ", l.ins(w, "VPSLLQ", mem("$32"), cross), low)
	case Neg:
		return l.bin(w, "VPSUB"+s, l.bits(t, 0), x(0), false)
	case Abs:
		if t == I32 || l.t.evex {
			return l.ins(w, "VPABS"+s, x(0))
		}
		a := l.reg(x(0), w)
		minus := l.bin(w, "VPSUBQ", l.bits(t, 0), a, false)
		return l.ins(w, "VBLENDVPD", a, minus, a) // by the sign
	case Max, Min:
		op := map[Op]string{Max: "VPMAXS", Min: "VPMINS"}[n.Op]
		if t == I32 || l.t.evex {
			return l.bin(w, op+s, x(0), x(1), true)
		}
		a, b := l.reg(x(0), w), l.reg(x(1), w)
		greater := l.ins(w, "VPCMPGTQ", b, a) // a > b
		if n.Op == Min {
			a, b = b, a
		}
		return l.ins(w, "VBLENDVPD", greater, a, b)
	case BitAnd:
		return bitwise("VPAND", x(0), x(1))
	case BitOr:
		return bitwise("VPOR", x(0), x(1))
	case BitXor:
		return bitwise("VPXOR", x(0), x(1))
	case BitNot:
		return bitwise("VPXOR", x(0), l.bits(t, math.MaxUint64>>(64-8*t.size())))
	case Shl, Shr:
		op := map[Op]string{Shl: "VPSLL", Shr: "VPSRL"}[n.Op]
		return l.ins(w, op+s, mem("$%d", n.N), l.reg(x(0), w))
	}
	panic(fmt.Sprintf("kernel: %s of %s", n.Op, t.Go()))
}

// compare makes a mask.
func (l *lowering) compare(op Op, t Type, x, y operand) operand {
	w := l.width(t)
	switch {
	case t.float():
		// Ordered and quiet, but for Ne.
		imm := mem("$%d", map[Op]int{Eq: 0, Ne: 4, Lt: 17, Le: 18, Gt: 30, Ge: 29}[op])
		if l.t.evex {
			return l.kins("VCMPP"+suffix(t), imm, y, l.reg(x, w))
		}
		return l.ins(w, "VCMPP"+suffix(t), imm, y, l.reg(x, w))
	case l.t.evex:
		imm := mem("$%d", map[Op]int{Eq: 0, Lt: 1, Le: 2, Ne: 4, Ge: 5, Gt: 6}[op])
		return l.kins("VPCMP"+wordSuffix(t), imm, y, l.reg(x, w))
	}
	gt := "VPCMPGT" + wordSuffix(t)
	not := func(m operand) operand { return l.bin(w, "VPXOR", m, l.bits(t, math.MaxUint64>>(64-8*t.size())), true) }
	switch op {
	case Eq:
		return l.bin(w, "VPCMPEQ"+wordSuffix(t), x, y, true)
	case Ne:
		return not(l.bin(w, "VPCMPEQ"+wordSuffix(t), x, y, true))
	case Gt:
		return l.bin(w, gt, x, y, false)
	case Lt:
		return l.bin(w, gt, y, x, false)
	case Le:
		return not(l.bin(w, gt, x, y, false))
	}
	return not(l.bin(w, gt, y, x, false))
}

func (l *lowering) logical(n *Node) operand {
	x := func(i int) operand { return l.at[n.Args[i]] }
	if l.t.evex {
		switch n.Op {
		case And:
			return l.kins("KANDW", x(1), x(0))
		case Or:
			return l.kins("KORW", x(1), x(0))
		}
		return l.kins("KNOTW", x(0))
	}
	size := l.maskSize(n.Args[0])
	w := size * l.lanes
	switch n.Op {
	case And:
		return l.bin(w, "VANDPD", x(0), l.maskOf(n.Args[1], size), true)
	case Or:
		return l.bin(w, "VORPD", x(0), l.maskOf(n.Args[1], size), true)
	}
	t := I32
	if size == 8 {
		t = I64
	}
	return l.bin(w, "VXORPD", x(0), l.bits(t, math.MaxUint64>>(64-8*size)), true)
}

// conv converts between the types of numbers.
func (l *lowering) conv(n *Node) operand {
	from, to := n.Args[0].Type, n.Type
	x, w := l.at[n.Args[0]], l.width(to)
	// The assembler names narrowing conversions by the width of their source.
	narrow := func(op string) operand {
		if l.width(from) == 32 {
			op += "Y"
		}
		return l.ins(w, op, l.reg(x, l.width(from)))
	}
	switch {
	case from == to:
		return x
	case from == I32 && to == F64:
		return l.ins(w, "VCVTDQ2PD", x)
	case from == I32 && to == F32:
		return l.ins(w, "VCVTDQ2PS", x)
	case from == F32 && to == F64:
		return l.ins(w, "VCVTPS2PD", x)
	case from == F64 && to == F32 && l.t.evex:
		return l.ins(w, "VCVTPD2PS", l.reg(x, 64))
	case from == F64 && to == F32:
		return narrow("VCVTPD2PS")
	case from == F64 && to == I32 && l.t.evex:
		return l.ins(w, "VCVTTPD2DQ", l.reg(x, 64))
	case from == F64 && to == I32:
		return narrow("VCVTTPD2DQ")
	case from == F32 && to == I32:
		return l.ins(w, "VCVTTPS2DQ", x)
	case from == I32 && to == I64:
		return l.ins(w, "VPMOVSXDQ", x)
	case from == I64 && to == I32 && l.t.evex:
		return l.ins(w, "VPMOVQD", l.reg(x, 64))
	case from == I64 && to == I32:
		a := l.reg(x, 32)
		high := l.ins(16, "VEXTRACTF128", mem("$1"), a)
		if !a.value() {
			a = l.ins(32, l.t.move, a)
		}
		return l.ins(16, "VSHUFPS", mem("$0x88"), high, seen(a, 16))
	case from == I64 && to == F64 && !l.t.evex:
		return l.wholeToFloat(l.reg(x, w))
	case from == F64 && to == I64 && !l.t.evex:
		return l.floatToWhole(l.reg(x, w))
	case from == F32 && to == I64 && !l.t.evex:
		return l.floatToWhole(l.ins(w, "VCVTPS2PD", x))
	case from == I64 && to == F64:
		return l.ins(w, "VCVTQQ2PD", x)
	case from == I64 && to == F32 && l.t.evex:
		return l.ins(w, "VCVTQQ2PS", l.reg(x, 64))
	case from == F64 && to == I64:
		return l.ins(w, "VCVTTPD2QQ", x)
	case from == F32 && to == I64:
		return l.ins(w, "VCVTTPS2QQ", x)
	}
	return l.refuse("%s has no conversion from %s to %s", l.t.name, from.Go(), to.Go())
}

// wholeToFloat is an I64 as F64 for AVX2: the halves as the fractions of 2**84, less a sign,
// and of 2**52, which are added; that alone rounds.
func (l *lowering) wholeToFloat(x operand) operand {
	w := l.width(I64)
	high := l.bin(w, "VPXOR", l.ins(w, "VPSRLQ", mem("$32"), x), l.bits(I64, 0x4530000080000000), true)
	low := l.bin(w, "VPAND", x, l.bits(I64, math.MaxUint32), true)
	low = l.bin(w, "VPOR", low, l.bits(I64, 0x4330000000000000), true)
	high = l.bin(w, "VSUBPD", high, l.bits(F64, math.Float64bits(0x1p84+0x1p63+0x1p52)), false)
	return l.bin(w, "VADDPD", high, low, true)
}

// floatToWhole is an F64 as I64 for AVX2, as spmd.Trunc: the multiple of 2**32 below it, and
// the rest, are the lowest bits of sums.
func (l *lowering) floatToWhole(x operand) operand {
	w := l.width(I64)
	shifter := math.Float64bits(0x1.8p52)
	part := func(x operand) operand {
		sum := l.bin(w, "VADDPD", x, l.bits(F64, shifter), true)
		return l.bin(w, "VPSUBQ", sum, l.bits(I64, shifter), false)
	}
	cut := l.ins(w, "VROUNDPD", mem("$3"), x)
	high := l.ins(w, "VROUNDPD", mem("$1"), l.bin(w, "VMULPD", cut, l.bits(F64, math.Float64bits(0x1p-32)), true))
	low := l.bin(w, "VSUBPD", cut, l.bin(w, "VMULPD", high, l.bits(F64, math.Float64bits(0x1p32)), true), false)
	r := l.bin(w, "VPADDQ", l.ins(w, "VPSLLQ", mem("$32"), part(high)), part(low), true)
	size := l.bin(w, "VANDPD", x, l.bits(F64, math.MaxInt64), true)
	fits := l.ins(w, "VCMPPD", mem("$17"), l.bits(F64, math.Float64bits(0x1p63)), size)
	return l.ins(w, "VBLENDVPD", fits, r, l.reg(l.bits(I64, 1<<63), w))
}

// short reports whether a value of I64 has no more bits than one of I32.
func (n *Node) short() bool { return n.Op == Conv && n.Args[0].Type == I32 }
