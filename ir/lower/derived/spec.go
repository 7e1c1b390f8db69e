package derived

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// unit writes one unit, or a construct with names of its own.
type unit struct {
	*scope
	p                 *program
	before            []ast.Stmt        // what the statement in hand does first
	fixed             string            // where nothing can be done first: "in the condition of a loop"
	start             []ast.Stmt        // what the unit does first: initial values
	finish            []ast.Stmt        // and last: what its variables own is deallocated
	begins            []ast.Stmt        // what allocates the variables of a module that pointers may point to
	after             []ast.Stmt        // what is done behind the statement in hand
	alone             bool              // which has no statements inside
	views             []ast.Association // arrays that it sees by names of its own, and
	shapes            map[string]string // these names by their descriptors
	trying, dependent bool              // items of implied DOs, which need something done for each: constructed
	uses              []ast.Stmt        // what else it takes from modules
}

// unit is u without derived types.
func (p *program) unit(u *ast.Program) *ast.Program {
	t := &unit{scope: p.scopes[u], p: p}
	out := *u
	out.Args = t.names(u.Args, true)
	result := (&function{unit: u, scope: t.scope}).result()
	if result != nil {
		out.Kind, out.Prefix, out.Result = ast.SubroutineUnit, nil, ast.Name{}
		for _, l := range result.leaves() {
			out.Args = append(out.Args, ast.Name{Pos: u.Pos, Name: resultName(u) + l.name})
		}
	}
	out.Spec = t.declarations(u.Spec)
	out.Spec = append(out.Spec, t.beginning(u)...)
	if result != nil && u.Prefix != nil {
		d := &ast.TypeDecl{Base: ast.Base{Pos: u.Pos}, Type: *u.Prefix, Entities: []ast.Entity{{Pos: u.Pos, Name: resultName(u)}}}
		out.Spec = append(out.Spec, t.typedDecl(d)...)
	}
	out.Body = t.list(u.Body)
	out.Spec = append(append(out.Spec, t.scope.temps...), p.ownNames(u)...)
	out.Spec = append(slices.Concat(t.uses, out.Spec), p.exported(u)...)
	out.Body = append(t.start, t.finished(out.Body)...)
	if u.Kind == ast.MainUnit {
		uses, calls := p.allBegins(u)
		out.Spec, out.Body = append(uses, out.Spec...), append(calls, out.Body...)
	}
	out.Contains = p.units(slices.Concat(u.Contains, p.extra[u]))
	return &out
}

// finished is list, the statements of a unit or a BLOCK, with what has to be done when it ends.
func (t *unit) finished(list []ast.Stmt) []ast.Stmt {
	if len(t.finish) == 0 {
		return list
	}
	isReturn := func(s ast.Stmt, _ int) bool { _, is := s.(*ast.Return); return is }
	return append(leaving(list, t.finish, 0, isReturn), t.finish...)
}

// copies are the statements of list with nodes of their own.
func copies(list []ast.Stmt) []ast.Stmt {
	var out []ast.Stmt
	for _, s := range list {
		c := ast.Copy(s)
		for _, x := range ast.Exprs(c) {
			*x = clone(*x)
		}
		for _, b := range ast.Bodies(c) {
			*b = copies(*b)
		}
		out = append(out, c)
	}
	return out
}

// names are list, those of variables of derived types in their parts; those of types are left
// out, unless they are arguments.
func (t *unit) names(list []ast.Name, all bool) []ast.Name {
	var out []ast.Name
	for _, n := range list {
		if v := t.variable(n.Name); v != nil {
			for _, l := range v.leaves() {
				out = append(out, ast.Name{Pos: n.Pos, Name: v.name + l.name})
			}
		} else if all || t.types[n.Name] == nil || len(t.candidates(t.p, n.Name)) > 0 {
			out = append(out, n)
		}
	}
	return out
}

// declarations are the declarations of a unit or construct without derived types.
func (t *unit) declarations(list []ast.Stmt) []ast.Stmt {
	t.fixed = "in a declaration"
	defer func() { t.fixed = "" }()
	var out []ast.Stmt
	for _, s := range list {
		out = append(out, t.declaration(s)...)
	}
	return out
}

