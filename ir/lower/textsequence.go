package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
)

// Sequence association of characters: a dummy array of texts has the characters of what is
// passed one after the other, which may be an array with elements of another length, a part
// of an element and what follows it, or a single text.
//
//	character(len=10) :: c(6)
//	call s(c(2)(3:10))          ! subroutine s(x); character(len=8) :: x(*)
//
// x(1) is c(2)(3:10), and x(2) is c(3)(1:8). x is an array of the procedure, to which the
// characters are copied, and back: character q of x, from 0 on, is character q + 12 of c.

// takesText reports whether the argument of d is a text, not an array, whose characters an
// array may have.
func (d *dummy) takesText() bool {
	a := d.arg
	return d.isArray && !d.cell && a != nil && a.view == nil && a.typ == ir.Character && (a.store != nil || a.sym != nil)
}

// elementLength gives a CHARACTER array its length where that is what the actual argument
// has, and finds out whether it has characters in elements of another length.
func (b *binding) elementLength(d *dummy, t declType) {
	n := b.textLength(d.arg)
	if t.assumed && n >= 0 {
		d.sym.Len = n
	}
	if d.repacked = d.takesText() || d.arg.part != nil || !t.assumed && n != t.length; !d.repacked {
		return
	}
	switch {
	case b.l.shapes[d.sym] != nil:
		b.l.errorf(codeCall, d.declared, "the length of %s is declared after its dimensions, and differs from that of argument %d of %s", d.Name.Name, d.no, b.unit.Name).
			WithHelp("declare both in one statement, as in: character(len=%d) :: %s(...)", t.length, d.Name.Name)
	case n < 0:
		b.l.errorf(codeCall, d.arg.pos, "%s is a text whose length is not known before run time, the dummy argument %s is an array", b.what(d), d.Name.Name).
			WithHelp("pass a text with a constant length")
	}
}

// textLength is the length of what is passed: of an element, a part of one, or a text; -1
// where they are not known before run time.
func (b *binding) textLength(a *argument) int {
	switch {
	case a.part != nil:
		return b.l.charLen(a.part)
	case a.view != nil:
		return a.view.base.Len
	}
	return b.l.charLen(a.value)
}

// characters are how many characters argument a has from the first on that is passed.
func (b *binding) characters(a *argument, pos source.Pos) ir.Expr {
	l := b.l
	if a.view == nil {
		return l.lenOf(a.value, pos)
	}
	n := l.times(l.intConst(a.view.base.Len, pos), l.minus(l.product1(a.shape.n), b.position(a, pos), pos), pos)
	if a.part != nil {
		n = l.minus(n, l.minus(ir.Clone(a.part.Lo), l.intConst(1, pos), pos), pos)
	}
	return n
}

// assumedTexts is the extent of the last dimension of array d of assumed size, of which the
// others are n.
func (b *binding) assumedTexts(d *dummy, n []ir.Expr, pos source.Pos) ir.Expr {
	l := b.l
	var size ir.Expr = l.intConst(max(1, d.sym.Len), pos)
	if len(n) > 0 {
		size = l.times(size, l.product1(n), pos)
	}
	if c, ok := constOf(size); ok && c < 1 {
		return l.intConst(0, pos)
	}
	return l.arith(ir.Div, b.characters(d.arg, pos), size, pos)
}

// ownArray makes d an array of the procedure, of shape sh.
func (b *binding) ownArray(d *dummy, sh *shape, constant bool) {
	l := b.l
	delete(l.unbounded, d.sym)
	if l.phantom {
		return
	}
	d.owned, d.fixedShape = true, constant
	delete(l.shapes, d.sym)
	if !constant {
		b.automatic(d.sym, sh.lo, l.uppers(sh, d.Pos), d.Pos)
	}
	l.prog.Symbols = append(l.prog.Symbols, d.sym)
}

