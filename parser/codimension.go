package parser

import (
	"slices"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// codimensionStmts moves codimensions in CODIMENSION and ALLOCATABLE statements to the declarations of types,
// with what other statements say of these coarrays. Package lower knows no other form:
//
//	real :: x(3), y; codimension :: x[*]; allocatable :: y[:]     real :: x(3)[*]; real, allocatable :: y[:]
func (p *parser) codimensionStmts() {
	for _, u := range slices.Concat(p.file.Modules, p.file.Procedures) {
		p.codimensionsOf(u, false)
	}
	if p.file.Program != nil {
		p.codimensionsOf(p.file.Program, false)
	}
}

// codimensionsOf does so in u and in what it contains; typed says that a unit around has IMPLICIT.
func (p *parser) codimensionsOf(u *ast.Program, typed bool) {
	for _, s := range u.Spec {
		switch s := s.(type) {
		case *ast.Implicit, *ast.ImplicitNone:
			typed = true
		case *ast.Interface:
			for _, in := range s.Units {
				p.codimensionsOf(in, false)
			}
		}
	}
	u.Spec = p.codimensionsIn(u.Spec, typed)
	ast.Each(u.Body, func(s ast.Stmt) {
		if b, ok := s.(*ast.Block); ok {
			b.Spec = p.codimensionsIn(b.Spec, true)
		}
	})
	for _, in := range u.Contains {
		p.codimensionsOf(in, typed)
	}
}

// elsewhere is what statements other than its declaration say of a coarray.
type elsewhere struct {
	pos          source.Pos
	dims, codims []ast.DimSpec
	allocatable  bool
	found        bool // it has a declaration
}

// codimensionsIn is the declarations spec with the codimensions in those of types.
func (p *parser) codimensionsIn(spec []ast.Stmt, typed bool) []ast.Stmt {
	of := map[string]*elsewhere{}
	var names []string
	coarray := func(name string, pos source.Pos) *elsewhere {
		if of[name] == nil {
			of[name] = &elsewhere{pos: pos}
			names = append(names, name)
		}
		return of[name]
	}
	stmts := false
	for _, s := range spec {
		switch s := s.(type) {
		case *ast.TypeDecl:
			for _, e := range s.Entities {
				if len(e.Codims)+len(s.Codimension) > 0 {
					coarray(e.Name, e.Pos)
				}
			}
		case *ast.AllocatableStmt:
			stmts = true
			for _, e := range s.Entities {
				if len(e.Codims) == 0 {
					continue
				}
				x := coarray(e.Name, e.Pos)
				if len(x.codims) > 0 {
					p.diags.Errorf(source.DuplicateName, e.Pos, "%s gets codimensions twice", e.Name).WithHelp("remove one of them")
				}
				x.codims = e.Codims
			}
		}
	}
	if !stmts || len(names) == 0 {
		return spec
	}
	// take moves what is said of coarrays away from list.
	take := func(list []ast.Entity, allocatable bool) []ast.Entity {
		return slices.DeleteFunc(slices.Clone(list), func(e ast.Entity) bool {
			x := of[e.Name]
			if x != nil {
				x.allocatable = x.allocatable || allocatable
				if len(e.Dims) > 0 {
					x.dims = e.Dims
				}
			}
			return x != nil
		})
	}
	var out []ast.Stmt
	for _, s := range spec {
		switch d := s.(type) {
		case *ast.AllocatableStmt:
			if d.Pointer {
				break
			}
			c := *d
			if c.Entities = take(d.Entities, !d.Codimension); len(c.Entities) == 0 || d.Codimension {
				continue
			}
			s = &c
		case *ast.DimensionStmt:
			c := *d
			if c.Entities = take(d.Entities, false); len(c.Entities) == 0 {
				continue
			}
			s = &c
		}
		out = append(out, s)
	}
	spec, out = out, nil
	for _, s := range spec {
		d, ok := s.(*ast.TypeDecl)
		if !ok {
			out = append(out, s)
			continue
		}
		rest := *d
		rest.Entities = nil
		for _, e := range d.Entities {
			x := of[e.Name]
			if x == nil {
				rest.Entities = append(rest.Entities, e)
				continue
			}
			own := *d
			own.Allocatable = own.Allocatable || x.allocatable
			if len(e.Codims)+len(d.Codimension) > 0 && len(x.codims) > 0 {
				p.diags.Errorf(source.DuplicateName, x.pos, "%s gets codimensions twice", e.Name).WithHelp("remove one of them")
			} else if len(x.codims) > 0 {
				e.Codims = x.codims
			}
			if len(e.Dims)+len(d.Dimension) == 0 {
				e.Dims = x.dims
			}
			x.found = true
			own.Entities = []ast.Entity{e}
			out = append(out, &own)
		}
		if len(rest.Entities) > 0 {
			out = append(out, &rest)
		}
	}
	for _, name := range names {
		x := of[name]
		switch {
		case x.found:
		case typed:
			p.diags.Errorf(source.UndeclaredName, x.pos, "the coarray %s has no declaration of its type here", name).WithHelp("declare it, as in: real :: %s[*]", name)
		default:
			kind := "real"
			if name[0] >= 'i' && name[0] <= 'n' {
				kind = "integer"
			}
			out = append(out, &ast.TypeDecl{Base: ast.Base{Pos: x.pos}, Type: ast.TypeSpec{Name: kind}, HasColons: true, Allocatable: x.allocatable,
				Entities: []ast.Entity{{Pos: x.pos, Name: name, Dims: x.dims, Codims: x.codims}}})
		}
	}
	return out
}