func (t *unit) declaration(s ast.Stmt) []ast.Stmt {
	switch s := s.(type) {
	case *ast.TypeDef:
		if r := t.types[s.Name.Name]; r != nil && r.def == s {
			return t.defined(r)
		}
		return nil
	case *ast.Use:
		return t.use(s)
	case *ast.Access:
		if c := *s; len(s.Names) > 0 {
			if c.Names = t.names(s.Names, false); len(c.Names) == 0 {
				return nil
			}
			return []ast.Stmt{&c}
		}
	case *ast.Save:
		c := *s
		c.Names = t.names(s.Names, true)
		return []ast.Stmt{&c}
	case *ast.Intent:
		c := *s
		c.Names = t.names(s.Names, true)
		return []ast.Stmt{&c}
	case *ast.Attribute:
		c := *s
		c.Names = t.names(s.Names, true)
		return []ast.Stmt{&c}
	case *ast.Dynamic:
		c := *s
		c.Names = t.names(s.Names, true)
		return []ast.Stmt{&c}
	case *ast.Shadow:
		c := *s
		c.Names = t.names(s.Names, true)
		return []ast.Stmt{&c}
	case *ast.Inherit:
		c := *s
		c.Names = t.names(s.Names, true)
		return []ast.Stmt{&c}
	case *ast.Import:
		return []ast.Stmt{&ast.Import{Base: s.Base}}
	case *ast.TypeDecl:
		if s.Type.Of.Name != "" || s.Points != nil {
			return t.typedDecl(s)
		}
		return []ast.Stmt{t.each(s)}
	case *ast.Interface:
		c := *s
		c.Units = t.p.units(s.Units)
		return []ast.Stmt{&c}
	case *ast.Distribute:
		return t.distribute(s)
	case *ast.Align:
		return t.align(s)
	case *ast.Namelist:
		for _, g := range s.Groups {
			for _, n := range g.Names {
				t.plain(n, "in NAMELIST")
			}
		}
	case *ast.Common:
		for _, b := range s.Blocks {
			for _, e := range b.Entities {
				t.plain(ast.Name{Pos: e.Pos, Name: e.Name}, "in COMMON")
			}
		}
	case *ast.Equivalence:
		for _, g := range s.Groups {
			for _, x := range g {
				if o := t.object(x); o != nil {
					t.plain(ast.Name{Pos: o.Pos, Name: o.root.name}, "in EQUIVALENCE")
				}
			}
		}
	case *ast.ParameterStmt, *ast.DimensionStmt, *ast.Data:
		return []ast.Stmt{t.each(s)}
	case *ast.Independent:
		return []ast.Stmt{t.independent(s)}
	}
	return []ast.Stmt{s}
}

// plain reports name where it is a variable of a derived type.
func (t *unit) plain(n ast.Name, where string) {
	if v := t.variable(n.Name); v != nil {
		t.p.errorf(n.Pos, "%s, which is of type %s, stands %s", n.Name, v.of.name, where).WithHelp("put variables of other types there")
	}
}

// each is s with its expressions written anew.
func (t *unit) each(s ast.Stmt) ast.Stmt {
	c := ast.Copy(s)
	for _, x := range ast.Exprs(c) {
		if d, ok := s.(*ast.Data); ok {
			if o := t.object(*x); o != nil && o.of != nil {
				t.p.errorf(o.Pos, "DATA of %s, which is of type %s", o.name, o.of.name).WithHelp("give its components their values one by one")
				return d
			}
		}
		*x = t.expr(*x)
	}
	return c
}

// defined are the constants and procedures that go with r.
func (t *unit) defined(r *record) []ast.Stmt {
	out := slices.Clone(r.decls)
	if len(r.names) > 0 && t.unit.Kind == ast.ModuleUnit {
		a := &ast.Access{Base: ast.Base{Pos: r.def.Pos}, Access: "public"}
		for _, n := range r.names {
			if !t.public[n] && !t.private[n] {
				a.Names = append(a.Names, ast.Name{Pos: r.def.Pos, Name: n})
				t.public[n] = true
			}
		}
		if len(a.Names) > 0 {
			out = append(out, a)
		}
	}
	return out
}

