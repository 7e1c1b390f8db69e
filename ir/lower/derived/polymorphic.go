package derived

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/parser/ast"
)

// What is declared with CLASS(t) is made of the number of its type, of what t is made of, and of
// what all extensions of t add:
//
//	class(shape), allocatable :: s     integer :: s%type = 0; real :: s%circle%%r, s%rect%%w
//	allocate (circle :: s)             s%type = 2
//	s%area()                           call of a procedure with a SELECT TYPE in it
//	select type (s); type is (circle)  if (s%type == 2) then
//
// 0 says that s is not allocated. A dummy argument has the parts of extensions as OPTIONAL
// arguments: what is passed has those that its type has, and of what is declared with TYPE the
// number is a constant, which decides the IFs where the call is compiled. Where no type of a family
// has extensions, and in programs that do nothing of this, CLASS(t) is made of what t is made of.

// typeNumber is the name of the component that says which type an object has.
const typeNumber = "%type"

// shapeOnly is the name of a component that types without others have: it has the shape of the object.
const shapeOnly = "%shape"

// anyOf is the type of what is declared with CLASS(r).
func (p *program) anyOf(r *record) *record {
	if r.any == nil {
		r.any = &record{name: r.name, id: r.id, def: r.def, scope: r.scope, parent: r.parent, bound: r.bound, static: r}
		p.anys = append(p.anys, r.any)
	}
	return r.any
}

// declared is the type that r, which may be that of what is declared with CLASS, is written as.
func (r *record) declared() *record {
	if r != nil && r.static != nil {
		return r.static
	}
	return r
}

// isNumber reports whether l says which type an object or array as a whole has. Components that are
// polymorphic have numbers of their own.
func (l *leaf) isNumber(p *program) bool { return l.comp == p.number && len(l.path) == 1 }

// origin is the component that c, which may be the copy in a CLASS, is in its type.
func (c *component) origin() *component {
	if c.of1 != nil {
		return c.of1
	}
	return c
}

// root is the type that r extends in the end.
func (r *record) root() *record {
	for r = r.declared(); r.parent != nil; {
		r = r.parent
	}
	return r
}

// polymorphic decides which families have types that the run chooses, and gives all CLASSes
// their components; ok is false where one would have itself as a part.
func (p *program) polymorphic(f *ast.File) (ok bool) {
	var guards []guardOf
	selects := false
	for u := range f.Units() {
		ast.Each(u.Body, func(s ast.Stmt) {
			if x, ok := s.(*ast.Select); ok && x.OfType {
				selects = true
				for _, c := range x.Cases {
					guards = append(guards, guardOf{c.Guard, p.scopes[u]})
				}
			}
		})
	}
	for _, s := range p.scopes {
		inBlocks(s.unit.Body, func(d *ast.TypeDecl) {
			if r := s.record(d.Type.Of.Name); r != nil && d.Type.Name == "class" && d.Allocatable && !d.Pointer {
				r.dynamic = true
				for _, e := range d.Entities {
					r.held = r.held || len(e.Dims)+len(d.Dimension)+len(e.Codims)+len(d.Codimension) > 0
				}
			}
		})
	}
	chosen, shapeless := map[*record]bool{}, map[*record]*component{}
	for _, r := range p.records {
		if r.held && shapeless[r.root()] == nil && !r.root().hasPlain() {
			shapeless[r.root()] = &component{name: shapeOnly, spec: ast.TypeSpec{Name: "logical"}, owner: r.root()}
		}
		chosen[r.root()] = chosen[r.root()] || selects || r.dynamic || len(p.overridden[r]) > 0
		for _, b := range r.bound {
			chosen[r.root()] = chosen[r.root()] || b.deferred != nil
		}
	}
	for _, r := range p.records {
		if chosen[r.root()] {
			p.anyOf(r)
		}
	}
	number := &ast.IntLit{Text: "0"}
	p.number = &component{name: typeNumber, spec: ast.TypeSpec{Name: "integer"}, init: number}
	if p.star != nil {
		p.allParts(guards)
	}
	for _, a := range p.anys {
		t := a.static
		if t == p.star {
			continue
		}
		if !chosen[t.root()] {
			a.comps = t.comps
			continue
		}
		a.comps = append([]*component{p.number}, t.comps...)
		if c := shapeless[t.root()]; c != nil {
			a.comps = append(a.comps, c)
		}
		for _, e := range p.records {
			if e == t || !e.extends(t) {
				continue
			}
			for _, c := range e.comps {
				if e.parent.component(c.name) == c {
					continue
				}
				own := *c
				own.name, own.of1, own.owner = fmt.Sprintf("%s%%%%%s", e.name, c.name), c, e
				a.comps = append(a.comps, &own)
			}
		}
	}
	if p.endless() {
		return false
	}
	p.dispatchers()
	return true
}

