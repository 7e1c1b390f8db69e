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
