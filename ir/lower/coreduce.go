package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// coReduce lowers CO_REDUCE of a scalar to what a program would write that has none:
//
//	call co_reduce(x, op)      t = x; sync all; acc = t[1]
//	                           do k = 2, num_images(); other = t[k]; acc = op(acc, other); end do
//	                           sync all; x = acc
//
// with a coarray t. All images come to the same bits, from image 1 upwards.
func (l *lowerer) coReduce(s *ast.Call) []ir.Stmt {
	base := ast.XBase{Pos: s.Proc.Pos, End: s.Proc.Pos}
	call := &ast.Index{XBase: base, Name: s.Proc.Name, NamePos: s.Proc.Pos, Args: s.Args}
	args := l.ordered(call, 2, "a", "operation", "result_image", "stat", "errmsg")
	if args == nil {
		return nil
	}
	op, named := args[1].(*ast.Ident)
	switch {
	case !named:
		l.errorf(codeArgument, args[1].Position(), "the operation of co_reduce must be the name of a function").
			WithHelp("write a pure function of two values, and its name here")
		return nil
	case l.isPart(args[0]):
		l.errorf(codeOutside, args[0].Position(), "co_reduce of an array is not supported").WithHelp("call it for each element, in a loop")
		return nil
	}
	x := l.target(args[0])
	if isBad(x) {
		return nil
	}
	local := func(name string, typ ir.Type) (*ir.Symbol, *ast.Ident) {
		v := l.local(name, typ, s.Pos)
		if v.Len = 0; typ == ir.Character {
			v.Len = l.charLen(x)
		}
		l.mention[v], l.typed[v] = true, s.Pos
		l.names[v.Name] = v
		return v, &ast.Ident{XBase: base, Name: v.Name}
	}
	shared, all := local("reduced", x.Type())
	shared.Coarray, shared.Cell, shared.Dims = true, true, []ir.Bound{{Lo: 1, Hi: 1}}
	l.cobounds[shared] = codimensions{{lo: l.intConst(1, s.Pos)}}
	_, acc := local("result", x.Type())
	_, other := local("other", x.Type())
	k, image := local("image", ir.Integer)

	number := func(text string) ast.Expr { return &ast.IntLit{XBase: base, Text: text} }
	assign := func(to, e ast.Expr) ast.Stmt { return &ast.Assign{Base: s.Base, LHS: to, RHS: e} }
	of := func(image ast.Expr) ast.Expr { return &ast.CoIndex{XBase: base, Base: all, Images: []ast.Expr{image}} }
	query := func(name string) ast.Expr { return &ast.Index{XBase: base, Name: name, NamePos: base.Pos} }
	sync := &ast.Sync{Base: s.Base, What: "all"}

	result := assign(args[0], acc)
	if args[2] != nil {
		mine := &ast.Binary{XBase: base, Op: "==", OpPos: base.Pos, X: query("this_image"), Y: args[2]}
		result = &ast.If{Base: s.Base, Arms: []ast.IfArm{{Pos: s.Pos, Cond: mine, Body: []ast.Stmt{result}}}}
	}
	applied := &ast.Index{XBase: base, Name: op.Name, NamePos: op.Pos, Args: []ast.Expr{acc, other}}
	list := []ast.Stmt{
		assign(all, args[0]), sync,
		assign(acc, of(number("1"))),
		&ast.Do{Base: s.Base, Var: ast.Name{Pos: s.Pos, Name: k.Name}, Lo: number("2"), Hi: query("num_images"), EndPos: s.Pos,
			Body: []ast.Stmt{assign(other, of(image)), assign(acc, applied)}},
		sync, result,
	}
	var status []ast.Expr
	for i, e := range args[3:] {
		if e != nil {
			status = append(status, &ast.Keyword{XBase: base, Name: []string{"stat", "errmsg"}[i], X: e})
		}
	}
	return l.succeeds(l.block(list), status)
}
