package lower

import (
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// maxReadItems bounds what an implied DO in READ is expanded to.
const maxReadItems = 1000

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
	p := &ir.Print{S: ir.S{Pos: s.Pos}}
	for _, item := range s.Items {
		x := l.printItem(item)
		ok = ok && !isBad(x)
		p.Items = append(p.Items, x)
	}
	if ok && isA && (len(p.Items) != 1 || p.Items[0].Type() != ir.Character) {
		l.errorf(codeIO, s.Format.Position(), "format '(a)' takes one CHARACTER item").WithHelp("write * for list-directed form")
		return nil
	}
	if !ok {
		return nil
	}
	return append(one(p), l.impliedEnds(p)...)
}

// printItem lowers an item of PRINT: an expression or an implied DO. The type
// of an implied DO is that of its first item.
func (l *lowerer) printItem(e ast.Expr) ir.Expr {
	d, ok := e.(*ast.ImpliedDo)
	if !ok {
		return l.expr(e)
	}
	x := &ir.ImpliedDo{X: ir.X{Pos: d.Pos}, Index: l.loopIndex(d.Var)}
	x.Lo = l.integer(d.Lo, "the start of an implied DO")
	x.Hi = l.integer(d.Hi, "the end of an implied DO")
	x.Step = l.step(d.Step, d.Pos)
	good := x.Index != nil && !isBad(x.Lo, x.Hi, x.Step)
	if x.Index != nil {
		l.active[x.Index] = d.Pos
	}
	for _, item := range d.Items {
		i := l.printItem(item)
		good = good && !isBad(i)
		x.Items = append(x.Items, i)
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

// read lowers READ. Array elements and substrings are read into temporaries and
// assigned afterwards, in the order of the items, so that "read *, n, a(n)"
// uses the new n.
func (l *lowerer) read(s *ast.Read, f *frame) []ir.Stmt {
	r := &ir.Read{S: ir.S{Pos: s.Pos}}
	isA, ok := l.isFormatA(s.Format, "READ")
	r.FormatA = isA
	if s.Unit != nil {
		r.From = l.expr(s.Unit)
		if t := r.From.Type(); t != ir.Character {
			if t != ir.Invalid {
				l.errorf(codeIO, s.Unit.Position(), "READ from %s, which is %s", ir.ExprString(r.From), t).
					WithHelp("read from * (standard input) or from a CHARACTER variable")
			}
			ok = false
		}
		if ok && isA {
			l.errorf(codeIO, s.Format.Position(), "format '(a)' is supported for standard input only").
				WithHelp("assign the CHARACTER variable instead of reading from it")
			ok = false
		}
	}
	var items []ir.Expr
	for _, e := range s.Items {
		list, good := l.readItems(e, nil)
		items, ok = append(items, list...), ok && good
	}
	if ok && isA && (len(items) != 1 || items[0].Type() != ir.Character) {
		l.errorf(codeIO, s.Format.Position(), "format '(a)' takes one CHARACTER variable").WithHelp("write * for list-directed form")
		ok = false
	}
	if s.Iostat != nil {
		r.Iostat = l.iostat(s.Iostat)
		ok = ok && r.Iostat != nil
	}
	if !ok {
		return nil
	}
	assigns := l.receive(r, items)
	if s.End != 0 {
		return l.readEnd(s, r, assigns, f)
	}
	if len(assigns) > 0 && r.Iostat != nil {
		assigns = one(l.when(ir.Eq, r.Iostat, s.Pos, assigns))
	}
	return append(one(r), assigns...)
}

// iostat resolves the variable of IOSTAT=.
func (l *lowerer) iostat(e ast.Expr) *ir.Symbol {
	id, ok := e.(*ast.Ident)
	if !ok {
		l.errorf(codeIO, e.Position(), "IOSTAT= takes a scalar INTEGER variable")
		return nil
	}
	s := l.variable(ast.Name{Pos: id.Pos, Name: id.Name})
	if s != nil && s.Type != ir.Integer {
		l.errorf(codeIO, e.Position(), "IOSTAT= takes a scalar INTEGER variable, %s is %s", s.Name, s.Type)
		return nil
	}
	return s
}

// readItems lowers an item of READ; an implied DO with constant bounds is
// expanded, its index being one of the constants in env.
func (l *lowerer) readItems(e ast.Expr, env map[*ir.Symbol]int) ([]ir.Expr, bool) {
	d, ok := e.(*ast.ImpliedDo)
	if !ok {
		x := l.target(e)
		if isBad(x) {
			return nil, false
		}
		return []ir.Expr{l.substitute(x, env)}, true
	}
	index := l.loopIndex(d.Var)
	if index == nil {
		return nil, false
	}
	var bounds [3]int
	for i, b := range []ast.Expr{d.Lo, d.Hi, d.Step} {
		var x ir.Expr = l.intConst(1, d.Pos)
		if b != nil {
			x = l.substitute(l.integer(b, "a bound of an implied DO"), env)
		}
		c, isConst := x.(*ir.Const)
		if !isConst {
			l.errorf(codeOutside, d.Pos, "an implied DO in READ must have constant bounds").
				WithHelp("read in a DO loop, one line at a time")
			return nil, false
		}
		if bounds[i] = c.Int; c.Typ == ir.Invalid {
			return nil, false
		}
	}
	lo, hi, step := bounds[0], bounds[1], bounds[2]
	if step == 0 || (hi-lo)/step >= maxReadItems {
		l.errorf(codeOutside, d.Pos, "an implied DO in READ may have at most %d items", maxReadItems).
			WithHelp("read in a DO loop, one line at a time")
		return nil, false
	}
	l.active[index] = d.Pos
	defer delete(l.active, index)
	inner := map[*ir.Symbol]int{}
	for s, v := range env {
		inner[s] = v
	}
	var items []ir.Expr
	for i := lo; (hi-i)*step >= 0; i += step {
		inner[index] = i
		for _, item := range d.Items {
			list, ok := l.readItems(item, inner)
			if !ok {
				return nil, false
			}
			items = append(items, list...)
		}
	}
	return items, true
}

// substitute replaces the variables of env by their values, in a fresh tree.
func (l *lowerer) substitute(e ir.Expr, env map[*ir.Symbol]int) ir.Expr {
	switch e := e.(type) {
	case *ir.Var:
		if v, ok := env[e.Sym]; ok {
			return l.intConst(v, e.Pos)
		}
	case *ir.Ref:
		subs := make([]ir.Expr, len(e.Subs))
		for i, s := range e.Subs {
			subs[i] = l.substitute(s, env)
		}
		return &ir.Ref{X: e.X, Sym: e.Sym, Subs: subs}
	case *ir.Substr:
		return &ir.Substr{X: e.X, Base: e.Base, Lo: l.substitute(e.Lo, env), Hi: l.substitute(e.Hi, env)}
	case *ir.Bin:
		return l.foldBinary(&ir.Bin{X: e.X, Op: e.Op, L: l.substitute(e.L, env), R: l.substitute(e.R, env)}, e.Pos)
	case *ir.Un:
		x := &ir.Un{X: e.X, Op: e.Op, E: l.substitute(e.E, env)}
		if c, ok := x.E.(*ir.Const); ok && e.Op == ir.Group {
			return c
		}
		return l.foldUnary(x)
	}
	return e
}

// receive makes items the items of r and returns the assignments that must
// follow it. Scalars are read directly unless an array element is among the
// items: then the order of the assignments matters.
func (l *lowerer) receive(r *ir.Read, items []ir.Expr) []ir.Stmt {
	direct := true
	for _, x := range items {
		if _, ok := x.(*ir.Var); !ok {
			direct = false
		}
	}
	var assigns []ir.Stmt
	for _, x := range items {
		if v, ok := x.(*ir.Var); ok && (direct || len(items) == 1) {
			r.Items = append(r.Items, v)
			continue
		}
		length := 0
		if x.Type() == ir.Character {
			if length = l.charLen(x); length < 0 {
				l.errorf(codeOutside, x.Position(), "READ into a substring of variable length").
					WithHelp("read into a CHARACTER variable, then assign the substring")
				length = 1
			}
		}
		t := l.temp("read", x.Type(), length, x.Position())
		ref := func() *ir.Var { return &ir.Var{X: ir.X{Pos: x.Position(), Typ: t.Type}, Sym: t} }
		r.Items = append(r.Items, ref())
		assigns = append(assigns, &ir.Assign{S: ir.S{Pos: r.Pos}, LHS: x, RHS: ref()})
	}
	return assigns
}

// when is "if (s op 0) then body".
func (l *lowerer) when(op ir.Op, s *ir.Symbol, pos source.Pos, body []ir.Stmt) *ir.If {
	cond := &ir.Bin{X: ir.X{Pos: pos, Typ: ir.Logical}, Op: op,
		L: &ir.Var{X: ir.X{Pos: pos, Typ: ir.Integer}, Sym: s}, R: l.intConst(0, pos)}
	return &ir.If{S: ir.S{Pos: pos}, Cond: cond, Then: body}
}
