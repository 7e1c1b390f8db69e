package derived

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// define takes the definition of a derived type.
func (p *program) define(s *scope, d *ast.TypeDef) {
	r := &record{name: d.Name.Name, id: s.id + "%" + d.Name.Name, def: d, scope: s, bound: map[string]*bound{}}
	if s.types[r.name] != nil && s.types[r.name].scope == s {
		p.errorf(d.Name.Pos, "the type %s is defined twice", r.name).WithHelp("rename one of them")
		return
	}
	s.types[r.name] = r
	p.records = append(p.records, r)
	if d.Access == "private" {
		s.private[r.name] = true
	} else if d.Access == "public" {
		s.public[r.name] = true
	}
	if d.Extends.Name != "" {
		if r.parent = s.record(d.Extends.Name); r.parent == nil {
			p.errorf(d.Extends.Pos, "there is no derived type %s here", d.Extends.Name).WithHelp("define it in front of this line")
			return
		}
		r.comps = append(r.comps, r.parent.comps...)
	}
	for _, c := range d.Components {
		p.components(r, c)
	}
}

// components takes a declaration of components.
func (p *program) components(r *record, d *ast.TypeDecl) {
	for i := range d.Entities {
		e := &d.Entities[i]
		c := &component{name: e.Name, pos: e.Pos, spec: d.Type, allocatable: d.Allocatable, pointer: d.Pointer}
		dims := e.Dims
		if len(dims) == 0 {
			dims = d.Dimension
		}
		if r.component(c.name) != nil {
			p.errorf(e.Pos, "the component %s is declared twice", e.Name).WithHelp("rename one of them")
			continue
		}
		if c.codims = e.Codims; len(c.codims) == 0 {
			c.codims = d.Codimension
		}
		if len(c.codims) > 0 && (!c.allocatable || c.pointer || c.codims[0].Hi != nil) {
			p.errorf(e.Pos, "the component %s is a coarray, and not ALLOCATABLE with deferred codimensions", e.Name).
				WithHelp("write %s[:] with the attribute ALLOCATABLE, and the codimensions in ALLOCATE", e.Name)
			continue
		}
		prefix := r.id + "%" + e.Name
		if d.Points != nil {
			if c.of = p.pointerTo(r.scope, d.Points); e.Init != nil && !isNull(e.Init) {
				p.errorf(e.Init.Position(), "the component %s points to a procedure from the beginning", e.Name).WithHelp("write => null(), and assign it")
			}
			r.comps = append(r.comps, c)
			continue
		}
		if d.Type.Of.Name == everything {
			p.errorf(e.Pos, "the component %s is declared with CLASS(*), which only dummy arguments may have", e.Name).
				WithHelp("declare it with CLASS of a type that all its types extend: class(base), allocatable :: %s", e.Name)
			continue
		}
		if d.Type.Of.Name != "" {
			if c.of = r.scope.record(d.Type.Of.Name); c.allocatable && len(c.codims) == 0 && d.Type.Name != "class" && (c.of == nil || c.of == r) {
				if c.of = nil; p.shapeOf(r, c, dims, prefix) {
					if e.Init != nil {
						p.initial(r, c, e.Init, prefix)
					}
					p.laters = append(p.laters, later{c, r, d.Type.Of})
					r.comps = append(r.comps, c)
				}
				continue
			}
			if of := c.of.opaque(); of != nil && c.of != r && len(c.codims) == 0 && c.allocatable {
				p.diags.Errorf(source.NotConstant, e.Pos, "the component %s, which is of type %s or has a component of it, is %s", e.Name, of.name, c.attribute()).
					WithHelp("remove the attribute: such a variable is a coarray, or part of one")
				continue
			}
			if (c.of == nil || c.of == r) && d.Type.Name == "class" {
				help := "write TYPE(%s), if the component never is of an extension"
				if c.of == nil {
					help = "define type %[1]s in front of this one; or write TYPE(%[1]s), if the component never is of an extension"
				}
				p.errorf(d.Type.Of.Pos, "a component of CLASS(%s), whose extensions are not known yet", d.Type.Of.Name).WithHelp(help, d.Type.Of.Name)
				continue
			}
			if c.of == nil || c.of == r {
				p.errorf(d.Type.Of.Pos, "a component of type %s, which is not defined yet", d.Type.Of.Name).
					WithHelp("define the type in front of this one, or make the component ALLOCATABLE or a POINTER")
				continue
			}
			if d.Type.Name == "class" {
				if !d.Allocatable || len(dims) > 0 {
					p.errorf(e.Pos, "the component %s is polymorphic, and no ALLOCATABLE scalar", e.Name).WithHelp("declare it as: class(%s), allocatable :: %s", d.Type.Of.Name, e.Name)
					continue
				}
				c.of.dynamic = true
				c.of, c.dynamic, c.allocatable = p.anyOf(c.of), true, false
			}
			if e.Init != nil && !p.constructed(r, c, e.Init, prefix) {
				p.errorf(e.Pos, "an initial value of this form of the component %s, which has a derived type", e.Name).
					WithHelp("write a structure constructor of %[1]s with values of intrinsic types, or give the components of %[1]s initial values", d.Type.Of.Name)
			}
		}
		c.spec.Kind = r.constant(prefix+"%kind", c.spec.Kind)
		length := e.Len
		if length == nil {
			length = c.spec.Len
		}
		if id, ok := length.(*ast.Ident); ok && (id.Name == ":" || id.Name == "*") {
			c.spec.Len = length
		} else {
			c.spec.Len, c.spec.Star = r.constant(prefix+"%len", length), false
		}
		if !p.shapeOf(r, c, dims, prefix) {
			return
		}
		if e.Init != nil && c.of == nil {
			p.initial(r, c, e.Init, prefix+"%init")
		}
		r.comps = append(r.comps, c)
	}
}

