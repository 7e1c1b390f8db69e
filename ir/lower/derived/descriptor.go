package derived

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// An allocatable component is an allocatable variable where there is one of it. Where there are many,
// as in an array of its type or in another allocatable component, it is a descriptor, and its
// elements are a block of a pool, which grows:
//
//	type list                          real, allocatable :: list%a%pool%(:)
//	   real, allocatable :: a(:)
//	end type
//	type(list) :: x(n)                 integer :: x%a%at(n), x%a%off(n), x%a%lo1(n), x%a%n1(n)
//	allocate (x(i)%a(m))               call list%a%pool%take(m, x%a%at(i)); x%a%n1(i) = m; ...
//	x(i)%a(j)                          list%a%pool%(x%a%off(i) + j)
//	x(1) = x(2)                        ...; call list%a%pool%copy(x%a%at(1), x%a%n1(1))
//
// A text whose length is deferred, character(:), is an element of a pool in which each has a length of its own.
//
// Elements of a derived type are in a pool with an array for each of its components, and descriptors
// may be in elements of pools: a component may have the type that it is in.

// described says how component c is stored.
type described struct {
	elem *record // nil: an intrinsic type
	rank int
	pool *pool

	pointer bool    // it owns nothing
	text    bool    // it is a text of deferred length
	desc    *record // the type of the descriptor
}

// later is a component whose type may be defined behind its own.
type later struct {
	c    *component
	r    *record
	name ast.Name
}

// descriptor is the type of descriptors of arrays of this rank, or of scalars. Element i1, i2, ... is
// at off + i1 + n1*(i2 + ...). At is the first element, 0 of what is not allocated.
func (p *program) descriptor(rank int) *record {
	if r := p.descriptors[rank]; r != nil {
		return r
	}
	r := &record{name: "descriptor", id: "descriptor%" + strconv.Itoa(rank), bound: map[string]*bound{}}
	add := func(name, first string) {
		r.comps = append(r.comps, &component{name: name, spec: ast.TypeSpec{Name: "integer"}, init: &ast.IntLit{Text: first}})
	}
	add("at", "0")
	if rank > 0 {
		add("off", "0")
	}
	for k := 1; k <= rank; k++ {
		add(fmt.Sprint("lo", k), "1")
		add(fmt.Sprint("n", k), "0")
	}
	p.descriptors[rank] = r
	return r
}

// describe decides which components have descriptors.
func (p *program) describe(f *ast.File) {
	for _, l := range p.laters {
		elem := l.r.scope.record(l.name.Name)
		if elem == nil {
			p.errorf(l.name.Pos, "there is no derived type %s here", l.name.Name).WithHelp("define it in the same unit, or take it from a module by USE")
			continue
		}
		p.describeComponent(l.r, l.c, elem)
	}
	type seen struct {
		r    *record
		many bool
	}
	done := map[seen]bool{}
	var mark func(r *record, many bool)
	mark = func(r *record, many bool) {
		if r == nil || done[seen{r, many}] {
			return
		}
		done[seen{r, many}] = true
		for _, c := range r.comps {
			inside := many || len(c.dims) > 0 || c.allocatable || c.described != nil
			if many && c.allocatable && c.canBeDescribed() {
				p.describeComponent(r, c, c.of)
			}
			switch {
			case c.described != nil:
				mark(c.described.elem, true)
			case c.dynamic:
				for _, e := range p.records {
					if e.extends(c.of) {
						mark(e, inside)
					}
				}
			default:
				mark(c.of, inside)
			}
		}
	}
	declared := func(r *record, many bool) {
		for _, e := range p.records {
			if r = r.declared(); e.extends(r) || e == r {
				mark(e, many)
			}
		}
	}
	for _, s := range p.scopes {
		for _, v := range s.vars {
			if v != nil {
				declared(v.of, v.rank > 0 || v.allocatable && !v.coarray)
			}
		}
		inBlocks(s.unit.Body, func(d *ast.TypeDecl) {
			for i := range d.Entities {
				if v := p.quietly(s, d, &d.Entities[i]); v != nil {
					declared(v.of, v.rank > 0 || v.allocatable)
				}
			}
		})
	}
	for _, r := range p.records {
		for _, c := range r.comps {
			if c.described != nil {
				mark(c.described.elem, true)
			}
		}
	}
	p.places(mark)
	for _, r := range p.records {
		for _, c := range r.comps {
			if c.described != nil {
				p.poolOf(r, c)
			}
		}
	}
}

