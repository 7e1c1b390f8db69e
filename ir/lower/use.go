package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// use takes the names of a module.
func (l *lowerer) use(u *ast.Use) {
	m, intrinsic := l.moduleOf(u)
	switch {
	case m != nil:
	case u.Module.Name == spmdModule && u.Nature != "intrinsic":
		l.useSPMD(u)
		return
	default:
		l.noModule(u)
		for _, n := range u.Names { // what is wrong with them has been said
			l.names[n.Name.Name], l.used[n.Name.Name] = &ir.Symbol{Name: n.Name.Name, Type: ir.Invalid, Pos: n.Pos}, true
		}
		return
	}
	i := importsOf(u)
	if m.checkpoints && m.visible(checkpointName) { // module m uses module spmd
		for _, local := range i.locals(checkpointName) {
			l.checkpoints = l.checkpoints || local == checkpointName
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.names)) {
		if !m.visible(name) {
			continue
		}
		for _, local := range i.locals(name) {
			l.importName(local, m.names[name])
		}
	}
	for name, p := range m.procs {
		if m.visible(name) {
			for _, local := range i.locals(name) {
				l.procs[local] = p
			}
		}
	}
	for name, g := range m.generics {
		if m.visible(name) {
			for _, local := range i.locals(name) {
				for _, p := range g.procs {
					l.addSpecific(local, g.pos, p)
				}
			}
		}
	}
	for name, g := range m.namelists {
		for _, local := range i.locals(name) {
			l.namelists[local] = g
		}
	}
	for name := range m.abstract {
		if m.visible(name) {
			for _, local := range i.locals(name) {
				l.abstract[local] = true
			}
		}
	}
	for name := range m.library {
		if m.visible(name) {
			l.importFunction(i, name, name)
		}
	}
	for name, original := range m.renamed {
		if m.visible(name) {
			l.importFunction(i, name, original)
		}
	}
	for name, e := range m.externals {
		if e.intrinsic && m.visible(name) {
			l.renameIntrinsic(u, i, name)
		}
	}
	for name, t := range m.targets {
		for _, local := range i.locals(name) {
			l.targets[local], l.used[local] = t, true
		}
	}
	l.checkImports(u, m, i, intrinsic)
}

// moduleOf is the module that USE names, nil where there is none: one of the
// program, or of the language.
func (l *lowerer) moduleOf(u *ast.Use) (m *scope, intrinsic bool) {
	if m = l.modules[u.Module.Name]; m != nil && u.Nature != "intrinsic" || u.Nature == "non_intrinsic" {
		return m, false
	}
	return l.intrinsicModule(u.Module.Name), true
}

// noModule reports the module of u, which is not there.
func (l *lowerer) noModule(u *ast.Use) {
	switch {
	case u.Nature == "intrinsic":
		l.errorf(codeCall, u.Module.Pos, "there is no intrinsic module %s", u.Module.Name).
			WithHelp("the intrinsic modules are iso_fortran_env, iso_c_binding, ieee_arithmetic and ieee_exceptions")
	default:
		l.errorf(codeCall, u.Module.Pos, "there is no module %s in front of this unit", u.Module.Name).
			WithHelp("put the module in front of what uses it, or name its file on the command line too")
	}
}

// imports says which names of a module are taken, and what they are called.
type imports struct {
	only  bool
	local map[string][]string // by the name in the module
	found map[string]bool
}

func importsOf(u *ast.Use) *imports {
	i := &imports{only: u.Only, local: map[string][]string{}, found: map[string]bool{}}
	for _, n := range u.Names {
		i.local[n.Original().Name] = append(i.local[n.Original().Name], n.Name.Name)
	}
	return i
}

// locals are what a name of the module is called here, none when it is not taken.
func (i *imports) locals(name string) []string {
	i.found[name] = true
	if list := i.local[name]; list != nil || i.only {
		return list
	}
	return []string{name}
}

