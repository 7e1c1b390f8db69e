package lower

import (
	"fmt"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// selectCase lowers SELECT CASE to IFs.
func (l *lowerer) selectCase(s *ast.Select) []ir.Stmt {
	if s.Name != "" {
		l.loops = append(l.loops, loop{name: s.Name, stmt: &ir.While{S: ir.S{Pos: s.Pos}}, block: true}) // no jump to it is left
		defer func() { l.loops = l.loops[:len(l.loops)-1] }()
	}
	x := l.expr(s.X)
	t := x.Type()
	if t != ir.Invalid && !t.IsInteger() && !t.IsLogical() && t != ir.Character {
		l.errorf(codeType, s.X.Position(), "the expression of SELECT CASE is %s", t).WithHelp("select by an INTEGER, LOGICAL or CHARACTER value, or write IF ... ELSE IF ... END IF")
		x = bad(s.Pos)
	}
	var out []ir.Stmt
	if x, out = l.selected(x, s.Pos); out == nil && isBad(x) {
		l.cases(s, x)
		return nil
	}
	return append(out, l.cases(s, x)...)
}

// selected makes a variable of x, unless it is one, or a constant.
func (l *lowerer) selected(x ir.Expr, pos source.Pos) (ir.Expr, []ir.Stmt) {
	switch x := x.(type) {
	case *ir.Const:
		return x, nil
	case *ir.Var:
		return x, nil
	}
	length := 0
	if x.Type() == ir.Character {
		length = l.charLen(x)
	}
	v := l.temp("select", x.Type(), length, pos)
	ref := func() ir.Expr { return &ir.Var{X: ir.X{Pos: pos, Typ: v.Type}, Sym: v} }
	return ref(), one(&ir.Assign{S: ir.S{Pos: pos}, LHS: ref(), RHS: x})
}

// cases lowers the branches of s. CASE DEFAULT may stand anywhere and comes last.
func (l *lowerer) cases(s *ast.Select, x ir.Expr) []ir.Stmt {
	var first, last *ir.If
	var other []ir.Stmt
	seen := caseValues{l: l}
	for i := range s.Cases {
		c := &s.Cases[i]
		if c.Values == nil {
			other = l.block(c.Body)
			continue
		}
		next := &ir.If{S: ir.S{Pos: c.Pos}, Cond: l.caseCond(c, x, &seen)}
		next.Then = l.block(c.Body)
		if isBad(next.Cond) {
			continue
		}
		if first == nil {
			first = next
		} else {
			last.Else = one(next)
		}
		last = next
	}
	if first == nil {
		return other
	}
	last.Else = other
	return one(first)
}

// caseCond is whether x has one of the values of c.
func (l *lowerer) caseCond(c *ast.Case, x ir.Expr, seen *caseValues) ir.Expr {
	var cond ir.Expr
	for _, v := range c.Values {
		one := l.caseValue(c, v, x, seen)
		switch {
		case isBad(one) || cond != nil && isBad(cond):
			cond = bad(c.Pos)
		case cond == nil:
			cond = one
		default:
			cond = l.foldBinary(&ir.Bin{X: ir.X{Pos: c.Pos, Typ: ir.Logical}, Op: ir.Or, L: cond, R: one}, c.Pos)
		}
	}
	return cond
}

// caseValue is whether x has the value v, or one in the range v.
func (l *lowerer) caseValue(c *ast.Case, v ast.CaseValue, x ir.Expr, seen *caseValues) ir.Expr {
	t := x.Type()
	if t == ir.Invalid {
		return bad(c.Pos)
	}
	bound := func(e ast.Expr) ir.Expr {
		if e == nil {
			return nil
		}
		b := l.expr(e)
		k, isConst := b.(*ir.Const)
		switch {
		case isBad(b):
			return bad(c.Pos)
		case !isConst:
			l.errorf(codeNotConstant, e.Position(), "the value of a CASE must be constant").WithHelp("write IF ... ELSE IF ... END IF")
			return bad(c.Pos)
		case t.IsInteger() != k.Typ.IsInteger() || !t.IsInteger() && t != k.Typ:
			l.errorf(codeType, e.Position(), "the value is %s, the expression of SELECT CASE is %s", k.Typ, t).WithHelp("write a value of the same type")
			return bad(c.Pos)
		}
		return b
	}
	lo, hi := bound(v.Lo), bound(v.Hi)
	if lo != nil && isBad(lo) || hi != nil && isBad(hi) {
		return bad(c.Pos)
	}
	if v.Range && t.IsLogical() {
		l.errorf(codeType, c.Pos, "a range of LOGICAL values").WithHelp("write .true. or .false.")
		return bad(c.Pos)
	}
	if !seen.add(c, v, lo, hi) {
		return bad(c.Pos)
	}
	compare := func(op ir.Op, b ir.Expr) ir.Expr {
		if t.IsLogical() {
			op = ir.Eqv
		}
		left := ir.Clone(x)
		if t.IsInteger() && b.Type() != t {
			left, b = l.convert(left, ir.Long), l.convert(b, ir.Long)
		}
		return l.foldBinary(&ir.Bin{X: ir.X{Pos: c.Pos, Typ: ir.Logical}, Op: op, L: left, R: b}, c.Pos)
	}
	switch {
	case !v.Range:
		return compare(ir.Eq, lo)
	case hi == nil:
		return compare(ir.Ge, lo)
	case lo == nil:
		return compare(ir.Le, hi)
	}
	return l.foldBinary(&ir.Bin{X: ir.X{Pos: c.Pos, Typ: ir.Logical}, Op: ir.And, L: compare(ir.Ge, lo), R: compare(ir.Le, hi)}, c.Pos)
}

// caseValues are the values of the CASE statements of a SELECT so far.
type caseValues struct {
	l    *lowerer
	list []caseRange
}

// caseRange is lo to hi, either of which may be nil.
type caseRange struct {
	lo, hi *ir.Const
	pos    source.Pos
}

// add notes a value or range, and reports one that an earlier one has too.
func (s *caseValues) add(c *ast.Case, v ast.CaseValue, lo, hi ir.Expr) bool {
	r := caseRange{pos: c.Pos}
	r.lo, _ = lo.(*ir.Const)
	r.hi, _ = hi.(*ir.Const)
	if !v.Range {
		r.hi = r.lo
	}
	for _, o := range s.list {
		if !below(r.hi, o.lo) && !below(o.hi, r.lo) && !below(r.hi, r.lo) && !below(o.hi, o.lo) {
			s.l.errorf(codeDuplicate, c.Pos, "a value of this CASE is one of an earlier CASE too").
				WithNote(o.pos, "it is here").WithHelp("remove it from one of them")
			return false
		}
	}
	s.list = append(s.list, r)
	return true
}

// below reports whether a is less than b, both there.
func below(a, b *ir.Const) bool {
	switch {
	case a == nil || b == nil:
		return false
	case a.Typ == ir.Character:
		n := max(len(a.Str), len(b.Str))
		return fmt.Sprintf("%-*s", n, a.Str) < fmt.Sprintf("%-*s", n, b.Str)
	case a.Typ.IsLogical():
		return a.Bool != b.Bool
	}
	return a.Int < b.Int
}
