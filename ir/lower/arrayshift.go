package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// CSHIFT and EOSHIFT by a constant are elements of the argument at other places, with the loops
// cut where elements come in at the other end:
//
//	b = cshift(a, 1)     b(i) = a(i+1) for i = 1, n-1;  b(n) = a(1)
//
// Any other goes to an array of its own, by loops with bounds that depend on the shift. Where
// the shift is an array, each row has a distance of its own.

// shiftArguments are the arguments of CSHIFT or EOSHIFT.
type shiftArguments struct {
	array, shift, boundary ast.Expr
	dim                    int
}

// shiftArgs sorts them; nil after an error.
func (l *lowerer) shiftArgs(e *ast.Index) *shiftArguments {
	names := []string{"array", "shift", "dim"}
	if e.Name == "eoshift" {
		names = []string{"array", "shift", "boundary", "dim"}
	}
	args := l.ordered(e, 2, names...)
	if args == nil {
		return nil
	}
	out := &shiftArguments{array: args[0], shift: args[1], dim: 1}
	if e.Name == "eoshift" {
		out.boundary = args[2]
	}
	if d := args[len(args)-1]; d != nil {
		var ok bool
		if out.dim, ok = l.dim(d, l.rank(args[0])); !ok {
			return nil
		}
	}
	return out
}

// shift lowers CSHIFT or EOSHIFT, as evaluatedFunction.
func (l *lowerer) shift(e *ast.Index, g goal, pre *[]ir.Stmt) (*argument, ast.Expr) {
	args := l.shiftArgs(e)
	if args == nil {
		return nil, nil
	}
	byArray := l.firstPart(args.shift) != nil
	simple := !byArray && (args.boundary == nil || l.firstPart(args.boundary) == nil)
	var by ir.Expr
	if !byArray {
		if by = l.fixed(l.integer(args.shift, "SHIFT"), "shift", e.Pos, pre); isBad(by) {
			return nil, nil
		}
		simple = simple && isConst(by)
	}
	in := goal{to: g.to, cut: g.cut && simple}
	x := l.evaluated(args.array, in, pre)
	if x == nil {
		return nil, nil
	}
	if simple && g.cut {
		out := *e
		out.Args = slices.Clone(e.Args)
		for i, a := range out.Args {
			if k, ok := a.(*ast.Keyword); ok && k.Name == "array" {
				out.Args[i] = &ast.Keyword{XBase: k.XBase, Name: k.Name, X: x}
			} else if !ok && i == 0 {
				out.Args[i] = x
			}
		}
		return nil, &out
	}
	ctx := l.elementsLike(l.firstPart(x), pre)
	if ctx == nil {
		return nil, nil
	}
	value := l.elementally(ctx, x)
	if isBad(value) {
		return nil, nil
	}
	t := l.room(ctx, value.Type(), l.charLen(value), e.Pos)
	if t == nil {
		return nil, nil
	}
	if simple && wholeOf(ctx.n) != nil {
		s := &ast.Assign{Base: ast.Base{Pos: e.Pos}, LHS: l.named(t, "the value", e.Pos), RHS: e}
		if !l.assignAll(s, t, pre) {
			return nil, nil
		}
		return t, nil
	}
	s := &shifter{l: l, e: e, args: args, x: x, ctx: ctx, to: t, pre: pre}
	if byArray {
		return s.rows(), nil
	}
	return s.all(by), nil
}

// shifter makes the loops of a shift to an array of its own.
type shifter struct {
	l    *lowerer
	e    *ast.Index
	args *shiftArguments
	x    ast.Expr // what is shifted
	ctx  *elemental
	to   *argument
	pre  *[]ir.Stmt
}

// from is the element of what is shifted at place p along the dimension.
func (s *shifter) from(p ir.Expr) ir.Expr {
	ctx := *s.ctx
	ctx.place = nil
	for k := range ctx.n {
		ctx.place = append(ctx.place, s.ctx.at(k, s.e.Pos))
	}
	ctx.place[s.args.dim-1] = p
	return s.l.elementally(&ctx, s.x)
}

// beside are the loops without that along the dimension.
func (s *shifter) beside() *elemental {
	ctx := &elemental{pos: s.ctx.pos, pre: s.pre}
	for k := range s.ctx.n {
		if k != s.args.dim-1 {
			ctx.index, ctx.n = append(ctx.index, s.ctx.index[k]), append(ctx.n, s.ctx.n[k])
		}
	}
	return ctx
}

// set is the assignment of x, converted, to the element of the result; nil after an error.
func (s *shifter) set(x ir.Expr) ir.Stmt {
	l := s.l
	if isBad(x) || !l.assignable(s.to.typ, x, s.e.Name) {
		return nil
	}
	return &ir.Assign{S: ir.S{Pos: s.e.Pos}, LHS: l.elementOf(s.to, s.ctx, s.e.Pos), RHS: l.convert(x, s.to.typ)}
}

