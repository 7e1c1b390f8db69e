package lower

import (
	"strconv"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// A statement function is an assignment in front of the executable statements, to a name
// that is no array, with names in parentheses:
//
//	f(x, y) = a*x + y
//
// It is a function inside of the unit, with one assignment; its arguments have the types
// that their names have in the unit.

// statementFunctions makes procedures of the statement functions of u, whose declarations
// are lowered. They are no statements of its body.
func (l *lowerer) statementFunctions(u *ast.Program) {
	rest := u.Body
	for len(rest) > 0 {
		s, ok := rest[0].(*ast.Assign)
		if !ok || !l.isStatementFunction(s) {
			break
		}
		l.statementFunction(s)
		rest = rest[1:]
	}
	l.scope.skip = len(u.Body) - len(rest)
	l.statementRecursion()
}

// statementRecursion reports statement functions of the unit that refer to themselves, by themselves or by
// others, and lets them be 0.
func (l *lowerer) statementRecursion() {
	refers := map[string][]string{}
	for _, u := range l.scope.inline {
		ast.Any(u.Body[0].(*ast.Assign).RHS, func(e ast.Expr) bool {
			if x, ok := e.(*ast.Index); ok {
				refers[u.Name] = append(refers[u.Name], x.Name)
			}
			return false
		})
	}
	for _, u := range l.scope.inline {
		seen := map[string]bool{}
		var reach func(name string)
		reach = func(name string) {
			for _, to := range refers[name] {
				if !seen[to] {
					seen[to] = true
					reach(to)
				}
			}
		}
		if reach(u.Name); seen[u.Name] {
			l.errorf(codeCall, u.Pos, "the statement function %s refers to itself", u.Name).WithHelp("write a RECURSIVE FUNCTION")
			as := u.Body[0].(*ast.Assign)
			as.RHS = &ast.IntLit{XBase: ast.XBase{Pos: as.RHS.Position(), End: as.RHS.EndPosition()}, Text: "0"}
			refers[u.Name] = nil
		}
	}
}

func (l *lowerer) isStatementFunction(s *ast.Assign) bool {
	f, ok := s.LHS.(*ast.Index)
	if !ok || s.Label != 0 {
		return false
	}
	for _, a := range f.Args {
		if _, ok := a.(*ast.Ident); !ok {
			return false
		}
	}
	sym := l.lookup(f.Name)
	if sym == nil {
		return !l.implicitNone && l.scope.procs[f.Name] == nil
	}
	return l.names[f.Name] == sym && !l.used[f.Name] && !isArray(sym) && !sym.Param && sym.Type != ir.Invalid &&
		l.dummies[f.Name] == nil && l.scope.procs[f.Name] == nil
}

func (l *lowerer) statementFunction(s *ast.Assign) {
	f := s.LHS.(*ast.Index)
	u := &ast.Program{Pos: f.NamePos, EndPos: s.Pos, Kind: ast.FunctionUnit, Name: f.Name, Pure: l.scope.unit.Pure, Statement: true}
	own := map[string]bool{}
	intent := &ast.Intent{Base: s.Base, Intent: "in"}
	for _, a := range f.Args {
		n := ast.Name{Pos: a.Position(), Name: a.(*ast.Ident).Name}
		own[n.Name] = true
		u.Args = append(u.Args, n)
		intent.Names = append(intent.Names, n)
		if sym := l.names[n.Name]; sym != nil && sym.Type != ir.Invalid {
			u.Spec = append(u.Spec, &ast.TypeDecl{Base: s.Base, Type: *typeOf(sym), Entities: []ast.Entity{{Pos: n.Pos, Name: n.Name}}})
		}
	}
	if len(intent.Names) > 0 {
		u.Spec = append(u.Spec, intent)
	}
	if sym := l.names[f.Name]; sym != nil {
		u.Prefix = typeOf(sym)
		l.intrinsics[sym] = true
	}
	u.Body = []ast.Stmt{&ast.Assign{Base: s.Base, LHS: &ast.Ident{XBase: f.XBase, Name: f.Name}, RHS: s.RHS}}
	l.scope.procs[f.Name] = &procedure{u, l.scope}
	l.scope.inline = append(l.scope.inline, u)
}

// typeOf is the type of s as a declaration has it.
func typeOf(s *ir.Symbol) *ast.TypeSpec {
	number := func(n int) ast.Expr {
		return &ast.IntLit{XBase: ast.XBase{Pos: s.Pos, End: s.Pos}, Text: strconv.Itoa(n)}
	}
	switch s.Type {
	case ir.Byte, ir.Short:
		return &ast.TypeSpec{Name: "integer", Kind: number(s.Type.Bytes())}
	case ir.Logical1, ir.Logical2, ir.Logical8:
		return &ast.TypeSpec{Name: "logical", Kind: number(s.Type.Bytes())}
	case ir.Integer:
		return &ast.TypeSpec{Name: "integer"}
	case ir.Long:
		return &ast.TypeSpec{Name: "integer", Kind: number(8)}
	case ir.Real:
		return &ast.TypeSpec{Name: "real"}
	case ir.Double:
		return &ast.TypeSpec{Name: "double precision"}
	case ir.Complex:
		return &ast.TypeSpec{Name: "complex"}
	case ir.DoubleComplex:
		return &ast.TypeSpec{Name: "double complex"}
	case ir.Logical:
		return &ast.TypeSpec{Name: "logical"}
	}
	return &ast.TypeSpec{Name: "character", Len: number(s.Len)}
}