// shapeOf takes the dimensions of component c; ok is false after an error.
func (p *program) shapeOf(r *record, c *component, dims []ast.DimSpec, prefix string) (ok bool) {
	for k, dim := range dims {
		if dim.Hi == nil && !c.allocatable {
			p.errorf(dim.Pos, "the component %s has no bounds and is not allocatable", c.name).WithHelp("write the bounds, or declare it as allocatable")
			return false
		}
		dim.Lo = r.constant(fmt.Sprintf("%s%%lo%d", prefix, k+1), dim.Lo)
		dim.Hi = r.constant(fmt.Sprintf("%s%%hi%d", prefix, k+1), dim.Hi)
		c.dims = append(c.dims, dim)
	}
	return true
}

// initial takes the initial value of a component.
func (p *program) initial(r *record, c *component, x ast.Expr, name string) {
	if c.allocatable {
		if call, ok := x.(*ast.Index); !ok || call.Name != "null" {
			p.errorf(x.Position(), "an initial value of the component %s, which is allocatable", c.name).WithHelp("remove it")
		}
		return
	}
	if isLiteral(x) {
		c.init = x
		return
	}
	d := &ast.TypeDecl{Base: ast.Base{Pos: c.pos}, Type: c.spec, Parameter: true, HasColons: true}
	e := ast.Entity{Pos: c.pos, Name: name, Init: x}
	if c.array = isArrayValue(x); c.array {
		e.Dims = c.dims
	}
	d.Entities = []ast.Entity{e}
	r.decls, r.names = append(r.decls, d), append(r.names, name)
	c.init = ident(name, x)
}

// constructed takes x, the initial value of component c that has a derived type, as initial values of
// what it is made of; ok is false where x is no structure constructor of constants.
func (p *program) constructed(r *record, c *component, x ast.Expr, prefix string) (ok bool) {
	call, is := x.(*ast.Index)
	if !is || r.scope.record(call.Name) != c.of || c.dynamic || c.allocatable || c.of.points != nil {
		return false
	}
	c.given = map[string]*component{}
	for i, a := range call.Args {
		k, named := a.(*ast.Keyword)
		var part *component
		switch {
		case named:
			part, a = c.of.component(k.Name), k.X
		case i < len(c.of.comps):
			part = c.of.comps[i]
		}
		if part == nil || part.of != nil || part.allocatable {
			return false
		}
		own := *part
		c.given[part.name] = &own
		p.initial(r, &own, a, prefix+"%init%"+part.name)
	}
	return true
}

// isArrayValue reports whether constant x is written as an array.
func isArrayValue(x ast.Expr) bool {
	return ast.Any(x, func(x ast.Expr) bool {
		switch x := x.(type) {
		case *ast.Array:
			return true
		case *ast.Index:
			return x.Name == "reshape"
		}
		return false
	})
}

func isLiteral(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.IntLit:
		return x.Kind == "" || x.Kind[0] <= '9'
	case *ast.RealLit:
		return x.Kind == "" || x.Kind[0] <= '9'
	case *ast.StringLit, *ast.LogicalLit:
		return true
	case *ast.Unary:
		return isLiteral(x.X)
	case *ast.Paren:
		return isLiteral(x.X)
	}
	return false
}

// constant is x, an INTEGER that the definition of r needs, as other units can write it.
func (r *record) constant(name string, x ast.Expr) ast.Expr {
	if x == nil || isLiteral(x) {
		return x
	}
	d := &ast.TypeDecl{Base: ast.Base{Pos: x.Position()}, Type: ast.TypeSpec{Name: "integer"}, Parameter: true, HasColons: true,
		Entities: []ast.Entity{{Pos: x.Position(), Name: name, Init: x}}}
	r.decls, r.names = append(r.decls, d), append(r.names, name)
	return ident(name, x)
}

func ident(name string, at ast.Expr) *ast.Ident {
	return &ast.Ident{XBase: ast.XBase{Pos: at.Position(), End: at.EndPosition()}, Name: name}
}

func (r *record) component(name string) *component {
	for _, c := range r.comps {
		if c.name == name {
			return c
		}
	}
	return nil
}

// extends reports whether r is t or an extension of it.
func (r *record) extends(t *record) bool {
	if r.points != nil && t.points != nil {
		a, b := r.points.callers(), t.points.callers()
		return a != nil && a == b
	}
	t = t.declared()
	if t.isAll() {
		return true
	}
	for at := r.declared(); at != nil; at = at.parent {
		if at == t {
			return true
		}
	}
	return false
}