// use is USE with what variables of derived types are made of, and what their types need.
func (t *unit) use(s *ast.Use) []ast.Stmt {
	m := t.p.modules[s.Module.Name]
	c := *s
	c.Names = nil
	if m == nil || s.Nature == "intrinsic" {
		for _, n := range s.Names {
			if r := t.types[n.Name.Name]; s.Module.Name != "iso_fortran_env" || r == nil || !r.intrinsic {
				c.Names = append(c.Names, n)
			}
		}
		if s.Only && len(c.Names) == 0 && len(s.Names) > 0 {
			return nil
		}
		return []ast.Stmt{&c}
	}
	for _, n := range s.Names {
		old := n.Original().Name
		switch v := m.vars[old]; {
		case v != nil:
			for _, l := range v.leaves() {
				part := ast.UseName{Name: ast.Name{Pos: n.Pos, Name: n.Name.Name + l.name}}
				if n.Name.Name != v.name {
					part.Of = ast.Name{Pos: n.Pos, Name: v.name + l.name}
				}
				c.Names = append(c.Names, part)
			}
		case m.types[old] != nil && m.procs[old] == nil && m.generics[old] == nil:
			if !m.visible(old) {
				t.p.diags.Errorf(source.BadCall, n.Pos, "the type %s is PRIVATE in module %s", old, s.Module.Name).WithHelp("make it PUBLIC in the module")
			}
		default:
			c.Names = append(c.Names, n)
		}
	}
	out := []ast.Stmt{&c}
	if c.Only && len(c.Names) == 0 && len(s.Names) > 0 {
		out = nil
	}
	for _, r := range m.reachable() {
		home := r.scope
		if home.unit.Kind != ast.ModuleUnit || len(r.names) == 0 || home == t.scope.module() {
			continue
		}
		u := &ast.Use{Base: s.Base, Module: ast.Name{Pos: s.Module.Pos, Name: home.unit.Name}, Only: true}
		for _, n := range r.names {
			u.Names = append(u.Names, ast.UseName{Name: ast.Name{Pos: s.Pos, Name: n}})
		}
		out = append(out, u)
	}
	return out
}

// module is the outermost scope around s.
func (s *scope) module() *scope {
	for s.outer != nil {
		s = s.outer
	}
	return s
}

// reachable are the types that something of module s may have, in a fixed order.
func (s *scope) reachable() []*record {
	var out []*record
	var add func(r *record)
	add = func(r *record) {
		if r.isAll() {
			for _, e := range r.holds {
				add(e)
			}
			return
		}
		if slices.Contains(out, r) {
			return
		}
		out = append(out, r)
		if r.parent != nil {
			add(r.parent)
		}
		for _, c := range r.comps {
			if c.described != nil {
				if c.described.elem != nil {
					add(c.described.elem)
				}
			} else if c.of != nil {
				add(c.of)
			}
		}
	}
	for _, r := range s.types {
		add(r)
	}
	for _, v := range s.vars {
		if v != nil {
			add(v.of)
		}
	}
	slices.SortFunc(out, func(a, b *record) int {
		if a.id < b.id {
			return -1
		}
		return 1
	})
	return out
}

// isEntryArgument reports whether an ENTRY of u has an argument called name.
func isEntryArgument(u *ast.Program, name string) bool {
	return slices.ContainsFunc(u.Body, func(s ast.Stmt) bool {
		e, ok := s.(*ast.Entry)
		return ok && slices.ContainsFunc(e.Args, func(n ast.Name) bool { return n.Name == name })
	})
}