// between appends loops around st, from lo to hi along the dimension.
func (s *shifter) between(lo, hi ir.Expr, st ir.Stmt) bool {
	if st == nil {
		return false
	}
	ctx := *s.ctx
	ctx.along, ctx.ends = s.args.dim-1, &[2]ir.Expr{lo, hi}
	*s.pre = append(*s.pre, s.l.nest(&ctx, st, s.e.Pos))
	return true
}

// all makes the loops of a shift by one distance; nil after an error.
func (s *shifter) all(by ir.Expr) *argument {
	l, at := s.l, s.e.Pos
	n := l.convert(ir.Clone(s.ctx.n[s.args.dim-1]), ir.Long)
	place := s.ctx.at(s.args.dim-1, at)
	one, zero := intConstOf(ir.Long, 1, at), intConstOf(ir.Long, 0, at)
	bin := func(op ir.Op, x, y ir.Expr) ir.Expr {
		return l.foldBinary(&ir.Bin{X: ir.X{Pos: at, Typ: ir.Long}, Op: op, L: ir.Clone(x), R: ir.Clone(y)}, at)
	}
	call := func(name string, x, y ir.Expr) ir.Expr {
		return l.foldCall(&ir.Call{X: ir.X{Pos: at, Typ: ir.Long}, Name: name, Args: []ir.Expr{ir.Clone(x), ir.Clone(y)}})
	}
	by = l.convert(by, ir.Long)
	if s.e.Name == "cshift" {
		d := l.local("shift", ir.Long, at)
		l.captured[d] = true
		v := func() ir.Expr { return &ir.Var{X: ir.X{Pos: at, Typ: ir.Long}, Sym: d} }
		*s.pre = append(*s.pre, &ir.Assign{S: ir.S{Pos: at}, LHS: v(), RHS: call("modulo", by, call("max", n, one))})
		rest := bin(ir.Sub, n, v())
		if !s.between(one, rest, s.set(s.from(bin(ir.Add, place, v())))) ||
			!s.between(bin(ir.Add, rest, one), n, s.set(s.from(bin(ir.Sub, place, rest)))) {
			return nil
		}
		return s.to
	}
	outside := s.set(s.boundary())
	if outside == nil {
		return nil
	}
	s.between(one, call("min", n, bin(ir.Sub, zero, by)), outside)
	if !s.between(call("max", one, bin(ir.Sub, one, by)), call("min", n, bin(ir.Sub, n, by)), s.set(s.from(bin(ir.Add, place, by)))) {
		return nil
	}
	s.between(call("max", one, bin(ir.Add, bin(ir.Sub, n, by), one)), n, s.set(s.boundary()))
	return s.to
}

// rows makes the loops of a shift by an array of distances; nil after an error.
func (s *shifter) rows() *argument {
	l, at := s.l, s.e.Pos
	sh := l.evaluated(s.args.shift, goal{}, s.pre)
	if sh == nil {
		return nil
	}
	by := l.elementally(s.beside(), sh)
	if isBad(by) {
		return nil
	}
	if !by.Type().IsInteger() {
		l.errorf(codeArgument, s.args.shift.Position(), "SHIFT is %s, it must be INTEGER", by.Type())
		return nil
	}
	n := l.convert(ir.Clone(s.ctx.n[s.args.dim-1]), ir.Long)
	long := func(op ir.Op, x, y ir.Expr) ir.Expr {
		return &ir.Bin{X: ir.X{Pos: at, Typ: ir.Long}, Op: op, L: x, R: y}
	}
	target := func() ir.Expr { return long(ir.Add, s.ctx.at(s.args.dim-1, at), l.convert(ir.Clone(by), ir.Long)) }
	if s.e.Name == "cshift" {
		around := &ir.Call{X: ir.X{Pos: at, Typ: ir.Long}, Name: "modulo", Args: []ir.Expr{long(ir.Sub, target(), intConstOf(ir.Long, 1, at)), n}}
		st := s.set(s.from(long(ir.Add, around, intConstOf(ir.Long, 1, at))))
		if st == nil {
			return nil
		}
		*s.pre = append(*s.pre, l.nest(s.ctx, st, at))
		return s.to
	}
	inside, outside := s.set(s.from(target())), s.set(s.boundary())
	if inside == nil || outside == nil {
		return nil
	}
	cmp := func(op ir.Op, x, y ir.Expr) ir.Expr {
		return &ir.Bin{X: ir.X{Pos: at, Typ: ir.Logical}, Op: op, L: x, R: y}
	}
	is := cmp(ir.And, cmp(ir.Ge, target(), intConstOf(ir.Long, 1, at)), cmp(ir.Le, target(), n))
	*s.pre = append(*s.pre, l.nest(s.ctx, &ir.If{S: ir.S{Pos: at}, Cond: is, Then: one(inside), Else: one(outside)}, at))
	return s.to
}

