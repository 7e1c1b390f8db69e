package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// What moves a section between images is a Transfer; every other array assignment
// becomes loops over the elements:
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
	place []ir.Expr    // where the operand in hand has its element, nil where the indices say it
	n     []ir.Expr    // extents
	of    *argument    // the array that the extents are of, or nil
	limit []int        // what the extents cannot exceed, 0 where that is not known
	ends  *[2]ir.Expr  // the first and the last place in dimension along, nil for all
	along int
	part  []span     // which elements of each dimension the loops are about, nil for all
	cut   *cut       // where the loops should be cut in two, nil if they cannot be
	pos   source.Pos // of the array that has them
	pre   *[]ir.Stmt // done before the loops
	inner *[]ir.Stmt // done in the loops first: elemental procedures
}

// span is a range of constant places in a dimension.
type span struct{ lo, hi int }

// cut is a place, in a dimension, in front of which loops over all elements should end
// and others begin: 0 for none.
type cut struct{ dim, at int }

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
		return l.arrayValued(e)
	case *ast.Substring:
		id, ok := e.Base.(*ast.Ident)
		return ok && isArray(l.lookup(id.Name))
	case *ast.CoIndex:
		return l.isPart(e.Base)
	case *ast.Array:
		return true
	}
	return false
}

// part lowers an array or section of this image, for which isPart holds; nil
// after an error. What has to be computed before goes to pre.
func (l *lowerer) part(e ast.Expr, pre *[]ir.Stmt) *argument {
	a := l.partOrEndless(e, pre)
	if a != nil && a.endless {
		l.noEnd(a)
		return nil
	}
	return a
}

// partOrEndless is part, also of an array of assumed size whose extent is not asked for.
func (l *lowerer) partOrEndless(e ast.Expr, pre *[]ir.Stmt) *argument {
	steady, elem := l.steady, l.elem
	l.steady, l.elem = true, nil
	defer func() { l.steady, l.elem = steady, elem }()
	return l.actual(e, pre)
}

// assumedSize reports whether name is a dummy array of assumed size. Components of derived types are
// not meant: the program names the array of the type.
func (l *lowerer) assumedSize(name string) bool {
	d := l.dummies[name]
	return d != nil && d.star && l.lookup(name) == d.sym && !strings.Contains(name, "%")
}

// noEnd is the error of an array of assumed size where its extent would have to be known.
func (l *lowerer) noEnd(a *argument) {
	l.errorf(codeRank, a.pos, "%s has assumed size: its last upper bound is not known here", a.name).
		WithHelp("write the bound, as in %s(:n) of an array with one dimension", a.name)
}