// importName gives symbol s of a module the name local.
func (l *lowerer) importName(local string, s *ir.Symbol) {
	if first := l.names[local]; first != nil && first != s && l.used[local] {
		s = &ir.Symbol{Name: local, Pos: first.Pos, Type: ir.Invalid}
		l.ambiguous[s] = true
	}
	l.names[local], l.used[local] = s, true
}

// importFunction takes a procedure of an intrinsic module, which the module in hand calls name.
func (l *lowerer) importFunction(i *imports, name, original string) {
	for _, local := range i.locals(name) {
		l.library[original] = true
		if local != original {
			l.renamed[local] = original
		}
	}
}

// renameIntrinsic takes an intrinsic function that the module of u names: under its own name the
// program has it without the module too.
func (l *lowerer) renameIntrinsic(u *ast.Use, i *imports, name string) {
	for _, local := range i.locals(name) {
		switch {
		case local == name:
		case isIntrinsic(local):
			at := u.Module.Pos
			for _, n := range u.Names {
				if n.Name.Name == local {
					at = n.Name.Pos
				}
			}
			l.errorf(codeOutside, at, "USE gives the intrinsic procedure %s the name of another one, %s", name, local).
				WithHelp("choose a name that no intrinsic procedure has")
		default:
			l.renamed[local] = name
		}
	}
}

// originalNames gives intrinsic functions and procedures of intrinsic modules, which USE has renamed, their names back
// in the statements of a unit, or of a construct with names of its own.
func (l *lowerer) originalNames(list []ast.Stmt) {
	renamed := map[string]string{}
	for at := l.scope; at != nil; at = at.host {
		for local, original := range at.renamed {
			if l.lookup(local) == nil && l.procedure(local) == nil {
				renamed[local] = original
			}
		}
	}
	if len(renamed) == 0 {
		return
	}
	restore := func(name *string) {
		if original, ok := renamed[*name]; ok {
			*name = original
		}
	}
	var in func(list []ast.Stmt)
	in = func(list []ast.Stmt) {
		for _, s := range list {
			if c, ok := s.(*ast.Call); ok {
				restore(&c.Proc.Name)
			}
			for _, x := range ast.Exprs(s) {
				ast.Any(*x, func(e ast.Expr) bool {
					if f, ok := e.(*ast.Index); ok {
						restore(&f.Name)
					}
					return false
				})
			}
			switch s.(type) {
			case *ast.Block, *ast.Associate, *ast.ChangeTeam: // they have names of their own
				continue
			}
			for _, body := range ast.Bodies(s) {
				in(*body)
			}
		}
	}
	in(list)
}

// ownBlock lowers the statements of a construct with names of its own.
func (l *lowerer) ownBlock(list []ast.Stmt) []ir.Stmt {
	l.originalNames(list)
	return l.block(list)
}

// checkImports reports names that the module does not have, or keeps for itself.
func (l *lowerer) checkImports(u *ast.Use, m *scope, i *imports, intrinsic bool) {
	for _, n := range u.Names {
		name := n.Original()
		switch {
		case i.found[name.Name]:
			continue
		case m.has(name.Name):
			l.errorf(codeCall, name.Pos, "%s is PRIVATE in module %s", name.Name, u.Module.Name).
				WithNote(m.unit.Pos, "the module is here").WithHelp("remove it from the list, or make it PUBLIC in the module")
		case intrinsic:
			l.errorf(codeOutside, name.Pos, "%s of the intrinsic module %s is not supported", name.Name, u.Module.Name).
				WithHelp("supported are the constants, and of ieee_arithmetic the functions that classify numbers")
		default:
			l.errorf(codeCall, name.Pos, "module %s has no %s", u.Module.Name, name.Name).
				WithNote(m.unit.Pos, "the module is here").WithHelp("remove it from the list, or declare it in the module")
		}
		if l.names[n.Name.Name] == nil {
			l.names[n.Name.Name], l.used[n.Name.Name] = &ir.Symbol{Name: n.Name.Name, Type: ir.Invalid, Pos: n.Pos}, true
		}
	}
}

