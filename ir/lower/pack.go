package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// PACK and UNPACK count the true elements of a mask in array order:
//
//	v = pack(a, a > 0)         n = 0;  if (a(i) > 0) then n = n+1; v(n) = a(i)
//	b = unpack(v, m, field)    n = 0;  if (m(i)) then n = n+1; b(i) = v(n) else b(i) = field(i)

// counter makes a variable that counts from 0: reading it, and the statement that adds 1.
func (l *lowerer) counter(pos ast.Expr, pre *[]ir.Stmt) (n func() ir.Expr, add ir.Stmt) {
	at := pos.Position()
	s := l.local("n", ir.Integer, at)
	l.captured[s] = true
	n = func() ir.Expr { return &ir.Var{X: ir.X{Pos: at, Typ: ir.Integer}, Sym: s} }
	*pre = append(*pre, &ir.Assign{S: ir.S{Pos: at}, LHS: n(), RHS: l.intConst(0, at)})
	return n, &ir.Assign{S: ir.S{Pos: at}, LHS: n(), RHS: &ir.Bin{X: ir.X{Pos: at, Typ: ir.Integer}, Op: ir.Add, L: n(), R: l.intConst(1, at)}}
}

// packed makes the array that is pack(array, mask, vector); nil after an error.
func (l *lowerer) packed(e *ast.Index, pre *[]ir.Stmt) *argument {
	args := l.ordered(e, 2, "array", "mask", "vector")
	if args == nil {
		return nil
	}
	x, m := l.evaluated(args[0], goal{}, pre), l.evaluated(args[1], goal{}, pre)
	if x == nil || m == nil {
		return nil
	}
	part := l.firstPart(x)
	if part == nil {
		l.errorf(codeArgument, args[0].Position(), "the argument of pack must be an array").WithHelp("pass an array, a section or an expression of them")
		return nil
	}
	ctx := l.elementsLike(part, pre)
	if ctx == nil {
		return nil
	}
	value, mask := l.elementally(ctx, x), l.maskAt(ctx, m, nil)
	if isBad(value, mask) {
		return nil
	}
	var t, v *argument
	if args[2] != nil {
		if v = l.valueOf(args[2], pre); v == nil || !l.isVector(v, args[2]) {
			return nil
		}
		if t = l.room(l.elementsOf(v, pre), value.Type(), l.charLen(value), e.Pos); t == nil {
			return nil
		}
		all := l.elementsOf(v, pre)
		*pre = append(*pre, l.nest(all, &ir.Assign{S: ir.S{Pos: e.Pos}, LHS: l.elementOf(t, all, e.Pos), RHS: l.elementOf(v, all, e.Pos)}, e.Pos))
	} else {
		size := 1
		for k, n := range ctx.n {
			c, ok := constOf(n)
			if !ok && ctx.limit != nil {
				c = ctx.limit[k]
			}
			size *= c
		}
		most := ir.Expr(l.intConst(size, e.Pos))
		if size == 0 { // not known before run time
			most = l.product1(ctx.n)
		}
		if t = l.room(&elemental{n: []ir.Expr{most}, pre: pre}, value.Type(), l.charLen(value), e.Pos); t == nil {
			return nil
		}
	}
	n, add := l.counter(e, pre)
	at := &elemental{n: t.shape.n, place: []ir.Expr{n()}}
	store := &ir.Assign{S: ir.S{Pos: e.Pos}, LHS: l.elementOf(t, at, e.Pos), RHS: value}
	*pre = append(*pre, l.nest(ctx, &ir.If{S: ir.S{Pos: e.Pos}, Cond: mask, Then: []ir.Stmt{add, store}}, e.Pos))
	if v == nil {
		t.shape.n = []ir.Expr{n()}
	}
	return t
}

// isVector reports, or says by an error, whether a has rank 1.
func (l *lowerer) isVector(a *argument, e ast.Expr) bool {
	if len(a.shape.n) == 1 || l.phantom {
		return true
	}
	l.errorf(codeRank, e.Position(), "this array has rank %d, it must have rank 1", len(a.shape.n))
	return false
}

// unpacked makes the array that is unpack(vector, mask, field); nil after an error.
func (l *lowerer) unpacked(e *ast.Index, pre *[]ir.Stmt) *argument {
	args := l.ordered(e, 3, "vector", "mask", "field")
	if args == nil {
		return nil
	}
	v := l.valueOf(args[0], pre)
	if v == nil || !l.isVector(v, args[0]) {
		return nil
	}
	m, field := l.evaluated(args[1], goal{}, pre), l.evaluated(args[2], goal{}, pre)
	if m == nil || field == nil {
		return nil
	}
	part := l.firstPart(m)
	if part == nil {
		l.errorf(codeArgument, args[1].Position(), "the mask of unpack must be an array")
		return nil
	}
	ctx := l.elementsLike(part, pre)
	if ctx == nil {
		return nil
	}
	mask, other := l.maskAt(ctx, m, nil), l.elementally(ctx, field)
	if isBad(mask, other) {
		return nil
	}
	t := l.room(ctx, v.typ, v.view.base.Len, e.Pos)
	if t == nil || !l.assignable(v.typ, other, "the value of unpack") {
		return nil
	}
	n, add := l.counter(e, pre)
	from := &elemental{n: v.shape.n, place: []ir.Expr{n()}}
	to := l.elementOf(t, ctx, e.Pos)
	set := func(x ir.Expr) ir.Stmt {
		return &ir.Assign{S: ir.S{Pos: e.Pos}, LHS: ir.Clone(to), RHS: l.convert(x, v.typ)}
	}
	*pre = append(*pre, l.nest(ctx, &ir.If{S: ir.S{Pos: e.Pos}, Cond: mask, Then: []ir.Stmt{add, set(l.elementOf(v, from, e.Pos))}, Else: one(set(other))}, e.Pos))
	return t
}
