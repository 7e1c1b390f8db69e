package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// Functions whose elements cannot be named one by one are evaluated to an array in front of
// the statement:
//
//	r = 2*sum(a, 1) + matmul(b, x)      t = sum(a, 1);  u = matmul(b, x);  r = 2*t + u
//
// where each of these three is a nest of loops. The array lies where what it is made of
// lies, or what is assigned to.

// arrayFunctions are the intrinsics whose value is always an array.
var arrayFunctions = map[string]bool{"cshift": true, "eoshift": true, "transpose": true, "spread": true, "matmul": true,
	"reshape": true, "pack": true, "unpack": true, "shape": true, "processors_shape": true}

// isFunction reports whether e refers to an intrinsic function of array values: the name
// may be one of the program's.
func (l *lowerer) isFunction(e *ast.Index) bool {
	if e.Name == "transfer" && !l.transfersArrays(e) {
		return false
	}
	if !arrayFunctions[e.Name] && arrayReductions[e.Name] == nil && e.Name != "lbound" && e.Name != "ubound" && e.Name != "transfer" {
		return false
	}
	s := l.lookup(e.Name)
	if s != nil && !l.typesIntrinsic(s) || l.functionOf(e) != nil {
		return false
	}
	if s != nil {
		l.intrinsics[s] = true
	}
	return true
}

// typesIntrinsic reports whether s, whose name an intrinsic function has and which a
// reference gives arguments, can be what a type declaration made of the function's name.
func (l *lowerer) typesIntrinsic(s *ir.Symbol) bool {
	return !s.Param && !s.IsArray() && !l.mention[s] && s.Type != ir.Character && s.Type != ir.Invalid && l.allocs[s] == nil && !s.Coarray
}

// hasArrayValue reports whether the value of intrinsic function e is an array whatever the
// arguments of elemental functions would make of it.
func (l *lowerer) hasArrayValue(e *ast.Index) bool {
	if !l.isFunction(e) {
		return false
	}
	if arrayFunctions[e.Name] {
		return true
	}
	if arrayReductions[e.Name] != nil {
		a := l.reductionArguments(e, false)
		if a == nil || a.x == nil {
			return false
		}
		if a.dim == nil {
			return locations[e.Name]
		}
		return l.rank(a.x) > 1
	}
	if e.Name == "transfer" {
		return makesArray(l, e)
	}
	for i, a := range e.Args[min(1, len(e.Args)):] { // of LBOUND and UBOUND
		if k, ok := a.(*ast.Keyword); ok && k.Name == "dim" || !ok && i == 0 {
			return false
		}
	}
	return true
}

// rank is the rank of an expression, as far as it can be seen without its types.
func (l *lowerer) rank(e ast.Expr) int {
	if k, ok := e.(*ast.Keyword); ok {
		e = k.X
	}
	part := l.firstPart(e)
	switch p := part.(type) {
	case nil:
		return 0
	case *ast.Ident:
		return len(l.lookup(p.Name).Dims)
	case *ast.Substring:
		return 1
	case *ast.CoIndex:
		return l.rank(p.Base)
	case *ast.Elements:
		return l.rank(p.X) - len(p.Own)
	case *ast.Index:
		if f := l.functionOf(p); f != nil {
			return resultRank(f.unit)
		}
		if !l.isFunction(p) {
			n := 0
			for _, sub := range p.Args {
				if l.isSection(sub) {
					n++
				}
			}
			return n
		}
		return l.functionRank(p)
	}
	return 1
}

// functionRank is the rank of the value of an intrinsic function.
func (l *lowerer) functionRank(e *ast.Index) int {
	arg := func(names ...string) int {
		for i, a := range e.Args {
			if k, ok := a.(*ast.Keyword); ok && slices.Index(names, k.Name) == 0 || !ok && i == len(names)-1 {
				return l.rank(a)
			}
		}
		return 0
	}
	switch {
	case arrayReductions[e.Name] != nil:
		a := l.reductionArguments(e, false)
		if a == nil || a.dim == nil {
			return 1
		}
		return l.rank(a.x) - 1
	case e.Name == "transpose":
		return 2
	case e.Name == "spread":
		return arg("source") + 1
	case e.Name == "unpack":
		return arg("mask", "")
	case e.Name == "cshift", e.Name == "eoshift":
		return arg("array")
	case e.Name == "matmul":
		return arg("matrix_a") + arg("matrix_b", "") - 2
	case e.Name == "reshape":
		for i, a := range e.Args {
			if k, ok := a.(*ast.Keyword); ok && k.Name == "shape" || !ok && i == 1 {
				if ok {
					a = k.X
				}
				return l.length(a)
			}
		}
	}
	return 1
}

