package lower

import (
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// arrayFunction lowers the element of a function whose value is an array that the array
// expression in hand has come to. The elements are those of an argument at other places.
func (l *lowerer) arrayFunction(e *ast.Index) ir.Expr {
	if l.elem == nil {
		l.errorf(codeRank, e.Pos, "%s has an array as its value, and a single value is needed here", strings.ToUpper(e.Name)).WithHelp("assign it to an array first")
		return bad(e.Pos)
	}
	switch e.Name {
	case "transpose":
		return l.transpose(e)
	case "spread":
		return l.spread(e)
	case "reshape":
		return l.reshape(e)
	case "cshift", "eoshift":
		return l.shiftedElement(e)
	}
	l.errorf(codeOutside, e.Pos, "%s is not supported here", strings.ToUpper(e.Name)).WithHelp("assign it to an array first")
	return bad(e.Pos)
}

// elementsOfFunction makes the loop indices for the elements of such a function.
func (l *lowerer) elementsOfFunction(e *ast.Index, pre *[]ir.Stmt) *elemental {
	arg := func(x ast.Expr) *elemental {
		part := l.firstPart(x)
		if part == nil {
			l.errorf(codeArgument, x.Position(), "the argument of %s must be an array", e.Name).WithHelp("pass an array, a section or an expression of them")
			return nil
		}
		return l.elementsLike(part, pre)
	}
	switch e.Name {
	case "transpose":
		args := l.ordered(e, 1, "matrix")
		if args == nil {
			return nil
		}
		ctx := arg(args[0])
		if ctx == nil {
			return nil
		}
		slices.Reverse(ctx.n)
		slices.Reverse(ctx.limit)
		ctx.of = ctx.of.turned()
		return ctx
	case "spread":
		args := l.ordered(e, 3, "source", "dim", "ncopies")
		if args == nil {
			return nil
		}
		ctx := &elemental{}
		if l.firstPart(args[0]) != nil {
			if ctx = arg(args[0]); ctx == nil {
				return nil
			}
		}
		dim, copies, ok := l.spreadArguments(args, len(ctx.n)+1, pre)
		if !ok {
			return nil
		}
		out := l.elements(slices.Insert(slices.Clone(ctx.n), dim-1, copies), e.Pos, pre)
		if ctx.limit != nil {
			out.limit = slices.Insert(slices.Clone(ctx.limit), dim-1, 0)
		}
		return out
	case "reshape":
		args := l.ordered(e, 2, reshapeArguments...)
		if args == nil {
			return nil
		}
		n := l.vectorElements(args[1], pre)
		if n == nil {
			return nil
		}
		return l.elements(n, e.Pos, pre)
	}
	l.errorf(codeOutside, e.Pos, "%s is not supported here", strings.ToUpper(e.Name)).WithHelp("assign it to an array first")
	return nil
}

// turned is a matrix with its dimensions exchanged, as far as its place is concerned.
func (a *argument) turned() *argument {
	if a == nil || len(a.shape.n) != 2 {
		return nil
	}
	out := &argument{pos: a.pos, typ: a.typ, name: a.name, view: a.view.renumbered(func(dim int) int { return 1 - dim }),
		shape: &shape{lo: slices.Clone(a.shape.lo), n: slices.Clone(a.shape.n)}}
	slices.Reverse(out.shape.lo)
	slices.Reverse(out.shape.n)
	return out
}

// ordered are the arguments of an intrinsic in the order of names; the first required of them
// must be there. It returns nil after an error.
func (l *lowerer) ordered(e *ast.Index, required int, names ...string) []ast.Expr {
	out := make([]ast.Expr, len(names))
	for i, a := range e.Args {
		if k, ok := a.(*ast.Keyword); ok {
			i, a = slices.Index(names, k.Name), k.X
		}
		if i >= required && l.isAbsent(a) {
			continue
		}
		if i < 0 || i >= len(out) || out[i] != nil {
			l.errorf(codeArgument, a.Position(), "this is no argument of %s", e.Name).WithHelp("its arguments: %s(%s)", e.Name, strings.Join(names, ", "))
			return nil
		}
		out[i] = a
	}
	if slices.Contains(out[:required], nil) {
		l.errorf(codeArgument, e.Pos, "%s lacks an argument", e.Name).WithHelp("its arguments: %s(%s)", e.Name, strings.Join(names, ", "))
		return nil
	}
	return out
}

// transpose lowers transpose(a): element (i,j) is a(j,i).
func (l *lowerer) transpose(e *ast.Index) ir.Expr {
	args := l.ordered(e, 1, "matrix")
	if args == nil {
		return bad(e.Pos)
	}
	if !l.hasRank(e, 2) {
		return bad(e.Pos)
	}
	ctx := *l.elem
	ctx.place = []ir.Expr{l.elem.at(1, e.Pos), l.elem.at(0, e.Pos)}
	ctx.n = []ir.Expr{ctx.n[1], ctx.n[0]}
	return l.elementally(&ctx, args[0])
}

// hasRank reports, or says by an error, whether function e with rank n stands among arrays of that
// rank.
func (l *lowerer) hasRank(e *ast.Index, n int) bool {
	if len(l.elem.n) == n {
		return true
	}
	l.errorf(codeRank, e.Pos, "%s has rank %d, the array that it stands beside has rank %d", e.Name, n, len(l.elem.n)).WithNote(l.elem.pos, "that array")
	return false
}

// spreadArguments are DIM and NCOPIES of SPREAD.
func (l *lowerer) spreadArguments(args []ast.Expr, rank int, pre *[]ir.Stmt) (dim int, copies ir.Expr, ok bool) {
	elem := l.elem
	l.elem = nil
	defer func() { l.elem = elem }()
	dim, ok = l.dim(args[1], rank)
	x := l.integer(args[2], "NCOPIES")
	if !ok || isBad(x) {
		return 0, nil, false
	}
	return dim, l.atLeast0(l.fixed(x, "copies", x.Position(), pre), x.Position()), true
}

// dim is a constant DIM, from 1 to rank.
func (l *lowerer) dim(e ast.Expr, rank int) (int, bool) {
	elem := l.elem
	l.elem = nil
	x := l.integer(e, "DIM")
	l.elem = elem
	d, ok := constOf(x)
	if isBad(x) {
		return 0, false
	}
	outside := d < 1 || d > rank
	if ok && outside && l.phantom { // what passes it on is not known
		return 0, false
	}
	if !ok || outside {
		l.errorf(codeArgument, e.Position(), "DIM must be a constant from 1 to the rank, which is %d", rank)
		return 0, false
	}
	return d, true
}

// spread lowers spread(a, dim, ncopies): the place along dim makes no difference.
func (l *lowerer) spread(e *ast.Index) ir.Expr {
	args := l.ordered(e, 3, "source", "dim", "ncopies")
	if args == nil {
		return bad(e.Pos)
	}
	dim, copies, ok := l.spreadArguments(args, len(l.elem.n), l.elem.pre)
	if !ok {
		return bad(e.Pos)
	}
	at := &argument{pos: e.Pos, name: "spread", shape: &shape{n: []ir.Expr{copies}}}
	if !l.conform(at, l.elem.n[dim-1:dim], l.elem.pos, l.elem.pre) {
		return bad(e.Pos)
	}
	ctx := *l.elem
	ctx.place = nil
	for k := range l.elem.n {
		if k != dim-1 {
			ctx.place = append(ctx.place, l.elem.at(k, e.Pos))
		}
	}
	ctx.n = slices.Delete(slices.Clone(ctx.n), dim-1, dim)
	if len(ctx.n) == 0 {
		outer := l.elem
		l.elem = nil
		x := l.expr(args[0])
		l.elem = outer
		return x
	}
	if want := l.rank(args[0]); want != len(ctx.n) && !l.phantom {
		l.errorf(codeRank, e.Pos, "spread has rank %d, the array that it stands beside has rank %d", want+1, len(l.elem.n)).WithNote(l.elem.pos, "that array")
		return bad(e.Pos)
	}
	return l.elementally(&ctx, args[0])
}

var reshapeArguments = []string{"source", "shape", "pad", "order"}

// evaluatedReshape makes a vector of the first argument of RESHAPE, followed by those of PAD
// that are needed: what is left is reshape(vector, shape, order=order). It returns nil after an
// error.
func (l *lowerer) evaluatedReshape(e *ast.Index, pre *[]ir.Stmt) ast.Expr {
	args := l.ordered(e, 2, reshapeArguments...)
	if args == nil {
		return nil
	}
	from := l.valueOf(args[0], pre)
	if from == nil {
		return nil
	}
	v := from
	if len(from.shape.n) > 1 || args[2] != nil {
		n := l.vectorElements(args[1], pre)
		if n == nil {
			return nil
		}
		if v = l.line(from, args[2], n, pre); v == nil {
			return nil
		}
	}
	out := *e
	out.Args = []ast.Expr{l.named(v, "reshape(...)", e.Pos), args[1]}
	if args[3] != nil {
		out.Args = append(out.Args, &ast.Keyword{XBase: e.XBase, Name: "order", X: args[3]})
	}
	return &out
}

// line is a vector of the elements of a in array order, and as many of pad, over and over, as an
// array with extents n has in addition; nil after an error.
func (l *lowerer) line(a *argument, pad ast.Expr, n []ir.Expr, pre *[]ir.Stmt) *argument {
	pos := a.pos
	ctx := l.elementsOf(a, pre)
	size, room := l.product1(ctx.n), 1
	for k, x := range ctx.n {
		c, ok := constOf(x)
		if !ok {
			c = ctx.limit[k]
		}
		room *= c
	}
	all := size
	if pad != nil {
		all = l.product1(n)
		c, ok := constOf(all)
		if !ok && !l.phantom {
			l.errorf(codeOutside, pos, "RESHAPE with PAD needs a constant shape").WithHelp("assign the elements in DO loops")
			return nil
		}
		room = max(room, c)
	}
	held := all // with those of a for which the shape has no place
	if pad != nil {
		held = l.foldCall(&ir.Call{X: ir.X{Pos: pos, Typ: all.Type()}, Name: "max", Args: []ir.Expr{ir.Clone(all), l.convert(ir.Clone(size), all.Type())}})
	}
	to := &elemental{n: []ir.Expr{held}, limit: []int{room}, pre: pre}
	t := l.room(to, a.typ, a.view.base.Len, pos)
	if t == nil {
		return nil
	}
	at := func(x ir.Expr) *ir.Ref {
		return &ir.Ref{X: ir.X{Pos: pos, Typ: a.typ}, Sym: t.view.base, Subs: []ir.Expr{x}}
	}
	*pre = append(*pre, l.nest(ctx, &ir.Assign{S: ir.S{Pos: pos}, LHS: at(l.numberOf(ctx, pos)), RHS: l.elementOf(a, ctx, pos)}, pos))
	if pad == nil {
		return t
	}
	p := l.valueOf(pad, pre)
	if p == nil {
		return nil
	}
	if len(p.shape.n) > 1 {
		if p = l.line(p, nil, nil, pre); p == nil {
			return nil
		}
	}
	more := l.elements([]ir.Expr{all}, pos, pre)
	more.ends = &[2]ir.Expr{l.plus(ir.Clone(size), l.intConst(1, pos), pos), ir.Clone(all)}
	long := func(x ir.Expr) ir.Expr { return l.convert(x, ir.Long) }
	gone := l.foldBinary(&ir.Bin{X: ir.X{Pos: pos, Typ: ir.Long}, Op: ir.Sub, L: more.at(0, pos), R: long(ir.Clone(more.ends[0]))}, pos)
	turn := &ir.Call{X: ir.X{Pos: pos, Typ: ir.Long}, Name: "mod", Args: []ir.Expr{gone, long(ir.Clone(p.shape.n[0]))}}
	from := &elemental{n: p.shape.n, place: []ir.Expr{l.plus(turn, l.intConst(1, pos), pos)}}
	*pre = append(*pre, l.nest(more, &ir.Assign{S: ir.S{Pos: pos}, LHS: at(more.at(0, pos)), RHS: l.elementOf(p, from, pos)}, pos))
	return t
}

// product1 is the product of extents.
func (l *lowerer) product1(n []ir.Expr) ir.Expr {
	size := ir.Clone(n[0])
	for _, x := range n[1:] {
		size = l.arith(ir.Mul, size, ir.Clone(x), x.Position())
	}
	return size
}

// reshape lowers the element of what evaluatedReshape has left.
func (l *lowerer) reshape(e *ast.Index) ir.Expr {
	args := l.ordered(e, 2, reshapeArguments...)
	if args == nil {
		return bad(e.Pos)
	}
	outer := l.elem
	l.elem = nil
	n := l.vectorElements(args[1], outer.pre)
	order := make([]int, len(n))
	for k := range order {
		order[k] = k
	}
	good := n != nil
	if args[3] != nil && good {
		list := l.vectorElements(args[3], outer.pre)
		seen := map[int]bool{}
		for k := range order {
			if good = good && k < len(list); good {
				d, ok := constOf(list[k])
				good = ok && d >= 1 && d <= len(n) && !seen[d]
				seen[d] = true
				order[k] = d - 1
			}
		}
		if !good {
			l.errorf(codeArgument, args[3].Position(), "ORDER must be a constant permutation of 1 to %d", len(n))
		}
	}
	l.elem = outer
	if !good || !l.hasRank(e, len(n)) {
		return bad(e.Pos)
	}
	if !l.conform(&argument{pos: e.Pos, name: "reshape", shape: &shape{n: n}}, outer.n, outer.pos, outer.pre) {
		return bad(e.Pos)
	}
	turned := &elemental{}
	for _, d := range order {
		turned.n = append(turned.n, n[d])
		turned.place = append(turned.place, outer.at(d, e.Pos))
	}
	ctx := *outer
	ctx.cut = nil
	a := l.near(args[0], outer.pre)
	if a == nil {
		return bad(e.Pos)
	}
	ctx.n, ctx.place = a.shape.n, []ir.Expr{l.numberOf(turned, e.Pos)}
	return l.elementally(&ctx, args[0])
}

// numberOf counts the elements of ctx from 1 in array order.
func (l *lowerer) numberOf(ctx *elemental, pos source.Pos) ir.Expr {
	out := ctx.at(0, pos)
	var size ir.Expr = ir.Clone(ctx.n[0])
	for k := range ctx.n[1:] {
		x := l.arith(ir.Mul, l.minus(ctx.at(k+1, pos), l.intConst(1, pos), pos), ir.Clone(size), pos)
		out = l.arith(ir.Add, x, out, pos)
		size = l.arith(ir.Mul, size, ir.Clone(ctx.n[k+1]), pos)
	}
	return out
}

// vectorElements are the elements of a vector of constant length, as expressions that keep
// their values; nil after an error.
func (l *lowerer) vectorElements(e ast.Expr, pre *[]ir.Stmt) []ir.Expr {
	if x, ok := e.(*ast.Index); ok && x.Name == "shape" && l.isFunction(x) {
		args := l.ordered(x, 1, "source", "kind")
		if args == nil {
			return nil
		}
		return l.extents(args[0], pre)
	}
	a := l.valueOf(e, pre)
	if a == nil {
		return nil
	}
	n, ok := 0, len(a.shape.n) == 1
	if ok {
		n, ok = constOf(a.shape.n[0])
	}
	if !ok || !a.typ.IsInteger() {
		if !l.phantom {
			l.errorf(codeArgument, e.Position(), "this must be an INTEGER vector of constant length")
		}
		return nil
	}
	var list []ir.Expr
	for i := range n {
		at := &elemental{n: a.shape.n, place: []ir.Expr{l.intConst(i+1, e.Position())}}
		list = append(list, l.fixed(l.folded(l.elementOf(a, at, e.Position())), "extent", e.Position(), pre))
	}
	return list
}

// extents are those of array expression e; nil after an error.
func (l *lowerer) extents(e ast.Expr, pre *[]ir.Stmt) []ir.Expr {
	elem := l.elem
	l.elem = nil
	defer func() { l.elem = elem }()
	if l.firstPart(e) == nil {
		l.errorf(codeArgument, e.Position(), "an array is needed here")
		return nil
	}
	if e = l.evaluated(e, goal{}, pre); e == nil {
		return nil
	}
	ctx := l.elementsLike(l.firstPart(e), pre)
	if ctx == nil {
		return nil
	}
	return ctx.n
}

// boundsVector is the value of SHAPE, or of LBOUND or UBOUND without a dimension.
func (l *lowerer) boundsVector(e *ast.Index, pre *[]ir.Stmt) *argument {
	first := "array"
	switch e.Name {
	case "shape":
		first = "source"
	case "processors_shape": // of all processors, which are in one line
		if len(e.Args) > 0 {
			l.errorf(codeArgument, e.Pos, "processors_shape has no arguments").WithHelp("write processors_shape()")
			return nil
		}
		one := &ast.Array{XBase: e.XBase, Items: []ast.Expr{&ast.Index{XBase: e.XBase, Name: "number_of_processors", NamePos: e.NamePos}}}
		return l.valueOf(one, pre)
	}
	args := l.ordered(e, 1, first, "kind")
	if args == nil {
		return nil
	}
	var list []ir.Expr
	if l.needsEnd(e.Name, args[:1]) {
		return nil
	}
	if e.Name == "shape" {
		if list = l.extents(args[0], pre); list == nil {
			return nil
		}
	} else {
		for d := range l.rank(args[0]) {
			x := l.boundOf(e, args[0], d+1)
			if isBad(x) {
				return nil
			}
			list = append(list, x)
		}
	}
	typ := ir.Integer
	if args[1] != nil {
		var ok bool
		if typ, ok = l.kindOf(args[1], e.Name); !ok {
			return nil
		}
	}
	values := make([]ir.Expr, len(list))
	for i, x := range list {
		values[i] = ir.Clone(x)
	}
	return l.vector(values, typ, e.Pos, pre)
}

// product makes the array that is matmul(a, b):
//
//	c = 0;  c(i,j) = c(i,j) + a(i,k)*b(k,j)
//
// with loops over i inside k inside j. A vector is a matrix of one row or column. It returns nil
// after an error.
func (l *lowerer) product(e *ast.Index, g goal, pre *[]ir.Stmt) *argument {
	args := l.ordered(e, 2, "matrix_a", "matrix_b")
	if args == nil {
		return nil
	}
	var in [2]*argument
	for i, a := range args {
		if in[i] = l.valueOf(a, pre); in[i] == nil {
			return nil
		}
	}
	ra, rb := len(in[0].shape.n), len(in[1].shape.n)
	if ra > 2 || rb > 2 || ra+rb < 3 {
		l.errorf(codeRank, e.Pos, "the arguments of MATMUL have ranks %d and %d, one must have rank 2, and the other 1 or 2", ra, rb)
		return nil
	}
	second := &argument{pos: in[1].pos, name: in[1].name, shape: &shape{n: in[1].shape.n[:1]}}
	if !l.conform(second, in[0].shape.n[ra-1:], in[0].pos, pre) {
		return nil
	}
	i, j := -1, -1
	if ra == 2 {
		i = 0
	}
	k := i + 1
	list := append(slices.Clone(in[0].shape.n[:i+1]), in[0].shape.n[ra-1])
	if rb == 2 {
		j = k + 1
		list = append(list, in[1].shape.n[1])
	}
	loops := l.elements(list, e.Pos, pre) // over i, k, j: those that are there
	element := func(a *argument, at ...int) *ir.Ref {
		c := &elemental{pos: e.Pos, pre: pre}
		for _, d := range at {
			if d >= 0 {
				c.index, c.n = append(c.index, loops.index[d]), append(c.n, loops.n[d])
			}
		}
		return l.elementOf(a, c, e.Pos)
	}
	mul, add := ir.Mul, ir.Add
	x, y := element(in[0], i, k), element(in[1], k, j)
	if x.Typ.IsLogical() && y.Typ.IsLogical() {
		mul, add = ir.And, ir.Or
	}
	product := l.bin(mul, x, y, e.Pos, e.Pos)
	if isBad(product) {
		return nil
	}
	out := l.productRoom(in, g, product.Type(), e, pre)
	if out == nil {
		return nil
	}
	zero := l.elements(out.shape.n, e.Pos, pre)
	*pre = append(*pre, l.nest(zero, &ir.Assign{S: ir.S{Pos: e.Pos}, LHS: l.elementOf(out, zero, e.Pos), RHS: &ir.Const{X: ir.X{Pos: e.Pos, Typ: out.typ}}}, e.Pos))
	sum := l.bin(add, element(out, i, j), product, e.Pos, e.Pos)
	*pre = append(*pre, l.nest(loops, &ir.Assign{S: ir.S{Pos: e.Pos}, LHS: element(out, i, j), RHS: sum}, e.Pos))
	return out
}

// productRoom is the array for the product of two: what it is assigned to, if that can be, or
// one that lies as that does, or as an argument does; nil after an error.
func (l *lowerer) productRoom(in [2]*argument, g goal, typ ir.Type, e *ast.Index, pre *[]ir.Stmt) *argument {
	var n []ir.Expr
	var limit []int
	for i, a := range in {
		if len(a.shape.n) == 2 {
			n, limit = append(n, a.shape.n[i]), append(limit, l.elementsOf(a, pre).limit[i])
		}
	}
	reads := func(a *argument) ir.Expr { return &ir.Ref{Sym: a.view.base} }
	if g.direct(typ, n, reads(in[0]), reads(in[1])) {
		return g.to
	}
	if to := g.to; to != nil && len(to.shape.n) == len(n) && !slices.ContainsFunc(to.view.subs, func(s viewSub) bool { return s.vec != nil }) {
		same := true
		for k := range n {
			same = same && sameValue(n[k], to.shape.n[k])
		}
		if same {
			like := *to
			like.typ = typ
			return l.beside(&like, e.Pos, pre)
		}
	}
	ctx := &elemental{n: n, limit: limit, pre: pre}
	switch {
	case len(n) == 1:
		for i, a := range in { // the matrix, of which i is the dimension that stays
			if len(a.shape.n) == 2 {
				full := &elemental{n: a.shape.n, limit: l.elementsOf(a, pre).limit, of: a, pre: pre}
				return l.roomFor(full, []int{i}, typ, 0, e.Pos)
			}
		}
	case sameValue(n[0], in[1].shape.n[0]):
		ctx.of = in[1]
	case sameValue(n[1], in[0].shape.n[1]):
		ctx.of = in[0]
	}
	return l.room(ctx, typ, 0, e.Pos)
}
