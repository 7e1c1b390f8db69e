package lower

import (
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

func (l *lowerer) intLit(e *ast.IntLit) ir.Expr {
	typ, ok := l.typeOfLiteral("INTEGER", e.Kind, integerOf, e.Pos)
	if !ok {
		return bad(e.Pos)
	}
	n, err := strconv.ParseInt(e.Text, 10, 64)
	if err != nil || typ.Wrap(int(n)) != int(n) {
		d := l.errorf(codeOverflow, e.Pos, "%s does not fit in INTEGER(%d)", e.Text, typ.Bytes())
		if wider := map[ir.Type]int{ir.Byte: 4, ir.Short: 4, ir.Integer: 8}[typ]; err == nil {
			d.WithHelp("write %s_%d and declare its variables as integer(%[2]d)", e.Text, wider)
		}
		return bad(e.Pos)
	}
	return &ir.Const{X: ir.X{Pos: e.Pos, Typ: typ}, Int: int(n)}
}

func (l *lowerer) logicalLit(e *ast.LogicalLit) ir.Expr {
	typ, ok := l.typeOfLiteral("LOGICAL", e.Kind, logicalOf, e.Pos)
	if !ok {
		return bad(e.Pos)
	}
	return &ir.Const{X: ir.X{Pos: e.Pos, Typ: typ}, Bool: e.Value}
}

// typeOfLiteral is the type that a literal of a kind has, "" for the default, by the types of its kinds; ok is
// false after an error.
func (l *lowerer) typeOfLiteral(name, kind string, of func(kind int) (ir.Type, bool), pos source.Pos) (typ ir.Type, ok bool) {
	n := 0
	if kind != "" {
		if n, ok = l.literalKind(kind, pos); !ok {
			return 0, false
		}
	}
	if typ, ok = of(n); !ok {
		l.errorf(codeOutside, pos, "%s of kind %d is not supported", name, n).WithHelp("use kind 1, 2, 4 or 8")
	}
	return typ, ok
}

// integerOf is the INTEGER type of a kind, 0 for the default; known is false where there is none.
func integerOf(kind int) (t ir.Type, known bool) {
	return ofBytes(kind, ir.Integer, ir.Byte, ir.Short, ir.Integer, ir.Long)
}

// logicalOf is the LOGICAL type of a kind, as integerOf.
func logicalOf(kind int) (t ir.Type, known bool) {
	return ofBytes(kind, ir.Logical, ir.Logical1, ir.Logical2, ir.Logical, ir.Logical8)
}

// ofBytes is the type of list whose values have so many bytes; standard for 0, and where there is none.
func ofBytes(n int, standard ir.Type, list ...ir.Type) (t ir.Type, known bool) {
	for _, t := range list {
		if t.Bytes() == n {
			return t, true
		}
	}
	return standard, n == 0
}

func (l *lowerer) realLit(e *ast.RealLit) ir.Expr {
	typ := ir.Real
	text := strings.ToLower(e.Text)
	if strings.Contains(text, "d") {
		typ, text = ir.Double, strings.Replace(text, "d", "e", 1)
	}
	if e.Kind != "" {
		kind, ok := l.literalKind(e.Kind, e.Pos)
		switch {
		case !ok:
			return bad(e.Pos)
		case kind == 8:
			typ = ir.Double
		case kind != 4:
			l.errorf(codeOutside, e.Pos, "REAL of kind %d is not supported", kind).WithHelp("use kind 4 or 8")
			return bad(e.Pos)
		}
	}
	bits := 64
	if typ == ir.Real {
		bits = 32
	}
	f, err := strconv.ParseFloat(text, bits)
	if err != nil {
		l.errorf(codeOverflow, e.Pos, "%s is out of the range of %s", e.Text, typ)
		return bad(e.Pos)
	}
	return &ir.Const{X: ir.X{Pos: e.Pos, Typ: typ}, Float: f}
}

// literalKind evaluates the kind behind the underscore of a literal: digits or
// the name of an INTEGER PARAMETER.
func (l *lowerer) literalKind(text string, pos source.Pos) (int, bool) {
	if n, err := strconv.Atoi(text); err == nil {
		return n, true
	}
	s := l.lookup(text)
	if s == nil || !s.Param || !s.Type.IsInteger() || s.Init == nil {
		if s == nil || s.Type != ir.Invalid {
			l.errorf(codeNotConstant, pos, "kind %s is not an INTEGER PARAMETER", text).
				WithHelp("declare it: integer, parameter :: %s = kind(1d0)", text)
		}
		return 0, false
	}
	return s.Init.(*ir.Const).Int, true
}