// length is the number of elements of a vector, 0 where it is not known.
func (l *lowerer) length(e ast.Expr) int {
	switch e := e.(type) {
	case *ast.Ident:
		if s := l.lookup(e.Name); isArray(s) {
			return limitOf(s.Dims[0])
		}
	case *ast.Paren:
		return l.length(e.X)
	case *ast.Array:
		for _, item := range e.Items {
			if _, many := item.(*ast.ImpliedDo); many || l.firstPart(item) != nil {
				return 0
			}
		}
		return len(e.Items)
	case *ast.Index:
		switch {
		case e.Name == "shape" && l.isFunction(e) && len(e.Args) == 1:
			return l.rank(e.Args[0])
		case e.Name == "processors_shape" && l.isFunction(e):
			return 1
		}
	}
	return 0
}

// named gives an array that the source has no name for one, for expressions; of is what
// messages say of it.
func (l *lowerer) named(a *argument, of string, pos source.Pos) *ast.Ident {
	l.temps++
	name := tempName(of, l.temps)
	s := &ir.Symbol{Name: name, Local: of, Pos: pos, Type: a.typ, Len: a.view.base.Len, Site: l.scope.site, Dims: make([]ir.Bound, len(a.shape.n))}
	for k, n := range a.shape.n {
		size, _ := constOf(n)
		s.Dims[k] = ir.Bound{Lo: 1, Hi: size}
	}
	l.names[name] = s
	l.views[s], l.shapes[s], l.loose[s] = a.view, &shape{n: a.shape.n}, true
	for range a.shape.n {
		l.shapes[s].lo = append(l.shapes[s].lo, l.intConst(1, pos))
	}
	// Elements count from 1, whatever the bounds of a are.
	in := make([]viewSub, len(a.shape.n))
	for k, lo := range a.shape.lo {
		in[k] = viewSub{dim: k, coef: l.intConst(1, pos), off: l.minus(ir.Clone(lo), l.intConst(1, pos), pos)}
	}
	l.views[s] = l.through(a.view, in, pos)
	return &ast.Ident{XBase: ast.XBase{Pos: pos, End: pos}, Name: name}
}

// goal is what the value of a function is made for.
type goal struct {
	to    *argument // what it is assigned to, or a part of an expression that is; or nil
	whole bool      // it is all that is assigned
	cut   bool      // shifts by constants stay: the loops over to are cut where elements come in at the other end
}

// evaluated replaces the functions in e whose values have to be in an array by the names of
// such arrays; what computes them goes to pre. The result is nil after an error.
func (l *lowerer) evaluated(e ast.Expr, g goal, pre *[]ir.Stmt) ast.Expr {
	elem := l.elem
	l.elem = nil
	defer func() { l.elem = elem }()
	g.whole = false
	inside := func(x ast.Expr) ast.Expr { return l.evaluated(x, g, pre) }
	switch x := e.(type) {
	case *ast.Array:
		a := l.constructor(x, pre)
		if a == nil {
			return nil
		}
		return l.named(a, "[...]", x.Pos)
	case *ast.Unary:
		out := *x
		out.X = inside(x.X)
		return ifAll(&out, out.X)
	case *ast.Binary:
		out := *x
		out.X, out.Y = inside(x.X), inside(x.Y)
		return ifAll(&out, out.X, out.Y)
	case *ast.Paren:
		out := *x
		out.X = inside(x.X)
		return ifAll(&out, out.X)
	case *ast.Keyword:
		out := *x
		out.X = inside(x.X)
		return ifAll(&out, out.X)
	case *ast.Elements:
		return l.evaluatedElements(x, pre)
	case *ast.Index:
		if l.firstPart(e) == nil || l.isPart(e) {
			return e
		}
		if l.hasArrayValue(x) {
			a, left := l.evaluatedFunction(x, g, pre)
			if a != nil {
				return l.named(a, x.Name+"(...)", x.Pos)
			}
			return left
		}
		out := *x
		out.Args = slices.Clone(x.Args)
		for i, a := range x.Args {
			if out.Args[i] = inside(a); out.Args[i] == nil {
				return nil
			}
		}
		return &out
	}
	return e
}

