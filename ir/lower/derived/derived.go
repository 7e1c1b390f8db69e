// Package derived writes a program with derived types as one without: a variable of a derived
// type becomes a variable for each component, and an array of such an array for each, so that
// directives, communication and kernels are about arrays of numbers as they are elsewhere.
//
//	type body                             (nothing)
//	   real :: mass, pos(3)
//	end type
//	type(body) :: b(n)                    real :: b%mass(n); real :: b%pos(3,n)
//	!HPF$ DISTRIBUTE b(BLOCK)             !HPF$ DISTRIBUTE b%mass(BLOCK), b%pos(*,BLOCK)
//	b(i)%pos = b(j)%pos                   b%pos(:,i) = b%pos(:,j)
//	b(1) = b(2)                           b%mass(1) = b%mass(2); b%pos(:,1) = b%pos(:,2)
//	call move(b)                          call move(b%mass, b%pos)
//	x = f(b(1)) + 1, f of type body       call f(b%mass(1), b%pos(:,1), t%mass, t%pos); ...
//
// The names have a % in them, which no name of the source has. The subscripts of a component
// stand in front of those of what it is a component of. A function whose value has a derived
// type becomes a subroutine, which is called in front of the statement. Constants that the
// definition of a type needs are parameters of the unit that defines it, and USE brings them
// along: "m%body%pos%hi1".
//
// What a program says with derived types, and this does not express, is an error here.
package derived

import (
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// Flatten returns f without derived types, and f itself where there are none. It reports what it
// cannot write that way; ok is false then. Constants are those of the modules of the language, by module.
func Flatten(f *ast.File, constants map[string]map[string]int, diags *source.List) (out *ast.File, ok bool) {
	if !mentions(f) {
		return f, true
	}
	before := diags.Errors()
	p := &program{diags: diags, constants: constants, modules: map[string]*scope{}, external: map[string]*function{}, scopes: map[*ast.Program]*scope{},
		overridden: map[*record]map[string]source.Pos{}, intrinsic: intrinsicTypes(),
		extra: map[*ast.Program][]*ast.Program{}, associates: map[*ast.Program]*associating{}, callers: map[*ast.Program]*callers{}, called: map[string]*function{}, global: map[string][]*function{}, alone: map[*ast.Program]string{},
		descriptors: map[int]*record{}, pooled: map[string]*ast.Program{}}
	for _, m := range f.Modules {
		p.modules[m.Name] = p.declare(m, nil)
	}
	for _, u := range f.Procedures {
		p.external[u.Name] = &function{unit: u}
	}
	for _, u := range f.Procedures {
		p.external[u.Name].scope = p.declare(u, nil)
	}
	p.declare(f.Program, nil)
	p.describe(f)
	if !p.polymorphic(f) {
		return f, false
	}
	p.makePools(remote(f))
	p.alike()
	flat := *f
	flat.Modules = p.units(f.Modules)
	flat.Program = p.unit(f.Program)
	flat.Procedures = p.units(f.Procedures)
	p.choices(&flat)
	return &flat, diags.Errors() == before
}

// program is the state of one Flatten call.
type program struct {
	diags      *source.List
	constants  map[string]map[string]int // of the modules of the language
	modules    map[string]*scope
	external   map[string]*function
	scopes     map[*ast.Program]*scope
	overridden map[*record]map[string]source.Pos // procedures of a type that extensions replace
	intrinsic  map[string]*record                // types of iso_fortran_env

	records    []*record                       // all types, in the order of their definitions
	anys       []*record                       // those of what is declared with CLASS
	alone      map[*ast.Program]string         // names of procedures that look like others without derived types
	number     *component                      // the first one of such, where the run decides about the type
	extra      map[*ast.Program][]*ast.Program // procedures that units get
	associates map[*ast.Program]*associating   // of functions that are pointers
	callers    map[*ast.Program]*callers       // of pointers to procedures, by their interfaces
	faces      []*callers                      // the same, in the order of their use
	called     map[string]*function            // what calls by such pointers, by name
	global     map[string][]*function          // procedures of types, by their generic names

	star   *record   // the type of CLASS(*), nil where there is none
	values []*record // intrinsic types that guards of SELECT TYPE name

	laters      []later
	descriptors map[int]*record
	pools       []*pool
	begins      []begin
	pooled      map[string]*ast.Program // procedures of pools
}

func (p *program) units(list []*ast.Program) []*ast.Program {
	var out []*ast.Program
	for _, u := range list {
		out = append(out, p.unit(u))
	}
	return out
}

func (p *program) errorf(pos source.Pos, format string, args ...any) *source.Diag {
	return p.diags.Errorf(source.OutsideSubset, pos, format, args...)
}

// mentions reports whether a unit of f has something of a derived type.
func mentions(f *ast.File) bool {
	var unit func(u *ast.Program) bool
	spec := func(list []ast.Stmt) bool {
		for _, s := range list {
			switch s := s.(type) {
			case *ast.TypeDef:
				return true
			case *ast.TypeDecl:
				if s.Type.Of.Name != "" || s.Points != nil {
					return true
				}
			case *ast.Interface:
				for _, u := range s.Units {
					if unit(u) {
						return true
					}
				}
			}
		}
		return false
	}
	body := func(list []ast.Stmt) (found bool) {
		ast.Each(list, func(s ast.Stmt) {
			if x, ok := s.(*ast.Select); ok && x.OfType {
				found = true
			}
			if c, ok := s.(*ast.Call); ok && (c.Of != nil || c.Proc.Name == "event_query") {
				found = true
			}
			switch s := s.(type) {
			case *ast.Sync:
				found = found || s.OfVariable() || s.What == "team" || s.What == "form team"
			case *ast.ChangeTeam:
				found = true
			}
			if b, ok := s.(*ast.Block); ok && spec(b.Spec) {
				found = true
			}
			for _, x := range ast.Exprs(s) {
				found = found || hasComponent(*x) || ast.Any(*x, selectsTeam)
			}
		})
		return found
	}
	unit = func(u *ast.Program) bool {
		return u.Prefix != nil && u.Prefix.Of.Name != "" || spec(u.Spec) || isPointerResult(u) || body(u.Body)
	}
	for u := range f.Units() {
		if unit(u) {
			return true
		}
	}
	return false
}

func hasComponent(x ast.Expr) bool {
	return ast.Any(x, func(x ast.Expr) bool { _, ok := x.(*ast.Component); return ok })
}
