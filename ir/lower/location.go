package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
)

// MAXLOC, MINLOC and FINDLOC become reductions of places, which count the elements from 1 in
// array order, or along DIM:
//
//	l = maxloc(a)     v = max(v, a(i,j));  p = min(p, i + 4*(j-1)), where a(i,j) == v;
//	                  l = [mod(p-1, 4) + 1, (p-1)/4 + 1]
//
// Where no element is a candidate they are 0. Where all candidates are NaN the place is the
// first one's.

// location makes the loops of MAXLOC, MINLOC or FINDLOC.
func (f *fold) location() (*argument, ir.Expr) {
	l, pos := f.l, f.e.Pos
	failed := func() (*argument, ir.Expr) { return nil, bad(pos) }
	typ, ok := f.kind()
	if !ok {
		return failed()
	}
	back, ok := f.back()
	if !ok {
		return failed()
	}
	var is ir.Expr // the element in hand is one
	var first *accumulator
	if f.e.Name == "findloc" {
		if is, ok = f.equal(); !ok {
			return failed()
		}
	} else {
		if !f.x.Type().IsOrdered() {
			l.errorf(codeArgument, f.args.x.Position(), "the argument of %s is %s, it must be INTEGER or REAL", f.e.Name, f.x.Type())
			return failed()
		}
		if f.x.Type().IsReal() {
			if first = f.place(false); first == nil {
				return failed()
			}
		}
		v := f.extreme(f.e.Name[:3])
		if v == nil {
			return failed()
		}
		is = &ir.Bin{X: ir.X{Pos: pos, Typ: ir.Logical}, Op: ir.Eq, L: ir.Clone(f.x), R: v.at()}
	}
	if f.mask != nil {
		is = &ir.Bin{X: ir.X{Pos: pos, Typ: ir.Logical}, Op: ir.And, L: ir.Clone(f.mask), R: is}
	}
	f.mask = is
	p := f.place(back)
	if p == nil {
		return failed()
	}
	var end []ir.Stmt
	none := l.placeOfNone(back)
	if first != nil {
		end = append(end, &ir.If{S: ir.S{Pos: pos}, Cond: isEqual(p.at(), none), Then: one(p.set(first.at()))})
		none = l.placeOfNone(false)
	}
	if first != nil || !back {
		end = append(end, &ir.If{S: ir.S{Pos: pos}, Cond: isEqual(p.at(), none), Then: one(p.set(intConstOf(ir.Long, 0, pos)))})
	}
	for _, s := range end {
		f.each(f.kept(), s)
	}
	if len(f.keep) == 0 && f.dim == 0 {
		return f.subscripts(p, typ), nil
	}
	if p.arr == nil {
		return nil, l.convert(p.at(), typ)
	}
	out := f.l.roomFor(f.ctx, f.keep, typ, 0, pos)
	if out == nil {
		return failed()
	}
	f.each(f.kept(), &ir.Assign{S: ir.S{Pos: pos}, LHS: l.elementOf(out, f.kept(), pos), RHS: l.convert(p.at(), typ)})
	return out, nil
}

func isEqual(x, y ir.Expr) ir.Expr {
	return &ir.Bin{X: ir.X{Pos: x.Position(), Typ: ir.Logical}, Op: ir.Eq, L: x, R: y}
}

// back is the value of BACK=, which must be constant.
func (f *fold) back() (bool, bool) {
	if f.args.back == nil {
		return false, true
	}
	c, ok := f.l.logical(f.args.back, "BACK").(*ir.Const)
	if !ok || isBad(c) {
		if !ok {
			f.l.errorf(codeNotConstant, f.args.back.Position(), "BACK of %s must be a constant", f.e.Name).WithHelp("write an IF with one %s for each value", f.e.Name)
		}
		return false, false
	}
	return c.Bool, true
}

// equal is the condition of FINDLOC.
func (f *fold) equal() (ir.Expr, bool) {
	l := f.l
	v := l.fixed(l.expr(f.args.value), "value", f.e.Pos, f.pre)
	if isBad(v) {
		return nil, false
	}
	op := ir.Eq
	if v.Type().IsLogical() && f.x.Type().IsLogical() {
		op = ir.Eqv
	}
	is := l.bin(op, ir.Clone(f.x), v, f.e.Pos, f.e.Pos)
	return is, !isBad(is)
}

// placeOfNone is what no element has as its place.
func (l *lowerer) placeOfNone(back bool) ir.Expr {
	if back {
		return intConstOf(ir.Long, 0, l.scope.unit.Pos)
	}
	return intConstOf(ir.Long, 1<<62, l.scope.unit.Pos)
}