// ifAll is e unless one of its parts is nil.
func ifAll(e ast.Expr, parts ...ast.Expr) ast.Expr {
	if slices.Contains(parts, nil) {
		return nil
	}
	return e
}

// evaluatedFunction evaluates a function whose value is an array: to an array, or to a
// function whose elements can be named; to nothing after an error.
func (l *lowerer) evaluatedFunction(e *ast.Index, g goal, pre *[]ir.Stmt) (*argument, ast.Expr) {
	elem := l.elem
	l.elem = nil
	defer func() { l.elem = elem }()
	if a, _, found := l.chosen(e, pre); found {
		return a, nil
	}
	switch e.Name {
	case "transpose", "spread":
		return nil, l.evaluatedArgument(e, pre)
	case "reshape":
		return nil, l.evaluatedReshape(e, pre)
	case "cshift", "eoshift":
		return l.shift(e, g, pre)
	case "matmul":
		return l.product(e, g, pre), nil
	case "pack":
		return l.packed(e, pre), nil
	case "unpack":
		return l.unpacked(e, pre), nil
	case "transfer":
		a, _ := l.transferred(e, pre)
		return a, nil
	case "shape", "processors_shape", "lbound", "ubound":
		return l.boundsVector(e, pre), nil
	}
	a, _ := l.reduce(e, g, pre)
	return a, nil
}

// evaluatedArgument evaluates the first argument of a function that stays.
func (l *lowerer) evaluatedArgument(e *ast.Index, pre *[]ir.Stmt) ast.Expr {
	if len(e.Args) == 0 {
		return e
	}
	out := *e
	out.Args = slices.Clone(e.Args)
	if out.Args[0] = l.evaluated(e.Args[0], goal{}, pre); out.Args[0] == nil {
		return nil
	}
	return &out
}

// valueOf is an array with the value of array expression e: the array itself where it is one;
// nil after an error.
func (l *lowerer) valueOf(e ast.Expr, pre *[]ir.Stmt) *argument {
	elem := l.elem
	l.elem = nil
	defer func() { l.elem = elem }()
	if l.isPart(e) {
		return l.near(e, pre)
	}
	shaping := l.firstPart(e)
	if shaping == nil {
		l.errorf(codeArgument, e.Position(), "an array is needed here").WithHelp("pass an array, a section or an expression of them")
		return nil
	}
	if e = l.evaluated(e, goal{}, pre); e == nil {
		return nil
	}
	if l.isPart(e) {
		return l.near(e, pre)
	}
	return l.copied(e, pre)
}

// copied is an array of its own with the value of e, in which everything is evaluated.
func (l *lowerer) copied(e ast.Expr, pre *[]ir.Stmt) *argument {
	ctx := l.elementsLike(l.firstPart(e), pre)
	if ctx == nil {
		return nil
	}
	undo := l.trial(pre)
	x := l.elementally(ctx, e)
	if isBad(x) {
		return nil
	}
	undo()
	t := l.room(ctx, x.Type(), l.charLen(x), e.Position())
	if t == nil {
		return nil
	}
	s := &ast.Assign{Base: ast.Base{Pos: e.Position()}, LHS: l.named(t, "the value", e.Position()), RHS: e}
	if !l.assignAll(s, t, pre) {
		return nil
	}
	return t
}

// room makes an array for values of the shape of ctx, which lies as what gave ctx its
// shape does; nil after an error.
func (l *lowerer) room(ctx *elemental, typ ir.Type, length int, pos source.Pos) *argument {
	all := make([]int, len(ctx.n))
	for k := range all {
		all[k] = k
	}
	return l.roomFor(ctx, all, typ, length, pos)
}

