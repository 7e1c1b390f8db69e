package codegen

import (
	"fmt"
	"strconv"

	"github.com/spmdc/spmdc/ir"
)

// An INTEGER expression has two renderings. As a value it has its Go type, int32 or
// int, in which Go wraps as gfortran -fwrapv does: that is expr. As a position, for
// subscripts, bounds and what else the run time counts with, it is a Go int, in which
// sums are formed without wrapping: that is position. Proofs assume of these that they
// do not overflow. With n an INTEGER(4) variable and i the index of a loop around, which
// is a Go int,
//
//	expression        value             position
//	n + 1             n + 1             int(n) + 1
//	i + 1             int32(i + 1)      i + 1
//	i*n               int32(i) * n      int(int32(i) * n)
//	mod(i, 2) == 0    i%2 == 0
//
// Check builds compute in 64 bits and look at each result: spmd.Int32(int(n)+1, "n + 1").

// mode says what a Go int for an INTEGER(4) may be.
type mode uint8

const (
	exact mode = iota // the value
	ring              // the value but for multiples of 2**32
	sums              // the value if sums do not wrap
)

// position renders an INTEGER expression as a Go int for a subscript or a bound.
func (g *gen) position(e ir.Expr) string {
	s, _ := g.asInt(e, sums)
	return s
}

// whole renders an INTEGER expression as a Go int with its value.
func (g *gen) whole(e ir.Expr) (string, int) { return g.asInt(e, exact) }

// asInt renders an INTEGER expression as a Go int.
func (g *gen) asInt(e ir.Expr, m mode) (string, int) {
	if c, ok := folded(e); ok {
		return constant(c)
	}
	short := e.Type() == ir.Integer
	operand := func(e ir.Expr, p int) string {
		s, q := g.asInt(e, m)
		return enclose(s, q, p)
	}
	switch e := e.(type) {
	case *ir.Var:
		if g.native(e) {
			return g.load(e), precAtom
		}
	case *ir.Un:
		switch {
		case e.Op == ir.Group:
			s, p := g.asInt(e.E, m)
			return grouped(s, p)
		case m != exact && !(short && g.opt.Check):
			return negated(operand(e.E, precUnary))
		}
	case *ir.Conv:
		if e.Typ == ir.Long && e.E.Type() == ir.Integer {
			return g.asInt(e.E, m)
		}
	case *ir.Bin:
		op := goOps[e.Op]
		switch {
		case e.Op == ir.Pow:
		case short && e.Op == ir.Div && g.native(e),
			!(short && g.opt.Check) && m != exact && (e.Op == ir.Add || e.Op == ir.Sub || e.Op == ir.Mul && (m == ring || isConst(e.L) || isConst(e.R))):
			return operand(e.L, op.prec) + " " + op.text + " " + operand(e.R, op.prec+1), op.prec
		}
	case *ir.Call:
		if g.native(e) {
			return g.countCall(e)
		}
	}
	s, p := g.prec(e)
	if short {
		return "int(" + s + ")", precAtom
	}
	return s, p
}

// native reports whether a Go int for an INTEGER(4) expression has its value without a
// conversion: that of indices of loops here, of what the run time counts, and of what
// does not overflow if they do not.
func (g *gen) native(e ir.Expr) bool {
	if e.Type() != ir.Integer {
		return false
	}
	switch e := e.(type) {
	case *ir.Const:
		return true
	case *ir.Var:
		return g.bound[e.Sym] > 0
	case *ir.Un:
		return e.Op == ir.Group && g.native(e.E)
	case *ir.Bin:
		c, ok := folded(e.R)
		return e.Op == ir.Div && ok && c.Int != -1 && c.Int != 0 && g.native(e.L)
	case *ir.Call:
		switch e.Name {
		case "mod", "iand", "ior", "ieor", "max", "min":
			if c, ok := folded(e.Args[1]); ok && c.Int == 0 && e.Name == "mod" {
				return false
			}
			for _, a := range e.Args {
				if !g.native(a) {
					return false
				}
			}
			return true
		}
		return counts[e.Name]
	}
	return false
}

// counts are the functions whose value the run time has as an int.
var counts = map[string]bool{"number_of_processors": true, "num_images": true, "this_image": true, "image_index": true, "len": true, "len_trim": true, "scan": true, "verify": true,
	"index": true, "ichar": true, "iachar": true, "team_index": true, "team_size": true, "team_image": true, "team_number": true,
	"parent_team": true, "sibling_team": true, "image_state": true, "initial_image": true}

// countCall renders a call that is native as a Go int.
func (g *gen) countCall(e *ir.Call) (string, int) {
	if counts[e.Name] {
		return g.call(e)
	}
	return g.callOf(e, func(a ir.Expr) (string, int) { return g.asInt(a, exact) })
}