// hasPlain reports whether r has a component that has the shape of its object.
func (r *record) hasPlain() bool {
	return slices.ContainsFunc(r.comps, func(c *component) bool { return c.of == nil && len(c.dims) == 0 && !c.allocatable })
}

// endless reports components declared with CLASS that may be of the type that they are in.
func (p *program) endless() (found bool) {
	inside, done := map[*record]bool{}, map[*record]bool{}
	reported := map[*component]bool{}
	var visit func(r *record)
	visit = func(r *record) {
		if r == nil || done[r] {
			return
		}
		inside[r] = true
		for _, c := range r.comps {
			if !inside[c.of] || c.of == nil {
				visit(c.of)
				continue
			}
			if found = true; !reported[c.origin()] {
				reported[c.origin()] = true
				p.errorf(c.pos, "the component %s is declared with CLASS(%s), and may be of the type that it is in, or of one that has this inside", c.name[strings.LastIndex(c.name, "%")+1:], c.of.name).
					WithHelp("declare it as: type(name), allocatable; with the name of the type that it has")
			}
		}
		delete(inside, r)
		done[r] = true
	}
	for _, r := range p.records {
		visit(r)
	}
	for _, r := range p.anys {
		visit(r)
	}
	return found
}

// chosen reports whether the run decides what the type of a is.
func (p *program) isChosen(a *record) bool {
	return a != nil && a.static != nil && len(a.comps) > 0 && a.comps[0] == p.number
}

// kinds are the types that what is declared with CLASS(t) may have.
func (p *program) kinds(t *record) (out []*record) {
	if t.code != 0 {
		return []*record{t}
	}
	for _, r := range p.records {
		if r.extends(t) && !r.def.Abstract {
			out = append(out, r)
		}
	}
	return out
}

// numberOf is what says which type r is.
func (p *program) numberOf(r *record) int {
	if r.code != 0 {
		return -r.code
	}
	return slices.Index(p.records, r) + 1
}

// dispatchers makes a procedure for each procedure of a type that extensions replace, or that is
// deferred: it calls that of the type that its object has.
func (p *program) dispatchers() {
	for _, t := range p.records {
		for _, d := range t.def.Bound {
			b := t.bound[d.Name.Name]
			if b == nil || b.by != t || d.Generic || d.NoPass || t.parent != nil && t.parent.bound[d.Name.Name] != nil {
				continue
			}
			if b.deferred == nil && !p.overridden[t][d.Name.Name].IsValid() {
				continue
			}
			face := b.deferred
			if face == nil && len(b.target) == 1 {
				face = t.scope.function(p, b.target[0])
			}
			if face != nil && len(face.unit.Args) > 0 {
				p.dispatcher(t, b, d.Name.Name, face.unit)
			}
		}
	}
	for _, r := range p.records {
		for i := range r.def.Bound {
			if d := &r.def.Bound[i]; d.Generic && r.bound[d.Name.Name] != nil {
				p.dispatched(r, d, r.bound[d.Name.Name])
			}
		}
	}
}

// dispatched makes generic name b of type r, which d declares, stand for the dispatchers of its
// procedures that have one: those of the extensions are called by it too.
func (p *program) dispatched(r *record, d *ast.Binding, b *bound) {
	for _, name := range d.Targets {
		for t := r; t != nil; t = t.parent {
			of := t.bound[name.Name]
			if of == nil || of.any == nil {
				continue
			}
			replaced := func(f *function) bool {
				return slices.ContainsFunc(r.bound[name.Name].target, func(s string) bool { return r.scope.function(p, s) == f })
			}
			list := slices.DeleteFunc(slices.Clone(r.scope.generics[b.name]), replaced)
			for _, s := range r.decls {
				if block, is := s.(*ast.Interface); is && block.Name.Name == b.name {
					block.Procs = slices.DeleteFunc(block.Procs, func(n ast.Name) bool { return slices.Contains(r.bound[name.Name].target, n.Name) })
				}
			}
			f := t.scope.generics[of.any.name][0]
			r.scope.generics[b.name] = append(list, f)
			p.global[b.name] = r.scope.generics[b.name]
			t.decls = append(t.decls, &ast.Interface{Base: ast.Base{Pos: d.Pos}, Name: ast.Name{Pos: d.Pos, Name: b.name}, Procs: []ast.Name{{Pos: d.Pos, Name: f.unit.Name}}})
			t.names = append(t.names, b.name)
			break
		}
	}
}

