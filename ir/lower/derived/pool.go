package derived

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/parser/ast"
)

// A pool has the elements that the descriptors of one component describe, or those of one derived
// type. Blocks are powers of two; those that are given back are in lists by their sizes, which begin in
// free and go on in link.
type pool struct {
	name string
	v    *variable
	of   *record      // nil: an intrinsic type
	home *record      // whose declarations it is among
	c    *component   // of an intrinsic type
	by   []*component // whose descriptors describe its elements

	descriptor func(rank int) *record
}

// poolOf gives component c of r its pool.
func (p *program) poolOf(r *record, c *component) {
	b := c.described
	if b.pool != nil {
		return
	}
	q := &pool{home: r, of: b.elem, c: c, descriptor: p.descriptor, name: r.id + "%" + c.name + "%pool"}
	if b.elem != nil {
		e := b.elem.declared()
		if e.pool != nil {
			b.pool = e.pool
			b.pool.by = append(b.pool.by, c)
			return
		}
		e.pool = q
		q.home, q.name = e, e.id+"%pool"
	}
	b.pool, q.by = q, []*component{c}
	of := b.elem
	if of == nil {
		value := &component{name: "value", pos: c.pos, spec: c.spec, array: c.array}
		of = &record{name: "pool", id: q.name, scope: r.scope, bound: map[string]*bound{}, comps: []*component{value}}
	}
	q.v = &variable{name: q.name, of: of, rank: 1}
	p.pools = append(p.pools, q)
}

// text reports whether its elements are texts of deferred length.
func (q *pool) text() bool { return q.of == nil && q.v.of.comps[0].isText() }

func (q *pool) part(name string) string { return q.name + "%%" + name }

// reached reports whether other images use elements of q, where these are the names of components of
// which they use any.
func (q *pool) reached(remote map[string]bool) bool {
	return !q.text() && slices.ContainsFunc(q.by, func(c *component) bool { return remote[c.name] })
}

// makePools declares the pools and their procedures. Remote is the names of the components that are used
// of other images.
func (p *program) makePools(remote map[string]bool) {
	for _, q := range p.pools {
		s := q.home.scope
		if s.unit.Kind.IsProcedure() && s.outer != nil {
			p.errorf(q.home.def.Pos, "type %s, of which there are lists or arrays with allocatable components, is defined in an internal procedure", q.home.name).WithHelp("define it in a module")
			continue
		}
		if k := slices.IndexFunc(q.v.of.leaves(), func(l *leaf) bool { return l.open }); k >= 0 {
			c := q.v.of.leaves()[k].comp
			p.errorf(c.pos, "the component %s is %s, and objects of type %s are in lists, in arrays, or what a component points to", c.name, c.attribute(), q.v.of.name).
				WithHelp("give the component constant bounds, or declare it as an array of its own")
			continue
		}
		e := builder{ast.XBase{Pos: q.home.def.Pos, End: q.home.def.Pos}}
		declare := func(d *ast.TypeDecl, names ...string) {
			d.Save = s.unit.Kind.IsProcedure()
			q.home.decls, q.home.names = append(q.home.decls, d), append(q.home.names, names...)
		}
		for _, l := range q.v.of.leaves() {
			d := &ast.TypeDecl{Base: e.base(), Allocatable: true}
			one := leafDecl(l, d, q.name, e.Pos, []ast.DimSpec{{Pos: e.Pos}}, nil)
			if q.reached(remote) {
				one.Entities[0].Apart, one.Entities[0].Codims = true, anyImage(e.Pos)
			}
			declare(one, q.name+l.name)
		}
		link := e.integers("", q.part("link"))
		link.Allocatable, link.Entities[0].Dims = true, []ast.DimSpec{{Pos: e.Pos}}
		declare(link, q.part("link"))
		free := e.integers("", q.part("free"))
		free.Entities[0].Dims, free.Entities[0].Init = []ast.DimSpec{{Pos: e.Pos, Lo: e.lit(0), Hi: e.lit(31)}}, e.lit(0)
		declare(free, q.part("free"))
		for _, name := range []string{"top", "size"} {
			d := e.integers("", q.part(name))
			d.Entities[0].Init = e.lit(0)
			declare(d, q.part(name))
		}
		p.procedure(q, "take", e.take(q))
		p.procedure(q, "clear", nil)
		p.procedure(q, "copy", nil)
	}
	for _, q := range p.pools {
		for name, f := range map[string]func(*unit, builder, *pool) []ast.Stmt{"clear": (*unit).cleared, "copy": (*unit).duplicated} {
			if u := p.pooled[q.part(name)]; u != nil {
				e := builder{ast.XBase{Pos: u.Pos, End: u.Pos}}
				u.Body = f(&unit{scope: p.scopes[u], p: p}, e, q)
			}
		}
	}
}

// Pooled reports whether a variable has what belongs to allocatable components of all objects of a
// type, each of which has its own part of it.
func Pooled(name string) bool { return strings.Contains(name, "%pool%") }

