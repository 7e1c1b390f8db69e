package parser

import (
	"slices"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// A submodule becomes a part of its module: its declarations and procedures stand behind those of
// the module, and the interfaces that announce them go. MODULE PROCEDURE takes its arguments and
// their declarations from such an interface.

// submodules puts the submodules of the file into their modules.
func (p *parser) submodules() {
	home := map[string]*ast.Program{}
	var modules []*ast.Program
	for _, m := range p.file.Modules {
		of := m
		if m.Parent.Name == "" {
			modules = append(modules, m)
		} else if of = home[m.Parent.Name]; of == nil {
			p.diags.Errorf(source.BadCall, m.Parent.Pos, "there is no module %s in front of this submodule", m.Parent.Name).
				WithHelp("name the file of the module in front of this one")
			continue
		} else {
			join(of, m)
		}
		if home[m.Name] == nil {
			home[m.Name] = of
		}
	}
	p.file.Modules = modules
	for _, m := range modules {
		p.separate(m)
	}
}

// join puts submodule s into module m.
func join(m, s *ast.Program) {
	has := func(x ast.Stmt) bool {
		_, is := x.(*ast.ImplicitNone)
		return is && slices.ContainsFunc(m.Spec, func(y ast.Stmt) bool { _, is := y.(*ast.ImplicitNone); return is })
	}
	var uses []ast.Stmt
	for _, x := range s.Spec {
		switch x.(type) {
		case *ast.Use:
			uses = append(uses, x)
		default:
			if !has(x) {
				m.Spec = append(m.Spec, x)
			}
		}
	}
	m.Spec = append(uses, m.Spec...)
	m.Contains = append(m.Contains, s.Contains...)
	if m.Words == nil {
		m.Words = ast.Words{}
	}
	for w := range s.Words {
		m.Words[w] = true
	}
}

// separate takes the interfaces of module procedures out of m.
func (p *parser) separate(m *ast.Program) {
	faces := map[string]*ast.Program{}
	var spec []ast.Stmt
	for _, s := range m.Spec {
		if b, ok := s.(*ast.Interface); ok && slices.ContainsFunc(b.Units, func(u *ast.Program) bool { return u.Separate }) {
			c := *b
			c.Units = nil
			for _, u := range b.Units {
				if !u.Separate {
					c.Units = append(c.Units, u)
					continue
				}
				faces[u.Name] = u
				if c.Name.Name != "" {
					c.Procs = append(c.Procs, ast.Name{Pos: u.Pos, Name: u.Name})
				}
			}
			if len(c.Units)+len(c.Procs) == 0 {
				continue
			}
			s = &c
		}
		spec = append(spec, s)
	}
	m.Spec = spec
	for _, u := range m.Contains {
		f := faces[u.Name]
		delete(faces, u.Name)
		if !u.Bare {
			continue
		}
		if f == nil {
			p.diags.Errorf(source.BadCall, u.Pos, "there is no interface of the module procedure %s", u.Name).
				WithHelp("write it with its arguments: module subroutine %s(...)", u.Name)
			continue
		}
		u.Kind, u.Args, u.Prefix, u.Result, u.Bare = f.Kind, f.Args, f.Prefix, f.Result, false
		u.Pure, u.Elemental, u.Recursive = f.Pure, f.Elemental, f.Recursive
		declared := slices.DeleteFunc(slices.Clone(f.Spec), func(s ast.Stmt) bool { _, is := s.(*ast.Import); return is })
		u.Spec = append(declared, u.Spec...)
		for w := range f.Words {
			if u.Words == nil {
				u.Words = ast.Words{}
			}
			u.Words[w] = true
		}
	}
	for _, u := range m.Contains {
		u.Separate = false
	}
	for _, f := range faces {
		p.diags.Errorf(source.BadCall, f.Pos, "the module procedure %s is in no submodule of the program", f.Name).
			WithHelp("add the file of the submodule")
	}
}
