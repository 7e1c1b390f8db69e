package lower

import (
	"strconv"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/lower/derived"
	"github.com/spmdc/spmdc/parser/ast"
)

// coReduce lowers CO_REDUCE of intrinsic types to what a program would write that has none
// (derived.Reduction).
func (l *lowerer) coReduce(s *ast.Call) []ir.Stmt {
	base := ast.XBase{Pos: s.Proc.Pos, End: s.Proc.Pos}
	call := &ast.Index{XBase: base, Name: s.Proc.Name, NamePos: s.Proc.Pos, Args: s.Args}
	args := l.ordered(call, 2, "a", "operation", "result_image", "stat", "errmsg")
	if args == nil {
		return nil
	}
	op, named := args[1].(*ast.Ident)
	if !named {
		l.errorf(codeArgument, args[1].Position(), "the operation of co_reduce must be the name of a function").
			WithHelp("write a pure function of two values, and its name here")
		return nil
	}
	if p := l.procedure(op.Name); p != nil && !p.unit.Pure {
		l.errorf(codeCall, op.Pos, "%s, the operation of co_reduce, is not PURE", op.Name).
			WithNote(p.unit.Pos, "%s begins here", op.Name).WithHelp("write: pure function %s", op.Name)
		return nil
	}
	var typ *ast.TypeSpec
	rank := 0
	var pre []ir.Stmt
	if l.isPart(args[0]) {
		a := l.part(args[0], &pre)
		if a == nil {
			return nil
		}
		rank = len(a.shape.n)
		typ = typeSpec(a.typ, a.view.base.Len, base)
	} else {
		x := l.target(args[0])
		if isBad(x) {
			return nil
		}
		length := 0
		if x.Type() == ir.Character {
			length = l.charLen(x)
		}
		typ = typeSpec(x.Type(), length, base)
	}
	if typ == nil {
		l.errorf(codeOutside, args[0].Position(), "co_reduce of CHARACTER whose length is not constant is not supported").
			WithHelp("assign it to a variable of constant length first")
		return nil
	}
	out := append(pre, l.blockConstruct(derived.Reduction(s, typ, rank, args[0], op, args[2]))...)
	var status []ast.Expr
	for i, e := range args[3:] {
		if e != nil {
			status = append(status, &ast.Keyword{XBase: base, Name: []string{"stat", "errmsg"}[i], X: e})
		}
	}
	return l.succeeds(out, status)
}

// typeSpec is type t as a declaration has it; nil for a CHARACTER length that is not constant.
func typeSpec(t ir.Type, length int, at ast.XBase) *ast.TypeSpec {
	number := func(n int) ast.Expr { return &ast.IntLit{XBase: at, Text: strconv.Itoa(n)} }
	names := map[ir.Type]string{ir.Integer: "integer", ir.Long: "integer", ir.Real: "real", ir.Double: "real",
		ir.Complex: "complex", ir.DoubleComplex: "complex", ir.Logical: "logical"}
	switch t {
	case ir.Character:
		if length < 0 {
			return nil
		}
		return &ast.TypeSpec{Name: "character", Len: number(length)}
	case ir.Long, ir.Double, ir.DoubleComplex:
		return &ast.TypeSpec{Name: names[t], Kind: number(8)}
	}
	return &ast.TypeSpec{Name: names[t]}
}
