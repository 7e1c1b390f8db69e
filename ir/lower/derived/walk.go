package derived

import "github.com/spmdc/spmdc/parser/ast"

// clone is x with nodes of its own.
func clone(x ast.Expr) ast.Expr { return rebuilt(x, clone) }

// rebuilt is a copy of x whose parts are what f makes of those of x.
func rebuilt(x ast.Expr, f func(ast.Expr) ast.Expr) ast.Expr {
	c := ast.Copy(x)
	for _, part := range ast.Parts(c) {
		*part = f(*part)
	}
	return c
}

// eachStatement calls visit for all statements of f, those in others too.
func eachStatement(f *ast.File, visit func(ast.Stmt)) {
	var block func(list []ast.Stmt)
	block = func(list []ast.Stmt) {
		for _, s := range list {
			visit(s)
			for _, inner := range ast.Bodies(s) {
				block(*inner)
			}
		}
	}
	var unit func(u *ast.Program)
	unit = func(u *ast.Program) {
		block(u.Body)
		for _, in := range u.Contains {
			unit(in)
		}
	}
	for _, list := range [][]*ast.Program{f.Modules, {f.Program}, f.Procedures} {
		for _, u := range list {
			unit(u)
		}
	}
}
