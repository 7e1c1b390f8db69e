package parser

import (
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/load"
	"github.com/spmdc/spmdc/parser/source"
)

// Parse parses the file called name, which includes no others. The tree is never
// nil; it lacks the statements that have errors. The list has all errors and
// warnings in source order, and the file for rendering them.
func Parse(name string, text []byte) (*ast.File, *source.List) {
	return ParseProgram(load.Read([]load.Text{{Name: name, Text: text}}, load.Options{}))
}

// ParseProgram parses the files of a program, which make one tree, as Parse does.
// Modules of several files come in an order in which each precedes those that
// use it.
func ParseProgram(program *load.Program) (*ast.File, *source.List) { return parse(program, false) }

// ParseUnits is ParseProgram, where there need not be a main program: without one the tree has an empty
// one that is Implied.
func ParseUnits(program *load.Program) (*ast.File, *source.List) { return parse(program, true) }

func parse(program *load.Program, units bool) (*ast.File, *source.List) {
	p := &parser{diags: source.NewList(program.File), file: &ast.File{Name: program.File.Name}, units: units}
	p.diags.Diags = append(p.diags.Diags, program.Diags.Diags...)
	for i, s := range program.Sources {
		p.unit, p.skip, p.more = newUnit(nil), nil, i+1 < len(program.Sources)
		p.lines(s.Form.Lines(s.Lines, p.diags))
	}
	p.submodules()
	if len(program.Sources) > 1 {
		orderModules(p.file)
	}
	p.codimensionStmts()
	if p.file.Program == nil {
		p.file.Program = &ast.Program{Name: "main", Implied: true}
	}
	p.diags.Sort()
	return p.file, p.diags
}

// orderModules puts the modules of several files in an order in which each
// precedes those that use it, and otherwise as they were. Modules that use each
// other stay as they are: what follows reports them.
func orderModules(f *ast.File) {
	byName := map[string]*ast.Program{}
	for _, m := range f.Modules {
		if byName[m.Name] == nil {
			byName[m.Name] = m
		}
	}
	var out []*ast.Program
	visited := map[*ast.Program]bool{}
	var visit func(m *ast.Program)
	visit = func(m *ast.Program) {
		if visited[m] {
			return
		}
		visited[m] = true
		for name := range UsedBy(m) {
			if before := byName[name]; before != nil {
				visit(before)
			}
		}
		out = append(out, m)
	}
	for _, m := range f.Modules {
		visit(m)
	}
	f.Modules = out
}

// UsedBy yields the names of the modules that u and its procedures use, in order.
func UsedBy(u *ast.Program) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, s := range u.Spec {
			if use, ok := s.(*ast.Use); ok && !yield(use.Module.Name) {
				return
			}
		}
		for _, c := range u.Contains {
			for name := range UsedBy(c) {
				if !yield(name) {
					return
				}
			}
		}
	}
}
