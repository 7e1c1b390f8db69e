package lower

import (
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// unitNames reports names of units that something else has: of the main program, a
// module or an external procedure one in the file; of a procedure one of its own names.
func (l *lowerer) unitNames(f *ast.File) {
	global := map[string]*ast.Program{}
	for _, list := range [][]*ast.Program{{f.Program}, f.Modules, f.Procedures} {
		for _, u := range list {
			if first := global[u.Name]; first != nil && first.Kind != u.Kind && u.Pos.IsValid() {
				l.errorf(codeDuplicate, u.Pos, "the %s and a %s are both called %s", first.Kind, u.Kind, u.Name).
					WithNote(first.Pos, "the other one begins here").WithHelp("rename one of them")
			}
			global[u.Name] = u
			l.ownNames(u)
		}
	}
}

// ownNames reports names that cannot stand for something in u because they are those
// of procedures.
func (l *lowerer) ownNames(u *ast.Program) {
	own := map[string]*ast.Program{}
	taken := func(name string, pos source.Pos) {
		if unit := own[name]; unit != nil {
			l.errorf(codeDuplicate, pos, "%s is the name of a %s here", name, unit.Kind).
				WithNote(unit.Pos, "it begins here").WithHelp("give one of them another name")
		}
	}
	nameless := u.Kind == ast.MainUnit && u.Name == "main" // perhaps
	if !nameless && (u.Kind != ast.FunctionUnit || u.Result.Name != "") {
		own[u.Name] = u
	}
	for _, in := range u.Contains {
		taken(in.Name, in.Pos)
	}
	for _, in := range u.Contains {
		own[in.Name] = in
		l.ownNames(in)
	}
	if u.Result.Name != "" {
		taken(u.Result.Name, u.Result.Pos)
	}
	for _, a := range u.Args {
		taken(a.Name, a.Pos)
	}
	for _, s := range u.Spec {
		if d, ok := s.(*ast.TypeDecl); ok {
			for _, e := range d.Entities {
				taken(e.Name, e.Pos)
			}
		}
	}
}
