package lower

import (
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// isFormatA reports whether format is '(a)'; other formats than that and * are
// reported.
func (l *lowerer) isFormatA(format ast.Expr, what string) (isA, ok bool) {
	if format == nil || isStar(format) {
		return false, true
	}
	if s, is := format.(*ast.StringLit); is && strings.EqualFold(strings.ReplaceAll(s.Value, " ", ""), "(a)") {
		return true, true
	}
	l.errorf(codeIO, format.Position(), "formats are not supported in %s", what).
		WithHelp("write * for list-directed form, or '(a)' for one CHARACTER item")
	return false, false
}

func (l *lowerer) print(s *ast.Print) []ir.Stmt {
	isA, ok := l.isFormatA(s.Format, "PRINT and WRITE")
	if !ok {
		return nil
	}
	p := &ir.Print{S: ir.S{Pos: s.Pos}, FormatA: isA}
	for _, item := range s.Items {
		x := l.printItem(item)
		ok = ok && !isBad(x)
		p.Items = append(p.Items, x)
	}
	if ok && isA && !isText(p.Items) {
		l.errorf(codeIO, s.Format.Position(), "format '(a)' takes one CHARACTER item").WithHelp("write * for list-directed form")
		ok = false
	}
	if !ok {
		return nil
	}
	ends := l.impliedEnds(p)
	order := newItemOrder(l)
	for i, item := range p.Items {
		p.Items[i] = order.item(item)
		ok = ok && !isBad(p.Items[i])
	}
	if !ok {
		return nil
	}
	return append(one(p), ends...)
}

// isText reports whether items is what format '(a)' takes.
func isText(items []ir.Expr) bool {
	if len(items) != 1 || items[0].Type() != ir.Character {
		return false
	}
	_, implied := items[0].(*ir.ImpliedDo)
	return !implied
}

// printItem lowers an item of PRINT: an expression or an implied DO. The type
// of an implied DO is that of its first item.
func (l *lowerer) printItem(e ast.Expr) ir.Expr {
	d, ok := e.(*ast.ImpliedDo)
	if !ok && l.prog.SPMD {
		if shaping := l.firstPart(e); shaping != nil {
			return l.printedArray(e, shaping)
		}
	}
	if !ok {
		return l.expr(e)
	}
	x := &ir.ImpliedDo{X: ir.X{Pos: d.Pos}, Index: l.loopIndex(d.Var)}
	x.Lo = l.integer(d.Lo, "the start of an implied DO")
	x.Hi = l.integer(d.Hi, "the end of an implied DO")
	x.Step = l.step(d.Step, d.Pos)
	x.Lo, x.Hi, x.Step = l.counted(x.Index, x.Lo, x.Hi, x.Step)
	good := x.Index != nil && !isBad(x.Lo, x.Hi, x.Step)
	if x.Index != nil {
		l.active[x.Index] = d.Pos
	}
	inside := l.functions(func() {
		for _, item := range d.Items {
			i := l.printItem(item)
			good = good && !isBad(i)
			x.Items = append(x.Items, i)
		}
	})
	if len(inside) > 0 {
		l.errorf(codeOutside, d.Pos, "a function cannot be referred to inside an implied DO").
			WithHelp("put its values into an array in a DO loop first, and print that")
		good = false
	}
	if x.Index != nil {
		delete(l.active, x.Index)
	}
	if !good || len(x.Items) == 0 {
		return bad(d.Pos)
	}
	x.Typ = x.Items[0].Type()
	return x
}
