package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
)

// Sequence association of the parts of numbers: a dummy array of REAL has the real and the
// imaginary parts of a COMPLEX array that is passed, one after the other, and the reverse, as
// programs have it whose procedures are in other files.
//
//	complex(8) :: z(10)
//	call s(20, z)               ! subroutine s(n, x); real(8) :: x(*)
//
// x is an array of the procedure, to which the parts are copied, and back.

// hasParts reports whether numbers of type part are the parts of those of type t.
func hasParts(t, part ir.Type) bool { return t.IsComplex() && t.Part() == part }

// assumedParts is the extent of the last dimension of array d of assumed size, of which the
// others are n.
func (b *binding) assumedParts(d *dummy, n []ir.Expr, pos source.Pos) ir.Expr {
	l := b.l
	var size ir.Expr = l.intConst(1, pos)
	if len(n) > 0 {
		size = l.product1(n)
	}
	left := b.assumed(d.arg, nil, pos)
	if two := l.intConst(2, pos); d.sym.Type.IsComplex() {
		size = l.times(size, two, pos)
	} else {
		left = l.times(left, two, pos)
	}
	if c, ok := constOf(size); ok && c < 1 {
		return l.intConst(0, pos)
	}
	return l.arith(ir.Div, left, size, pos)
}

// copyParts copies the parts of an array argument: in, from the actual argument, or out, back
// to it. A dummy array may be longer than what is passed.
func (b *binding) copyParts(d *dummy, in bool) ir.Stmt {
	l, at, a := b.l, b.call.Pos, d.arg
	element, index, number := b.numbered(d)
	q := l.local("part", ir.Long, at)
	long := func(n int) ir.Expr { return intConstOf(ir.Long, n, at) }
	count := b.assumed(a, nil, at)
	numbers := func(n ir.Expr) ir.Expr { return b.element(a, l.plus(n, b.position(a, at), at), at) }
	set := func(to, from ir.Expr) ir.Stmt { return &ir.Assign{S: ir.S{Pos: at}, LHS: to, RHS: from} }
	of := func(name string, x ir.Expr) ir.Expr {
		return &ir.Call{X: ir.X{Pos: at, Typ: x.Type().Part()}, Name: name, Args: []ir.Expr{x}}
	}
	complex := func(re, im ir.Expr) ir.Expr {
		t := d.sym.Type
		if a.typ.IsComplex() {
			t = a.typ
		}
		return &ir.Call{X: ir.X{Pos: at, Typ: t}, Name: "cmplx", Args: []ir.Expr{re, im}}
	}
	var body []ir.Stmt
	if a.typ.IsComplex() {
		z := func() ir.Expr { return numbers(l.arith(ir.Div, varOf(q, at), long(2), at)) }
		first, second := set(element, of("real", z())), set(ir.Clone(element), of("aimag", z()))
		if !in {
			first, second = set(z(), complex(element, of("aimag", z()))), set(z(), complex(of("real", z()), ir.Clone(element)))
		}
		even := l.bin(ir.Eq, l.remainder(varOf(q, at), long(2), at), long(0), at, at)
		body = one(&ir.If{S: ir.S{Pos: at}, Cond: even, Then: one(first), Else: one(second)})
		count = l.times(count, long(2), at)
	} else {
		x := func(part int) ir.Expr { return numbers(l.plus(l.times(varOf(q, at), long(2), at), long(part), at)) }
		if body = one(set(element, complex(x(0), x(1)))); !in {
			body = []ir.Stmt{set(x(0), of("real", element)), set(x(1), of("aimag", ir.Clone(element)))}
		}
		count = l.arith(ir.Div, count, long(2), at)
	}
	there := l.bin(ir.Lt, varOf(q, at), count, at, at)
	body = []ir.Stmt{l.set(q, number, at), &ir.If{S: ir.S{Pos: at}, Cond: there, Then: body}}
	return l.overElements(d.sym, index, body, at)
}
