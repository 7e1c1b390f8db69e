package lower

import (
	"fmt"
	"math"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// Array assignments exist in programs with coarrays. What moves a section between
// images is a Transfer; everything else becomes loops over the elements:
//
//	a(2:9) = b(1:8)[p]          a transfer
//	x(1:n)[q] = 2*u(1:n)        t(i) = 2*u(i) in a loop, and a transfer from t
//	v = u + h(:)[p]             a transfer to t, and v(i) = u(i) + t(i) in a loop
//
// The right side is evaluated before anything is assigned: where an element that
// is assigned may be another one's operand, it goes to an array of its own first.

// elemental is what is known while the element of an array expression is lowered.
type elemental struct {
	index []*ir.Symbol // of the loops, each from 1
	n     []ir.Expr    // extents
	at    source.Pos   // of the array that has them
	pre   *[]ir.Stmt   // done before the loops
}

// isPart reports whether e is an array or a section, on this image or another.
func (l *lowerer) isPart(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return isArray(l.lookup(e.Name))
	case *ast.Index:
		if isArray(l.lookup(e.Name)) {
			for _, sub := range e.Args {
				if l.isSection(sub) {
					return true
				}
			}
		}
	case *ast.Substring:
		id, ok := e.Base.(*ast.Ident)
		return ok && isArray(l.lookup(id.Name))
	case *ast.CoIndex:
		return l.isPart(e.Base)
	}
	return false
}

// part lowers an array or section of this image, for which isPart holds; nil
// after an error. What has to be computed before goes to pre.
func (l *lowerer) part(e ast.Expr, pre *[]ir.Stmt) *argument {
	steady, elem := l.steady, l.elem
	l.steady, l.elem = true, nil
	defer func() { l.steady, l.elem = steady, elem }()
	return l.actual(e, pre)
}

// arrayAssign lowers an assignment to an array or section.
func (l *lowerer) arrayAssign(s *ast.Assign) []ir.Stmt {
	var pre []ir.Stmt
	co, _ := s.LHS.(*ast.CoIndex)
	base := s.LHS
	var image ir.Expr
	if co != nil {
		base = co.Base
		var sym *ir.Symbol
		if sym, image = l.selector(co); sym == nil || isBad(image) {
			return nil
		}
	}
	to := l.part(base, &pre)
	if to == nil {
		return nil
	}
	if !l.mayChange(ast.Name{Pos: to.pos, Name: to.name}) {
		return nil
	}
	if out, ok := l.moved(s, to, image, &pre); ok {
		return out
	}
	if co != nil {
		t := l.arrayTemp(to, s.Pos)
		if !l.assignAll(s, t, &pre) {
			return nil
		}
		return append(pre, &ir.Transfer{S: ir.S{Pos: s.Pos}, Put: true, Local: l.sectionOf(t), Remote: l.sectionOf(to), Image: image})
	}
	if !l.assignAll(s, to, &pre) {
		return nil
	}
	return pre
}

// moved lowers an assignment that copies a section as it is between images; ok
// is false when it does anything else.
func (l *lowerer) moved(s *ast.Assign, to *argument, image ir.Expr, pre *[]ir.Stmt) (out []ir.Stmt, ok bool) {
	if !l.isPart(s.RHS) {
		return nil, false
	}
	co, _ := s.RHS.(*ast.CoIndex)
	if (co != nil) == (image != nil) {
		return nil, false
	}
	base := s.RHS
	if co != nil {
		base = co.Base
		var sym *ir.Symbol
		if sym, image = l.selector(co); sym == nil || isBad(image) {
			return nil, true
		}
	}
	before := len(*pre)
	from := l.part(base, pre)
	if from == nil {
		return nil, true
	}
	if from.typ != to.typ {
		*pre = (*pre)[:before]
		return nil, false
	}
	if !l.conform(from, to.shape.n, to.pos, pre) {
		return nil, true
	}
	t := &ir.Transfer{S: ir.S{Pos: s.Pos}, Put: co == nil, Local: l.sectionOf(to), Remote: l.sectionOf(from), Image: image}
	if t.Put {
		t.Local, t.Remote = t.Remote, t.Local
	}
	return append(*pre, t), true
}

