package derived

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// A pointer to a type of which pointers are in its own objects, or in elements of arrays, is a
// place in the pool of the type: a descriptor that owns nothing. Its targets are what is
// allocated in the pool, and variables with the attribute TARGET, which lie there too:
//
//	type node                            integer, allocatable :: node%pool%val(:), node%pool%next%at(:)
//	   integer :: val
//	   type(node), pointer :: next
//	end type
//	type(node), pointer :: p             integer :: p%at
//	type(node), target :: x              integer :: x%at; call node%pool%take(x%at, 1)
//	allocate (p%next)                    call node%pool%take(node%pool%next%at(p%at), 1)
//	p => p%next                          p%at = node%pool%next%at(p%at)
//	p%val = 1                            node%pool%val(p%at) = 1
//	associated(p, x)                     p%at /= 0 .and. p%at == x%at

// places finds the types whose pointers are places, and gives components of them descriptors. Mark
// looks at the components of what there are many of.
func (p *program) places(mark func(r *record, many bool)) {
	pointed := map[*record]bool{}
	for _, s := range p.scopes {
		for _, v := range s.vars {
			if v != nil && v.pointer {
				pointed[v.of.declared()] = true
			}
		}
	}
	all := func(f func(r *record, c *component)) {
		for _, r := range p.records {
			for _, c := range r.comps {
				f(r, c)
			}
		}
	}
	all(func(r *record, c *component) {
		if c.pointer {
			pointed[c.of.declared()] = true
		}
	})
	for again := true; again; {
		again = false
		all(func(r *record, c *component) {
			if b := c.described; b != nil && b.elem != nil && (b.pointer || pointed[b.elem.declared()]) && !b.elem.declared().linked {
				b.elem.declared().linked, again = true, true
			}
			if c.pointer && c.of != nil && c.of.declared().linked && c.canBeDescribed() {
				p.describeComponent(r, c, c.of)
				mark(c.described.elem, true)
				again = true
			}
		})
	}
}

// described says how v is stored where pointers to its type are places: it is one, or it has one;
// nil for anything else.
func (v *variable) described() *described {
	r := v.of.declared()
	switch {
	case r == nil || !r.linked || r.pool == nil || v.coarray || v.of != r && v.of.adds(r):
		return nil
	case v.pointer:
	case v.dummy:
		if !v.inPlace || v.rank > 0 || v.allocatable {
			return nil
		}
	case !v.target:
		return nil
	}
	return &described{elem: r, rank: v.rank, pool: r.pool, pointer: v.pointer, desc: r.pool.descriptor(v.rank)}
}

// adds reports whether r, the type of what is declared with CLASS(of), has more than of.
func (r *record) adds(of *record) bool { return len(r.comps) != len(of.comps) }

// leaves are what v is made of.
func (v *variable) leaves() []*leaf {
	if b := v.described(); b != nil {
		return b.desc.leaves()
	}
	if v.beside() {
		return append(slices.Clone(v.of.leaves()), &leaf{name: present, comp: &component{}})
	}
	return v.of.leaves()
}

// stored is v, which is described, with subscripts args, or whole.
func (t *unit) stored(v *variable, b *described, args []ast.Expr, at ast.XBase) *object {
	d := &object{XBase: at, root: v, of: b.desc, name: v.name}
	return t.within(d, &component{described: b}, args, at)
}

// attributes takes the statements POINTER and TARGET of list.
func (s *scope) attributes(list []ast.Stmt) {
	for _, st := range list {
		if a, ok := st.(*ast.Attribute); ok {
			for _, n := range a.Names {
				if v := s.vars[n.Name]; v != nil {
					v.pointer = v.pointer || a.Word == "pointer"
					v.target = v.target || a.Word == "target"
				}
			}
		}
	}
	for _, n := range s.unit.Args {
		if v := s.vars[n.Name]; v != nil {
			v.dummy, v.inPlace = true, v.inPlace || s.outer != nil && (v.target || s.unit.Recursive) && !v.byValue
		}
	}
}