// roomFor makes an array for values that have the dimensions keep of ctx. Where ctx has the
// shape of an array, element i of the new one lies where the elements (i, :) of that lie.
func (l *lowerer) roomFor(ctx *elemental, keep []int, typ ir.Type, length int, pos source.Pos) *argument {
	out := &argument{pos: pos, typ: typ, name: "the value", shape: &shape{}}
	t := l.local("part", typ, pos)
	t.Len = length
	t.Dims = make([]ir.Bound, len(keep))
	out.view = &view{base: t, subs: make([]viewSub, len(keep))}
	for i, k := range keep {
		out.shape.lo = append(out.shape.lo, l.intConst(1, pos))
		out.shape.n = append(out.shape.n, ir.Clone(ctx.n[k]))
		out.view.subs[i] = viewSub{dim: i, coef: l.intConst(1, pos), off: l.intConst(0, pos)}
		n, ok := constOf(ctx.n[k])
		if !ok && ctx.limit != nil && ctx.limit[k] > 0 {
			n, ok = ctx.limit[k], true
		}
		t.Dims[i] = ir.Bound{Lo: 1, Hi: n}
		if !ok && !l.phantom {
			end := l.newEnd(t, "hi", i, pos)
			t.Dims[i].Hi = ir.OpenEnd(len(l.prog.Ends)-1, true)
			*ctx.pre = append(*ctx.pre, l.setEnd(end, t, ir.Clone(ctx.n[k]), pos)...)
		}
	}
	if ctx.of != nil {
		l.alignWith(out, ctx.of, keep)
	}
	*ctx.pre = append(*ctx.pre, l.allocation(t)...)
	return out
}

// alignWith lets the elements of new array t lie where the elements of a lie that have the
// same indices in dimensions keep; where a has directives.
func (l *lowerer) alignWith(t, a *argument, keep []int) {
	base := a.view.base
	if base.Coarray || !l.hasDirectives(base) {
		return
	}
	at := t.pos
	t.view.base.Local = base.Source() // for messages
	d := &ir.Directive{Pos: at, Kind: ir.AlignDirective, Name: t.view.base.Name, NamePos: at, Symbol: t.view.base, Target: base.Name, TargetPos: at}
	for i := range keep {
		d.Source = append(d.Source, ir.AlignSource{Pos: at, Dummy: alignDummy(i)})
	}
	for k, s := range a.view.subs {
		sub := ir.AlignSub{Pos: at}
		off, ok := constOf(s.off)
		coef, known := 0, false
		if s.dim >= 0 {
			coef, known = constOf(s.coef)
		}
		i := slices.Index(keep, s.dim)
		switch {
		case s.dim < 0 && ok:
			sub.Off = off
		case s.dim < 0, i < 0, s.vec != nil:
			sub.Replicated = true
		case ok && known && isConst(t.shape.n[i]) && isConst(a.shape.lo[s.dim]):
			lo, _ := constOf(a.shape.lo[s.dim])
			sub.Dummy, sub.Coef, sub.Off = alignDummy(i), coef, off+coef*(lo-1)
		default: // the array gets room for all elements of the other
			sub.Dummy, sub.Coef = alignDummy(i), 1
			t.view.base.Dims[i] = base.Dims[k]
			t.view.subs[i] = viewSub{dim: i, coef: ir.Clone(s.coef), off: l.plus(l.times(s.coef, l.minus(ir.Clone(a.shape.lo[s.dim]), l.intConst(1, at), at), at), ir.Clone(s.off), at)}
		}
		d.Subs = append(d.Subs, sub)
	}
	for i := range keep {
		if !slices.ContainsFunc(d.Subs, func(s ir.AlignSub) bool { return s.Dummy == alignDummy(i) }) {
			d.Source[i].Dummy = ""
		}
	}
	l.prog.HPF = append(l.prog.HPF, d)
}

// hasDirectives reports whether ALIGN or DISTRIBUTE is about s.
func (l *lowerer) hasDirectives(s *ir.Symbol) bool {
	return slices.ContainsFunc(l.prog.HPF, func(d *ir.Directive) bool { return d.Symbol == s })
}

func alignDummy(i int) string { return string(rune('i' + i)) }

func isConst(e ir.Expr) bool {
	_, ok := constOf(e)
	return ok
}

// direct reports whether the value of type typ and extents n can be made where it is
// assigned to: as it is, and in nothing that is read to make it.
func (g goal) direct(typ ir.Type, n []ir.Expr, reads ...ir.Expr) bool {
	if !g.whole || g.to.typ != typ || len(g.to.shape.n) != len(n) || slices.ContainsFunc(g.to.view.subs, func(s viewSub) bool { return s.vec != nil }) {
		return false
	}
	for k, x := range n {
		if !sameValue(x, g.to.shape.n[k]) {
			return false
		}
	}
	return !slices.ContainsFunc(reads, func(e ir.Expr) bool { return e != nil && ir.Mentions(e, g.to.view.base) })
}

func sameValue(x, y ir.Expr) bool {
	a, okA := constOf(x)
	b, okB := constOf(y)
	return okA && okB && a == b || ir.Same(x, y)
}
