package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// A constructor of items that are not constant is made in three steps: everything in the
// items is evaluated once, the sizes of the items are added, and each item is assigned to its
// place.
//
//	x = [a(2:n), (b(i), i = 1, k)]      t(1:max(0,n-1) + max(0,k))
//	                                    t(j) = a(j+1);  t(max(0,n-1) + i) = b(i)

// part is one item of a constructor, in which everything is evaluated.
type part struct {
	pos  source.Pos
	x    ir.Expr   // a scalar
	a    *argument // an array
	loop *partLoop // an implied DO
	n    ir.Expr   // how many elements it has
}

// partLoop is an implied DO over parts; before is what each iteration does first.
type partLoop struct {
	index        *ir.Symbol
	lo, hi, step ir.Expr
	parts        []part
	before       []ir.Stmt
	inside       ir.Expr // the elements of one iteration
	varies       bool    // they are not as many in each
}

// made makes an array of items that are no constants.
func (m *maker) made(items []ast.Expr, pre *[]ir.Stmt) *argument {
	l := m.l
	parts, ok := m.parts(items, pre)
	if !ok {
		return nil
	}
	n := m.total(parts)
	if _, constant := constOf(n); !constant {
		size := l.local("size", n.Type(), m.pos) // what the sizes come from may change: a = [a, 1]
		l.captured[size] = true
		*pre = append(*pre, l.set(size, n, m.pos))
		n = varOf(size, m.pos)
	}
	out := l.room(&elemental{n: []ir.Expr{n}, pos: m.pos, pre: pre}, m.typ, m.length, m.pos)
	if out == nil {
		return nil
	}
	out.name, out.readOnly = "[...]", "it is an expression"
	m.store(out.view.base, parts, l.intConst(0, m.pos), pre)
	return out
}

// parts evaluates what is in items, in their order.
func (m *maker) parts(items []ast.Expr, pre *[]ir.Stmt) (list []part, ok bool) {
	l := m.l
	for _, e := range items {
		p := part{pos: e.Position()}
		do, isLoop := e.(*ast.ImpliedDo)
		inner, isList := e.(*ast.Array)
		switch {
		case isLoop:
			if p.loop, p.n = m.loop(do, pre); p.loop == nil {
				return nil, false
			}
		case isList && inner.Type == nil:
			more, ok := m.parts(inner.Items, pre)
			if !ok {
				return nil, false
			}
			list = append(list, more...)
			continue
		case l.firstPart(e) != nil:
			var body []ir.Stmt
			before := l.functions(func() { p.a = l.valueOf(e, &body) })
			*pre = append(append(*pre, before...), body...)
			if p.a == nil || !m.suits(&ir.Ref{X: ir.X{Pos: p.pos, Typ: p.a.typ}, Sym: p.a.view.base}) {
				return nil, false
			}
			p.n = l.product1(p.a.shape.n)
		default:
			outer := l.elem
			l.elem = nil
			before := l.functions(func() { p.x = l.expr(e) })
			l.elem = outer
			if isBad(p.x) || !m.suits(p.x) {
				return nil, false
			}
			*pre = append(*pre, before...)
			p.n = l.intConst(1, p.pos)
		}
		list = append(list, p)
	}
	return list, true
}

// total is how many elements the parts have together.
func (m *maker) total(parts []part) ir.Expr {
	var n ir.Expr = m.l.intConst(0, m.pos)
	for _, p := range parts {
		n = m.l.plus(n, ir.Clone(p.n), p.pos)
	}
	return n
}

// loop is implied DO x, over a variable of its own, and how many elements it has; nil after
// an error.
func (m *maker) loop(x *ast.ImpliedDo, pre *[]ir.Stmt) (*partLoop, ir.Expr) {
	l := m.l
	p := &partLoop{}
	var bounds [3]ir.Expr
	for i, e := range []ast.Expr{x.Lo, x.Hi, x.Step} {
		bounds[i] = l.intConst(1, x.Pos)
		if e == nil {
			continue
		}
		*pre = append(*pre, l.functions(func() { bounds[i] = l.integer(e, "a bound of an implied DO") })...)
		if isBad(bounds[i]) {
			return nil, nil
		}
		if l.refersToFunction(x) {
			bounds[i] = l.fixed(bounds[i], "bound", x.Pos, pre)
		}
	}
	p.lo, p.hi, p.step = bounds[0], bounds[1], bounds[2]
	if c, ok := constOf(p.step); ok && c == 0 {
		l.errorf(codeLoop, x.Pos, "the step of the implied DO is zero").WithHelp("write a step other than 0")
		return nil, nil
	}
	p.index = l.local(x.Var.Name, ir.Integer, x.Pos)
	outer, was := l.names[x.Var.Name]
	l.names[x.Var.Name] = p.index
	l.active[p.index] = x.Pos
	var ok bool
	p.parts, ok = m.parts(x.Items, &p.before)
	delete(l.active, p.index)
	if delete(l.names, x.Var.Name); was {
		l.names[x.Var.Name] = outer
	}
	if !ok {
		return nil, nil
	}
	p.inside = m.total(p.parts)
	p.varies = mentions(p.inside, func(s *ir.Symbol) bool { return s == p.index || assigns(p.before, s) })
	if !p.varies {
		return p, l.arith(ir.Mul, ir.Clone(p.inside), p.count(l, x.Pos), x.Pos)
	}
	if len(p.before) > 0 {
		l.errorf(codeOutside, x.Pos, "the number of elements of an array constructor is not known before they are computed").
			WithHelp("assign the elements in a DO loop")
		return nil, nil
	}
	n := l.local("size", ir.Integer, x.Pos)
	l.captured[n] = true
	*pre = append(*pre, l.set(n, l.intConst(0, x.Pos), x.Pos),
		p.over(one(l.set(n, l.plus(varOf(n, x.Pos), ir.Clone(p.inside), x.Pos), x.Pos)), x.Pos))
	return p, varOf(n, x.Pos)
}

