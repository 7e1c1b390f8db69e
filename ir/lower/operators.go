package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

var binaryOps = map[string]ir.Op{
	"+": ir.Add, "-": ir.Sub, "*": ir.Mul, "/": ir.Div, "**": ir.Pow, "//": ir.Concat,
	"==": ir.Eq, "/=": ir.Ne, "<": ir.Lt, "<=": ir.Le, ">": ir.Gt, ">=": ir.Ge,
	".and.": ir.And, ".or.": ir.Or, ".eqv.": ir.Eqv, ".neqv.": ir.Neqv,
}

func (l *lowerer) unary(e *ast.Unary) ir.Expr {
	x := l.expr(e.X)
	t := x.Type()
	switch {
	case t == ir.Invalid:
		return x
	case e.Op == ".not.":
		if !t.IsLogical() {
			l.errorf(codeType, e.Pos, ".not. needs a LOGICAL operand, not %s", t).WithHelp("for the bits of an INTEGER write not(i)")
			return bad(e.Pos)
		}
		return l.foldUnary(&ir.Un{X: ir.X{Pos: e.Pos, Typ: t}, Op: ir.Not, E: x})
	case !t.IsNumeric():
		l.errorf(codeType, e.Pos, "%s needs a numeric operand, not %s", e.Op, t)
		return bad(e.Pos)
	case e.Op == "+":
		return x
	}
	return l.foldUnary(&ir.Un{X: ir.X{Pos: e.Pos, Typ: t}, Op: ir.Neg, E: x})
}

func (l *lowerer) binary(e *ast.Binary) ir.Expr {
	if v, known := l.presence(e); known {
		return &ir.Const{X: ir.X{Pos: e.Pos, Typ: ir.Logical}, Bool: v}
	}
	if rest := l.presentOperand(e); rest != nil {
		return l.logical(rest, "an operand of "+e.Op)
	}
	op, ok := binaryOps[e.Op]
	x := l.expr(e.X)
	decided := decides(op, x)
	if decided && l.deep() {
		return x // the other operand may be the call that has no end
	}
	var y ir.Expr
	before := l.functions(func() { y = l.expr(e.Y) })
	switch {
	case !x.Type().IsLogical() || !y.Type().IsLogical():
	case decided:
		return x
	case decides(op, y):
		l.prelude = append(l.prelude, before...)
		return y
	}
	if len(before) > 0 && (op == ir.And || op == ir.Or) && x.Type().IsLogical() && y.Type().IsLogical() {
		return l.shortCircuit(op, x, y, before, e.Pos)
	}
	l.prelude = append(l.prelude, before...)
	if !ok {
		l.errorf(codeOutside, e.OpPos, "operator %s is not supported", e.Op)
		return bad(e.Pos)
	}
	if isBad(x, y) {
		return bad(e.Pos)
	}
	return l.bin(op, x, y, e.Pos, e.OpPos)
}

// decides reports whether x is the constant that is the value of .and. or .or. whatever
// the other operand is.
func decides(op ir.Op, x ir.Expr) bool {
	c, ok := x.(*ir.Const)
	return ok && c.Typ.IsLogical() && (op == ir.And && !c.Bool || op == ir.Or && c.Bool)
}

// shortCircuit is x op y where functions are executed for y: only if x does not
// decide.
func (l *lowerer) shortCircuit(op ir.Op, x, y ir.Expr, before []ir.Stmt, pos source.Pos) ir.Expr {
	t := l.local("cond", ir.Logical, pos)
	value := func() *ir.Var { return &ir.Var{X: ir.X{Pos: pos, Typ: ir.Logical}, Sym: t} }
	var more ir.Expr = value()
	if op == ir.Or {
		more = &ir.Un{X: ir.X{Pos: pos, Typ: ir.Logical}, Op: ir.Not, E: more}
	}
	before = append(before, &ir.Assign{S: ir.S{Pos: pos}, LHS: value(), RHS: y})
	l.prelude = append(l.prelude, &ir.Assign{S: ir.S{Pos: pos}, LHS: value(), RHS: x},
		&ir.If{S: ir.S{Pos: pos}, Cond: more, Then: before})
	return value()
}

// bin makes the operation op of x and y, operands promoted as Fortran does.
func (l *lowerer) bin(op ir.Op, x, y ir.Expr, pos, opPos source.Pos) ir.Expr {
	tx, ty := x.Type(), y.Type()
	b := &ir.Bin{X: ir.X{Pos: pos}, Op: op, L: x, R: y}
	mismatch := func(want string) ir.Expr {
		d := l.errorf(codeType, opPos, "%s needs %s operands, found %s and %s", op, want, tx, ty)
		if tx.IsLogical() && ty.IsLogical() {
			switch op {
			case ir.Eq:
				d.WithHelp("compare LOGICAL values with .eqv.")
			case ir.Ne:
				d.WithHelp("compare LOGICAL values with .neqv.")
			}
		}
		if want == "LOGICAL" && tx.IsInteger() && ty.IsInteger() {
			d.WithHelp("for the bits of INTEGER values write iand(i,j), ior(i,j), ieor(i,j)")
		}
		return bad(pos)
	}
	numeric := tx.IsNumeric() && ty.IsNumeric()
	switch op {
	case ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Pow:
		if !numeric {
			return mismatch("numeric")
		}
		b.Typ = tx.Common(ty)
		b.L = l.convert(x, b.Typ)
		if op != ir.Pow || !ty.IsInteger() {
			b.R = l.convert(y, b.Typ)
		}
	case ir.Concat:
		if tx != ir.Character || ty != ir.Character {
			return mismatch("CHARACTER")
		}
		b.Typ = ir.Character
	case ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge:
		if !numeric && (tx != ir.Character || ty != ir.Character) {
			return mismatch("numeric or CHARACTER")
		}
		if op != ir.Eq && op != ir.Ne && (tx.IsComplex() || ty.IsComplex()) {
			return mismatch("INTEGER, REAL or CHARACTER")
		}
		b.Typ = ir.Logical
		if numeric {
			common := tx.Common(ty)
			b.L, b.R = l.convert(x, common), l.convert(y, common)
		}
	default:
		if !tx.IsLogical() || !ty.IsLogical() {
			return mismatch("LOGICAL")
		}
		b.Typ = max(tx, ty)
	}
	if isBad(b.L, b.R) {
		return bad(pos)
	}
	return l.foldBinary(b, opPos)
}