// assignAll appends to pre the loops that assign the right side of s to to.
func (l *lowerer) assignAll(s *ast.Assign, to *argument, pre *[]ir.Stmt) bool {
	ctx := l.elements(to.shape.n, to.pos, pre)
	lhs := l.elementOf(to, ctx, s.LHS.Position())
	rhs := l.elementally(ctx, s.RHS)
	if isBad(rhs) || !l.assignable(lhs.Type(), rhs, to.name) {
		return false
	}
	if rhs = l.convert(rhs, lhs.Type()); isBad(rhs) {
		return false
	}
	if !overlaps(lhs, rhs) {
		*pre = append(*pre, l.nest(ctx, &ir.Assign{S: ir.S{Pos: s.Pos}, LHS: lhs, RHS: rhs}, s.Pos))
		return true
	}
	t := l.arrayTemp(to, s.Pos)
	*pre = append(*pre, l.nest(ctx, &ir.Assign{S: ir.S{Pos: s.Pos}, LHS: l.elementOf(t, ctx, s.Pos), RHS: rhs}, s.Pos))
	again := l.elements(to.shape.n, s.Pos, pre)
	*pre = append(*pre, l.nest(again, &ir.Assign{S: ir.S{Pos: s.Pos}, LHS: l.elementOf(to, again, s.Pos), RHS: l.elementOf(t, again, s.Pos)}, s.Pos))
	return true
}

// overlaps reports whether the evaluation of rhs may read another element of the
// array than lhs: also by way of an image, which may be this one.
func overlaps(lhs *ir.Ref, rhs ir.Expr) bool {
	other := false
	see := func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Ref:
			other = other || e.Sym == lhs.Sym && !ir.Same(e, lhs)
		case *ir.CoRef:
			other = other || e.Sym == lhs.Sym
		}
		return true
	}
	ir.WalkExpr(rhs, see)
	for _, s := range lhs.Subs {
		ir.WalkExpr(s, see)
	}
	return other
}

// elements makes the loop indices for extents n.
func (l *lowerer) elements(n []ir.Expr, pos source.Pos, pre *[]ir.Stmt) *elemental {
	ctx := &elemental{n: n, at: pos, pre: pre}
	for range n {
		ctx.index = append(ctx.index, l.local("el", ir.Long, pos))
	}
	return ctx
}

// elementsLike makes the loop indices for the elements of an array or section, of
// this image or another; nil after an error.
func (l *lowerer) elementsLike(shaping ast.Expr, pre *[]ir.Stmt) *elemental {
	if co, ok := shaping.(*ast.CoIndex); ok {
		shaping = co.Base
	}
	a := l.part(shaping, pre)
	if a == nil {
		return nil
	}
	return l.elements(a.shape.n, a.pos, pre)
}

// elementally lowers the element of array expression e that the loops of ctx have
// come to.
func (l *lowerer) elementally(ctx *elemental, e ast.Expr) ir.Expr {
	outer := l.elem
	l.elem = ctx
	x := l.expr(e)
	l.elem = outer
	return x
}

// nest puts loops over all elements around s, the first dimension innermost.
func (l *lowerer) nest(ctx *elemental, s ir.Stmt, pos source.Pos) ir.Stmt {
	for k, index := range ctx.index {
		one1 := func() ir.Expr { return intConstOf(ir.Long, 1, pos) }
		s = &ir.Do{S: ir.S{Pos: pos}, Index: index, Lo: one1(), Hi: l.convert(ir.Clone(ctx.n[k]), ir.Long), Step: one1(), Body: one(s), End: pos}
	}
	return s
}

// elementOf is the element of a that the loops of ctx have come to.
func (l *lowerer) elementOf(a *argument, ctx *elemental, pos source.Pos) *ir.Ref {
	r := &ir.Ref{X: ir.X{Pos: pos, Typ: a.typ}, Sym: a.view.base}
	for k, index := range ctx.index {
		x := &ir.Var{X: ir.X{Pos: pos, Typ: index.Type}, Sym: index}
		r.Subs = append(r.Subs, l.plus(x, l.minus(ir.Clone(a.shape.lo[k]), l.intConst(1, pos), pos), pos))
	}
	return l.viewed(a.view, r)
}

// operand is the element of the array or section e in the array expression in hand.
func (l *lowerer) operand(e ast.Expr) ir.Expr {
	ctx := l.elem
	a := l.near(e, ctx.pre)
	if a == nil || !l.conform(a, ctx.n, ctx.at, ctx.pre) {
		return bad(e.Position())
	}
	return l.elementOf(a, ctx, e.Position())
}

// near is the array or section e, brought to this image if it is one of another; nil
// after an error.
func (l *lowerer) near(e ast.Expr, pre *[]ir.Stmt) *argument {
	if co, ok := e.(*ast.CoIndex); ok {
		return l.fetched(co, pre)
	}
	return l.part(e, pre)
}

