package derived

import (
	"fmt"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// moved is MOVE_ALLOC where an argument is described, nil for anything else.
func (t *unit) moved(s *ast.Call, args []ast.Expr) []ast.Stmt {
	if s.Proc.Name != "move_alloc" || len(args) < 2 || t.function(t.p, s.Proc.Name) != nil {
		return nil
	}
	list := [2]ast.Expr{}
	for i, a := range args {
		at := i
		if k, ok := a.(*ast.Keyword); ok {
			a = k.X
			if at = map[string]int{"from": 0, "to": 1, "stat": 2, "errmsg": 3}[k.Name]; at == 2 {
				return nil
			}
		}
		if at < 2 {
			list[at] = a
		}
	}
	if list[0] == nil || list[1] == nil {
		return nil
	}
	if out := t.movedChosen(list[0], list[1], builder{ast.XBase{Pos: s.Pos, End: s.Pos}}); out != nil {
		return out
	}
	from, to := t.object(list[0]), t.object(list[1])
	if from == nil && to == nil || (from == nil || from.whole == nil) && (to == nil || to.whole == nil) {
		return nil
	}
	for _, o := range []*object{from, to} {
		if o != nil && o.whole != nil && !t.own(o, "MOVE_ALLOC of") {
			return []ast.Stmt{}
		}
	}
	return t.move(list[0], list[1], builder{ast.XBase{Pos: s.Pos, End: s.Pos}})
}

// move makes to, an allocatable variable, what from is, which is not allocated then.
func (t *unit) move(x, y ast.Expr, e builder) (out []ast.Stmt) {
	from, to := t.object(x), t.object(y)
	described := func(o *object) bool { return o != nil && o.whole != nil }
	steady := func(o *object) *object {
		if described(o) {
			return t.steadyDescriptor(o, &out)
		}
		return o
	}
	from, to = steady(from), steady(to)
	switch {
	case described(from) && described(to):
		f, d := from.whole, to.whole
		if from.described.pool != to.described.pool || f.of != d.of {
			return append(out, t.moveBy(x, y, from, to, e)...)
		}
		var body []ast.Stmt
		for _, c := range d.of.comps {
			body = append(body, e.set(t.field(d, c.name), t.field(f, c.name)))
		}
		body = append(t.clear(d, to.described), append(body, e.set(t.field(f, "at"), e.lit(0)))...)
		return append(out, e.when(e.bin("/=", t.field(d, "at"), t.field(f, "at")), body...))
	case described(from):
		name, parts := t.partsOf(y, from.described, e)
		b := from.described
		if b.text {
			free := t.list(one(e.when(e.ref("allocated", clone(y)), &ast.Allocate{Base: e.base(), Free: true, Args: []ast.Expr{clone(y)}})))
			return append(append(out, free...), e.when(e.bin("/=", t.field(from.whole, "at"), e.lit(0)), e.set(t.expr(clone(y)), t.reference(from, nil)), t.released(from.whole, b)))
		}
		args := make([]ast.Expr, b.rank)
		for k := range args {
			lo := t.field(from.whole, fmt.Sprint("lo", k+1))
			args[k] = e.section(lo, e.minus(e.plus(clone(lo), t.field(from.whole, fmt.Sprint("n", k+1))), e.lit(1)))
		}
		free := t.list(one(e.when(e.ref("allocated", clone(y)), &ast.Allocate{Base: e.base(), Free: true, Args: []ast.Expr{clone(y)}})))
		anew := elementOf(clone(name), args, e.XBase)
		body := t.list(one(&ast.Allocate{Base: e.base(), Args: []ast.Expr{anew}}))
		body = append(body, t.wrapped(func() []ast.Stmt { return t.transferred(parts, t.partsDescribed(from), e) })...)
		body = append(body, t.forgotten(from)...)
		body = append(body, t.released(from.whole, b))
		return append(append(out, free...), e.when(e.bin("/=", t.field(from.whole, "at"), e.lit(0)), body...))
	}
	b := to.described
	_, parts := t.partsOf(x, b, e)
	bounds := make([]ast.Expr, b.rank)
	for k := range bounds {
		bounds[k] = e.section(t.expr(e.ref("lbound", clone(x), e.lit(k+1))), t.expr(e.ref("ubound", clone(x), e.lit(k+1))))
	}
	body := t.allocation1(to, bounds, nil, nil, e)
	body = append(body, t.wrapped(func() []ast.Stmt {
		return t.transferred(t.partsDescribed(t.within(to.whole, &component{described: b}, nil, e.XBase)), parts, e)
	})...)
	if o := t.object(x); o != nil && o.of != nil {
		body = append(body, t.forgotten(o)...)
		for _, l := range o.of.leaves() {
			body = append(body, t.freed(t.reference(o, l), e.base()))
		}
	} else {
		body = append(body, t.list(one(&ast.Allocate{Base: e.base(), Free: true, Args: []ast.Expr{clone(x)}}))...)
	}
	return append(append(out, t.clear(to.whole, b)...), e.when(t.expr(e.ref("allocated", clone(x))), body...))
}

// moveBy moves what from describes by a variable, to a descriptor of another pool.
func (t *unit) moveBy(x, y ast.Expr, from, to *object, e builder) []ast.Stmt {
	v := t.allocatableLike(from.described, e)
	return append(t.move(x, v, e), t.move(v, y, e)...)
}

// allocatableLike is an allocatable variable for what b describes, which the source does not have.
func (t *unit) allocatableLike(b *described, e builder) ast.Expr {
	s := t.scope.ofUnit()
	s.count++
	name := fmt.Sprintf("value%%%d", s.count)
	if b.text {
		s.vars[name] = nil
		s.temps = append(s.temps, &ast.TypeDecl{Base: e.base(), Type: ast.TypeSpec{Name: "character", Len: e.id(":")}, HasColons: true, Allocatable: true, Entities: []ast.Entity{{Pos: e.Pos, Name: name}}})
		return e.id(name)
	}
	d := &ast.TypeDecl{Base: e.base(), Allocatable: true}
	open := make([]ast.DimSpec, b.rank)
	if b.elem == nil {
		s.vars[name] = nil
		s.temps = append(s.temps, leafDecl(&leaf{comp: b.pool.v.of.comps[0]}, d, name, e.Pos, open, nil))
		return e.id(name)
	}
	s.vars[name] = &variable{name: name, of: b.elem, rank: b.rank, allocatable: true}
	for _, l := range b.elem.leaves() {
		s.temps = append(s.temps, leafDecl(l, d, name, e.Pos, open, nil))
	}
	return e.id(name)
}

// partsOf is x as what ALLOCATE names, and its parts.
func (t *unit) partsOf(x ast.Expr, b *described, e builder) (ast.Expr, []ast.Expr) {
	o := t.object(x)
	if b.elem == nil {
		return x, []ast.Expr{t.expr(clone(x))}
	}
	if o == nil || o.of != b.elem {
		t.p.diags.Errorf(source.TypeMismatch, e.Pos, "MOVE_ALLOC of type %s to or from another type", b.elem.name).WithHelp("declare both alike")
		return x, nil
	}
	return x, t.references(o)
}

func elementOf(x ast.Expr, args []ast.Expr, at ast.XBase) ast.Expr {
	if len(args) == 0 {
		return x
	}
	if c, ok := x.(*ast.Component); ok {
		own := *c
		own.List, own.Args = true, args
		return &own
	}
	return element(at, x.(*ast.Ident).Name, args)
}

// partsDescribed are the parts of o, which is described.
func (t *unit) partsDescribed(o *object) []ast.Expr {
	if o.of == nil {
		return []ast.Expr{t.reference(o, nil)}
	}
	return t.references(o)
}

func (t *unit) transferred(to, from []ast.Expr, e builder) []ast.Stmt {
	var out []ast.Stmt
	for k := range to {
		if k < len(from) {
			out = append(out, e.copy(to[k], from[k]))
		}
	}
	return out
}

// forgotten lets the elements of o, which others own now, own nothing.
func (t *unit) forgotten(o *object) []ast.Stmt {
	if o.of == nil {
		return nil
	}
	return t.overOwned(o, func(d *object, _ *described) []ast.Stmt {
		e := builder{d.XBase}
		return one(e.set(t.field(d, "at"), e.lit(0)))
	})
}

// lent is a variable that x, which is described, is passed in, where the dummy argument of f is
// allocatable; nil for anything else. It is x again behind the statement.
func (t *unit) lent(x ast.Expr, f *function, dummy string) ast.Expr {
	o := t.object(x)
	if f == nil || o == nil || o.whole == nil || !f.allocates(dummy) {
		return nil
	}
	if !t.own(o, "an allocatable argument gets") {
		return nil
	}
	e := builder{o.XBase}
	if !t.alone || t.fixed != "" {
		t.p.errorf(o.Pos, "%s is passed to an allocatable argument in the condition of a construct", o.whole.name).WithHelp("call the procedure in front of it")
		return nil
	}
	v := t.allocatableLike(o.described, e)
	t.before = append(t.before, t.move(x, v, e)...)
	t.after = append(t.after, t.move(clone(v), x, e)...)
	return v
}

// allocates reports whether dummy argument name of f is allocatable.
func (f *function) allocates(name string) bool {
	for _, s := range f.unit.Spec {
		if d, ok := s.(*ast.TypeDecl); ok && d.Allocatable && !d.Pointer {
			for i := range d.Entities {
				if d.Entities[i].Name == name {
					return true
				}
			}
		}
	}
	return false
}
