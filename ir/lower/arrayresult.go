package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// A function whose value is an array is executed once in front of the statement, or of the
// condition, that refers to it; its value is then an array like others:
//
//	y = 2*f(x) + f(z)      f1 = f(x);  f2 = f(z);  y(i) = 2*f1(i) + f2(i)
//
// The array lies where the function's directives say, else where what it is assigned to
// lies, or an argument with the same extents.

// arrayValued reports whether e refers to a function of the program whose value is an array.
func (l *lowerer) arrayValued(e *ast.Index) bool {
	p := l.functionOf(e)
	return p != nil && p.unit.Kind == ast.FunctionUnit && resultRank(p.unit) > 0
}

// functionOf is the procedure that reference e means, nil for none.
func (l *lowerer) functionOf(e *ast.Index) (p *procedure) {
	if s := l.lookup(e.Name); isArray(s) {
		return nil
	}
	if len(l.specifics(e.Name)) == 0 {
		return l.procedure(e.Name)
	}
	l.aside(func() { p, _ = l.callee(ast.Name{Pos: e.NamePos, Name: e.Name}, e.Args) })
	return p
}

// resultRank is the rank of the value of a function.
func resultRank(u *ast.Program) int {
	name := resultName(u)
	for _, s := range u.Spec {
		var entities []ast.Entity
		var common []ast.DimSpec
		switch s := s.(type) {
		case *ast.TypeDecl:
			entities, common = s.Entities, s.Dimension
		case *ast.DimensionStmt:
			entities = s.Entities
		}
		for _, e := range entities {
			if e.Name == name && len(e.Dims) > 0 {
				return len(e.Dims)
			} else if e.Name == name && len(common) > 0 {
				return len(common)
			}
		}
	}
	return 0
}

// arrayResult is the array with the value of function reference e, which is executed unless
// it has been; nil after an error.
func (l *lowerer) arrayResult(e *ast.Index) *argument {
	s, done := l.results[e]
	if !done {
		if l.noCalls {
			l.errorf(codeNotConstant, e.NamePos, "function %s cannot be referred to here, where a constant is needed", e.Name).WithHelp("write the value")
			return nil
		}
		elem, goal := l.elem, l.goal
		l.elem, l.goal = nil, nil
		var out []ir.Stmt
		var args []*argument
		before := l.functions(func() {
			if p, wrong := l.callee(ast.Name{Pos: e.NamePos, Name: e.Name}, e.Args); !wrong {
				out, s, args = l.execute(p, ast.Name{Pos: e.NamePos, Name: e.Name}, e.Args)
			}
		})
		l.elem, l.goal = elem, goal
		l.hoisted = append(append(l.hoisted, before...), out...)
		if l.results[e] = s; s != nil {
			l.placeResult(s, goal, args)
		}
	}
	if !isArray(s) {
		return nil
	}
	v, sh := l.wholeView(s, e.Pos)
	return &argument{pos: e.Pos, typ: s.Type, name: e.Name, view: v, shape: sh, readOnly: "it is the value of a function"}
}

// placeResult lets array s, the value of a function that has no directive for it, lie where
// goal lies, or the first argument with its extents.
func (l *lowerer) placeResult(s *ir.Symbol, goal *argument, args []*argument) {
	mapped := func(s *ir.Symbol) bool {
		return slices.ContainsFunc(l.prog.HPF, func(d *ir.Directive) bool { return d.Symbol == s })
	}
	if mapped(s) {
		return
	}
	for _, a := range append([]*argument{goal}, args...) {
		if a == nil || a.view == nil || a.view.base.Coarray || !mapped(a.view.base) || len(a.view.base.Dims) != len(s.Dims) {
			continue
		}
		same := true
		for k, b := range a.view.base.Dims {
			same = same && (b == s.Dims[k] || !b.Open() && b.Extent() == s.Dims[k].Extent())
		}
		if same {
			base := a.view.base
			l.prog.HPF = append(l.prog.HPF, &ir.Directive{Pos: s.Pos, Kind: ir.AlignDirective, Name: s.Name, NamePos: s.Pos, Symbol: s, Target: base.Name, TargetPos: s.Pos})
			return
		}
	}
}

// An ELEMENTAL procedure is called with arrays as the elements are: its statements stand in
// the loops.

// ofElements reports whether a reference of an elemental procedure has arrays as arguments.
func (l *lowerer) ofElements(p *procedure, args []ast.Expr) bool {
	return p.unit.Elemental && slices.ContainsFunc(args, func(e ast.Expr) bool { return l.firstPart(e) != nil })
}