// boundary is the value of elements that come from outside.
func (s *shifter) boundary() ir.Expr {
	l := s.l
	if s.args.boundary == nil {
		return &ir.Const{X: ir.X{Pos: s.e.Pos, Typ: s.to.typ}}
	}
	if l.firstPart(s.args.boundary) == nil {
		return l.expr(s.args.boundary)
	}
	b := l.evaluated(s.args.boundary, goal{}, s.pre)
	if b == nil {
		return bad(s.e.Pos)
	}
	return l.elementally(s.beside(), b)
}

// shiftedElement lowers the element of a shift by a constant.
func (l *lowerer) shiftedElement(e *ast.Index) ir.Expr {
	args := l.shiftArgs(e)
	if args == nil {
		return bad(e.Pos)
	}
	outer := l.elem
	l.elem = nil
	shift := l.integer(args.shift, "SHIFT")
	l.elem = outer
	if isBad(shift) {
		return shift
	}
	ctx := *outer
	ctx.place = nil
	for k := range ctx.n {
		ctx.place = append(ctx.place, outer.at(k, e.Pos))
	}
	d := args.dim - 1
	if d >= len(ctx.n) {
		l.errorf(codeRank, e.Pos, "%s has no dimension %d here", e.Name, args.dim)
		return bad(e.Pos)
	}
	turns, x, ok := l.shiftedInPart(outer, ctx.place[d], shift, ctx.n[d])
	cyclic := e.Name == "cshift"
	switch {
	case ok && (cyclic || turns == 0):
		ctx.place[d] = x
		return l.elementally(&ctx, args.array)
	case ok:
		return l.boundaryElement(e, args, &ctx)
	}
	n := l.convert(ir.Clone(ctx.n[d]), ir.Long)
	from := l.convert(l.plus(l.minus(ctx.place[d], l.intConst(1, e.Pos), e.Pos), l.convert(shift, ir.Long), e.Pos), ir.Long)
	around := func() ir.Expr {
		return &ir.Call{X: ir.X{Pos: e.Pos, Typ: ir.Long}, Name: "modulo", Args: []ir.Expr{ir.Clone(from), ir.Clone(n)}}
	}
	ctx.place[d] = l.plus(around(), l.intConst(1, e.Pos), e.Pos)
	value := l.elementally(&ctx, args.array)
	if cyclic || isBad(value) {
		return value
	}
	b := l.boundaryElement(e, args, &ctx)
	if isBad(b) {
		return b
	}
	return &ir.Call{X: ir.X{Pos: e.Pos, Typ: value.Type()}, Name: "merge",
		Args: []ir.Expr{value, b, &ir.Bin{X: ir.X{Pos: e.Pos, Typ: ir.Logical}, Op: ir.Eq, L: around(), R: ir.Clone(from)}}}
}

// boundaryElement is the element of EOSHIFT that comes from outside: a scalar of the type of the
// array.
func (l *lowerer) boundaryElement(e *ast.Index, args *shiftArguments, ctx *elemental) ir.Expr {
	if args.boundary != nil {
		outer := l.elem
		l.elem = nil
		x := l.expr(args.boundary)
		l.elem = outer
		return x
	}
	undo := l.trial(ctx.pre)
	of := *ctx
	of.cut = nil
	x := l.elementally(&of, args.array) // for its type
	undo()
	if isBad(x) {
		return x
	}
	return &ir.Const{X: ir.X{Pos: e.Pos, Typ: x.Type()}}
}

// shiftedInPart is the place from which a shift brings an element to place, and how often that
// goes around, where it is the same for all elements that the loops are about. Where it is not,
// ctx is told where to cut them.
func (l *lowerer) shiftedInPart(ctx *elemental, place, shift, n ir.Expr) (turns int, from ir.Expr, ok bool) {
	by, okBy := constOf(shift)
	size, okSize := constOf(n)
	if ctx.cut == nil || !okBy || !okSize {
		return 0, nil, false
	}
	dim, lo, hi, off := -1, 0, 0, 0
	if k, ok := constOf(place); ok {
		lo, hi = k, k
	} else {
		x, k := offset(place)
		v, ok := x.(*ir.Var)
		if !ok {
			return 0, nil, false
		}
		if dim = slices.Index(ctx.index, v.Sym); dim < 0 {
			return 0, nil, false
		}
		off = k
		lo, hi = ctx.part[dim].lo+off, ctx.part[dim].hi+off
	}
	first := int(linalg.FloorDiv(int64(lo-1+by), int64(size)))
	if last := int(linalg.FloorDiv(int64(hi-1+by), int64(size))); last > first {
		ctx.cut.dim, ctx.cut.at = dim, (first+1)*size+1-by-off
		return 0, nil, false
	}
	return first, l.plus(place, l.intConst(by-first*size, place.Position()), place.Position()), true
}