// arrayAssign lowers an assignment to an array or section.
func (l *lowerer) arrayAssign(s *ast.Assign) []ir.Stmt {
	var pre []ir.Stmt
	co, _ := s.LHS.(*ast.CoIndex)
	base := s.LHS
	var image ir.Expr
	var to *argument
	if co != nil {
		base = co.Base
		var sym *ir.Symbol
		if sym, image = l.selector(co); sym == nil || isBad(image) {
			return nil
		}
		to = l.partThere(co, sym, image, &pre)
	} else {
		to = l.part(base, &pre)
	}
	if to == nil {
		return nil
	}
	if co != nil && l.elsewhere(co.Pos) || !l.mayChange(ast.Name{Pos: to.pos, Name: to.name}) {
		return nil
	}
	if id, whole := base.(*ast.Ident); whole && co == nil && l.allocs[l.lookup(id.Name)] != nil && !l.isPointer[l.lookup(id.Name)] {
		s = ast.Copy(s)
		staged, ok := l.regrow(s, l.lookup(id.Name), &pre)
		if !ok {
			return nil
		}
		if staged != nil {
			ctx := l.elements(to.shape.n, s.Pos, &pre)
			return append(pre, l.nest(ctx, &ir.Assign{S: ir.S{Pos: s.Pos}, LHS: l.elementOf(to, ctx, s.Pos), RHS: l.elementOf(staged, ctx, s.Pos)}, s.Pos))
		}
	}
	if out, ok := l.moved(s, to, image, &pre); ok {
		return out
	}
	if co != nil {
		t := l.arrayTemp(to, s.Pos, &pre)
		if !l.assignAll(s, t, &pre) {
			return nil
		}
		if !to.isSection() {
			l.eachElsewhere(t, to, image, true, s.Pos, &pre)
			return pre
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
	before := len(*pre)
	var from *argument
	if co != nil {
		var sym *ir.Symbol
		if sym, image = l.selector(co); sym == nil || isBad(image) {
			return nil, true
		}
		from = l.partThere(co, sym, image, pre)
	} else {
		from = l.part(s.RHS, pre)
	}
	if from == nil {
		return nil, true
	}
	if from.typ != to.typ || from.typ == ir.Character && from.view.base.Len != to.view.base.Len || !from.isSection() || !to.isSection() {
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
	l.goal = to
	defer func() { l.goal = nil }()
	part := wholeOf(to.shape.n)
	g := goal{to: to, whole: true, cut: part != nil}
	var rhs ast.Expr
	if call, ok := s.RHS.(*ast.Index); ok && l.hasArrayValue(call) {
		var made *argument
		made, rhs = l.evaluatedFunction(call, g, pre)
		if made == to {
			return true
		}
		if made != nil {
			rhs = l.named(made, call.Name+"(...)", call.Pos)
		}
	} else {
		rhs = l.evaluated(s.RHS, g, pre)
	}
	if rhs == nil {
		return false
	}
	s = &ast.Assign{Base: s.Base, LHS: s.LHS, RHS: rhs}
	undo := l.trial(pre)
	pieces, ok := l.pieces(s, to, part, pre)
	if len(pieces) > maxPieces {
		undo()
		pieces, ok = l.pieces(s, to, nil, pre)
	}
	if !ok {
		return false
	}
	staged := slices.ContainsFunc(pieces, func(p piece) bool {
		return l.overlapsIn(p.ctx, p.lhs, p.rhs) || slices.ContainsFunc(pieces, func(q piece) bool { return l.readsPiece(p, q) })
	})
	t := to
	if staged {
		t = l.beside(to, s.Pos, pre)
	}
	for _, p := range pieces {
		lhs := p.lhs
		if staged {
			lhs = l.elementOf(t, p.ctx, s.Pos)
		}
		*pre = append(*pre, l.nest(p.ctx, &ir.Assign{S: ir.S{Pos: s.Pos}, LHS: lhs, RHS: p.rhs}, s.Pos))
	}
	if staged {
		ctx := l.elements(to.shape.n, s.Pos, pre)
		*pre = append(*pre, l.nest(ctx, &ir.Assign{S: ir.S{Pos: s.Pos}, LHS: l.elementOf(to, ctx, s.Pos), RHS: l.elementOf(t, ctx, s.Pos)}, s.Pos))
	}
	return true
}

// maxPieces bounds the loops that one assignment becomes.
const maxPieces = 32

// piece is the assignment of an element, for a part of the elements.
type piece struct {
	ctx *elemental
	lhs *ir.Ref
	rhs ir.Expr
}

// readsPiece reports whether p may read an element that q, another piece of the assignment, assigns.
func (l *lowerer) readsPiece(p, q piece) bool {
	found := false
	ir.WalkExpr(p.rhs, func(e ir.Expr) bool {
		r, ok := e.(*ir.Ref)
		found = found || ok && q.ctx != p.ctx && r.Sym == q.lhs.Sym && !ir.Same(r, p.lhs) && !l.indices.Apart(r, q.lhs)
		return !found
	})
	return found
}

// pieces lowers the element of an assignment, for a part of the elements, or for several
// that are the part: cshift(a, 1) is a(i+1) but for the last element.
func (l *lowerer) pieces(s *ast.Assign, to *argument, part []span, pre *[]ir.Stmt) ([]piece, bool) {
	undo := l.trial(pre)
	ctx := l.elements(to.shape.n, to.pos, pre)
	if part != nil {
		ctx.part, ctx.cut = part, &cut{}
	}
	lhs := l.elementOf(to, ctx, s.LHS.Position())
	rhs := l.elementally(ctx, s.RHS)
	if c := ctx.cut; c != nil && c.at > 0 {
		undo()
		low, high := slices.Clone(part), slices.Clone(part)
		low[c.dim].hi, high[c.dim].lo = c.at-1, c.at
		first, ok := l.pieces(s, to, low, pre)
		if !ok {
			return nil, false
		}
		second, ok := l.pieces(s, to, high, pre)
		return append(first, second...), ok
	}
	if isBad(rhs) || !l.assignable(lhs.Type(), rhs, to.name) {
		return nil, false
	}
	if rhs = l.convert(rhs, lhs.Type()); isBad(rhs) {
		return nil, false
	}
	return []piece{{ctx, lhs, l.unvaried(ctx, lhs, rhs, pre)}}, true
}

// wholeOf is all places of dimensions with constant extents, nil if there are others or
// no elements.
func wholeOf(n []ir.Expr) []span {
	var part []span
	for _, e := range n {
		k, ok := constOf(e)
		if !ok || k < 1 {
			return nil
		}
		part = append(part, span{1, k})
	}
	return part
}

// unvaried takes elements of the array of lhs that are the same for all elements of an
// array expression out of its loops, as v(3) in v = v/v(3). Where there may be no
// elements it does not, since then nothing says that the subscripts are in bounds.
func (l *lowerer) unvaried(ctx *elemental, lhs *ir.Ref, rhs ir.Expr, pre *[]ir.Stmt) ir.Expr {
	for _, n := range ctx.n {
		if k, ok := constOf(n); !ok || k < 1 {
			return rhs
		}
	}
	return ir.Rewrite(rhs, func(e ir.Expr) ir.Expr {
		if r, ok := e.(*ir.Ref); ok && r.Sym == lhs.Sym && !ir.Same(r, lhs) && !ctx.varies(r) {
			return l.fixed(r, "element", r.Pos, pre)
		}
		return nil
	})
}

// varies reports whether the indices of the loops are in e.
func (c *elemental) varies(e ir.Expr) bool {
	found := false
	ir.WalkExpr(e, func(x ir.Expr) bool {
		v, ok := x.(*ir.Var)
		found = found || ok && slices.Contains(c.index, v.Sym)
		return !found
	})
	return found
}

// overlaps reports whether the evaluation of rhs may read another element of the
// array than lhs: also by way of an image, which may be this one.
func (l *lowerer) overlaps(lhs *ir.Ref, rhs ir.Expr) bool {
	other := false
	see := func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Ref:
			other = other || e.Sym == lhs.Sym && !ir.Same(e, lhs) && !l.indices.Apart(e, lhs) || e.Sym != lhs.Sym && oneText(e.Sym, lhs.Sym)
		case *ir.Var:
			other = other || oneText(e.Sym, lhs.Sym)
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

// oneText reports whether a and b are parts of one text.
func oneText(a, b *ir.Symbol) bool { return a.Whole != nil && a.Whole == b.Whole }

// elements makes the loop indices for extents n.
func (l *lowerer) elements(n []ir.Expr, pos source.Pos, pre *[]ir.Stmt) *elemental {
	ctx := &elemental{n: n, pos: pos, pre: pre, inner: new([]ir.Stmt)}
	for _, e := range n {
		index := l.local("el", ir.Long, pos)
		l.indices.Add(index, intConstOf(ir.Long, 1, pos), e, intConstOf(ir.Long, 1, pos), true)
		ctx.index = append(ctx.index, index)
	}
	return ctx
}

// elementsLike makes the loop indices for the elements of what firstPart found, in which
// everything is evaluated; nil after an error.
func (l *lowerer) elementsLike(shaping ast.Expr, pre *[]ir.Stmt) *elemental {
	if e, ok := shaping.(*ast.Index); ok && l.isFunction(e) {
		return l.elementsOfFunction(e, pre)
	}
	cells, _ := shaping.(*ast.Elements)
	if cells != nil {
		shaping = cells.X
	}
	if co, ok := shaping.(*ast.CoIndex); ok {
		shaping = co.Base
	}
	a := l.part(shaping, pre)
	if a == nil {
		return nil
	}
	if cells != nil {
		a = a.outer(len(cells.Own))
	}
	return l.elementsOf(a, pre)
}

// elementsOf makes the loop indices for the elements of a.
func (l *lowerer) elementsOf(a *argument, pre *[]ir.Stmt) *elemental {
	ctx := l.elements(slices.Clone(a.shape.n), a.pos, pre)
	ctx.of, ctx.limit = a, make([]int, len(a.shape.n))
	for d, s := range a.view.subs {
		for _, t := range s.terms() {
			if t.dim < len(ctx.limit) {
				ctx.limit[t.dim] = t.most(a.view.base.Dims[d])
			}
		}
	}
	return ctx
}

// most is the largest extent of the dimension of t, which is in dimension b of its array; 0
// where it is not known before run time.
func (t *viewTerm) most(b ir.Bound) int {
	switch {
	case t.vec != nil:
		return limitOf(t.vec.view.base.Dims[0])
	case t.limit > 0:
		return t.limit
	}
	return limitOf(b)
}

// limitOf is the extent of a dimension, 0 where it is not known before run time.
func limitOf(b ir.Bound) int {
	if b.Open() {
		return 0
	}
	return b.Extent()
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
	first := ctx.take()
	if len(first) > 0 && len(ctx.index) == 0 {
		return &ir.If{S: ir.S{Pos: pos}, Cond: &ir.Const{X: ir.X{Pos: pos, Typ: ir.Logical}, Bool: true}, Then: append(first, s)}
	}
	for k, index := range ctx.index {
		lo, hi := ir.Expr(intConstOf(ir.Long, 1, pos)), l.convert(ir.Clone(ctx.n[k]), ir.Long)
		if ctx.ends != nil && ctx.along == k {
			lo, hi = l.convert(ir.Clone(ctx.ends[0]), ir.Long), l.convert(ir.Clone(ctx.ends[1]), ir.Long)
		}
		if p := ctx.part; p != nil {
			if p[k].lo == p[k].hi && len(first) == 0 {
				continue
			}
			lo, hi = intConstOf(ir.Long, p[k].lo, pos), intConstOf(ir.Long, p[k].hi, pos)
		}
		s = &ir.Do{S: ir.S{Pos: pos}, Index: index, Lo: lo, Hi: hi, Step: intConstOf(ir.Long, 1, pos), Body: append(first, s), End: pos}
		first = nil
	}
	return s
}

// elementOf is the element of a that the loops of ctx have come to.
func (l *lowerer) elementOf(a *argument, ctx *elemental, pos source.Pos) *ir.Ref {
	r := &ir.Ref{X: ir.X{Pos: pos, Typ: a.typ}, Sym: a.view.base}
	for k := range ctx.n {
		r.Subs = append(r.Subs, l.plus(ctx.at(k, pos), l.minus(ir.Clone(a.shape.lo[k]), l.intConst(1, pos), pos), pos))
	}
	return l.viewed(a.view, r)
}

// at is the place of the element in dimension k, from 1.
func (c *elemental) at(k int, pos source.Pos) ir.Expr {
	if c.place != nil {
		return ir.Clone(c.place[k])
	}
	if c.part != nil && c.part[k].lo == c.part[k].hi {
		return intConstOf(ir.Long, c.part[k].lo, pos)
	}
	return &ir.Var{X: ir.X{Pos: pos, Typ: c.index[k].Type}, Sym: c.index[k]}
}

// operand is the element of the array or section e in the array expression in hand.
func (l *lowerer) operand(e ast.Expr) ir.Expr {
	ctx := l.elem
	a := l.near(e, ctx.pre)
	if a == nil || !l.conform(a, ctx.n, ctx.pos, ctx.pre) {
		return bad(e.Position())
	}
	return l.folded(l.elementOf(a, ctx, e.Position()))
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

// firstPart is an array or section in e that has its shape, or an intrinsic function that
// gives it; nil if there is none.
func (l *lowerer) firstPart(e ast.Expr) ast.Expr {
	if l.isPart(e) {
		return e
	}
	var inside []ast.Expr
	switch e := e.(type) {
	case *ast.Elements:
		if !e.Value && l.rank(e.X) > len(e.Own) {
			return e
		}
		return nil
	case *ast.Unary:
		inside = []ast.Expr{e.X}
	case *ast.Binary:
		inside = []ast.Expr{e.X, e.Y}
	case *ast.Paren:
		inside = []ast.Expr{e.X}
	case *ast.Keyword:
		inside = []ast.Expr{e.X}
	case *ast.Substring:
		inside = []ast.Expr{e.Base} // a part of each element
	case *ast.Index:
		if l.isFunction(e) {
			switch {
			case (e.Name == "cshift" || e.Name == "eoshift") && len(e.Args) > 0:
				return l.firstPart(e.Args[0])
			case l.hasArrayValue(e):
				return e
			}
			return nil
		}
		_, intrinsic := intrinsics[e.Name]
		if p := l.functionOf(e); p != nil && p.unit.Elemental {
			inside = e.Args
		}
		if _, inquiry := inquiries[e.Name]; intrinsic && !inquiry {
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
	if e = l.evaluated(e, goal{}, &pre); e == nil {
		return bad(shaping.Position())
	}
	evaluated := len(pre)
	ctx := l.elementsLike(l.firstPart(e), &pre)
	if ctx == nil {
		return bad(e.Position())
	}
	x := l.elementally(ctx, e)
	if isBad(x) {
		return x
	}
	if len(ctx.take()) > 0 {
		pre = pre[:evaluated]
		a := l.valueOf(e, &pre)
		if a == nil {
			return bad(e.Position())
		}
		ctx = l.elements(a.shape.n, a.pos, &pre)
		x = l.elementOf(a, ctx, e.Position())
	}
	for k, index := range ctx.index {
		x = &ir.ImpliedDo{X: ir.X{Pos: e.Position(), Typ: x.Type()}, Items: []ir.Expr{x}, Index: index,
			Lo: intConstOf(ir.Long, 1, e.Position()), Hi: l.convert(ir.Clone(ctx.n[k]), ir.Long), Step: intConstOf(ir.Long, 1, e.Position())}
	}
	l.prelude = append(l.prelude, pre...)
	return x
}