// procedure adds procedure name of q.
func (p *program) procedure(q *pool, name string, body []ast.Stmt) {
	s := q.home.scope
	e := builder{ast.XBase{Pos: q.home.def.Pos, End: q.home.def.Pos}}
	u := &ast.Program{Pos: e.Pos, EndPos: e.Pos, Kind: ast.SubroutineUnit, Name: q.part(name) + "%of", Recursive: name != "take", Implied: true, Body: body,
		Args: []ast.Name{{Pos: e.Pos, Name: "%at"}, {Pos: e.Pos, Name: "%n"}}}
	intent := "inout"
	if name == "take" {
		intent = "out"
	}
	u.Spec = []ast.Stmt{e.integers(intent, "%at"), e.integers("in", "%n"), e.integers("", "%k", "%from", "%most")}
	f := &function{unit: u}
	s.procs[u.Name] = f
	f.scope = p.declare(u, s)
	p.extra[s.unit] = append(p.extra[s.unit], u)
	p.pooled[q.part(name)] = u
	generic := q.part(name)
	q.home.decls = append(q.home.decls, &ast.Interface{Base: e.base(), Name: ast.Name{Pos: e.Pos, Name: generic}, Procs: []ast.Name{{Pos: e.Pos, Name: u.Name}}})
	q.home.names = append(q.home.names, generic)
}

// class is the number of the list that a block of n elements is in.
func (b builder) class(n ast.Expr) ast.Stmt {
	return b.set(b.id("%k"), b.minus(b.lit(32), b.ref("leadz", b.minus(b.ref("max", n, b.lit(1)), b.lit(1)))))
}

// take is the body of the procedure that sets %at to a block of %n elements.
func (b builder) take(q *pool) []ast.Stmt {
	at, k, most := b.id("%at"), b.id("%k"), b.id("%most")
	top, size := b.id(q.part("top")), b.id(q.part("size"))
	link := func(x ast.Expr) ast.Expr { return b.ref(q.part("link"), x) }
	free := func() ast.Expr { return b.ref(q.part("free"), clone(k)) }
	grow := []ast.Stmt{b.set(most, b.ref("max", b.times(b.lit(2), clone(top)), b.lit(64)))}
	array := func(name string, dims []ast.DimSpec) {
		var whole []ast.Expr
		for _, d := range dims {
			if d.Lo != nil {
				whole = append(whole, b.section(clone(d.Lo), clone(d.Hi)))
			} else {
				whole = append(whole, clone(d.Hi))
			}
		}
		grow = append(grow, &ast.Allocate{Base: b.base(), Keep: true, Args: []ast.Expr{element(b.XBase, q.name+name, append(whole, clone(most)))}})
	}
	for _, l := range q.v.of.leaves() {
		array(l.name, l.dims)
	}
	array("%%link", nil)
	grow = append(grow, b.set(clone(size), clone(most)))
	anew := []ast.Stmt{b.set(clone(at), b.plus(clone(top), b.lit(1))), b.set(clone(top), b.plus(clone(top), b.ref("ishft", b.lit(1), clone(k)))),
		b.when(b.bin(">", clone(top), clone(size)), grow...)}
	return []ast.Stmt{b.class(b.id("%n")), b.set(at, free()),
		b.otherwise(b.when(b.bin("/=", clone(at), b.lit(0)), b.set(free(), link(clone(at)))), anew...)}
}

// elements are those from at on of q, %n of them.
func (q *pool) elements(b builder, at string) *object {
	hi := b.minus(b.plus(b.id(at), b.id("%n")), b.lit(1))
	return &object{XBase: b.XBase, root: q.v, of: q.v.of, name: q.name, groups: []group{{rank: 1, args: []ast.Expr{b.section(b.id(at), hi)}}}}
}

// cleared is the body of the procedure that gives back the block %at of %n elements, with all that these own.
func (t *unit) cleared(b builder, q *pool) []ast.Stmt {
	at, free := b.id("%at"), b.ref(q.part("free"), b.id("%k"))
	body := t.emptied(q.elements(b, "%at"))
	body = append(body, b.class(b.id("%n")), b.set(b.ref(q.part("link"), at), free), b.set(clone(free), clone(at)), b.set(clone(at), b.lit(0)))
	return one(b.when(b.bin("/=", clone(at), b.lit(0)), body...))
}

// duplicated is the body of the procedure that makes %at a copy of the block that it is.
func (t *unit) duplicated(b builder, q *pool) []ast.Stmt {
	at, from := b.id("%at"), b.id("%from")
	body := []ast.Stmt{b.set(from, at), b.call(q.part("take"), clone(at), b.id("%n"))}
	to := q.elements(b, "%at")
	var each []ast.Stmt // one by one, as blocks do not overlap, which no other pass knows
	for _, l := range q.v.of.leaves() {
		element := func(at ast.Expr) ast.Expr {
			var args []ast.Expr
			for range l.dims {
				args = append(args, b.section(nil, nil))
			}
			return element(b.XBase, q.name+l.name, append(args, b.plus(clone(at), b.id("%k"))))
		}
		each = append(each, b.copy(element(at), element(from)))
	}
	body = append(body, b.do("%k", b.lit(0), b.minus(b.id("%n"), b.lit(1)), each...))
	body = append(body, t.ownCopies(to)...)
	return one(b.when(b.bin("/=", clone(at), b.lit(0)), body...))
}