// describedDecl declares e, which is v, by its descriptor b.
func (t *unit) describedDecl(d *ast.TypeDecl, e *ast.Entity, v *variable, b *described, dims []ast.DimSpec) []ast.Stmt {
	at := builder{ast.XBase{Pos: e.Pos, End: e.Pos}}
	result := t.unit.Kind == ast.FunctionUnit && e.Name == resultName(t.unit)
	lasts := t.lasts(d) || b.pointer && e.Init != nil && !v.dummy
	c := *d
	c.Allocatable, c.Pointer, c.Unused = false, false, nil
	if result {
		c.Intent = "out"
	}
	var out []ast.Stmt
	for _, l := range b.desc.leaves() {
		one := leafDecl(l, &c, e.Name, e.Pos, nil, nil)
		switch {
		case v.dummy && !b.pointer:
			one.Intent = "in"
		case v.dummy:
		case lasts:
			one.Entities[0].Init = clone(l.comp.init)
		default:
			t.start = append(t.start, t.initially(e.Name, l, l.comp.init, 0, e.Pos))
		}
		out = append(out, one)
	}
	if b.pointer {
		if e.Init != nil && !isNull(e.Init) {
			t.p.errorf(e.Init.Position(), "%s points to something from the beginning", e.Name).WithHelp("write => null(), and assign it")
		}
		return out
	}
	whole := t.stored(v, b, nil, at.XBase)
	if v.dummy {
		if d.Intent == "out" {
			t.start = append(append(append(t.start, t.finalized(whole)...), t.emptied(whole)...), t.begun(whole)...)
		}
		return out
	}
	if !d.Allocatable {
		if d.Parameter || len(dims) != b.rank {
			return out
		}
		var bounds []ast.Expr
		for _, dim := range dims {
			lo := dim.Lo
			if lo == nil {
				lo = at.lit(1)
			}
			bounds = append(bounds, at.section(clone(lo), cloneOf(dim.Hi)))
		}
		var value []ast.Stmt
		if e.Init != nil {
			value = one(&ast.Assign{Base: at.base(), LHS: at.id(e.Name), RHS: e.Init})
		}
		if t.unit.Kind == ast.ModuleUnit {
			t.begins = append(t.begins, &ast.Allocate{Base: at.base(), Args: []ast.Expr{elementOf(at.id(e.Name), bounds, at.XBase)}})
			t.begins = append(t.begins, value...)
			return out
		}
		start := append(t.allocation1(whole, bounds, nil, nil, at), t.list(value)...)
		if lasts && t.unit.Kind.IsProcedure() { // the first time
			start = one(at.when(at.bin("==", t.field(whole.whole, "at"), at.lit(0)), start...))
		}
		t.start = append(t.start, start...)
	}
	if !lasts {
		t.finish = append(t.finish, t.clear(whole.whole, b)...)
	}
	return out
}

// beginning is the procedure of module u that allocates its variables that pointers may point to, which the
// main program calls first; its declarations are the result.
func (t *unit) beginning(u *ast.Program) []ast.Stmt {
	if len(t.begins) == 0 {
		return nil
	}
	e := builder{ast.XBase{Pos: u.Pos, End: u.Pos}}
	name := t.scope.id + "%begin"
	in := &ast.Program{Pos: u.Pos, EndPos: u.Pos, Kind: ast.SubroutineUnit, Name: name + "%of", Body: t.begins}
	f := &function{unit: in}
	t.scope.procs[in.Name] = f
	f.scope = t.p.declare(in, t.scope)
	t.p.extra[u] = append(t.p.extra[u], in)
	t.p.begins = append(t.p.begins, begin{u, name})
	return []ast.Stmt{
		&ast.Interface{Base: e.base(), Name: ast.Name{Pos: u.Pos, Name: name}, Procs: []ast.Name{{Pos: u.Pos, Name: in.Name}}},
		&ast.Access{Base: e.base(), Access: "public", Names: []ast.Name{{Pos: u.Pos, Name: name}}},
	}
}

// begin is a module with such a procedure, which has this generic name.
type begin struct {
	module *ast.Program
	name   string
}

// allBegins are the declarations and calls of these procedures in the main program.
func (p *program) allBegins(main *ast.Program) (spec, calls []ast.Stmt) {
	e := builder{ast.XBase{Pos: main.Pos, End: main.Pos}}
	for _, b := range p.begins {
		spec = append(spec, &ast.Use{Base: e.base(), Module: ast.Name{Pos: main.Pos, Name: b.module.Name}, Only: true, Names: []ast.UseName{{Name: ast.Name{Pos: main.Pos, Name: b.name}}}})
		calls = append(calls, e.call(b.name))
	}
	return spec, calls
}