// typedDecl are the declarations of what the variables that d declares are made of.
func (t *unit) typedDecl(d *ast.TypeDecl) []ast.Stmt {
	var out []ast.Stmt
	for i := range d.Entities {
		e := &d.Entities[i]
		v := t.vars[e.Name]
		if v == nil {
			continue // reported
		}
		dummy := slices.ContainsFunc(t.unit.Args, func(n ast.Name) bool { return n.Name == e.Name })
		if !dummy && isEntryArgument(t.unit, e.Name) {
			if dummy = true; d.Intent == "out" {
				t.p.errorf(e.Pos, "%s is an argument of an ENTRY, of type %s and with INTENT(OUT)", e.Name, v.of.name).WithHelp("write a procedure of its own in place of the ENTRY")
				continue
			}
		}
		result := t.unit.Kind == ast.FunctionUnit && e.Name == resultName(t.unit)
		if v.class && !v.dynamic && (d.Allocatable || !dummy) {
			t.p.errorf(e.Pos, "%s is polymorphic, and no dummy argument and not ALLOCATABLE", e.Name).WithHelp("declare it as type(%s), or as: class(%[1]s), allocatable", v.of.name)
			continue
		}
		if v.of.isAll() && (!dummy || d.Allocatable || d.Pointer) {
			t.p.errorf(e.Pos, "%s is declared with CLASS(*), and is no dummy argument, or ALLOCATABLE or a POINTER", e.Name).
				WithHelp("declare it with CLASS of a type that all its types extend")
			continue
		}
		dims, codims := e.Dims, e.Codims
		if len(dims) == 0 {
			dims = d.Dimension
		}
		if b := v.described(); b != nil {
			out = append(out, t.describedDecl(d, e, v, b, dims)...)
			continue
		}
		if len(codims) == 0 {
			codims = d.Codimension
		}
		c := *d
		if result {
			c.Intent = "out"
		}
		if v.dynamic && !v.allocatable {
			c.Allocatable = false
		}
		if v.bounded {
			c.Allocatable = true
			t.start = append(t.start, t.allocatedResult(e, dims)...)
			dims = make([]ast.DimSpec, len(dims))
		}
		if of := v.of.opaque(); of != nil && !dummy && len(codims) == 0 {
			t.p.diags.Errorf(source.NotConstant, e.Pos, "%s, which is of type %s or has a component of it, is no coarray", e.Name, of.name).WithHelp("declare it with a codimension: %s[*]", e.Name)
			continue
		}
		var values []ast.Expr
		switch {
		case e.Init != nil && v.of.points == nil && t.typeOf(e.Init) != v.of:
			t.p.diags.Errorf(source.TypeMismatch, e.Init.Position(), "%s is of type %s, and this is not", e.Name, v.of.name).WithHelp("write: %s(...)", v.of.name)
		case e.Init != nil:
			values = t.value(e.Init, v.of, false)
		}
		lasts := t.lasts(d)
		final := t.p.isFinalizable(v.of) && !v.pointer
		if (v.of.hasContents() || final) && !d.Parameter && !v.pointer { // what a pointer points to stays
			whole := t.object(&ast.Ident{XBase: ast.XBase{Pos: e.Pos, End: e.Pos}, Name: e.Name})
			ends := append(t.finalizedThere(whole), t.whereAllocated(whole, t.emptied(whole))...)
			switch {
			case dummy && d.Intent == "out":
				for _, l := range v.of.leaves() {
					if v.allocatable && (l.owned() || final) && l.comp != t.p.number {
						ends = append(ends, t.freed(t.reference(whole, l), ast.Base{Pos: e.Pos}))
					}
				}
				if leaves := v.of.leaves(); len(leaves) > 0 { // else there is nothing to pass
					t.start = append(t.start, ifPresent(d.Optional, v.name+leaves[0].name, ends, e.Pos)...)
				}
			case !dummy && !result && !lasts:
				t.finish = append(t.finish, ends...)
			}
		}
		for k, l := range v.of.leaves() {
			t.suits(v, l, e.Pos, dummy)
			own := t.dims(dims)
			c, codims := c, codims
			if v.class && (!v.dynamic || v.allocatable) && l.path[0] == t.p.number {
				own, codims, c.Allocatable = nil, nil, false // all elements have one type, on all images
			}
			one := leafDecl(l, &c, e.Name, e.Pos, own, codims)
			if dummy && d.Intent == "out" && (l.owned() || final) {
				one.Intent = "inout" // it says what is deallocated or finalized at the entry
			}
			if v.class && !v.dynamic {
				if one.Optional = one.Optional || l.path[0].owner != nil; l.path[0] == t.p.number {
					one.Intent = "in"
				}
			}
			if v.apart(l) {
				one.Entities[0].Apart, one.Entities[0].Codims = true, anyImage(e.Pos)
			}
			switch x := l.comp.init; {
			case k < len(values) && !isNull(values[k]):
				one.Entities[0].Init = values[k]
			case x != nil && !l.open && !c.Allocatable && v.class && !v.dynamic && l.path[0].owner != nil && dummy && d.Intent == "out":
				t.start = append(t.start, ifPresent(true, e.Name+l.name, []ast.Stmt{t.initially(e.Name, l, x, v.rank, e.Pos)}, e.Pos)...) // where its type has it
			case x == nil || l.open || c.Allocatable || v.class && !v.dynamic && (l.path[0] == t.p.number || l.path[0].owner != nil) || v.dynamic && l.path[0] != t.p.number && !l.owned() || dummy && d.Intent != "out" || e.Init != nil || len(values) > 0:
			case dummy || result || !lasts:
				t.start = append(t.start, ifPresent(dummy && d.Optional, e.Name+l.name, []ast.Stmt{t.initially(e.Name, l, x, v.rank, e.Pos)}, e.Pos)...)
			case l.comp.array && len(l.dims)+len(dims) > len(l.comp.dims):
				one.Entities[0].Init = t.repeated(x, l, slices.Concat(l.dims, t.dims(dims)), e.Pos)
			default:
				one.Entities[0].Init = clone(x)
			}
			out = append(out, one)
		}
		if v.beside() {
			out = append(out, &ast.TypeDecl{Base: c.Base, Type: ast.TypeSpec{Name: "logical"}, HasColons: true, Allocatable: v.allocatable, Access: c.Access, Save: c.Save, Intent: c.Intent, Optional: c.Optional,
				Entities: []ast.Entity{{Pos: e.Pos, Name: v.name + present, Codims: codims}}})
		}
	}
	out = append(t.scope.ofUnit().early, out...)
	t.scope.ofUnit().early = nil
	return out
}