// wrapsOnce reports whether e is a tree of sums and products of native expressions, which
// may be computed in Go ints and cut to 32 bits at the end.
func (g *gen) wrapsOnce(e ir.Expr) bool {
	if g.native(e) {
		return true
	}
	if g.opt.Check {
		return false
	}
	switch e := e.(type) {
	case *ir.Un:
		return e.Typ == ir.Integer && g.wrapsOnce(e.E)
	case *ir.Bin:
		return e.Typ == ir.Integer && e.Op <= ir.Mul && g.wrapsOnce(e.L) && g.wrapsOnce(e.R)
	}
	return false
}

// short renders an INTEGER(4) expression where something is special about it; ok is false
// for what is rendered like any other expression.
func (g *gen) short(e ir.Expr) (s string, prec int, ok bool) {
	if c, ok := folded(e); ok {
		s, prec = constant(c)
		return s, prec, true
	}
	if g.wrapsOnce(e) {
		s, _ := g.asInt(e, ring)
		return "int32(" + s + ")", precAtom, true
	}
	if !g.opt.Check {
		return "", 0, false
	}
	whole := func(e ir.Expr, p int) string {
		s, q := g.whole(e)
		return enclose(s, q, p)
	}
	what := strconv.Quote(ir.ExprString(e))
	checked := func(s string) (string, int, bool) {
		return fmt.Sprintf("spmd.Int32(%s, %s)", s, what), precAtom, true
	}
	switch e := e.(type) {
	case *ir.Un:
		if e.Op == ir.Neg {
			s, _ := negated(whole(e.E, precUnary))
			return checked(s)
		}
	case *ir.Bin:
		if op := goOps[e.Op]; e.Op == ir.Pow {
			return fmt.Sprintf("spmd.Pow32(%s, %s, %s)", g.expr(e.L), whole(e.R, 0), what), precAtom, true
		} else if c, ok := folded(e.R); !ok || c.Int != 0 || e.Op != ir.Div {
			return checked(whole(e.L, op.prec) + " " + op.text + " " + whole(e.R, op.prec+1))
		}
	case *ir.Conv:
		if e.E.Type().IsReal() {
			return fmt.Sprintf("spmd.Trunc32(%s, %s)", g.typed(e.E), what), precAtom, true
		}
		return checked(g.expr(e.E))
	case *ir.Call:
		switch e.Name {
		case "abs":
			return checked("spmd.Abs(" + whole(e.Args[0], 0) + ")")
		case "sign", "dim":
			f := map[string]string{"sign": "spmd.Sign", "dim": "spmd.PosDiff"}[e.Name]
			return checked(fmt.Sprintf("%s(%s, %s)", f, whole(e.Args[0], 0), whole(e.Args[1], 0)))
		case "nint", "floor", "ceiling":
			return checked(fmt.Sprintf("%s[int](%s)", runtimeFuncs[e.Name], g.typed(e.Args[0])))
		}
	}
	return "", 0, false
}

// convInteger renders a conversion to an INTEGER type.
func (g *gen) convInteger(e *ir.Conv) (string, int) {
	switch {
	case e.E.Type().IsReal():
		return fmt.Sprintf("spmd.Trunc[%s](%s)", goType(e.Typ), g.typed(e.E)), precAtom
	case e.Typ == ir.Long:
		return g.whole(e.E)
	}
	return "int32(" + g.expr(e.E) + ")", precAtom
}

// compared renders the operands of a comparison of INTEGER expressions of one type: as
// Go ints where one of them is one already.
func (g *gen) compared(l, r ir.Expr) (string, string) {
	if l.Type() == ir.Integer && (g.native(l) && !isConst(l) || g.native(r) && !isConst(r)) {
		x, p := g.whole(l)
		y, q := g.whole(r)
		return enclose(x, p, precCompare), enclose(y, q, precCompare+1)
	}
	return g.atLeast(l, precCompare), g.atLeast(r, precCompare+1)
}

// shift renders ISHFT, by a constant as Go's shifts.
func (g *gen) shift(e *ir.Call) (string, int) {
	bits := 64
	if e.Typ == ir.Integer {
		bits = 32
	}
	x := e.Args[0]
	by, ok := folded(e.Args[1])
	switch {
	case !ok || isConst(x) || by.Int <= -bits || by.Int >= bits:
		n, _ := g.whole(e.Args[1])
		return fmt.Sprintf("spmd.Ishft(%s, %s)", g.typed(x), n), precAtom
	case by.Int >= 0:
		return fmt.Sprintf("%s << %d", g.atLeast(x, precMul), by.Int), precMul
	}
	t := goType(e.Typ)
	return fmt.Sprintf("%s(u%s(%s) >> %d)", t, t, g.expr(x), -by.Int), precAtom
}

// folded is the value of an INTEGER expression of constants, wrapped: Go takes no
// constant that overflows.
func folded(e ir.Expr) (*ir.Const, bool) {
	if !e.Type().IsInteger() {
		return nil, false
	}
	c, _ := ir.Evaluate(e, func(ir.Expr) *ir.Const { return nil })
	return c, c != nil
}

func isConst(e ir.Expr) bool {
	_, ok := folded(e)
	return ok
}

// enclose puts s of precedence q in parentheses where an operand of precedence p must be.
func enclose(s string, q, p int) string {
	if q < p {
		return "(" + s + ")"
	}
	return s
}
