package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
)

// fold returns the constant that e is, if its operands are constants, or e.
func (l *lowerer) fold(e ir.Expr) ir.Expr {
	switch e := e.(type) {
	case *ir.Bin:
		return l.foldBinary(e, e.Pos)
	case *ir.Un:
		if c, ok := e.E.(*ir.Const); ok && e.Op == ir.Group {
			return c
		}
		return l.foldUnary(e)
	case *ir.Conv:
		return l.convert(e.E, e.Typ)
	case *ir.Call:
		return l.foldCall(e)
	}
	return e
}

// foldUnary returns the constant that u is, or u.
func (l *lowerer) foldUnary(u *ir.Un) ir.Expr {
	c, isConst := u.E.(*ir.Const)
	if !isConst {
		return u
	}
	out, fits, ok := ir.Compute(u, []*ir.Const{c})
	switch {
	case !ok:
		return u
	case !fits:
		l.errorf(codeOverflow, u.Pos, "the constant -(%s) does not fit in INTEGER(%d)", ir.ExprString(c), u.Typ.Bytes())
		return bad(u.Pos)
	}
	return out
}

// foldBinary returns the constant that b is, or b. An INTEGER division by the
// constant 0 is an error, whatever is divided.
func (l *lowerer) foldBinary(b *ir.Bin, opPos source.Pos) ir.Expr {
	x, okX := b.L.(*ir.Const)
	y, okY := b.R.(*ir.Const)
	if b.Op == ir.Div && okY && y.Int == 0 && y.Float == 0 && y.Imag == 0 && (okX || y.Typ.IsInteger()) {
		l.errorf(codeOverflow, opPos, "division by zero").
			WithHelp("check the divisor, the constant %s", ir.ExprString(y))
		return bad(b.Pos)
	}
	if !okX || !okY || b.Op == ir.Concat && len(x.Str)+len(y.Str) > maxText { // formed at run time
		return b
	}
	if b.Op == ir.Pow && b.Typ.IsInteger() && x.Int == 0 && y.Int < 0 {
		l.errorf(codeOverflow, opPos, "division by zero: 0 to a negative power")
		return bad(b.Pos)
	}
	out, fits, ok := ir.Compute(b, []*ir.Const{x, y})
	switch {
	case b.Typ.IsInteger() && !(ok && fits):
		d := l.errorf(codeOverflow, opPos, "the constant %s %s %s does not fit in INTEGER(%d)", ir.ExprString(x), b.Op, ir.ExprString(y), b.Typ.Bytes())
		if b.Typ == ir.Integer {
			d.WithHelp("use kind 8, as in %d_8, or real numbers", x.Int)
		}
		return bad(b.Pos)
	case !ok:
		return b
	case !fits:
		l.errorf(codeOverflow, opPos, "the constant %s %s %s is not a number of %s", ir.ExprString(x), b.Op, ir.ExprString(y), b.Typ)
		return bad(b.Pos)
	}
	return out
}

// foldCall returns the constant that c is, or c. A constant argument outside
// the domain of a function is an error.
func (l *lowerer) foldCall(c *ir.Call) ir.Expr {
	consts := make([]*ir.Const, len(c.Args))
	for i, a := range c.Args {
		k, ok := a.(*ir.Const)
		if !ok || k.Typ == ir.Invalid {
			return c
		}
		consts[i] = k
	}
	if (c.Name == "mod" || c.Name == "modulo") && consts[1].Int == 0 && consts[1].Float == 0 {
		l.errorf(codeOverflow, c.Pos, "division by zero in %s", c.Name)
		return bad(c.Pos)
	}
	out, fits, ok := ir.Compute(c, consts)
	switch {
	case !ok:
		return c
	case !fits:
		l.errorf(codeOverflow, c.Pos, "%s has no value", ir.ExprString(c)).WithHelp("check the argument")
		return bad(c.Pos)
	}
	return out
}