// overOwned does f with all descriptors of o that own what they describe.
func (t *unit) overOwned(o *object, f func(d *object, b *described) []ast.Stmt) []ast.Stmt {
	if !o.of.hasContents() {
		return nil
	}
	return t.everyElement(o, func(o *object) []ast.Stmt {
		var out []ast.Stmt
		for _, c := range o.of.comps {
			var list []ast.Stmt
			switch {
			case c.owns():
				list = f(t.component(o, c.name, nil, o.XBase).desc, c.described)
			case c.of.hasContents():
				part := t.component(o, c.name, nil, o.XBase)
				list = t.whereAllocated(part, t.overOwned(part, f))
			}
			if c.owner != nil && o.comp == nil && o.root.class && !o.root.dynamic { // the object passed may have no such component
				k := slices.IndexFunc(o.of.leaves(), func(l *leaf) bool { return l.path[0] == c })
				list = ifPresent(true, o.root.name+o.of.leaves()[k].name, list, o.Pos)
			}
			out = append(out, list...)
		}
		return out
	})
}

// emptied deallocates what the elements of o own.
func (t *unit) emptied(o *object) []ast.Stmt {
	return t.overOwned(o, t.clear)
}

// clear finalizes and deallocates what d describes, if it is allocated.
func (t *unit) clear(d *object, b *described) []ast.Stmt {
	return append(t.finalizedPlace(d, b), t.released(d, b))
}

// finalizedPlace finalizes what d describes, if it is allocated.
func (t *unit) finalizedPlace(d *object, b *described) []ast.Stmt {
	if b.elem == nil || !t.p.isFinalizable(b.elem) {
		return nil
	}
	e := builder{d.XBase}
	if b.rank > 1 && slices.ContainsFunc(b.elem.final, func(f *function) bool { return f.variableOf(f.unit.Args[0].Name).rank == b.rank }) {
		t.p.errorf(d.Pos, "a FINAL procedure for arrays of %d dimensions, and %s is an allocatable component or pointer of as many", b.rank, d.name).WithHelp("make the procedure ELEMENTAL")
		return nil
	}
	body := t.finalized(t.everyOf(d, b, e))
	if len(body) == 0 {
		return nil
	}
	return one(e.when(e.bin("/=", t.field(d, "at"), e.lit(0)), body...))
}

// released deallocates what d describes.
func (t *unit) released(d *object, b *described) ast.Stmt {
	e := builder{d.XBase}
	return e.call(b.pool.part("clear"), t.field(d, "at"), &ast.Paren{XBase: e.XBase, X: t.countOf(d, b, e.XBase)})
}

// ownCopies gives the elements of o, whose descriptors are those of others, copies of what these own.
func (t *unit) ownCopies(o *object) []ast.Stmt {
	return t.overOwned(o, func(d *object, b *described) []ast.Stmt {
		e := builder{d.XBase}
		at := func() ast.Expr { return t.field(d, "at") }
		call := e.call(b.pool.part("copy"), at(), &ast.Paren{XBase: e.XBase, X: t.countOf(d, b, e.XBase)})
		if b.rank == 0 {
			return one(call)
		}
		off := func() ast.Expr { return t.field(d, "off") }
		return []ast.Stmt{e.set(off(), e.minus(off(), at())), call, e.set(off(), e.plus(off(), at()))}
	})
}

// everyElement does f with all elements of o.
func (t *unit) everyElement(o *object, f func(*object) []ast.Stmt) []ast.Stmt {
	in, do := t.stepped(o)
	if in == nil {
		return f(o)
	}
	e := builder{o.XBase}
	loop := e.do(do.Var.Name, do.Lo, do.Hi, t.everyElement(in, f)...).(*ast.Do)
	loop.Step = do.Step
	return one(loop)
}

// stepped is o with a variable in place of its last dimension, and the bounds of that; nil where o is
// one element.
func (t *unit) stepped(o *object) (*object, *ast.ImpliedDo) {
	for i, g := range o.groups {
		for k := g.rank - 1; k >= 0; k-- {
			var section *ast.Triplet
			if g.args != nil {
				if section, _ = g.args[k].(*ast.Triplet); section == nil {
					continue
				}
			} else {
				section = &ast.Triplet{XBase: o.XBase}
			}
			return t.over(o, i, k, section)
		}
	}
	return nil, nil
}

// counter is an INTEGER that the source does not have.
func (t *unit) counter(b builder) ast.Expr { return t.local(b, "integer") }

// local is a variable of an intrinsic type that the source does not have.
func (t *unit) local(b builder, kind string) ast.Expr {
	s := t.scope.ofUnit()
	s.count++
	name := fmt.Sprintf("item%%%d", s.count)
	d := b.integers("", name)
	d.Type.Name = kind
	s.temps = append(s.temps, d)
	s.vars[name] = nil
	return b.id(name)
}
