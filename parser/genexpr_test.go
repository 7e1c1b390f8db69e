package parser_test

import (
	"strings"

	"pgregory.net/rapid"

	"github.com/spmdc/spmdc/parser/ast"
)

// items draws a list for PRINT or READ.
func (g *treeGen) items(variables bool) []ast.Expr {
	var out []ast.Expr
	for range g.int(0, 3) {
		switch {
		case g.int(0, 4) == 0:
			do := &ast.ImpliedDo{Var: ast.Name{Name: g.name()}, Lo: g.expr(1), Hi: g.expr(1)}
			for len(do.Items) == 0 {
				do.Items = g.items(variables)
			}
			if g.bool() {
				do.Step = g.expr(1)
			}
			out = append(out, do)
		case variables:
			out = append(out, g.variable(2))
		default:
			out = append(out, g.expr(3))
		}
	}
	return out
}

func (g *treeGen) pickExpr(list ...ast.Expr) ast.Expr { return list[g.int(0, len(list)-1)] }

func (g *treeGen) str() ast.Expr {
	value := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
		"a", "B", " ", "'", `"`, "&", "!", ";", "ö", ",", "a long part of a string",
	}), 0, 30).Draw(g.t, "value"), "")
	return &ast.StringLit{Value: value, Quote: g.pick("'", `"`)[0]}
}

func (g *treeGen) variable(depth int) ast.Expr {
	if g.int(0, 5) == 0 {
		x := &ast.CoIndex{Base: g.local(depth), Images: []ast.Expr{g.expr(depth - 1)}}
		if g.bool() {
			x.Images = append(x.Images, g.expr(1))
		}
		return x
	}
	return g.local(depth)
}

// local draws a variable of this image.
func (g *treeGen) local(depth int) ast.Expr {
	id := &ast.Ident{Name: g.name()}
	switch g.int(0, 3) {
	case 0:
		return id
	case 1:
		return g.substring(id, depth)
	}
	x := &ast.Index{Name: id.Name}
	for range g.int(0, 3) {
		x.Args = append(x.Args, g.expr(depth-1))
	}
	if g.int(0, 3) == 0 {
		return g.substring(x, depth)
	}
	return x
}

func (g *treeGen) substring(base ast.Expr, depth int) ast.Expr {
	s := &ast.Substring{Base: base}
	if g.bool() {
		s.Lo = g.expr(depth - 1)
	}
	if g.bool() {
		s.Hi = g.expr(depth - 1)
	}
	return s
}

// levels are the operators of Fortran from the weakest to the strongest.
var levels = [][]string{
	{".eqv.", ".neqv."}, {".or."}, {".and."}, {".not."}, {"==", "/=", "<", "<=", ">", ">="},
	{"//"}, {"+", "-"}, {"*", "/"}, {"**"},
}

const (
	levelNot, levelRel, levelAdd, levelPower = 3, 4, 6, 8
	levelPrimary                             = 9
)

func levelOf(x ast.Expr) int {
	op := ""
	switch x := x.(type) {
	case *ast.Binary:
		op = x.Op
	case *ast.Unary:
		if op = x.Op; op != ".not." {
			return levelAdd
		}
	}
	for level, ops := range levels {
		for _, o := range ops {
			if o == op {
				return level
			}
		}
	}
	return levelPrimary
}

// atLeast puts x into parentheses when it binds less than level.
func atLeast(level int, x ast.Expr) ast.Expr {
	if levelOf(x) < level {
		return &ast.Paren{X: x}
	}
	return x
}

func (g *treeGen) expr(depth int) ast.Expr {
	if depth <= 0 {
		return g.pickExpr(&ast.Ident{Name: g.name()}, &ast.IntLit{Text: "42"})
	}
	switch g.int(0, 10) {
	case 10:
		if g.bool() {
			return &ast.Index{Name: ast.OperatorName(".inv."), Args: []ast.Expr{&ast.Paren{X: g.expr(depth - 1)}}}
		}
		x := &ast.Index{Name: ast.OperatorName(g.pick(".dot.", ".cross.")), Args: []ast.Expr{g.expr(depth - 1), atLeast(0, g.expr(depth-1))}}
		return &ast.Paren{X: x}
	case 0:
		return &ast.IntLit{Text: g.pick("0", "1", "123456789"), Kind: g.pick("", "", "8", "ik")}
	case 1:
		return &ast.RealLit{Text: g.pick("1.", ".5", "1.5", "1e3", "1.e-3", "2.d0", "3.5d+10"), Kind: g.pick("", "", "8", "dp")}
	case 2:
		return g.str()
	case 3:
		return &ast.LogicalLit{Value: g.bool(), Kind: g.pick("", "", "1", "lk")}
	case 4, 5:
		return g.variable(depth)
	case 6:
		if g.bool() {
			return &ast.Unary{Op: ".not.", X: atLeast(levelRel, g.expr(depth-1))}
		}
		return &ast.Unary{Op: g.pick("-", "+"), X: atLeast(levelAdd+1, g.expr(depth-1))}
	case 7:
		return &ast.Index{Name: g.name(), Args: []ast.Expr{g.expr(depth - 1), &ast.Keyword{Name: g.name(), X: g.expr(depth - 1)}}}
	case 8:
		switch g.int(0, 3) {
		case 0:
			return &ast.Complex{Re: g.expr(depth - 1), Im: g.expr(depth - 1)}
		case 1:
			x := &ast.Array{Brackets: g.bool(), Items: []ast.Expr{g.expr(depth - 1), g.expr(depth - 1)}}
			if g.bool() {
				x.Type = &ast.TypeSpec{Name: g.pick("integer", "real"), Kind: g.expr(1)}
			}
			if g.bool() {
				x.Items[1] = &ast.ImpliedDo{Items: []ast.Expr{x.Items[1]}, Var: ast.Name{Name: g.name()}, Lo: g.expr(1), Hi: g.expr(1)}
			}
			return x
		}
		return &ast.Paren{X: g.expr(depth - 1)}
	}
	level := g.int(0, len(levels)-1)
	if level == levelNot {
		level++
	}
	left, right := level, level+1
	switch level {
	case levelRel:
		left = right
	case levelPower:
		left, right = right, left
	}
	return &ast.Binary{Op: g.pick(levels[level]...), X: atLeast(left, g.expr(depth-1)), Y: atLeast(right, g.expr(depth-1))}
}