func (p *program) dispatcher(t *record, b *bound, name string, face *ast.Program) {
	at := ast.XBase{Pos: b.at, End: b.at}
	base := ast.Base{Pos: b.at}
	u := *face
	u.Name, u.Contains, u.Body, u.Words, u.Separate = t.name+"%"+name+"%any", nil, nil, nil, false
	u.Spec = slices.DeleteFunc(slices.Clone(face.Spec), func(s ast.Stmt) bool { _, is := s.(*ast.Import); return is })
	if u.Kind == ast.FunctionUnit {
		u.Result = ast.Name{Pos: b.at, Name: resultName(face)}
	}
	object := face.Args[0].Name
	if b.pass != "" {
		object = b.pass
	}
	id := func(name string) ast.Expr { return &ast.Ident{XBase: at, Name: name} }
	sel := &ast.Select{Base: base, OfType: true, X: id(object), EndPos: b.at}
	for _, e := range p.kinds(t) {
		var args []ast.Expr
		for _, a := range face.Args {
			if a.Name != object {
				args = append(args, &ast.Keyword{XBase: at, Name: a.Name, X: id(a.Name)})
			}
		}
		var s ast.Stmt
		if face.Kind == ast.FunctionUnit {
			s = &ast.Assign{Base: base, Part: true, LHS: id(resultName(face)), RHS: &ast.Component{XBase: at, Base: id(object), Name: name, NamePos: b.at, List: true, Args: args}}
		} else {
			s = &ast.Call{Base: base, Of: id(object), Proc: ast.Name{Pos: b.at, Name: name}, Args: args}
		}
		sel.Cases = append(sel.Cases, ast.Case{Pos: b.at, Guard: &ast.TypeGuard{Of: ast.Name{Pos: b.at, Name: e.id}}, Body: []ast.Stmt{s}})
	}
	u.Body = []ast.Stmt{sel}
	s := t.scope
	f := &function{unit: &u}
	s.procs[u.Name] = f
	f.scope = p.declare(&u, s)
	p.extra[s.unit] = append(p.extra[s.unit], &u)
	b.any = &bound{by: t, name: t.id + "%" + name + "%any", target: []string{u.Name}, pass: b.pass, at: b.at}
	s.generics[b.any.name] = []*function{f}
	p.global[b.any.name] = s.generics[b.any.name]
	t.decls = append(t.decls, &ast.Interface{Base: base, Name: ast.Name{Pos: b.at, Name: b.any.name}, Procs: []ast.Name{{Pos: b.at, Name: u.Name}}})
	t.names = append(t.names, b.any.name)
}

// actual is the procedure that a call of m, called name, for o means: where the run decides what o
// is, the one that finds that out.
func (p *program) actual(m *bound, name string, o *object, of *record) *bound {
	if o == nil || !p.isChosen(of) {
		return m
	}
	for at := of.declared(); at != nil; at = at.parent {
		if b := at.bound[name]; b != nil && b.any != nil {
			return b.any
		}
	}
	return m
}

// store is the type that the names of the parts of o are those of.
func (o *object) storage() *record {
	if o.store != nil {
		return o.store
	}
	return o.of
}

// partName is the name of component c in what is stored as r.
func (r *record) partName(c *component) string {
	for _, x := range r.comps {
		if x.origin() == c.origin() {
			return x.name
		}
	}
	return c.name
}

// has reports whether r has component c, which may be that of an extension.
func (r *record) has(c *component) bool {
	return slices.ContainsFunc(r.comps, func(x *component) bool { return x.origin() == c.origin() })
}

// typeNumber is which type o is, as an expression.
func (t *unit) typeNumber(o *object) ast.Expr {
	if !t.p.isChosen(o.storage()) {
		return &ast.IntLit{XBase: o.XBase, Text: fmt.Sprint(t.p.numberOf(o.of.declared()))}
	}
	x := *o
	x.of = o.storage()
	x.store = nil
	return t.reference(&x, &leaf{name: "%" + t.p.number.name, comp: t.p.number, path: []*component{t.p.number}})
}

// seenAs are the parts of o for each of those of r; nil for what it does not have.
func (t *unit) seenAs(o *object, r *record) []ast.Expr {
	var out []ast.Expr
	x := *o
	x.store = o.storage()
	for _, l := range r.leaves() {
		switch c := l.path[0]; {
		case c == t.p.number:
			out = append(out, t.typeNumber(o))
		case !x.store.has(c):
			out = append(out, nil)
		default:
			out = append(out, t.reference(&x, l))
		}
	}
	return out
}

// isOneOf says that o has one of the types list.
func (t *unit) isOneOf(o *object, list []*record) ast.Expr {
	var out ast.Expr
	for _, r := range list {
		eq := &ast.Binary{XBase: o.XBase, Op: "==", OpPos: o.Pos, X: t.typeNumber(o), Y: &ast.IntLit{XBase: o.XBase, Text: fmt.Sprint(t.p.numberOf(r))}}
		if out == nil {
			out = eq
		} else {
			out = &ast.Binary{XBase: o.XBase, Op: ".or.", OpPos: o.Pos, X: out, Y: eq}
		}
	}
	return out
}