// fetched is a section of another image, brought to an array of this one.
func (l *lowerer) fetched(e *ast.CoIndex, pre *[]ir.Stmt) *argument {
	s, image := l.selector(e)
	if s == nil || isBad(image) {
		return nil
	}
	from := l.part(e.Base, pre)
	if from == nil {
		return nil
	}
	t := l.arrayTemp(from, e.Pos)
	*pre = append(*pre, &ir.Transfer{S: ir.S{Pos: e.Pos}, Local: l.sectionOf(t), Remote: l.sectionOf(from), Image: image})
	return t
}

// arrayTemp makes an array in which like has room: a section of it with the same
// extents. Its own extents are those of the dimensions that like is a part of.
func (l *lowerer) arrayTemp(like *argument, pos source.Pos) *argument {
	t := l.local("part", like.typ, pos)
	v, sh := &view{base: t}, &shape{}
	t.Dims = make([]ir.Bound, len(like.shape.n))
	for d, s := range like.view.subs {
		if s.dim >= 0 {
			t.Dims[s.dim] = ir.Bound{Lo: 1, Hi: like.view.base.Dims[d].Extent()}
		}
	}
	for k, n := range like.shape.n {
		v.subs = append(v.subs, viewSub{k, l.intConst(1, pos), l.intConst(0, pos)})
		sh.lo = append(sh.lo, l.intConst(1, pos))
		sh.n = append(sh.n, ir.Clone(n))
	}
	return &argument{pos: pos, typ: like.typ, name: like.name, view: v, shape: sh}
}

// conform compares the shape of a with extents n; what is not known is tested at
// run time.
func (l *lowerer) conform(a *argument, n []ir.Expr, pos source.Pos, pre *[]ir.Stmt) bool {
	if l.phantom {
		return true // extents are those of the arguments, which are not known
	}
	if len(a.shape.n) != len(n) {
		l.errorf(codeRank, a.pos, "%s has rank %d here, the array that it stands beside has rank %d", a.name, len(a.shape.n), len(n)).
			WithNote(pos, "that array").WithHelp("give both the same rank")
		return false
	}
	for k, have := range a.shape.n {
		x, okX := constOf(have)
		y, okY := constOf(n[k])
		switch {
		case okX && okY && x == y, ir.Same(have, n[k]):
		case okX && okY:
			l.errorf(codeBounds, a.pos, "%s has extent %d in dimension %d here, the array that it stands beside has %d", a.name, x, k+1, y).
				WithNote(pos, "that array").WithHelp("give both the same extents")
			return false
		default:
			stop := &ir.Stop{S: ir.S{Pos: a.pos}, Error: true,
				Code: &ir.Const{X: ir.X{Pos: a.pos, Typ: ir.Character}, Str: fmt.Sprintf("line %d: %s and the array that it stands beside differ in extent %d", a.pos.Line, a.name, k+1)}}
			*pre = append(*pre, &ir.If{S: ir.S{Pos: a.pos}, Cond: l.bin(ir.Ne, ir.Clone(have), ir.Clone(n[k]), a.pos, a.pos), Then: one(stop)})
		}
	}
	return true
}

// arrayReductions are the intrinsics that make one value of an array.
var arrayReductions = map[string]bool{"sum": true, "product": true, "maxval": true, "minval": true, "dot_product": true}

