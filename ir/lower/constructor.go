package lower

import (
	"slices"

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

// folded is the constant that element r of an array of constants is, or r.
func (l *lowerer) folded(r *ir.Ref) ir.Expr {
	if !l.constants[r.Sym] {
		return r
	}
	at, size := 0, 1
	for k, sub := range r.Subs {
		i, ok := constOf(sub)
		b := r.Sym.Dims[k]
		if !ok || i < b.Lo || i > b.Hi {
			return r
		}
		at += (i - b.Lo) * size
		size *= b.Extent()
	}
	c := initialOf(r.Sym, at)
	if c == nil {
		return r
	}
	out := *c
	out.Pos = r.Pos
	return &out
}

// constructor is the array that e makes; nil after an error. What has to be computed
// before goes to pre.
func (l *lowerer) constructor(e *ast.Array, pre *[]ir.Stmt) *argument {
	errors := l.diags.Len()
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
	if l.diags.Len() > errors {
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
	if l.refersToFunction(e) {
		return false
	}
	if l.firstPart(e) != nil {
		list, _, ok := l.constantElements(e)
		for _, c := range list {
			ok = ok && m.add(c)
		}
		return ok
	}
	errors := l.diags.Len()
	prelude := len(l.prelude)
	c, ok := l.expr(e).(*ir.Const)
	if l.diags.Len() == errors {
		l.prelude = l.prelude[:prelude]
	}
	return ok && !isBad(c) && m.add(c)
}

// refersToFunction reports whether a function of the program is referred to in e: it is
// lowered once, since each lowering makes a call.
func (l *lowerer) refersToFunction(e ast.Expr) bool {
	if x, ok := e.(*ast.Index); ok && l.functionOf(x) != nil {
		return true
	}
	return slices.ContainsFunc(ast.Children(e), l.refersToFunction)
}

// hasConstructor reports whether there is an array constructor in e.
func hasConstructor(e ast.Expr) bool {
	if _, ok := e.(*ast.Array); ok {
		return true
	}
	return slices.ContainsFunc(ast.Children(e), hasConstructor)
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
		fitted.Str = pad(c.Str, m.length)
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
			m.length = max(0, m.l.charLen(x))
		}
	case m.typ == t || m.typed && m.typ.IsNumeric() && t.IsNumeric():
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

// made makes an array of items that are no constants: each is assigned to its element, in
// loops where there are many.
func (m *maker) made(items []ast.Expr, pre *[]ir.Stmt) *argument {
	l := m.l
	n, ok := m.size(items)
	if !ok {
		return nil
	}
	t := l.local("list", ir.Invalid, m.pos)
	t.Dims = []ir.Bound{{Lo: 1, Hi: n}}
	at, ok := m.assign(t, items, l.intConst(0, m.pos), pre)
	if k, _ := constOf(at); !ok || k != n {
		return nil
	}
	t.Type, t.Len = m.typ, m.length
	v, sh := l.wholeView(t, m.pos)
	return &argument{pos: m.pos, typ: m.typ, name: "[...]", view: v, shape: sh, readOnly: "it is an expression"}
}

// size is how many elements items have; it must be known.
func (m *maker) size(items []ast.Expr) (n int, ok bool) {
	l := m.l
	unknown := func(pos source.Pos) (int, bool) {
		if !l.phantom {
			l.errorf(codeOutside, pos, "the number of elements of an array constructor is not known here").
				WithHelp("assign the elements in a DO loop")
		}
		return 0, false
	}
	for _, e := range items {
		k := 1
		switch x := e.(type) {
		case *ast.ImpliedDo:
			lo, hi, step, known := m.bounds(x)
			if !known {
				return unknown(x.Pos)
			}
			inside := 0
			if !l.withIndex(x.Var, func(set func(ir.Expr)) bool {
				set(l.intConst(lo, x.Pos))
				inside, ok = m.size(x.Items)
				return ok
			}) {
				return 0, false
			}
			k = max(0, (hi-lo+step)/step) * inside
		case *ast.Array:
			if k, ok = m.size(x.Items); !ok {
				return 0, false
			}
		default:
			shaping := l.firstPart(e)
			if shaping == nil {
				break
			}
			var scratch []ir.Stmt
			ctx := l.elementsLike(shaping, &scratch)
			if ctx == nil {
				return 0, false
			}
			for _, x := range ctx.n {
				extent, known := constOf(x)
				if !known {
					return unknown(e.Position())
				}
				k *= extent
			}
		}
		n += k
	}
	return n, true
}

// assign assigns items to the elements of t behind place at, and returns the place
// behind them.
func (m *maker) assign(t *ir.Symbol, items []ast.Expr, at ir.Expr, pre *[]ir.Stmt) (ir.Expr, bool) {
	l := m.l
	store := func(x ir.Expr, at ir.Expr) ir.Stmt {
		lhs := &ir.Ref{X: ir.X{Pos: x.Position(), Typ: m.typ}, Sym: t, Subs: []ir.Expr{at}}
		return &ir.Assign{S: ir.S{Pos: x.Position()}, LHS: lhs, RHS: l.convert(x, m.typ)}
	}
	for _, e := range items {
		switch x := e.(type) {
		case *ast.ImpliedDo:
			next, ok := m.loop(t, x, at, pre)
			if !ok {
				return at, false
			}
			at = next
			continue
		case *ast.Array:
			next, ok := m.assign(t, x.Items, at, pre)
			if !ok {
				return at, false
			}
			at = next
			continue
		}
		pos := e.Position()
		if shaping := l.firstPart(e); shaping != nil {
			a := l.valueOf(e, pre)
			if a == nil {
				return at, false
			}
			ctx := l.elementsOf(a, pre)
			x := l.elementOf(a, ctx, pos)
			if !m.suits(x) {
				return at, false
			}
			*pre = append(*pre, l.nest(ctx, store(x, l.plus(l.numberOf(ctx, pos), ir.Clone(at), pos)), pos))
			at = l.plus(ir.Clone(at), l.product1(ctx.n), pos)
			continue
		}
		var x ir.Expr
		outer := l.elem
		l.elem = nil
		before := l.functions(func() { x = l.expr(e) })
		l.elem = outer
		if isBad(x) || !m.suits(x) {
			return at, false
		}
		at = l.plus(ir.Clone(at), l.intConst(1, pos), pos)
		*pre = append(append(*pre, before...), store(x, ir.Clone(at)))
	}
	return at, true
}

// loop assigns the items of implied DO x, in a loop over a variable of its own.
func (m *maker) loop(t *ir.Symbol, x *ast.ImpliedDo, at ir.Expr, pre *[]ir.Stmt) (ir.Expr, bool) {
	l := m.l
	lo, hi, step, ok := m.bounds(x)
	if !ok {
		return at, false
	}
	index := l.local(x.Var.Name, ir.Integer, x.Pos)
	outer, was := l.names[x.Var.Name]
	defer func() {
		if delete(l.names, x.Var.Name); was {
			l.names[x.Var.Name] = outer
		}
	}()
	l.names[x.Var.Name] = index
	l.active[index] = x.Pos
	defer delete(l.active, index)
	inside, ok := m.size(x.Items)
	if !ok {
		return at, false
	}
	// The items of index i stand behind at + inside*(i-lo)/step.
	i := ir.Expr(&ir.Var{X: ir.X{Pos: x.Pos, Typ: index.Type}, Sym: index})
	turn := l.minus(i, l.intConst(lo, x.Pos), x.Pos)
	if step != 1 {
		turn = l.arith(ir.Div, turn, l.intConst(step, x.Pos), x.Pos)
	}
	from := l.plus(l.times(l.intConst(inside, x.Pos), turn, x.Pos), ir.Clone(at), x.Pos)
	if k, isConst := constOf(at); !isConst || k != 0 {
		from = l.plus(ir.Clone(at), l.times(l.intConst(inside, x.Pos), ir.Clone(turn), x.Pos), x.Pos)
	}
	var body []ir.Stmt
	if _, ok = m.assign(t, x.Items, from, &body); !ok {
		return at, false
	}
	*pre = append(*pre, &ir.Do{S: ir.S{Pos: x.Pos}, Index: index, Lo: l.intConst(lo, x.Pos), Hi: l.intConst(hi, x.Pos), Step: l.intConst(step, x.Pos), Body: body, End: x.Pos})
	return l.plus(ir.Clone(at), l.intConst(inside*max(0, (hi-lo+step)/step), x.Pos), x.Pos), true
}

// constantElements are the elements of constant array expression e in array element
// order, and its extents; ok is false where it is not constant, or after an error.
func (l *lowerer) constantElements(e ast.Expr) (list []*ir.Const, extents []int, ok bool) {
	switch x := e.(type) {
	case *ast.Paren:
		return l.constantElements(x.X)
	case *ast.Array:
		m := &maker{l: l, pos: x.Pos}
		if x.Type != nil {
			t := l.typeSpec(x.Type, x.Pos)
			m.typ, m.length, m.typed = t.typ, t.length, true
		}
		ok = m.items(x.Items)
		return m.list, []int{len(m.list)}, ok
	case *ast.Ident:
		s := l.lookup(x.Name)
		if s == nil || !l.constants[s] {
			return nil, nil, false
		}
		size := 1
		for _, b := range s.Dims {
			extents = append(extents, b.Extent())
			size *= b.Extent()
		}
		for at := range size {
			list = append(list, initialOf(s, at))
		}
		return list, extents, true
	case *ast.Index:
		if x.Name == "reshape" && l.isFunction(x) {
			return l.constantReshape(x)
		}
	}
	return l.constantElementwise(e)
}

// constantReshape is constantElements of RESHAPE.
func (l *lowerer) constantReshape(e *ast.Index) (list []*ir.Const, extents []int, ok bool) {
	args := l.ordered(e, 2, reshapeArguments...)
	if args == nil || args[3] != nil {
		return nil, nil, false
	}
	from, _, ok := l.constantElements(args[0])
	if !ok {
		return nil, nil, false
	}
	shape, _, ok := l.constantElements(args[1])
	if !ok {
		return nil, nil, false
	}
	size := 1
	for _, c := range shape {
		extents = append(extents, max(0, c.Int))
		size *= max(0, c.Int)
	}
	if args[2] != nil && len(from) < size {
		more, _, ok := l.constantElements(args[2])
		if !ok || len(more) == 0 {
			return nil, nil, false
		}
		for k := 0; len(from) < size; k++ {
			from = append(from, more[k%len(more)])
		}
	}
	if len(from) < size {
		l.errorf(codeArgument, e.Pos, "reshape makes %d elements of %d", size, len(from)).WithHelp("give more elements, or PAD")
		return nil, nil, false
	}
	return from[:size], extents, true
}

// constantElementwise is constantElements of an expression that is evaluated element by
// element.
func (l *lowerer) constantElementwise(e ast.Expr) (list []*ir.Const, extents []int, ok bool) {
	shaping := l.firstPart(e)
	if shaping == nil || shaping == e {
		return nil, nil, false
	}
	_, extents, ok = l.constantElements(shaping)
	if !ok {
		return nil, nil, false
	}
	var scratch []ir.Stmt
	ctx := &elemental{pos: e.Position(), pre: &scratch, place: make([]ir.Expr, len(extents))}
	for _, n := range extents {
		ctx.n = append(ctx.n, l.intConst(n, e.Position()))
	}
	place := make([]int, len(extents))
	for !slices.Contains(extents, 0) {
		for k, i := range place {
			ctx.place[k] = l.intConst(i+1, e.Position())
		}
		c, isConst := l.elementally(ctx, e).(*ir.Const)
		if !isConst || isBad(c) {
			return nil, nil, false
		}
		list = append(list, c)
		k := 0
		for ; k < len(place); k++ {
			if place[k]++; place[k] < extents[k] {
				break
			}
			place[k] = 0
		}
		if k == len(place) {
			break
		}
	}
	return list, extents, true
}

// constantArray are the values of constant array expression e for an array of type t with
// the bounds; done is false where e is a scalar. The list is nil after an error.
func (l *lowerer) constantArray(e ast.Expr, what string, s *ir.Symbol) (list []*ir.Const, done bool) {
	if l.firstPart(e) == nil {
		return nil, false
	}
	errors := l.diags.Len()
	list, extents, ok := l.constantElements(e)
	if !ok {
		if l.diags.Len() == errors {
			l.errorf(codeNotConstant, e.Position(), "%s must be a constant expression", what).
				WithHelp("write constants, PARAMETERs and array constructors of them")
		}
		return nil, true
	}
	for k, b := range s.Dims {
		if len(extents) != len(s.Dims) || extents[k] != b.Extent() {
			l.errorf(codeBounds, e.Position(), "%s has another shape than %s(%s)", what, s.Source(), ir.BoundsString(s.Dims)).
				WithHelp("give as many values as elements; reshape([...], [m, n]) makes a matrix")
			return nil, true
		}
	}
	for k, c := range list {
		value, _ := l.constantFor(s, c).(*ir.Const)
		if value == nil {
			return nil, true
		}
		list[k] = value
	}
	return list, true
}