// access is which names of a module others can use.
type access struct {
	names   map[string]ast.Name // those that a statement or attribute names
	private map[string]bool     // of these
	all     string              // "public" or "private", "" when no statement says it
}

// accessOf is the access of the module in hand.
func (l *lowerer) accessOf() *access {
	if l.scope.access == nil {
		l.scope.access = &access{names: map[string]ast.Name{}, private: map[string]bool{}}
	}
	return l.scope.access
}

// accessStmt takes PUBLIC or PRIVATE.
func (l *lowerer) accessStmt(s *ast.Access) {
	a := l.accessOf()
	switch {
	case len(s.Names) > 0:
		for _, n := range s.Names {
			l.nameAccess(n, s.Access)
		}
	case a.all != "":
		l.errorf(codeDuplicate, s.Pos, "a second PUBLIC or PRIVATE without names").WithHelp("remove one")
	default:
		a.all = s.Access
	}
}

// nameAccess takes the access of one name.
func (l *lowerer) nameAccess(n ast.Name, access string) {
	a := l.accessOf()
	if first, twice := a.names[n.Name]; twice {
		l.errorf(codeDuplicate, n.Pos, "%s is made PUBLIC or PRIVATE twice", n.Name).
			WithNote(first.Pos, "the first time is here").WithHelp("remove one")
		return
	}
	a.names[n.Name], a.private[n.Name] = n, access == "private"
}

// checkAccess reports names in PUBLIC and PRIVATE that the module does not have.
func (l *lowerer) checkAccess() {
	if l.scope.access == nil {
		return
	}
	for _, n := range l.scope.access.names {
		if !l.scope.has(n.Name) {
			l.errorf(codeUndeclared, n.Pos, "%s is not declared in this module", n.Name).
				WithHelp("declare it, or remove it from the list")
		}
	}
}

// has reports whether a module has a name.
func (s *scope) has(name string) bool {
	_, target := s.targets[name]
	return s.names[name] != nil || s.library[name] || s.renamed[name] != "" || s.abstract[name] || s.generics[name] != nil || s.procs[name] != nil || target || s.externals[name].intrinsic || s.checkpoints && name == checkpointName
}

// visible reports whether those that use a module see its name.
func (s *scope) visible(name string) bool {
	if s.access == nil {
		return true
	}
	if _, named := s.access.names[name]; named {
		return !s.access.private[name]
	}
	return s.access.all != "private"
}

// intrinsicModule is the scope of a module of the language, nil for one that is
// not supported.
func (l *lowerer) intrinsicModule(name string) *scope {
	constants := IntrinsicConstants[name]
	if strings.HasPrefix(name, "ieee_") {
		constants = ieeeModules[name]
	}
	if constants == nil {
		return nil
	}
	if l.language[name] == nil {
		unit := &ast.Program{Kind: ast.ModuleUnit, Name: name}
		m := l.newScope(unit, nil)
		for constant, value := range constants {
			s := &ir.Symbol{Name: constant, Type: ir.Integer, Param: true}
			s.Init = &ir.Const{X: ir.X{Typ: ir.Integer}, Int: value}
			m.names[constant] = s
		}
		for _, constant := range slices.Sorted(maps.Keys(kindLists[name])) {
			if l.mentioned(constant) {
				m.names[constant] = l.kindList(constant, kindLists[name][constant])
			}
		}
		for f := range map[string]map[string]intrinsicFunc{"ieee_arithmetic": ieeeFunctions, "iso_fortran_env": environmentFunctions}[name] {
			m.library[f] = true
		}
		if name != "ieee_features" {
			for f := range ieeeSubroutines {
				m.library[f] = true
			}
		}
		l.language[name] = m
	}
	return l.language[name]
}