// copyTexts copies the characters of an array argument: in, from the actual argument, or
// out, back to it. A dummy array may be longer than what is passed.
func (b *binding) copyTexts(d *dummy, in bool) ir.Stmt {
	l, at := b.l, b.call.Pos
	element, index, number := b.numbered(d)
	c := l.local("character", ir.Integer, at)
	q := l.local("character", ir.Long, at)
	as := &ir.Assign{S: ir.S{Pos: at}, LHS: &ir.Substr{X: ir.X{Pos: at, Typ: ir.Character}, Base: element, Lo: varOf(c, at), Hi: varOf(c, at)},
		RHS: b.character(d.arg, q, at)}
	if !in {
		as.LHS, as.RHS = as.RHS, as.LHS
	}
	count := l.plus(l.times(intConstOf(ir.Long, d.sym.Len, at), number, at), l.minus(varOf(c, at), l.intConst(1, at), at), at)
	there := l.bin(ir.Lt, varOf(q, at), b.characters(d.arg, at), at, at)
	body := []ir.Stmt{l.set(q, count, at), &ir.If{S: ir.S{Pos: at}, Cond: there, Then: one(as)}}
	chars := &ir.Do{S: ir.S{Pos: at}, Index: c, Lo: l.intConst(1, at), Hi: l.intConst(d.sym.Len, at), Step: l.intConst(1, at), Body: body, End: at}
	return l.overElements(d.sym, index, one(chars), at)
}

// character is character q, from 0 on, of argument a.
func (b *binding) character(a *argument, q *ir.Symbol, at source.Pos) ir.Expr {
	l := b.l
	one := func(base, n ir.Expr) ir.Expr {
		n = l.convert(l.plus(n, l.intConst(1, at), at), ir.Integer)
		return &ir.Substr{X: ir.X{Pos: at, Typ: ir.Character}, Base: base, Lo: n, Hi: ir.Clone(n)}
	}
	before := func(sub *ir.Substr) ir.Expr { return l.minus(ir.Clone(sub.Lo), l.intConst(1, at), at) }
	var n ir.Expr = varOf(q, at)
	if a.view == nil {
		if sub, ok := a.store.(*ir.Substr); ok {
			return one(ir.Clone(sub.Base), l.plus(n, before(sub), at))
		}
		return one(ir.Clone(a.value), n)
	}
	length := func() ir.Expr { return intConstOf(ir.Long, a.view.base.Len, at) }
	if n = l.plus(n, l.times(length(), b.position(a, at), at), at); a.part != nil {
		n = l.plus(n, before(a.part), at)
	}
	return one(b.element(a, l.arith(ir.Div, ir.Clone(n), length(), at), at), l.remainder(n, length(), at))
}

// remainder is that of two numbers that are not negative, as INTEGER(8).
func (l *lowerer) remainder(x, of ir.Expr, at source.Pos) ir.Expr {
	return &ir.Call{X: ir.X{Pos: at, Typ: ir.Long}, Name: "mod", Args: []ir.Expr{l.convert(x, ir.Long), l.convert(of, ir.Long)}}
}

// element is the element of array argument a that so many others are in front of.
func (b *binding) element(a *argument, number ir.Expr, at source.Pos) ir.Expr {
	l := b.l
	r := &ir.Ref{X: ir.X{Pos: at, Typ: a.typ}, Sym: a.view.base}
	for k, extent := range a.shape.n {
		sub := ir.Clone(number)
		if k < len(a.shape.n)-1 {
			sub = l.remainder(sub, ir.Clone(extent), at)
			number = l.arith(ir.Div, number, ir.Clone(extent), at)
		}
		r.Subs = append(r.Subs, l.plus(sub, ir.Clone(a.shape.lo[k]), at))
	}
	return l.viewed(a.view, r)
}

// numbered are the elements of array d with an index for each dimension, and how many elements
// are in front of that.
func (b *binding) numbered(d *dummy) (element *ir.Ref, index []*ir.Symbol, number ir.Expr) {
	l, at := b.l, b.call.Pos
	index = make([]*ir.Symbol, len(d.sym.Dims))
	number = intConstOf(ir.Long, 0, at)
	var size ir.Expr = intConstOf(ir.Long, 1, at)
	element = &ir.Ref{X: ir.X{Pos: at, Typ: d.sym.Type, Raw: true}, Sym: d.sym}
	for k, bound := range d.sym.Dims {
		index[k] = l.local("copy", ir.Long, at)
		element.Subs = append(element.Subs, varOf(index[k], at))
		lo := l.endOf(bound.Lo, at)
		number = l.plus(number, l.times(ir.Clone(size), l.minus(varOf(index[k], at), lo, at), at), at)
		size = l.times(size, l.plus(l.minus(l.endOf(bound.Hi, at), ir.Clone(lo), at), intConstOf(ir.Long, 1, at), at), at)
	}
	return element, index, number
}