// place appends the loops that find the first place, with back the last one, where the mask
// holds; nil after an error.
func (f *fold) place(back bool) *accumulator {
	p := f.accumulate(ir.Long, f.l.placeOfNone(back))
	if p == nil {
		return nil
	}
	op := "min"
	if back {
		op = "max"
	}
	f.all(p.call(op, f.number()))
	return p
}

// number is the place of the element that the loops have come to.
func (f *fold) number() ir.Expr {
	l, pos := f.l, f.e.Pos
	if f.dim > 0 {
		return f.ctx.at(f.dim-1, pos)
	}
	var out, size ir.Expr
	for k := range f.ctx.n {
		x := f.ctx.at(k, pos)
		if k == 0 {
			out, size = x, l.convert(ir.Clone(f.ctx.n[0]), ir.Long)
			continue
		}
		x = &ir.Bin{X: ir.X{Pos: pos, Typ: ir.Long}, Op: ir.Sub, L: x, R: intConstOf(ir.Long, 1, pos)}
		out = &ir.Bin{X: ir.X{Pos: pos, Typ: ir.Long}, Op: ir.Add, L: out, R: &ir.Bin{X: ir.X{Pos: pos, Typ: ir.Long}, Op: ir.Mul, L: x, R: ir.Clone(size)}}
		size = l.foldBinary(&ir.Bin{X: ir.X{Pos: pos, Typ: ir.Long}, Op: ir.Mul, L: size, R: l.convert(ir.Clone(f.ctx.n[k]), ir.Long)}, pos)
	}
	return out
}

// subscripts is a vector of the subscripts that place p stands for; p is 0 for none.
func (f *fold) subscripts(p *accumulator, typ ir.Type) *argument {
	l, pos := f.l, f.e.Pos
	var values []ir.Expr
	long := func(op ir.Op, x, y ir.Expr) ir.Expr {
		return &ir.Bin{X: ir.X{Pos: pos, Typ: ir.Long}, Op: op, L: x, R: y}
	}
	rest := func() ir.Expr { return long(ir.Sub, p.at(), intConstOf(ir.Long, 1, pos)) }
	var before ir.Expr = intConstOf(ir.Long, 1, pos)
	for k, n := range f.ctx.n {
		if len(f.ctx.n) == 1 {
			values = append(values, l.convert(p.at(), typ))
			break
		}
		size := l.convert(ir.Clone(n), ir.Long)
		x := rest()
		if k > 0 {
			x = long(ir.Div, x, ir.Clone(before))
		}
		if k+1 < len(f.ctx.n) {
			x = &ir.Call{X: ir.X{Pos: pos, Typ: ir.Long}, Name: "mod", Args: []ir.Expr{x, size}}
		}
		before = l.foldBinary(&ir.Bin{X: ir.X{Pos: pos, Typ: ir.Long}, Op: ir.Mul, L: before, R: ir.Clone(size)}, pos)
		values = append(values, l.convert(long(ir.Add, x, intConstOf(ir.Long, 1, pos)), typ))
	}
	out := l.vector(values, typ, pos, f.pre)
	if len(f.ctx.n) > 1 {
		var none []ir.Stmt
		l.vectorTo(out, make([]ir.Expr, len(values)), pos, &none)
		found := (*f.pre)[len(*f.pre)-len(values):]
		*f.pre = append((*f.pre)[:len(*f.pre)-len(values)], &ir.If{S: ir.S{Pos: pos},
			Cond: &ir.Bin{X: ir.X{Pos: pos, Typ: ir.Logical}, Op: ir.Gt, L: p.at(), R: intConstOf(ir.Long, 0, pos)},
			Then: append([]ir.Stmt(nil), found...), Else: none})
	}
	return out
}

// vector is a new array of the values given.
func (l *lowerer) vector(values []ir.Expr, typ ir.Type, pos source.Pos, pre *[]ir.Stmt) *argument {
	ctx := &elemental{n: []ir.Expr{l.intConst(len(values), pos)}, pos: pos, pre: pre}
	out := l.room(ctx, typ, 0, pos)
	l.vectorTo(out, values, pos, pre)
	return out
}

// vectorTo assigns values to the elements of a vector; nil stands for zero.
func (l *lowerer) vectorTo(a *argument, values []ir.Expr, pos source.Pos, pre *[]ir.Stmt) {
	for i, x := range values {
		if x == nil {
			x = intConstOf(a.typ, 0, pos)
		}
		r := &ir.Ref{X: ir.X{Pos: pos, Typ: a.typ}, Sym: a.view.base, Subs: []ir.Expr{l.intConst(i+1, pos)}}
		*pre = append(*pre, &ir.Assign{S: ir.S{Pos: pos}, LHS: r, RHS: l.convert(x, a.typ)})
	}
}
