package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// A DO loop over a REAL variable counts its iterations, as FORTRAN 77 says, by the formula
// of gfortran: that of the standard, (b - a + s)/s, can round to another number. The variable
// takes its step in front of each iteration but the first, so that CYCLE needs no more.
//
//	do x = a, b, s           n = 0; x = a
//	   y = y + f(x)          if ((b - a)/s >= 0) n = 1 + int((b - a)/s)
//	end do                   do k = 1, n
//	                            if (k > 1) x = x + s
//	                            y = y + f(x)
//	                         end do
//	                         if (k > 1 .and. k > n) x = x + s

// realLoop lowers s, whose variable x is REAL; ind is a directive in front of it.
func (l *lowerer) realLoop(s *ast.Do, x *ir.Symbol, ind *ast.Independent) []ir.Stmt {
	pos := s.Pos
	if ind != nil {
		l.diags.Warnf(source.NotHonoured, ind.Pos, "INDEPENDENT is not made use of: the iterations are not counted by an INTEGER").
			WithHelp("count with an INTEGER and compute %s from it", x.Source())
	}
	var out []ir.Stmt
	limit := func(e ast.Expr, what string) ir.Expr {
		v := l.expr(e)
		if isBad(v) || !l.assignable(x.Type, v, "a limit of DO") {
			return bad(pos)
		}
		return l.kept(l.convert(v, x.Type), x.Source()+what, &out)
	}
	lo, hi := limit(s.Lo, "_first"), limit(s.Hi, "_last")
	var step ir.Expr = l.convert(l.intConst(1, pos), x.Type)
	if s.Step != nil {
		step = limit(s.Step, "_step")
	}
	if c, ok := step.(*ir.Const); ok && c.Float == 0 {
		l.errorf(codeLoop, pos, "the step of DO is zero").WithHelp("write a step other than 0, or DO WHILE")
		return nil
	}
	n, k := l.local(x.Source()+"_count", ir.Integer, pos), l.local(x.Source()+"_turn", ir.Integer, pos)
	op := func(t ir.Type, op ir.Op, a, b ir.Expr) ir.Expr {
		return &ir.Bin{X: ir.X{Pos: pos, Typ: t}, Op: op, L: a, R: b}
	}
	more := func() ir.Expr { return op(ir.Logical, ir.Gt, varOf(k, pos), l.intConst(1, pos)) }
	next := func() []ir.Stmt {
		return one(&ir.Assign{S: ir.S{Pos: pos}, Step: true, LHS: varOf(x, pos), RHS: op(x.Type, ir.Add, varOf(x, pos), ir.Clone(step))})
	}
	d := &ir.Do{S: ir.S{Pos: pos}, Name: s.Name, End: s.EndPos, Index: k,
		Lo: l.intConst(1, pos), Hi: varOf(n, pos), Step: l.intConst(1, pos)}
	l.active[x] = pos
	body := l.body(d, s, s.Name, s.Body)
	if ind != nil && ind.On.IsSet() {
		body = l.onHome(&ind.On, ind.Pos, body)
	}
	delete(l.active, x)
	if isBad(lo, hi, step) {
		return nil
	}
	d.Body = append(one(&ir.If{S: ir.S{Pos: pos}, Cond: more(), Then: next()}), body...)
	turns := l.kept(op(x.Type, ir.Div, op(x.Type, ir.Sub, hi, ir.Clone(lo)), ir.Clone(step)), x.Source()+"_turns", &out)
	count := func(e ir.Expr) []ir.Stmt {
		return one(&ir.Assign{S: ir.S{Pos: pos}, LHS: varOf(n, pos), RHS: e})
	}
	some := op(ir.Logical, ir.Ge, turns, l.convert(l.intConst(0, pos), x.Type))
	ended := op(ir.Logical, ir.And, more(), op(ir.Logical, ir.Gt, varOf(k, pos), varOf(n, pos)))
	return append(append(out, count(l.intConst(0, pos))...),
		&ir.If{S: ir.S{Pos: pos}, Cond: some, Then: count(op(ir.Integer, ir.Add, l.intConst(1, pos), l.convert(ir.Clone(turns), ir.Integer)))},
		&ir.Assign{S: ir.S{Pos: pos}, LHS: varOf(x, pos), RHS: lo},
		d, &ir.If{S: ir.S{Pos: pos}, Cond: ended, Then: next()})
}

// kept is x, or a variable that gets its value in out where x may change.
func (l *lowerer) kept(x ir.Expr, name string, out *[]ir.Stmt) ir.Expr {
	if _, ok := x.(*ir.Const); ok {
		return x
	}
	t := l.local(name, x.Type(), x.Position())
	*out = append(*out, &ir.Assign{S: ir.S{Pos: x.Position()}, LHS: varOf(t, x.Position()), RHS: x})
	return varOf(t, x.Position())
}

// limit lowers a bound or the step of a DO loop over an INTEGER; a REAL one loses its fraction.
func (l *lowerer) limit(e ast.Expr, what string) ir.Expr {
	x := l.expr(e)
	if t := x.Type(); t.IsInteger() || t == ir.Invalid {
		return x
	} else if t.IsReal() {
		return l.convert(x, ir.Integer)
	}
	l.errorf(codeType, e.Position(), "%s is %s, it must be INTEGER", what, x.Type())
	return bad(e.Position())
}