// pointing are the values that a pointer of r's descriptor gets from x, nil after an error.
func (t *unit) pointing(x ast.Expr, b *described) []ast.Expr {
	e := builder{ast.XBase{Pos: x.Position(), End: x.EndPosition()}}
	if p, ok := x.(*ast.Paren); ok {
		x = p.X
	}
	if isNull(x) {
		var out []ast.Expr
		for _, l := range b.desc.leaves() {
			out = append(out, clone(l.comp.init))
		}
		return out
	}
	o := t.object(x)
	if o == nil {
		o = t.pointerValue(x)
	}
	switch {
	case o != nil && o.images != nil:
		t.p.errorf(e.Pos, "a pointer cannot point to %s of another image", ast.UnparseExpr(x)).WithHelp("copy it to a variable of this image, and point to that")
		return nil
	case o == nil || o.of.declared() != b.elem.declared():
		t.p.errorf(e.Pos, "a pointer to type %s points to %s, which has another type or is no variable", b.elem.name, ast.UnparseExpr(x)).WithHelp("point to a variable of type %s", b.elem.name)
		return nil
	case o.whole != nil && o.described.rank == b.rank:
		return t.references(o.whole)
	case o.root == b.pool.v && o.name == b.pool.v.name && len(o.groups) == 1 && o.groups[0].rank == 1 && o.whole == nil:
		section, is := o.groups[0].args[0].(*ast.Triplet)
		if !is && b.rank == 0 {
			return []ast.Expr{t.expr(clone(o.groups[0].args[0]))}
		}
		if is && section.Step == nil && b.rank == 1 {
			lo, hi := t.expr(clone(section.Lo)), t.expr(clone(section.Hi))
			n := e.ref("max", e.plus(e.minus(hi, clone(lo)), e.lit(1)), e.lit(0))
			return []ast.Expr{lo, e.minus(clone(lo), e.lit(1)), e.lit(1), n}
		}
	case o.whole == nil && o.root.name == o.name && o.desc == nil:
		t.p.errorf(e.Pos, "a pointer cannot point to %s", o.name).WithHelp("declare %s in this unit with the attribute TARGET, or as a pointer that is allocated", o.root.name)
		return nil
	}
	t.p.errorf(e.Pos, "a pointer to type %s of rank %d cannot point to %s", b.elem.name, b.rank, ast.UnparseExpr(x)).
		WithHelp("point to one element, to a whole array of the same rank or to a range of one dimension in steps of 1")
	return nil
}

// pointerValue is what the value of x, a reference to a function, points to; nil for anything else.
func (t *unit) pointerValue(x ast.Expr) *object {
	x = t.viaPointer(x)
	at := ast.XBase{Pos: x.Position(), End: x.EndPosition()}
	name, args, _ := t.callee(x)
	f := t.chosen(name, args)
	if name == "" || f == nil || f.result() == nil || f.result().described() == nil {
		return nil
	}
	return t.resultOf(f, name, at.Pos, args, at)
}

// placed is p => x, where p is a place, and ok is false for anything else.
func (t *unit) placed(p, x ast.Expr, base ast.Base) (out []ast.Stmt, ok bool) {
	o, bounds := t.allocated(p)
	if o == nil || o.whole == nil || !o.described.pointer {
		return nil, false
	}
	if !t.own(o, "a pointer assignment to") {
		return nil, true
	}
	e := builder{ast.XBase{Pos: base.Pos, End: base.Pos}}
	d, b := o.whole, o.described
	parts := t.pointing(x, b)
	if parts == nil {
		return nil, true
	}
	if b.rank == 0 {
		return []ast.Stmt{&ast.Assign{Base: base, LHS: t.field(d, "at"), RHS: parts[0]}}, true
	}
	o = t.steadyDescriptor(o, &out)
	d = o.whole
	for k := range parts {
		parts[k] = t.keptInteger(parts[k], e, &out)
	}
	for k, c := range d.of.comps {
		out = append(out, e.set(t.field(d, c.name), parts[k]))
	}
	if len(bounds) == 0 {
		return out, true
	}
	var lo, n []ast.Expr
	for k, x := range bounds {
		s, is := x.(*ast.Triplet)
		if !is || s.Lo == nil || s.Hi != nil || len(bounds) != b.rank {
			t.p.errorf(e.Pos, "the bounds of the pointer %s", d.name).WithHelp("write one lower bound and a colon for each dimension")
			return nil, true
		}
		lo, n = append(lo, t.keptInteger(t.expr(clone(s.Lo)), e, &out)), append(n, t.field(d, fmt.Sprint("n", k+1)))
	}
	return append(out, t.setBounds(d, b, lo, n, e)...), true
}