// selectType is SELECT TYPE: IFs.
func (t *unit) selectType(s *ast.Select) []ast.Stmt {
	o := t.object(s.X)
	if o == nil || !t.p.isChosen(o.storage()) {
		t.p.errorf(s.X.Position(), "SELECT TYPE of what is not polymorphic").WithHelp("declare the object as class(name), a dummy argument or ALLOCATABLE")
		return nil
	}
	name := s.As.Name
	if id, ok := s.X.(*ast.Ident); ok && name == "" {
		name = id.Name
	}
	if name == "" {
		t.p.errorf(s.X.Position(), "SELECT TYPE of a part of %s without a name", o.name).WithHelp("write select type (x => ...), and use x")
		return nil
	}
	guards := make([]*record, len(s.Cases))
	kinds := make([][]*record, len(s.Cases))
	other := -1
	for i, c := range s.Cases {
		if c.Guard.Of.Name == "" {
			other = i
			continue
		}
		if c.Guard.Type != nil {
			if !o.of.isAll() {
				t.p.errorf(c.Guard.Of.Pos, "a guard with an intrinsic type, and %s is no object of CLASS(*)", o.name).WithHelp("declare it as: class(*)")
				return nil
			}
			if guards[i] = t.p.value(t.scope, c.Guard); guards[i] == nil {
				return nil
			}
			kinds[i] = []*record{guards[i]}
			continue
		}
		r := t.record(c.Guard.Of.Name)
		if r == nil {
			r = t.p.byID(c.Guard.Of.Name)
		}
		if r == nil || !r.extends(o.of) {
			t.p.errorf(c.Guard.Of.Pos, "%s is no extension of %s", c.Guard.Of.Name, o.of.name).WithHelp("write the name of a type that the object may have")
			return nil
		}
		guards[i] = r
	}
	for _, e := range t.p.kinds(o.of.declared()) {
		at := -1
		for i, r := range guards {
			switch {
			case r == nil:
			case !s.Cases[i].Guard.Class && r == e:
				at = i
			case s.Cases[i].Guard.Class && e.extends(r) && (at < 0 || s.Cases[at].Guard.Class && r.extends(guards[at])):
				at = i
			}
		}
		if at >= 0 {
			kinds[at] = append(kinds[at], e)
		}
	}
	out := &ast.If{Base: s.Base, Name: s.Name, EndPos: s.EndPos, OfType: true}
	outer := t.scope
	for i, c := range s.Cases {
		in := newScope(t.unit, outer, "")
		seen := *o
		seen.store = o.storage()
		if r := guards[i]; r != nil {
			if seen.of = r; c.Guard.Class {
				seen.of = t.p.anyOf(r)
			}
		}
		v := &variable{name: name, of: seen.of, rank: o.rank(), class: c.Guard.Class, alias: &seen}
		in.vars[name] = v
		if changed := t.changes(o, c.Body); changed != "" {
			t.p.errorf(c.Pos, "%s, on which it depends what %s is, changes here", changed, name).WithHelp("assign it to a variable of its own in front of SELECT TYPE")
		}
		t.scope = in
		if i == other {
			out.Else, out.HasElse, out.ElsePos = t.list(c.Body), true, c.Pos
		} else if r := guards[i]; r.code != 0 {
			t.scope = outer
			out.Arms = append(out.Arms, ast.IfArm{Pos: c.Pos, Cond: t.isOneOf(o, kinds[i]), Body: t.asValue(o, r, ast.Name{Pos: c.Pos, Name: name}, c.Body)})
		} else if len(kinds[i]) > 0 {
			out.Arms = append(out.Arms, ast.IfArm{Pos: c.Pos, Cond: t.isOneOf(o, kinds[i]), Body: t.list(c.Body)})
		}
		t.scope = outer
	}
	if len(out.Arms) == 0 {
		out.Arms = []ast.IfArm{{Pos: s.Pos, Cond: &ast.LogicalLit{XBase: o.XBase, Value: false}}}
	}
	return one(out)
}

// changes is a variable in a subscript of o that list assigns to, "" for none.
func (t *unit) changes(o *object, list []ast.Stmt) string {
	for _, s := range list {
		name := ""
		switch s := s.(type) {
		case *ast.Assign:
			if id, ok := s.LHS.(*ast.Ident); ok {
				name = id.Name
			}
		case *ast.Do:
			name = s.Var.Name
		}
		for _, g := range o.groups {
			for _, a := range g.args {
				if name != "" && mentioned(a, map[string]bool{name: true}) {
					return name
				}
			}
		}
		for _, b := range ast.Bodies(s) {
			if name := t.changes(o, *b); name != "" {
				return name
			}
		}
	}
	return ""
}

// byID is the type with this id, nil for none.
func (p *program) byID(id string) *record {
	for _, r := range p.records {
		if r.id == id {
			return r
		}
	}
	return nil
}