// allocatedResult allocates e, the value of a function, with these bounds.
func (t *unit) allocatedResult(e *ast.Entity, dims []ast.DimSpec) []ast.Stmt {
	b := builder{ast.XBase{Pos: e.Pos, End: e.Pos}}
	var bounds []ast.Expr
	for _, d := range dims {
		switch {
		case d.Lo != nil:
			bounds = append(bounds, b.section(clone(d.Lo), cloneOf(d.Hi)))
		default:
			bounds = append(bounds, cloneOf(d.Hi))
		}
	}
	return t.allocate(&ast.Allocate{Base: b.base(), Args: []ast.Expr{elementOf(b.id(e.Name), bounds, b.XBase)}})
}

// ifPresent is list, where optional holds only if argument name is present.
func ifPresent(optional bool, name string, list []ast.Stmt, pos source.Pos) []ast.Stmt {
	if !optional || len(list) == 0 {
		return list
	}
	e := builder{ast.XBase{Pos: pos, End: pos}}
	return one(e.when(e.ref("present", e.id(name)), list...))
}

// lasts reports whether the variables that d declares keep their values: not those of a procedure or BLOCK
// without SAVE.
func (t *unit) lasts(d *ast.TypeDecl) bool {
	return d.Save || t.saveAll || !t.unit.Kind.IsProcedure() && t.scope == t.scope.ofUnit()
}

// initially gives part l of the variable called name its initial value x.
func (t *unit) initially(name string, l *leaf, x ast.Expr, rank int, pos source.Pos) ast.Stmt {
	at := ast.XBase{Pos: pos, End: pos}
	to := &ast.Ident{XBase: at, Name: name + l.name}
	x = clone(x)
	if own := len(l.comp.dims); l.comp.array {
		for k := own + 1; k <= len(l.dims)+rank; k++ {
			dim := &ast.IntLit{XBase: at, Text: strconv.Itoa(k)}
			n := &ast.Index{XBase: at, Name: "size", NamePos: pos, Args: []ast.Expr{clone(to), dim}}
			x = &ast.Index{XBase: at, Name: "spread", NamePos: pos, Args: []ast.Expr{x, clone(dim), n}}
		}
	}
	return &ast.Assign{Base: ast.Base{Pos: pos}, LHS: to, RHS: x}
}

