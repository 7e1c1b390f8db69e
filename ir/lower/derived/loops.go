package derived

import (
	"slices"

	"github.com/spmdc/spmdc/parser/ast"
)

// What an item of an implied DO needs done first, for each value of its variable, cannot be done in front of
// the statement:
//
//	x = [(f(i), i = 1, n)]     value%1(:) = 0 ... do item%1 = 1, n; value%1(item%2) = f(item%1) ...; x = value%1

// looped is f(), which makes the items of an implied DO over name, as far as all that they need done in front
// of the statement is the same for all values of that; else an error, or a loop where the constructor is of a
// derived type.
func (t *unit) looped(do *ast.ImpliedDo, f func() []ast.Expr) []ast.Expr {
	before, after, views := len(t.before), len(t.after), len(t.views)
	shapes := t.shapes
	t.shapes = map[string]string{} // a name means another object in here
	out := f()
	t.shapes = shapes
	names := map[string]bool{do.Var.Name: true}
	bad := depends(t.before[min(before, len(t.before)):], names) || depends(t.after[min(after, len(t.after)):], names)
	for _, v := range t.views[min(views, len(t.views)):] {
		for _, x := range slices.Concat([]ast.Expr{v.X, v.At}, v.Lows, v.Extents) {
			bad = bad || x != nil && mentioned(x, names)
		}
	}
	switch {
	case !bad:
	case t.trying:
		t.dependent = true
	default:
		t.p.errorf(do.Pos, "an item that is a value of a derived type, or part of one, differs with %s and stands in an implied DO", do.Var.Name).WithHelp("write a loop over the items, and assign the value to a variable in it")
	}
	return out
}

// depends reports whether list mentions one of names.
func depends(list []ast.Stmt, names map[string]bool) (found bool) {
	ast.Each(list, func(s ast.Stmt) {
		for _, x := range ast.Exprs(s) {
			found = found || *x != nil && mentioned(*x, names)
		}
	})
	return found
}

// constructed is the value of array constructor x of type r: by loops in front of the statement, where the
// items need that.
func (t *unit) constructed(x *ast.Array, r *record, at ast.XBase) []ast.Expr {
	plain := func() []ast.Expr {
		return t.arrays(x.Items, r, func(items []ast.Expr) ast.Expr { return &ast.Array{XBase: at, Items: items, Brackets: true} }, at)
	}
	if t.trying || t.fixed != "" || !slices.ContainsFunc(x.Items, func(x ast.Expr) bool { _, is := x.(*ast.ImpliedDo); return is }) {
		return plain()
	}
	before, after, views, shapes := len(t.before), len(t.after), len(t.views), map[string]string{}
	for k, v := range t.shapes {
		shapes[k] = v
	}
	t.trying = true
	out := plain()
	t.trying = false
	if !t.dependent {
		return out
	}
	t.dependent = false
	t.before, t.after, t.views, t.shapes = t.before[:before], t.after[:after], t.views[:views], shapes
	if o := t.filledByLoops(x.Items, r, builder{at}); o != nil {
		return t.references(o)
	}
	return nil
}

// filledByLoops is an array that gets items, of type r, one by one in front of the statement; nil after an error.
func (t *unit) filledByLoops(items []ast.Expr, r *record, e builder) *object {
	defined := t.chosen("assignment(=)", []ast.Expr{items[0], items[0]}) != nil
	if t.p.isChosen(r) || t.p.isFinalizable(r) || r.assignsParts(t.p) || defined {
		t.p.errorf(e.Pos, "an array constructor with an implied DO, and items of type %s, which is polymorphic or has FINAL or ASSIGNMENT(=), that differ", r.name).WithHelp("write a loop over the elements")
		return nil
	}
	o := t.arrayTemp(r, 1, e.XBase)
	name := o.root.name
	t.scope.ofUnit().vars[name] = o.root
	at := t.counter(e)
	next := func() ast.Stmt { return e.set(clone(at), e.plus(clone(at), e.lit(1))) }
	count := t.overItems(items, e, func(ast.Expr) []ast.Stmt { return one(next()) })
	fill := t.overItems(items, e, func(x ast.Expr) []ast.Stmt {
		return []ast.Stmt{next(), e.set(e.ref(name, clone(at)), clone(x))}
	})
	if count == nil {
		return nil
	}
	list := append(one(e.set(clone(at), e.lit(0))), count...)
	list = append(list, &ast.Allocate{Base: e.base(), Args: []ast.Expr{e.ref(name, clone(at))}}, e.set(clone(at), e.lit(0)))
	t.before = append(t.before, t.list(append(list, fill...))...)
	t.after = append(t.after, t.list(one(&ast.Allocate{Base: e.base(), Free: true, Args: []ast.Expr{e.id(name)}}))...)
	return o
}

// overItems does f with each of items, single values, and those that implied DOs among them make; nil after an
// error.
func (t *unit) overItems(items []ast.Expr, e builder, f func(ast.Expr) []ast.Stmt) []ast.Stmt {
	var out []ast.Stmt
	for _, x := range items {
		do, is := x.(*ast.ImpliedDo)
		if !is && t.rank(x) > 0 {
			t.p.errorf(x.Position(), "an array among the items of an array constructor with an implied DO, whose items are values of a derived type that differ").WithHelp("write a loop over the elements")
			return nil
		}
		if !is {
			out = append(out, f(x)...)
			continue
		}
		v := t.counter(e).(*ast.Ident)
		var renamed func(x ast.Expr) ast.Expr
		renamed = func(x ast.Expr) ast.Expr {
			if id, is := x.(*ast.Ident); is && id.Name == do.Var.Name {
				return &ast.Ident{XBase: id.XBase, Name: v.Name}
			}
			if inner, is := x.(*ast.ImpliedDo); is && inner.Var.Name == do.Var.Name {
				return clone(x)
			}
			return rebuilt(x, renamed)
		}
		var inner []ast.Expr
		for _, x := range do.Items {
			inner = append(inner, renamed(x))
		}
		body := t.overItems(inner, e, f)
		if body == nil {
			return nil
		}
		loop := e.do(v.Name, clone(do.Lo), clone(do.Hi), body...).(*ast.Do)
		if do.Step != nil {
			loop.Step = clone(do.Step)
		}
		out = append(out, loop)
	}
	return out
}