// eachElement is the value of elemental function p for the element of the array expression
// in hand.
func (l *lowerer) eachElement(p *procedure, e *ast.Index) ir.Expr {
	ctx := l.elem
	if l.notPure(p, ast.Name{Pos: e.NamePos, Name: e.Name}) {
		return bad(e.Pos)
	}
	if ctx == nil || ctx.inner == nil {
		l.errorf(codeOutside, e.Pos, "the value of %s is an array, and a single value is needed here", e.Name).
			WithHelp("assign it to an array first")
		return bad(e.Pos)
	}
	var pre []ir.Stmt
	name := ast.Name{Pos: e.NamePos, Name: e.Name}
	args, ok := l.actuals(p, name, e.Args, &pre, func(x ast.Expr) *argument {
		if c, ok := x.(*ast.Elements); ok {
			return l.elementArray(c, ctx)
		}
		return l.elementArgument(x)
	})
	if !ok {
		return bad(e.Pos)
	}
	out, result := l.perform(p, name, args, pre)
	if result == nil {
		return bad(e.Pos)
	}
	*ctx.inner = append(*ctx.inner, out...)
	return &ir.Var{X: ir.X{Pos: e.Pos, Typ: result.Type}, Sym: result}
}

// elementArgument is an argument of an elemental procedure, in an array expression; nil after
// an error.
func (l *lowerer) elementArgument(e ast.Expr) *argument {
	x := l.expr(e)
	if isBad(x) {
		return nil
	}
	return &argument{pos: e.Position(), typ: x.Type(), value: x, readOnly: "it is an expression"}
}

// eachCall lowers a call of elemental subroutine p with arrays, for the elements where mask, which may
// be nil, is true.
func (l *lowerer) eachCall(p *procedure, s *ast.Call, mask *argument) []ir.Stmt {
	var pre []ir.Stmt
	var shaping ast.Expr
	list := slices.Clone(s.Args)
	for i, e := range list {
		k, named := e.(*ast.Keyword)
		if named {
			e = k.X
		}
		if l.firstPart(e) == nil {
			continue
		}
		if e = l.evaluated(e, goal{}, &pre); e == nil {
			return nil
		}
		if l.changes(p, s.Args, e) {
			if e = l.copiedParts(e, &pre); e == nil {
				return nil
			}
		}
		if list[i] = e; named {
			list[i] = &ast.Keyword{XBase: k.XBase, Name: k.Name, X: e}
		}
		if shaping == nil || l.isPart(e) && !l.isPart(shaping) {
			shaping = l.firstPart(e)
		}
	}
	ctx := l.elementsLike(shaping, &pre)
	if ctx == nil || l.notPure(p, s.Proc) {
		return nil
	}
	args, ok := l.actuals(p, s.Proc, list, &pre, func(x ast.Expr) *argument {
		if c, ok := x.(*ast.Elements); ok {
			return l.elementArray(c, ctx)
		}
		if l.isPart(x) {
			a := l.near(x, &pre)
			if a == nil || !l.conform(a, ctx.n, ctx.pos, &pre) {
				return nil
			}
			r := l.elementOf(a, ctx, x.Position())
			return &argument{pos: x.Position(), typ: a.typ, value: r, store: r, readOnly: a.readOnly}
		}
		if l.firstPart(x) == nil {
			a := l.actual(x, &pre)
			if a != nil && l.changes(p, s.Args, x) {
				return &argument{pos: a.pos, typ: a.typ, value: l.fixed(a.value, "value", a.pos, &pre), readOnly: "it is an expression"}
			}
			return a
		}
		outer := l.elem
		l.elem = ctx
		defer func() { l.elem = outer }()
		return l.elementArgument(x)
	})
	if !ok {
		return nil
	}
	out, _ := l.perform(p, s.Proc, args, nil)
	if mask != nil && len(out) > 0 {
		if !l.conform(mask, ctx.n, ctx.pos, &pre) {
			return nil
		}
		out = one(&ir.If{S: ir.S{Pos: s.Pos}, Cond: l.elementOf(mask, ctx, s.Pos), Then: append(ctx.take(), out...)})
	}
	return append(pre, l.nests(ctx, out, s.Pos)...)
}

// copiedParts is e, an array expression in which everything is evaluated, in an array of its own; nil
// after an error.
func (l *lowerer) copiedParts(e ast.Expr, pre *[]ir.Stmt) ast.Expr {
	if c, ok := e.(*ast.Elements); ok {
		out := *c
		out.X = l.copiedParts(c.X, pre)
		return ifAll(&out, out.X)
	}
	if a := l.copied(e, pre); a != nil {
		return l.named(a, "value", e.Position())
	}
	return nil
}

// evaluatedElements is evaluated of e.
func (l *lowerer) evaluatedElements(e *ast.Elements, pre *[]ir.Stmt) ast.Expr {
	if l.firstPart(e) == nil {
		return e
	}
	switch x := e.X.(type) {
	case *ast.Ident, *ast.Substring, *ast.CoIndex:
		return e
	case *ast.Index:
		if l.isPart(x) && !l.arrayValued(x) {
			return e
		}
	}
	out := *e
	a := l.valueOf(e.X, pre)
	if a == nil {
		return nil
	}
	out.X = l.named(a, "value", e.Pos)
	return &out
}

// outer is a without its first own dimensions, which each of its elements has.
func (a *argument) outer(own int) *argument {
	out := *a
	n := len(a.shape.n)
	out.view = a.view.renumbered(func(dim int) int { return (dim - own + n) % n })
	out.shape = &shape{lo: a.shape.lo[own:], n: a.shape.n[own:]}
	return &out
}

