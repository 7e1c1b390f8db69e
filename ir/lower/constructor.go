package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// An array constructor is an array that is made in front of the statement. One of constants,
// and a PARAMETER array, is an array with initial values that nothing changes: an element
// with constant subscripts is a constant again.
//
//	x = [1, 2, 3] + y(k)*[(i*i, i = 1, 3)]
//
//	c / 1, 2, 3 /, d / 1, 4, 9 /       x(i) = c(i) + y(k)*d(i)

// constructor is the array that e makes; nil after an error. What has to be computed
// before goes to pre.
func (l *lowerer) constructor(e *ast.Array, pre *[]ir.Stmt) *argument {
	errors := l.diags.Errors()
	m := &maker{l: l, pos: e.Pos}
	if e.Type != nil {
		t := l.typeSpec(e.Type, e.Pos)
		m.typ, m.length, m.typed = t.typ, t.length, true
	}
	if m.items(e.Items) {
		if len(m.list) == 0 && m.typ == ir.Invalid {
			l.errorf(codeType, e.Pos, "an array constructor without items needs a type").WithHelp("write the type: [real ::]")
			return nil
		}
		return l.constantVector(m.typ, m.length, m.list, e.Pos)
	}
	if l.diags.Errors() > errors {
		return nil
	}
	return m.made(e.Items, pre)
}

// constantVector is an array of constants, with the initial values list.
func (l *lowerer) constantVector(typ ir.Type, length int, list []*ir.Const, pos source.Pos) *argument {
	s := l.local("list", typ, pos)
	s.Site, s.Len = nil, length
	s.Dims = []ir.Bound{{Lo: 1, Hi: len(list)}}
	for at, c := range list {
		l.setInitial(s, at, 1, c, pos)
	}
	l.constants[s] = true
	v, sh := l.wholeView(s, pos)
	return &argument{pos: pos, typ: typ, name: "[...]", view: v, shape: sh, readOnly: "it is an expression"}
}

// maker collects the items of a constructor that are constants, or assigns all items to
// the elements of an array.
type maker struct {
	l      *lowerer
	pos    source.Pos
	typ    ir.Type // Invalid before the first item
	length int
	typed  bool // the type is written
	list   []*ir.Const
}

// items appends the constants that list consists of; ok is false where there is
// anything else, or after an error.
func (m *maker) items(list []ast.Expr) bool {
	for _, e := range list {
		if !m.item(e) {
			return false
		}
	}
	return true
}

func (m *maker) item(e ast.Expr) bool {
	l := m.l
	if l.refersToFunction(e) {
		return false
	}
	switch x := e.(type) {
	case *ast.ImpliedDo:
		lo, hi, step, ok := m.bounds(x)
		if !ok {
			return false
		}
		return l.withIndex(x.Var, func(set func(ir.Expr)) bool {
			for i := lo; (hi-i)*step >= 0; i += step {
				set(l.intConst(i, x.Pos))
				if !m.items(x.Items) {
					return false
				}
			}
			return true
		})
	case *ast.Array:
		if x.Type == nil {
			return m.items(x.Items)
		}
	}
	if l.firstPart(e) != nil {
		list, _, ok := l.constantElements(e)
		for _, c := range list {
			ok = ok && m.add(c)
		}
		return ok
	}
	errors := l.diags.Errors()
	prelude := len(l.prelude)
	c, ok := l.expr(e).(*ir.Const)
	if l.diags.Errors() == errors {
		l.prelude = l.prelude[:prelude]
	}
	return ok && !isBad(c) && m.add(c)
}

// refersToFunction reports whether a function of the program is referred to in e: it is
// lowered once, since each lowering makes a call.
func (l *lowerer) refersToFunction(e ast.Expr) bool {
	return ast.Any(e, func(e ast.Expr) bool { x, ok := e.(*ast.Index); return ok && l.functionOf(x) != nil })
}

// hasConstructor reports whether there is an array constructor in e.
func hasConstructor(e ast.Expr) bool {
	return ast.Any(e, func(e ast.Expr) bool { _, ok := e.(*ast.Array); return ok })
}

// bounds are the constant bounds and the step of x; ok is false where they are not.
func (m *maker) bounds(x *ast.ImpliedDo) (lo, hi, step int, ok bool) {
	var b [3]int
	for i, e := range []ast.Expr{x.Lo, x.Hi, x.Step} {
		b[i] = 1
		if e == nil {
			continue
		}
		c, isConst := m.l.integer(e, "a bound of an implied DO").(*ir.Const)
		if !isConst || isBad(c) {
			return 0, 0, 0, false
		}
		b[i] = c.Int
	}
	if b[2] == 0 {
		m.l.errorf(codeLoop, x.Pos, "the step of the implied DO is zero").WithHelp("write a step other than 0")
		return 0, 0, 0, false
	}
	return b[0], b[1], b[2], true
}

// add appends a constant.
func (m *maker) add(c *ir.Const) bool {
	if !m.suits(c) {
		return false
	}
	if m.typ == ir.Character {
		fitted := *c
		if m.length >= 0 {
			fitted.Str = pad(c.Str, m.length)
		}
		c = &fitted
	} else if c, _ = m.l.convert(c, m.typ).(*ir.Const); c == nil || isBad(c) {
		return false
	}
	if len(m.list) >= maxValues {
		m.l.errorf(codeLarge, m.pos, "an array constructor has more than %d elements", maxValues).WithHelp("assign the elements in a DO loop")
		return false
	}
	m.list = append(m.list, c)
	return true
}

// suits reports, or says by an error, whether x can be an element: it has the type of the
// first one where no type is written.
func (m *maker) suits(x ir.Expr) bool {
	t := x.Type()
	switch {
	case t == ir.Invalid:
		return false
	case m.typ == ir.Invalid:
		m.typ = t
		if t == ir.Character {
			m.length = m.l.charLen(x)
		}
	case m.typ == t || m.typed && (m.typ.IsNumeric() && t.IsNumeric() || m.typ.IsLogical() && t.IsLogical()):
	default:
		m.l.errorf(codeType, x.Position(), "an array constructor of %s has an element that is %s", m.typ, t).
			WithHelp("give all elements one type, or write it in front: [%s :: ...]", typeWord(m.typ))
		return false
	}
	return true
}

// withIndex lowers something in which name is the index of an implied DO of its own, which
// set gives its value.
func (l *lowerer) withIndex(name ast.Name, lower func(set func(ir.Expr)) bool) bool {
	outer, was := l.names[name.Name]
	defer func() {
		if delete(l.names, name.Name); was {
			l.names[name.Name] = outer
		}
	}()
	return lower(func(x ir.Expr) {
		l.names[name.Name] = &ir.Symbol{Name: name.Name, Pos: name.Pos, Type: x.Type(), Param: true, Init: x}
	})
}