// quietly is the variable that e of d declares, nil where it has no derived type known in s.
func (p *program) quietly(s *scope, d *ast.TypeDecl, e *ast.Entity) *variable {
	if d.Type.Of.Name == "" || s.record(d.Type.Of.Name) == nil {
		return nil
	}
	return &variable{of: s.record(d.Type.Of.Name), rank: max(len(e.Dims), len(d.Dimension)), allocatable: d.Allocatable}
}

// inBlocks calls f for the declarations in BLOCK constructs in list.
func inBlocks(list []ast.Stmt, f func(*ast.TypeDecl)) {
	ast.Each(list, func(s ast.Stmt) {
		if b, ok := s.(*ast.Block); ok {
			for _, x := range b.Spec {
				if d, ok := x.(*ast.TypeDecl); ok {
					f(d)
				}
			}
		}
	})
}

// canBeDescribed reports whether c may have descriptors: pointers to intrinsic types, arrays of texts whose
// length is not known before run time, objects that the run gives a type and coarrays have none.
func (c *component) canBeDescribed() bool {
	return len(c.codims) == 0 && !c.dynamic && !(c.pointer && c.of == nil) && (c.of == nil || c.of.points == nil) && (!isOpenLength(c.spec.Len) || c.isText())
}

// isText reports whether c is a scalar with the type character(:).
func (c *component) isText() bool {
	return c.of == nil && len(c.dims) == 0 && isOpenLength(c.spec.Len)
}

func isOpenLength(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && (id.Name == ":" || id.Name == "*")
}

// describeComponent gives c, of r, a descriptor, for elements of this type.
func (p *program) describeComponent(r *record, c *component, elem *record) {
	c.described = &described{elem: elem, rank: len(c.dims), text: c.isText(), pointer: c.pointer, desc: p.descriptor(len(c.dims))}
	c.of = c.described.desc
	c.allocatable, c.pointer, c.dims = false, false, nil
}

// owned reports whether l is in a descriptor.
func (l *leaf) owned() bool {
	return slices.ContainsFunc(l.path, func(c *component) bool { return c.described != nil })
}

// owns reports whether c has a descriptor of what is its own.
func (c *component) owns() bool { return c.described != nil && !c.described.pointer }

// hasContents reports whether a value of type r has allocatable components in pools.
func (r *record) hasContents() bool {
	if r == nil {
		return false
	}
	return slices.ContainsFunc(r.comps, func(c *component) bool { return c.owns() || c.of.hasContents() })
}

// field is field name of descriptor d.
func (t *unit) field(d *object, name string) ast.Expr {
	c := d.of.component(name)
	return t.reference(d, &leaf{name: "%" + name, comp: c, path: []*component{c}})
}

// within is what descriptor d of component c describes, with subscripts args, or whole.
func (t *unit) within(d *object, c *component, args []ast.Expr, at ast.XBase) *object {
	b := c.described
	v := b.pool.v
	o := &object{XBase: at, root: v, of: b.elem, name: v.name, desc: d, described: b, comp: nil}
	if b.elem == nil {
		o.comp, o.name = v.of.comps[0], v.name+"%"+v.of.comps[0].name
	}
	if d.images != nil && b.text {
		t.notThere(o)
	} else if d.images != nil {
		o.images = d.images
		if d.desc == nil {
			o.images = t.apartImages(d)
		}
	}
	if args != nil {
		o.whole = nil
		if len(args) != b.rank {
			t.p.diags.Errorf(source.RankMismatch, at.Pos, "%s has %d dimensions and %d subscripts", d.name, b.rank, len(args)).WithHelp("write one subscript for each dimension")
			args = nil
		}
	}
	if args == nil {
		o.whole = d
	}
	if b.rank > 1 && (args == nil || slices.ContainsFunc(args, isTriplet)) {
		o.shaped = true
		o.groups = []group{{rank: b.rank, args: args}}
		return o
	}
	o.groups = []group{{rank: 1, args: []ast.Expr{t.place(d, b, args, at)}}}
	return o
}

