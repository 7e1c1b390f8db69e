package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir/lower/derived"
	"github.com/spmdc/spmdc/parser/ast"
)

// withTypes is s, where what is passed to an argument declared with CLASS(*), whose type package
// derived does not know, is passed for the part of its type alone: "typed%(x, code)" is x where that
// has the type with this code, else no argument.
func (l *lowerer) withTypes(s ast.Stmt) ast.Stmt {
	if !slices.ContainsFunc(ast.Exprs(s), func(x *ast.Expr) bool { return ast.Any(*x, passesTyped) }) {
		return s
	}
	var replaced func(x ast.Expr) ast.Expr
	replaced = func(x ast.Expr) ast.Expr {
		if !ast.Any(x, passesTyped) {
			return x
		}
		x = ast.Copy(x)
		if call, is := x.(*ast.Index); is {
			call.Args = l.ofTheirTypes(call.Args)
		}
		for _, part := range ast.Parts(x) {
			*part = replaced(*part)
		}
		return x
	}
	c := ast.Copy(s)
	if call, is := c.(*ast.Call); is {
		call.Args = l.ofTheirTypes(call.Args)
	}
	for _, x := range ast.Exprs(c) {
		*x = replaced(*x)
	}
	return c
}

// typedArgument is x of an argument "typed%(x, code)", and the code, or of "typecode%(x)"; nil for any other one.
func typedArgument(a ast.Expr) (x ast.Expr, code ast.Expr) {
	if k, is := a.(*ast.Keyword); is {
		a = k.X
	}
	i, is := a.(*ast.Index)
	switch {
	case is && i.Name == "typed%":
		return i.Args[0], i.Args[1]
	case is && i.Name == "typecode%":
		return i.Args[0], nil
	}
	return nil, nil
}

func passesTyped(x ast.Expr) bool {
	y, _ := typedArgument(x)
	return y != nil
}

// ofTheirTypes are args without those that have other types than they should.
func (l *lowerer) ofTheirTypes(args []ast.Expr) []ast.Expr {
	var out []ast.Expr
	for _, a := range args {
		x, code := typedArgument(a)
		if x != nil && l.isAbsent(x) {
			continue
		}
		if x == nil || code == nil {
			out = append(out, a)
			continue
		}
		if n, _ := l.constInt(code, "a type"); n != l.typeCode(x) {
			continue
		}
		if k, is := a.(*ast.Keyword); is {
			x = &ast.Keyword{XBase: k.XBase, Name: k.Name, X: x}
		}
		out = append(out, x)
	}
	return out
}

// typeCode is the number of the type of x (see derived.TypeCode).
func (l *lowerer) typeCode(x ast.Expr) int {
	t := l.probe(x).typ
	kind := t.Bytes()
	switch {
	case t.IsInteger():
		return derived.TypeCode("integer", kind)
	case t.IsComplex():
		return derived.TypeCode("complex", kind/2)
	case t.IsReal():
		return derived.TypeCode("real", kind)
	case t.IsLogical():
		return derived.TypeCode("logical", kind)
	}
	return derived.TypeCode("character", 1)
}
