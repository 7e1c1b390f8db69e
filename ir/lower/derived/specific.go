package derived

import (
	"slices"

	"github.com/spmdc/spmdc/parser/ast"
)

// The types of the arguments choose among the procedures of a generic name, and without derived types
// two of them may look alike: of s*v and v*s, where v has two numbers, both become three numbers. Such
// procedures have a generic name of their own, by which they are called.

// alike gives these procedures such names.
func (p *program) alike() {
	for _, s := range p.scopes {
		for _, list := range s.generics {
			for i, f := range list {
				if f.scope == nil || f.scope.outer == nil || f.scope.outer.procs[f.unit.Name] != f {
					continue
				}
				n := f.parts()
				if n >= 0 && slices.ContainsFunc(list, func(g *function) bool { return g.unit != list[i].unit && g.parts() == n }) {
					p.alone[f.unit] = f.scope.id + "%alone"
				}
			}
		}
	}
}

// parts is how many arguments f has without derived types, -1 where it has none of a derived type.
func (f *function) parts() int {
	n, some := 0, false
	for _, a := range f.unit.Args {
		if v := f.variableOf(a.Name); v != nil {
			n, some = n+len(v.leaves()), true
		} else {
			n++
		}
	}
	if !some {
		return -1
	}
	return n
}

// specific is the name by which the procedure that name(args) means is called.
func (t *unit) specific(name string, args []ast.Expr) string {
	var fits []*function
	for _, f := range t.candidates(t.p, name) {
		if f.scope != nil && t.fits(f, args) {
			fits = append(fits, f)
		}
	}
	if len(fits) == 1 && t.p.alone[fits[0].unit] != "" {
		return t.p.alone[fits[0].unit]
	}
	return name
}

// ownNames are the interface blocks for the procedures of u that have a name of their own.
func (p *program) ownNames(u *ast.Program) (out []ast.Stmt) {
	for _, in := range u.Contains {
		if name := p.alone[in]; name != "" {
			out = append(out, &ast.Interface{Base: ast.Base{Pos: in.Pos}, Name: ast.Name{Pos: in.Pos, Name: name}, Procs: []ast.Name{{Pos: in.Pos, Name: in.Name}}})
		}
	}
	return out
}