// everyOf are the elements that d describes, of any rank, one after the other.
func (t *unit) everyOf(d *object, b *described, e builder) *object {
	v := b.pool.v
	var at ast.Expr = t.field(d, "at")
	if b.rank > 0 {
		at = e.section(at, e.minus(e.plus(clone(at), t.countOf(d, b, e.XBase)), e.lit(1)))
	}
	return &object{XBase: e.XBase, root: v, of: b.elem, name: v.name, desc: d, described: b, groups: []group{{rank: 1, args: []ast.Expr{at}}}}
}

func isTriplet(x ast.Expr) bool { _, ok := x.(*ast.Triplet); return ok }

// place is the subscript in the pool of the elements args of what d describes, of all where that is
// nil. Of more dimensions than one it is one element.
func (t *unit) place(d *object, b *described, args []ast.Expr, at ast.XBase) ast.Expr {
	e := builder{at}
	if b.rank == 0 {
		return t.field(d, "at")
	}
	off := t.field(d, "off")
	behind := func(x ast.Expr) ast.Expr { return e.plus(clone(off), x) }
	last := func() ast.Expr { return e.minus(e.plus(t.field(d, "lo1"), t.field(d, "n1")), e.lit(1)) }
	if b.rank == 1 {
		section := &ast.Triplet{XBase: at}
		if args != nil {
			s, ok := args[0].(*ast.Triplet)
			if !ok {
				return behind(args[0])
			}
			section = s
		}
		if section.Lo == nil && section.Hi == nil && section.Step == nil {
			first := t.field(d, "at")
			return &ast.Triplet{XBase: at, Lo: first, Hi: e.minus(e.plus(clone(first), t.field(d, "n1")), e.lit(1))}
		}
		lo, hi := section.Lo, section.Hi
		if lo == nil {
			lo = t.field(d, "lo1")
		}
		if hi == nil {
			hi = last()
		}
		return &ast.Triplet{XBase: at, Lo: behind(lo), Hi: behind(hi), Step: section.Step}
	}
	x := args[b.rank-1]
	for k := b.rank - 2; k >= 0; k-- {
		x = e.plus(args[k], e.times(t.field(d, fmt.Sprint("n", k+1)), &ast.Paren{XBase: at, X: x}))
	}
	return e.plus(off, x)
}

// shape is the name that the statement in hand has for o, which has more dimensions than one.
func (t *unit) shape(o *object) string {
	d, b := o.desc, o.described
	if b.elem != nil {
		t.p.errorf(o.Pos, "%s, an allocatable component of rank %d and type %s, as a whole or a section", d.name, b.rank, b.elem.name).WithHelp("write a loop over its elements, or give it one dimension")
		return o.name
	}
	if t.fixed != "" {
		t.p.errorf(o.Pos, "a section of %s stands %s", d.name, t.fixed).WithHelp("assign it to a variable in front of the statement")
		return o.name
	}
	key := ast.UnparseExpr(t.field(d, "at"))
	name := t.shapes[key]
	if name == "" {
		s := t.scope.ofUnit()
		s.count++
		name = fmt.Sprintf("shape%%%d", s.count)
		s.vars[name] = nil
		t.shapes[key] = name
		t.views = append(t.views, t.viewOf(name, d, b, t.field(d, "at"), o.XBase))
	}
	return name
}

// viewOf is name as the array that d describes, whose first element is at at.
func (t *unit) viewOf(name string, d *object, b *described, at ast.Expr, pos ast.XBase) ast.Association {
	v := b.pool.v
	a := ast.Association{Name: ast.Name{Pos: pos.Pos, Name: name}, X: ident(v.name+"%"+v.of.comps[0].name, at), At: at}
	for k := 1; k <= b.rank; k++ {
		a.Lows = append(a.Lows, t.field(d, fmt.Sprint("lo", k)))
		a.Extents = append(a.Extents, t.field(d, fmt.Sprint("n", k)))
	}
	return a
}

// count is how many elements d describes.
func (t *unit) countOf(d *object, b *described, at ast.XBase) ast.Expr {
	e := builder{at}
	var n ast.Expr = e.lit(1)
	for k := 1; k <= b.rank; k++ {
		if x := t.field(d, fmt.Sprint("n", k)); k == 1 {
			n = x
		} else {
			n = e.times(n, x)
		}
	}
	return n
}