// repeated is array x, the initial value of a component, for all elements of part l, which has
// these dimensions.
func (t *unit) repeated(x ast.Expr, l *leaf, dims []ast.DimSpec, pos source.Pos) ast.Expr {
	at := ast.XBase{Pos: pos, End: pos}
	shape := extents(dims, at)
	var n ast.Expr = &ast.IntLit{XBase: at, Text: "1"}
	for _, m := range shape[len(l.comp.dims):] {
		n = &ast.Binary{XBase: at, Op: "*", OpPos: pos, X: n, Y: &ast.Paren{XBase: at, X: clone(m)}}
	}
	s := t.scope.ofUnit()
	s.count++
	do := &ast.ImpliedDo{XBase: at, Items: []ast.Expr{clone(x)}, Var: ast.Name{Pos: pos, Name: fmt.Sprintf("item%%%d", s.count)}, Lo: &ast.IntLit{XBase: at, Text: "1"}, Hi: n}
	s.early = append(s.early, &ast.TypeDecl{Base: ast.Base{Pos: pos}, Type: ast.TypeSpec{Name: "integer"}, HasColons: true, Entities: []ast.Entity{{Pos: pos, Name: do.Var.Name}}})
	return &ast.Index{XBase: at, Name: "reshape", NamePos: pos, Args: []ast.Expr{&ast.Array{XBase: at, Items: []ast.Expr{do}, Brackets: true}, &ast.Array{XBase: at, Items: shape, Brackets: true}}}
}

// suits reports a part that a variable of its kind cannot have.
func (t *unit) suits(v *variable, l *leaf, pos source.Pos, dummy bool) {
	for i, c := range l.path {
		switch {
		case len(c.codims) > 0 && (v.rank > 0 || v.allocatable || v.coarray):
			t.p.errorf(pos, "the component %s is a coarray, and %s is an array, allocatable or a coarray itself", c.name, v.name).
				WithHelp("declare %s as a scalar", v.name)
		case !c.allocatable:
		case v.rank > 0 || v.allocatable && !v.coarray:
			t.p.errorf(pos, "the component %s is %s, and %s is an array, or allocatable", c.name, c.attribute(), v.name).
				WithHelp("give the component constant bounds, or declare it as an array of its own")
		case slices.ContainsFunc(l.path[i+1:], func(c *component) bool { return c.allocatable }):
			t.p.errorf(pos, "a component of the component %s, which is %s, is allocatable or a pointer too", c.name, c.attribute()).WithHelp("give one of them constant bounds")
		default:
			for _, outer := range l.path[:i] {
				if len(outer.dims) > 0 {
					t.p.errorf(pos, "the component %s is %s, and the component %s that it is in is an array", c.name, c.attribute(), outer.name).
						WithHelp("give one of them constant bounds, or declare it as an array of its own")
				}
			}
		}
	}
}

// leafDecl declares part l of a variable that d declares with these dimensions.
func leafDecl(l *leaf, d *ast.TypeDecl, name string, pos source.Pos, dims, codims []ast.DimSpec) *ast.TypeDecl {
	c := *d
	c.Type, c.Dimension, c.Codimension, c.HasColons = l.comp.spec, nil, nil, true
	c.Type.Kind, c.Type.Len = cloneOf(c.Type.Kind), cloneOf(c.Type.Len)
	if len(codims) == 0 {
		codims = l.codims
	}
	e := ast.Entity{Pos: pos, Name: name + l.name, Codims: codims}
	open := l.open || d.Allocatable
	c.Allocatable, c.Pointer = open, d.Pointer && !l.open || l.pointer()
	shaped := len(dims) > 0 && dims[len(dims)-1].Hi == nil // assumed
	for _, own := range l.dims {
		switch {
		case open:
			own = ast.DimSpec{Pos: own.Pos}
		case shaped:
			own = ast.DimSpec{Pos: own.Pos, Lo: cloneOf(own.Lo)}
		default:
			own = ast.DimSpec{Pos: own.Pos, Lo: cloneOf(own.Lo), Hi: cloneOf(own.Hi)}
		}
		e.Dims = append(e.Dims, own)
	}
	e.Dims = append(e.Dims, dims...)
	c.Entities = []ast.Entity{e}
	return &c
}

func cloneOf(x ast.Expr) ast.Expr {
	if x == nil {
		return nil
	}
	return clone(x)
}

// dims are extents without components.
func (t *unit) dims(list []ast.DimSpec) []ast.DimSpec {
	out := slices.Clone(list)
	for i := range out {
		out[i].Lo, out[i].Hi = t.cloned(out[i].Lo), t.cloned(out[i].Hi)
	}
	return out
}
