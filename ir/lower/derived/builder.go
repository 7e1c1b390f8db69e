package derived

import (
	"strconv"

	"github.com/spmdc/spmdc/parser/ast"
)

// builder makes expressions and statements that stand at one place of the source.
type builder struct{ ast.XBase }

func (b builder) base() ast.Base { return ast.Base{Pos: b.Pos} }

func (b builder) lit(n int) ast.Expr { return &ast.IntLit{XBase: b.XBase, Text: strconv.Itoa(n)} }

func (b builder) id(name string) ast.Expr { return &ast.Ident{XBase: b.XBase, Name: name} }

func (b builder) bin(op string, x, y ast.Expr) ast.Expr {
	return &ast.Binary{XBase: b.XBase, Op: op, OpPos: b.Pos, X: x, Y: y}
}

func (b builder) plus(x, y ast.Expr) ast.Expr  { return b.bin("+", x, y) }
func (b builder) minus(x, y ast.Expr) ast.Expr { return b.bin("-", x, y) }
func (b builder) times(x, y ast.Expr) ast.Expr { return b.bin("*", x, y) }

func (b builder) ref(name string, args ...ast.Expr) ast.Expr {
	return called(name, b.XBase, args...)
}

func (b builder) not(x ast.Expr) ast.Expr { return &ast.Unary{XBase: b.XBase, Op: ".not.", X: x} }

func (b builder) set(to, x ast.Expr) ast.Stmt {
	return &ast.Assign{Base: b.base(), LHS: to, RHS: x}
}

// copy assigns what may have no value.
func (b builder) copy(to, x ast.Expr) ast.Stmt {
	return &ast.Assign{Base: b.base(), LHS: to, RHS: x, Part: true}
}

func (b builder) call(name string, args ...ast.Expr) ast.Stmt {
	return &ast.Call{Base: b.base(), Proc: ast.Name{Pos: b.Pos, Name: name}, Args: args}
}

func (b builder) when(cond ast.Expr, body ...ast.Stmt) *ast.If {
	return &ast.If{Base: b.base(), EndPos: b.Pos, Arms: []ast.IfArm{{Pos: b.Pos, Cond: cond, Body: body}}}
}

func (b builder) otherwise(s *ast.If, body ...ast.Stmt) ast.Stmt {
	s.HasElse, s.ElsePos, s.Else = true, b.Pos, body
	return s
}

func (b builder) do(name string, lo, hi ast.Expr, body ...ast.Stmt) ast.Stmt {
	return &ast.Do{Base: b.base(), EndPos: b.Pos, Var: ast.Name{Pos: b.Pos, Name: name}, Lo: lo, Hi: hi, Body: body}
}

func (b builder) section(lo, hi ast.Expr) *ast.Triplet {
	return &ast.Triplet{XBase: b.XBase, Lo: lo, Hi: hi}
}

func (b builder) integers(intent string, names ...string) *ast.TypeDecl {
	d := &ast.TypeDecl{Base: b.base(), Type: ast.TypeSpec{Name: "integer"}, HasColons: true, Intent: intent}
	for _, n := range names {
		d.Entities = append(d.Entities, ast.Entity{Pos: b.Pos, Name: n})
	}
	return d
}

func (b builder) errorStop(text string) ast.Stmt {
	return &ast.Stop{Base: b.base(), Error: true, Code: &ast.StringLit{XBase: b.XBase, Value: text}}
}