// elementArray is the array e for the element that the loops of ctx have come to; nil after an error.
func (l *lowerer) elementArray(e *ast.Elements, ctx *elemental) *argument {
	if e.Value {
		return l.elementArrayOf(l.valueRoom(e, ctx), len(e.Own), ctx, e.Pos)
	}
	if l.firstPart(e) == nil {
		return l.part(e.X, ctx.pre)
	}
	a := l.near(e.X, ctx.pre)
	if a == nil || !l.conform(a.outer(len(e.Own)), ctx.n, ctx.pos, ctx.pre) {
		return nil
	}
	return l.elementArrayOf(a, len(e.Own), ctx, e.Pos)
}

// elementArrayOf is elementArray of array a, whose first own dimensions each element has.
func (l *lowerer) elementArrayOf(a *argument, own int, ctx *elemental, pos source.Pos) *argument {
	in := make([]viewSub, len(a.shape.n))
	for k := range in {
		if k < own {
			in[k] = viewSub{dim: k, coef: l.intConst(1, pos), off: l.intConst(0, pos)}
		} else {
			in[k] = viewSub{dim: -1, off: l.plus(ctx.at(k-own, pos), l.minus(ir.Clone(a.shape.lo[k]), l.intConst(1, pos), pos), pos)}
		}
	}
	v := l.through(a.view, in, pos)
	if own > 0 {
		return &argument{pos: pos, typ: a.typ, name: a.name, view: v, shape: &shape{lo: a.shape.lo[:own], n: a.shape.n[:own]}, readOnly: a.readOnly}
	}
	r := l.viewed(v, &ir.Ref{X: ir.X{Pos: pos, Typ: a.typ}, Sym: a.view.base})
	return &argument{pos: pos, typ: a.typ, value: r, store: r, readOnly: a.readOnly}
}

// valueRoom makes the array that e names, for the values of an elemental function in the loops of ctx. It lies
// where the array lies that gives them their shape.
func (l *lowerer) valueRoom(e *ast.Elements, ctx *elemental) *argument {
	name := nameOf(e.X)
	s := l.lookup(name)
	own := len(e.Own)
	all := &elemental{pos: ctx.pos, pre: ctx.pre, limit: make([]int, own+len(ctx.n))}
	for _, x := range e.Own {
		all.n = append(all.n, l.integer(x, "an extent"))
	}
	for k, n := range ctx.n {
		all.n = append(all.n, ir.Clone(n))
		if ctx.limit != nil {
			all.limit[own+k] = ctx.limit[k]
		}
	}
	if of := ctx.of; of != nil {
		behind := *of
		behind.view = of.view.renumbered(func(dim int) int { return own + dim })
		behind.shape = &shape{lo: slices.Concat(all.n[:own], of.shape.lo), n: all.n}
		all.of = &behind
	}
	t := l.room(all, s.Type, s.Len, e.Pos)
	l.nameInUnit(name, l.names[l.named(t, s.Source(), e.Pos).Name])
	return t
}

// changes reports whether elemental subroutine p, called with list, changes an array that e is another
// part of: an assignment that it defines has the value of e before.
func (l *lowerer) changes(p *procedure, list []ast.Expr, e ast.Expr) bool {
	dummies := l.signature(p)
	for i, to := range list {
		name := ""
		if k, ok := to.(*ast.Keyword); ok {
			name, to = k.Name, k.X
		}
		d := slices.IndexFunc(dummies, func(d *dummy) bool { return d.Name.Name == name })
		if name == "" {
			d = i
		}
		if d < 0 || d >= len(dummies) || dummies[d].intent == "in" || dummies[d].value {
			continue
		}
		base := nameOf(to)
		if base != "" && ast.Any(e, func(x ast.Expr) bool { return nameOf(x) == base }) && ast.UnparseExpr(e) != ast.UnparseExpr(to) {
			return true
		}
	}
	return false
}

// nests puts loops over all elements around list.
func (l *lowerer) nests(ctx *elemental, list []ir.Stmt, pos source.Pos) []ir.Stmt {
	if len(list) == 0 {
		return nil
	}
	*ctx.inner = append(*ctx.inner, list[:len(list)-1]...)
	return one(l.nest(ctx, list[len(list)-1], pos))
}

// take takes the statements that the loops of c execute before the one that is assigned.
func (c *elemental) take() []ir.Stmt {
	if c.inner == nil {
		return nil
	}
	list := *c.inner
	*c.inner = nil
	return list
}

// overlapsIn is overlaps for rhs and for what the loops of c execute in front.
func (l *lowerer) overlapsIn(c *elemental, lhs *ir.Ref, rhs ir.Expr) bool {
	return l.overlaps(lhs, rhs) || c.inner != nil && l.readsOther(lhs, *c.inner)
}

// readsOther reports whether list reads another element of the array than lhs.
func (l *lowerer) readsOther(lhs *ir.Ref, list []ir.Stmt) bool {
	other := false
	ir.WalkExprs(list, func(_ ir.Stmt, e ir.Expr) bool {
		other = other || l.overlaps(lhs, e)
		return !other
	})
	return other
}