// reduction lowers sum(x), maxval(x), dot_product(x, y) and their like: a loop in
// front of the statement.
func (l *lowerer) reduction(e *ast.Index) ir.Expr {
	want := 1
	if e.Name == "dot_product" {
		want = 2
	}
	for _, a := range e.Args {
		if _, ok := a.(*ast.Keyword); ok || len(e.Args) != want {
			l.errorf(codeOutside, a.Position(), "%s with DIM or MASK is not supported", e.Name).WithHelp("write a DO loop over the elements")
			return bad(e.Pos)
		}
	}
	if len(e.Args) != want {
		l.errorf(codeArgument, e.Pos, "%s takes %s", e.Name, count(want, "argument"))
		return bad(e.Pos)
	}
	x := e.Args[0]
	if want == 2 {
		x = &ast.Binary{XBase: e.XBase, Op: "*", OpPos: e.Pos, X: e.Args[0], Y: e.Args[1]}
	}
	shaping := l.firstPart(x)
	for _, a := range e.Args {
		if l.firstPart(a) == nil {
			l.errorf(codeArgument, a.Position(), "the argument of %s must be an array", e.Name).
				WithHelp("pass an array, a section or an expression of them")
			return bad(e.Pos)
		}
	}
	var pre []ir.Stmt
	ctx := l.elementsLike(shaping, &pre)
	if ctx == nil {
		return bad(e.Pos)
	}
	if want == 2 && len(ctx.n) != 1 && !l.phantom {
		l.errorf(codeArgument, e.Pos, "the arguments of %s have rank %d, they must have rank 1", e.Name, len(ctx.n)).
			WithHelp("write sum(a*b)")
		return bad(e.Pos)
	}
	value := l.elementally(ctx, x)
	if isBad(value) {
		return value
	}
	typ := value.Type()
	if !typ.IsNumeric() {
		l.errorf(codeArgument, e.Args[0].Position(), "the argument of %s is %s, it must be numeric", e.Name, typ)
		return bad(e.Pos)
	}
	acc := l.local(e.Name, typ, e.Pos)
	at := ir.X{Pos: e.Pos, Typ: typ}
	v := func() ir.Expr { return &ir.Var{X: at, Sym: acc} }
	start := &ir.Const{X: at}
	var next ir.Expr
	info, _ := l.kindInfo(start)
	// An extreme of no elements is huge. One of reals starts from NaN, which loses
	// against every element.
	var empty []ir.Stmt
	huge := func(sign int) {
		if i, ok := info.huge.(int); ok {
			if start.Int = i; sign < 0 {
				start.Int = -i - 1
			}
			return
		}
		start.Float = math.NaN()
		var none ir.Expr
		for _, n := range ctx.n {
			var is ir.Expr = &ir.Bin{X: ir.X{Pos: e.Pos, Typ: ir.Logical}, Op: ir.Lt, L: ir.Clone(n), R: intConstOf(n.Type(), 1, e.Pos)}
			if k, ok := constOf(n); ok && k > 0 {
				continue
			}
			if none != nil {
				is = &ir.Bin{X: ir.X{Pos: e.Pos, Typ: ir.Logical}, Op: ir.Or, L: none, R: is}
			}
			none = is
		}
		if none != nil {
			k := &ir.Const{X: at, Float: float64(sign) * info.huge.(float64)}
			empty = one(&ir.If{S: ir.S{Pos: e.Pos}, Cond: none, Then: one(&ir.Assign{S: ir.S{Pos: e.Pos}, LHS: v(), RHS: k})})
		}
	}
	switch e.Name {
	case "product":
		start.Int, start.Float = 1, 1
		next = &ir.Bin{X: at, Op: ir.Mul, L: v(), R: value}
	case "maxval":
		huge(-1)
		next = &ir.Call{X: at, Name: "max", Args: []ir.Expr{v(), value}}
	case "minval":
		huge(1)
		next = &ir.Call{X: at, Name: "min", Args: []ir.Expr{v(), value}}
	default:
		next = &ir.Bin{X: at, Op: ir.Add, L: v(), R: value}
	}
	pre = append(append(pre, &ir.Assign{S: ir.S{Pos: e.Pos}, LHS: v(), RHS: start}), empty...)
	pre = append(pre, l.nest(ctx, &ir.Assign{S: ir.S{Pos: e.Pos}, LHS: v(), RHS: next}, e.Pos))
	l.prelude = append(l.prelude, pre...)
	return v()
}

// firstPart is an array or section in e, nil if there is none.
func (l *lowerer) firstPart(e ast.Expr) ast.Expr {
	if l.isPart(e) {
		return e
	}
	var inside []ast.Expr
	switch e := e.(type) {
	case *ast.Unary:
		inside = []ast.Expr{e.X}
	case *ast.Binary:
		inside = []ast.Expr{e.X, e.Y}
	case *ast.Paren:
		inside = []ast.Expr{e.X}
	case *ast.Keyword:
		inside = []ast.Expr{e.X}
	case *ast.Index:
		_, intrinsic := intrinsics[e.Name]
		if _, inquiry := inquiries[e.Name]; intrinsic && !inquiry && !arrayReductions[e.Name] {
			inside = e.Args
		}
	}
	for _, x := range inside {
		if p := l.firstPart(x); p != nil {
			return p
		}
	}
	return nil
}

// printedArray makes an item of PRINT that is an array expression an implied DO over
// its elements; shaping is an array or section in it.
func (l *lowerer) printedArray(e, shaping ast.Expr) ir.Expr {
	var pre []ir.Stmt
	ctx := l.elementsLike(shaping, &pre)
	if ctx == nil {
		return bad(e.Position())
	}
	x := l.elementally(ctx, e)
	if isBad(x) {
		return x
	}
	for k, index := range ctx.index {
		x = &ir.ImpliedDo{X: ir.X{Pos: e.Position(), Typ: x.Type()}, Items: []ir.Expr{x}, Index: index,
			Lo: intConstOf(ir.Long, 1, e.Position()), Hi: l.convert(ir.Clone(ctx.n[k]), ir.Long), Step: intConstOf(ir.Long, 1, e.Position())}
	}
	l.prelude = append(l.prelude, pre...)
	return x
}