// associatedPlace is ASSOCIATED of a place, nil for anything else.
func (t *unit) associatedPlace(args []ast.Expr, at ast.XBase) ast.Expr {
	o := t.object(args[0])
	if o == nil {
		o = t.pointerValue(args[0])
	}
	if o == nil || o.whole == nil || !o.described.pointer {
		return nil
	}
	e, d, b := builder{at}, o.whole, o.described
	if !t.own(o, "ASSOCIATED of") {
		return &ast.LogicalLit{XBase: at}
	}
	x := e.bin("/=", t.field(d, "at"), e.lit(0))
	if len(args) == 1 {
		return &ast.Paren{XBase: at, X: x}
	}
	with := args[1]
	if k, is := with.(*ast.Keyword); is {
		with = k.X
	}
	parts := t.pointing(with, b)
	for k, c := range b.desc.comps {
		if k < len(parts) && (c.name == "at" || c.name[0] == 'n') {
			x = e.bin(".and.", x, e.bin("==", t.field(d, c.name), parts[k]))
		}
	}
	return &ast.Paren{XBase: at, X: x}
}

// pointerParts are the arguments for a dummy argument that is a place, which x is passed to.
func (t *unit) pointerParts(x ast.Expr, v *variable, at source.Pos) []ast.Expr {
	b := v.described()
	if !b.pointer {
		if place := t.lentPlace(x, v, b); place != nil {
			return []ast.Expr{place}
		}
		return nil
	}
	if p, ok := x.(*ast.Paren); ok && t.object(p.X) != nil {
		t.p.errorf(at, "an expression is passed to %s, which is a pointer", v.name).WithHelp("pass a pointer")
		return nil
	}
	return t.pointing(x, b)
}

// lentPlace is the place of x, which is passed to dummy argument v with descriptor b. What is not in the
// pool is there during the statement.
func (t *unit) lentPlace(x ast.Expr, v *variable, b *described) ast.Expr {
	e := builder{ast.XBase{Pos: x.Position(), End: x.EndPosition()}}
	o := t.object(x)
	if o == nil {
		if o = t.pointerValue(x); o != nil {
			return t.field(o.whole, "at")
		}
	}
	if o != nil && o.whole != nil && o.images == nil && o.described.rank == 0 {
		return t.field(o.whole, "at")
	}
	if o != nil && o.root == b.pool.v && o.images == nil && o.name == b.pool.v.name && o.rank() == 0 {
		return t.expr(clone(o.groups[0].args[0]))
	}
	if t.fixed != "" {
		t.p.errorf(e.Pos, "a value of type %s is passed to %s %s", b.elem.name, v.name, t.fixed).WithHelp("call the procedure in front of the statement")
		return nil
	}
	var parts []ast.Expr
	if o != nil {
		o = t.steady(o)
		parts = t.references(o)
	} else {
		parts = t.value(x, b.elem, false)
	}
	d := t.temp(b.desc, e.XBase)
	lent := t.within(d, &component{described: b}, nil, e.XBase)
	t.before = append(t.before, e.call(b.pool.part("take"), t.field(d, "at"), e.lit(1)))
	t.before = append(t.before, t.transferred(t.references(lent), parts, e)...)
	if o != nil && v.intent != "in" {
		t.after = append(t.after, t.transferred(t.references(o), t.references(lent), e)...)
	}
	t.after = append(append(t.after, t.forgotten(lent)...), t.released(d, b))
	return t.field(d, "at")
}