// leaves are what a variable of type r is made of.
func (r *record) leaves() []*leaf {
	if r.leaf != nil || r.busy {
		return r.leaf
	}
	r.busy = true
	for _, c := range r.comps {
		if c.of == nil {
			r.leaf = append(r.leaf, &leaf{name: "%" + c.name, comp: c, dims: c.dims, open: c.allocatable, path: []*component{c}, codims: c.codims})
			continue
		}
		for _, in := range c.of.leaves() {
			comp := in.comp
			if own := c.given[comp.name]; own != nil && len(in.path) == 1 {
				comp = own
			}
			r.leaf = append(r.leaf, &leaf{name: "%" + c.name + in.name, comp: comp, dims: slices.Concat(in.dims, c.dims), open: in.open || c.allocatable,
				path: append([]*component{c}, in.path...), codims: append(slices.Clone(c.codims), in.codims...)})
		}
	}
	return r.leaf
}

// boundProcedures gives the procedures of the types of s generic names, by which other units
// call them too.
func (p *program) boundProcedures(s *scope) {
	for _, st := range s.unit.Spec {
		d, ok := st.(*ast.TypeDef)
		if !ok || s.types[d.Name.Name] == nil || s.types[d.Name.Name].def != d {
			continue
		}
		r := s.types[d.Name.Name]
		if r.parent != nil {
			for name, b := range r.parent.bound {
				r.bound[name] = b
			}
		}
		p.finals(r)
		for _, generic := range []bool{false, true} {
			for i := range d.Bound {
				if d.Bound[i].Generic == generic {
					p.extend(r, &d.Bound[i])
					p.bind(r, &d.Bound[i])
				}
			}
		}
	}
}

// extend adds to generic name d of r what its parents have under that name, as far as the module
// of r sees it. Operators have one name in all modules.
func (p *program) extend(r *record, d *ast.Binding) {
	if !d.Generic || isOperator(d.Name.Name) {
		return
	}
	visible := func(name string) bool {
		b := r.bound[name]
		return b != nil && !slices.ContainsFunc(b.target, func(t string) bool { return r.scope.function(p, t) == nil })
	}
	for at := r.parent; at != nil; at = at.parent {
		for _, of := range at.def.Bound {
			for _, t := range of.Targets {
				if of.Generic && of.Name.Name == d.Name.Name && visible(t.Name) && !slices.ContainsFunc(d.Targets, func(x ast.Name) bool { return x.Name == t.Name }) {
					d.Targets = append(d.Targets, t)
				}
			}
		}
	}
}

// isOperator reports whether a generic name is that of an operator or of assignment.
func isOperator(name string) bool {
	return name == "assignment(=)" || strings.HasPrefix(name, "operator") && len(name) > len("operator")
}

func (p *program) bind(r *record, d *ast.Binding) {
	s := r.scope
	b := &bound{by: r, name: r.id + "%" + d.Name.Name, nopass: d.NoPass, pass: d.Pass.Name, at: d.Pos}
	if d.Deferred {
		if b.deferred = s.function(p, d.Face.Name); b.deferred == nil {
			p.errorf(d.Pos, "there is no interface %s for the deferred procedure %s", d.Face.Name, d.Name.Name).WithHelp("write it in an ABSTRACT INTERFACE block")
			return
		}
		r.bound[d.Name.Name] = b
		return
	}
	for at := r.parent; at != nil && !d.Generic; at = at.parent {
		if at.bound[d.Name.Name] != nil {
			if p.overridden[at] == nil {
				p.overridden[at] = map[string]source.Pos{}
			}
			p.overridden[at][d.Name.Name] = d.Pos
		}
	}
	for _, t := range d.Targets {
		target := t.Name
		if d.Generic {
			of := r.bound[target]
			if of == nil {
				p.errorf(t.Pos, "%s is no procedure of type %s", target, r.name).WithHelp("declare it in front: procedure :: %s", target)
				continue
			}
			b.nopass, b.pass = of.nopass, of.pass
			b.specific = append(b.specific, of)
			b.target = append(b.target, of.target...)
			continue
		}
		if s.function(p, target) == nil {
			p.errorf(t.Pos, "there is no procedure %s for type %s", target, r.name).WithHelp("add it behind CONTAINS of the module")
			continue
		}
		b.target = append(b.target, target)
	}
	if d.Generic && isOperator(d.Name.Name) {
		b.name = d.Name.Name
	}
	block := &ast.Interface{Base: ast.Base{Pos: d.Pos}, Name: ast.Name{Pos: d.Pos, Name: b.name}}
	for _, t := range b.target {
		block.Procs = append(block.Procs, ast.Name{Pos: d.Pos, Name: t})
		s.generics[b.name] = append(s.generics[b.name], s.function(p, t))
		p.global[b.name] = s.generics[b.name]
	}
	r.decls, r.names = append(r.decls, block), append(r.names, b.name)
	r.bound[d.Name.Name] = b
}