// over is the loop with the body given.
func (p *partLoop) over(body []ir.Stmt, pos source.Pos) ir.Stmt {
	return &ir.Do{S: ir.S{Pos: pos}, Index: p.index, Lo: ir.Clone(p.lo), Hi: ir.Clone(p.hi), Step: ir.Clone(p.step), Body: body, End: pos}
}

// count is the number of iterations.
func (p *partLoop) count(l *lowerer, pos source.Pos) ir.Expr {
	if isOne(p.step) {
		return l.extentOf(p.lo, p.hi, pos)
	}
	room := l.plus(l.minus(ir.Clone(p.hi), ir.Clone(p.lo), pos), ir.Clone(p.step), pos)
	return l.atLeast0(l.arith(ir.Div, room, ir.Clone(p.step), pos), pos)
}

// mentions reports whether e reads a symbol of which is holds.
func mentions(e ir.Expr, is func(*ir.Symbol) bool) bool {
	found := false
	ir.WalkExpr(e, func(x ir.Expr) bool {
		switch x := x.(type) {
		case *ir.Var:
			found = found || is(x.Sym)
		case *ir.Ref:
			found = found || is(x.Sym)
		}
		return !found
	})
	return found
}

// store assigns the parts to the elements of t behind place at.
func (m *maker) store(t *ir.Symbol, parts []part, at ir.Expr, pre *[]ir.Stmt) {
	l := m.l
	t.Type, t.Len = m.typ, m.length
	set := func(x ir.Expr, at ir.Expr) ir.Stmt {
		lhs := &ir.Ref{X: ir.X{Pos: x.Position(), Typ: m.typ}, Sym: t, Subs: []ir.Expr{at}}
		return &ir.Assign{S: ir.S{Pos: x.Position()}, LHS: lhs, RHS: l.convert(x, m.typ)}
	}
	for _, p := range parts {
		switch {
		case p.loop != nil:
			*pre = append(*pre, m.storeLoop(t, p, at, pre))
		case p.a != nil:
			ctx := l.elementsOf(p.a, pre)
			x := l.elementOf(p.a, ctx, p.pos)
			*pre = append(*pre, l.nest(ctx, set(x, l.plus(l.numberOf(ctx, p.pos), ir.Clone(at), p.pos)), p.pos))
		default:
			*pre = append(*pre, set(p.x, l.plus(ir.Clone(at), l.intConst(1, p.pos), p.pos)))
		}
		at = l.plus(ir.Clone(at), ir.Clone(p.n), p.pos)
	}
}

// storeLoop is the loop that assigns the elements of p behind place at: those of index i
// behind at + inside*(i-lo)/step, or where their number varies behind a counter.
func (m *maker) storeLoop(t *ir.Symbol, p part, at ir.Expr, pre *[]ir.Stmt) ir.Stmt {
	l, do := m.l, p.loop
	body := do.before
	if do.varies {
		c := l.local("at", ir.Integer, p.pos)
		*pre = append(*pre, l.set(c, ir.Clone(at), p.pos))
		m.store(t, do.parts, varOf(c, p.pos), &body)
		return do.over(append(body, l.set(c, l.plus(varOf(c, p.pos), ir.Clone(do.inside), p.pos), p.pos)), p.pos)
	}
	turn := l.minus(varOf(do.index, p.pos), ir.Clone(do.lo), p.pos)
	if !isOne(do.step) {
		turn = l.arith(ir.Div, turn, ir.Clone(do.step), p.pos)
	}
	from := l.plus(l.times(do.inside, turn, p.pos), ir.Clone(at), p.pos)
	if k, isConst := constOf(at); !isConst || k != 0 {
		from = l.plus(ir.Clone(at), l.times(do.inside, ir.Clone(turn), p.pos), p.pos)
	}
	m.store(t, do.parts, from, &body)
	return do.over(body, p.pos)
}
