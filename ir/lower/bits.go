package lower

import (
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// bitFunctions is the part of the table of intrinsics for the bits of INTEGER values.
// The typed program has a few of them, iand, ior, ieor, not, btest, ishft, popcnt, leadz
// and trailz, and all others are made of these: ibits(i, 3, 2) is
// iand(ishft(i, -3), not(ishft(-1, 2))).
var bitFunctions = map[string]intrinsicFunc{
	"iand":       {[]string{"i", "j"}, same("iand", onlyInteger)},
	"ior":        {[]string{"i", "j"}, same("ior", onlyInteger)},
	"ieor":       {[]string{"i", "j"}, same("ieor", onlyInteger)},
	"not":        {[]string{"i"}, same("not", onlyInteger)},
	"btest":      ofBits("i pos", func(b *bitCall) ir.Expr { return b.fold("btest", ir.Logical, b.arg(0), b.arg(1)) }),
	"ibset":      ofBits("i pos", func(b *bitCall) ir.Expr { return b.or(b.arg(0), b.shift(b.word(1), b.arg(1))) }),
	"ibclr":      ofBits("i pos", func(b *bitCall) ir.Expr { return b.and(b.arg(0), b.not(b.shift(b.word(1), b.arg(1)))) }),
	"ibits":      ofBits("i pos len", func(b *bitCall) ir.Expr { return b.and(b.shift(b.arg(0), b.neg(b.arg(1))), b.low(b.arg(2))) }),
	"and":        {[]string{"i", "j"}, bitsOrTruth("iand", ir.And)}, // and, or, xor, lshift and rshift are extensions of gfortran
	"or":         {[]string{"i", "j"}, bitsOrTruth("ior", ir.Or)},
	"xor":        {[]string{"i", "j"}, bitsOrTruth("ieor", ir.Neqv)},
	"lshift":     ofBits("i shift", func(b *bitCall) ir.Expr { return b.shift(b.arg(0), b.arg(1)) }),
	"rshift":     ofBits("i shift", (*bitCall).shiftedSigned),
	"ishft":      ofBits("i shift", func(b *bitCall) ir.Expr { return b.shift(b.arg(0), b.arg(1)) }),
	"ishftc":     ofBits("i shift size?", (*bitCall).rotated),
	"shiftl":     ofBits("i shift", func(b *bitCall) ir.Expr { return b.shift(b.arg(0), b.arg(1)) }),
	"shiftr":     ofBits("i shift", func(b *bitCall) ir.Expr { return b.shift(b.arg(0), b.neg(b.arg(1))) }),
	"shifta":     ofBits("i shift", (*bitCall).shiftedSigned),
	"dshiftl":    ofBits("i j shift", func(b *bitCall) ir.Expr { return b.joined(b.arg(2), b.neg(b.rest(b.arg(2)))) }),
	"dshiftr":    ofBits("i j shift", func(b *bitCall) ir.Expr { return b.joined(b.rest(b.arg(2)), b.neg(b.arg(2))) }),
	"merge_bits": ofBits("i j mask", func(b *bitCall) ir.Expr { return b.or(b.and(b.arg(0), b.arg(2)), b.and(b.arg(1), b.not(b.arg(2)))) }),
	"maskl":      {[]string{"i", "kind?"}, maskOfBits(func(b *bitCall) ir.Expr { return b.shift(b.word(-1), b.rest(b.arg(0))) })},
	"maskr":      {[]string{"i", "kind?"}, maskOfBits(func(b *bitCall) ir.Expr { return b.low(b.arg(0)) })},
	"popcnt":     ofBits("i", func(b *bitCall) ir.Expr { return b.counted("popcnt") }),
	"poppar": ofBits("i", func(b *bitCall) ir.Expr {
		return b.fold("iand", ir.Integer, b.counted("popcnt"), b.l.intConst(1, b.c.Pos))
	}),
	"blt":    ofBits("i j", func(b *bitCall) ir.Expr { return b.unsigned(ir.Lt) }),
	"ble":    ofBits("i j", func(b *bitCall) ir.Expr { return b.unsigned(ir.Le) }),
	"bgt":    ofBits("i j", func(b *bitCall) ir.Expr { return b.unsigned(ir.Gt) }),
	"bge":    ofBits("i j", func(b *bitCall) ir.Expr { return b.unsigned(ir.Ge) }),
	"leadz":  ofBits("i", func(b *bitCall) ir.Expr { return b.counted("leadz") }),
	"trailz": ofBits("i", func(b *bitCall) ir.Expr { return b.counted("trailz") }),
}

// bitsOrTruth builds a function of the bits of INTEGERs, or of two LOGICAL values.
func bitsOrTruth(bits string, op ir.Op) func(*lowerer, *call) ir.Expr {
	ofIntegers := same(bits, onlyInteger)
	return func(l *lowerer, c *call) ir.Expr {
		if c.args[0].Type().IsLogical() && c.args[1].Type().IsLogical() {
			return l.bin(op, c.args[0], c.args[1], c.Pos, c.Pos)
		}
		return ofIntegers(l, c)
	}
}

// bitCall makes the value of a bit function of an INTEGER type with size bits.
type bitCall struct {
	l    *lowerer
	c    *call
	typ  ir.Type
	size int
}

func (l *lowerer) bitCall(c *call, t ir.Type) *bitCall { return &bitCall{l, c, t, 8 * t.Bytes()} }

// ofBits builds a function whose first argument has the bits, and whose arguments j
// and mask have as many.
func ofBits(params string, make func(*bitCall) ir.Expr) intrinsicFunc {
	build := func(l *lowerer, c *call) ir.Expr {
		for i, a := range c.args {
			if a != nil && !a.Type().IsInteger() {
				return l.wrong(c, i, "INTEGER")
			}
		}
		b := l.bitCall(c, c.args[0].Type())
		if !b.inRange() {
			return bad(c.Pos)
		}
		return make(b)
	}
	return intrinsicFunc{strings.Fields(params), build}
}

// maskOfBits builds MASKL or MASKR, of the kind that is asked for.
func maskOfBits(make func(*bitCall) ir.Expr) func(*lowerer, *call) ir.Expr {
	return func(l *lowerer, c *call) ir.Expr {
		if !c.args[0].Type().IsInteger() {
			return l.wrong(c, 0, "INTEGER")
		}
		of, ok := l.ofKindArgument(ir.Integer, c)
		b := l.bitCall(c, of)
		if !ok || !b.within(0, 0, b.size) {
			return bad(c.Pos)
		}
		return make(b)
	}
}

// inRange reports, or says by an error, whether the arguments are what the function
// takes, as far as they are constants.
func (b *bitCall) inRange() bool {
	for i, param := range b.c.params {
		if b.c.args[i] == nil {
			continue
		}
		ok := true
		switch strings.TrimSuffix(param, "?") {
		case "j", "mask":
			if t := b.c.args[i].Type(); t != b.typ {
				ok = false
				b.l.errorf(codeArgument, b.c.args[i].Position(), "argument %s of %s is %s, argument i is %s", param, b.c.name, t, b.typ).
					WithHelp("convert one of them: int(..., 8)")
			}
		case "pos":
			ok = b.within(i, 0, b.size-1)
		case "len":
			room := b.size
			if pos, constant := constOf(b.c.args[1]); constant {
				room -= pos
			}
			ok = b.within(i, 0, room)
		case "size":
			ok = b.within(i, 1, b.size)
		case "shift":
			most := b.size
			if b.c.name == "ishftc" && b.c.args[2] != nil {
				if n, constant := constOf(b.c.args[2]); constant {
					most = min(most, n)
				}
			}
			least := 0
			if strings.HasPrefix(b.c.name, "ishft") {
				least = -most
			}
			ok = b.within(i, least, most)
		}
		if !ok {
			return false
		}
	}
	return true
}

// within reports, or says by an error, whether argument i is from lo to hi, unless that
// is not known before run time.
func (b *bitCall) within(i, lo, hi int) bool {
	n, constant := constOf(b.c.args[i])
	if !constant || lo <= n && n <= hi {
		return true
	}
	b.l.errorf(codeArgument, b.c.args[i].Position(), "argument %s of %s is %d, it must be from %d to %d",
		strings.TrimSuffix(b.c.params[i], "?"), b.c.name, n, lo, hi).WithHelp("%s has %d bits", b.typ, b.size)
	return false
}

// arg is argument i, a copy at each use.
func (b *bitCall) arg(i int) ir.Expr { return ir.Clone(b.c.args[i]) }

// word is a constant with the bits of the result.
func (b *bitCall) word(n int) ir.Expr { return intConstOf(b.typ, n, b.c.Pos) }

func (b *bitCall) fold(name string, t ir.Type, args ...ir.Expr) ir.Expr {
	return b.l.foldCall(b.c.result(name, t, args...))
}

func (b *bitCall) and(x, y ir.Expr) ir.Expr { return b.fold("iand", b.typ, x, y) }
func (b *bitCall) or(x, y ir.Expr) ir.Expr  { return b.fold("ior", b.typ, x, y) }
func (b *bitCall) not(x ir.Expr) ir.Expr    { return b.fold("not", b.typ, x) }

// shift is ISHFT.
func (b *bitCall) shift(x, n ir.Expr) ir.Expr { return b.fold("ishft", b.typ, x, n) }

// low is the lowest n bits set.
func (b *bitCall) low(n ir.Expr) ir.Expr { return b.not(b.shift(b.word(-1), n)) }

func (b *bitCall) neg(n ir.Expr) ir.Expr {
	if k, ok := constOf(n); ok {
		return b.l.intConst(-k, b.c.Pos)
	}
	return &ir.Un{X: ir.X{Pos: b.c.Pos, Typ: n.Type()}, Op: ir.Neg, E: n}
}

// rest is the number of bits beside n.
func (b *bitCall) rest(n ir.Expr) ir.Expr {
	return b.l.minus(b.l.intConst(b.size, b.c.Pos), n, b.c.Pos)
}

// unsigned compares i and j as numbers without a sign: with the highest bit turned, the signed order is theirs.
func (b *bitCall) unsigned(op ir.Op) ir.Expr {
	turned := func(i int) ir.Expr { return b.fold("ieor", b.typ, b.arg(i), b.word(-1<<(b.size-1))) }
	return b.l.bin(op, turned(0), turned(1), b.c.Pos, b.c.Pos)
}

// joined is the bits of i and j, each shifted.
func (b *bitCall) joined(i, j ir.Expr) ir.Expr {
	return b.or(b.shift(b.arg(0), i), b.shift(b.arg(1), j))
}

// shiftedSigned is SHIFTA, which shifts in the sign.
func (b *bitCall) shiftedSigned() ir.Expr {
	negative := b.l.bin(ir.Lt, b.arg(0), b.word(0), b.c.Pos, b.c.Pos)
	positive := b.shift(b.arg(0), b.neg(b.arg(1)))
	return b.fold("merge", b.typ, b.not(b.shift(b.not(b.arg(0)), b.neg(b.arg(1)))), positive, negative)
}

// rotated is ISHFTC: the lowest size bits go round.
func (b *bitCall) rotated() ir.Expr {
	size := func() ir.Expr { return b.l.intConst(b.size, b.c.Pos) }
	part := false
	if b.c.args[2] != nil {
		n, constant := constOf(b.c.args[2])
		if part = !constant || n != b.size; part {
			size = func() ir.Expr { return b.arg(2) }
		}
	}
	up := func() ir.Expr {
		t := max(b.c.args[1].Type(), size().Type())
		return b.fold("modulo", t, b.l.convert(b.arg(1), t), b.l.convert(size(), t))
	}
	inside := func() ir.Expr {
		if part {
			return b.and(b.arg(0), b.low(size()))
		}
		return b.arg(0)
	}
	round := b.or(b.shift(inside(), up()), b.shift(inside(), b.l.minus(up(), size(), b.c.Pos)))
	if !part {
		return round
	}
	return b.or(b.and(b.arg(0), b.not(b.low(size()))), b.and(round, b.low(size())))
}

// counted is the function that counts bits of the argument.
func (b *bitCall) counted(name string) ir.Expr { return b.fold(name, ir.Integer, b.arg(0)) }

// moveBits lowers CALL MVBITS(FROM, FROMPOS, LEN, TO, TOPOS) to the assignment that it is:
//
//	to = ior(iand(to, not(ishft(mask, topos))), ishft(ibits(from, frompos, len), topos))
func (l *lowerer) moveBits(s *ast.Call) []ir.Stmt {
	args := l.ordered(&ast.Index{XBase: ast.XBase{Pos: s.Pos, End: s.Pos}, Name: "mvbits", NamePos: s.Proc.Pos, Args: s.Args}, 5, "from", "frompos", "len", "to", "topos")
	if args == nil {
		return nil
	}
	call := func(name string, list ...ast.Expr) ast.Expr {
		return &ast.Index{XBase: ast.XBase{Pos: s.Pos, End: s.Pos}, Name: name, NamePos: s.Proc.Pos, Args: list}
	}
	from, at, n, to, topos := args[0], args[1], args[2], args[3], args[4]
	zero := &ast.IntLit{XBase: ast.XBase{Pos: s.Pos, End: s.Pos}, Text: "0"}
	mask := call("ibits", call("not", call("ieor", to, to)), zero, n)
	value := call("ior", call("iand", to, call("not", call("ishft", mask, topos))), call("ishft", call("ibits", from, at, n), topos))
	return l.assign(&ast.Assign{Base: s.Base, LHS: to, RHS: value})
}
