package ir_test

import (
	"testing"

	"github.com/spmdc/spmdc/ir"
)

// builder makes trees as a rewriting pass would: without parentheses nodes.
type builder struct{}

func (builder) v(name string) ir.Expr {
	return &ir.Var{X: ir.X{Typ: ir.Integer}, Sym: &ir.Symbol{Name: name, Type: ir.Integer}}
}
func (builder) c(n int) ir.Expr { return &ir.Const{X: ir.X{Typ: ir.Integer}, Int: n} }
func (builder) bin(op ir.Op, l, r ir.Expr) ir.Expr {
	return &ir.Bin{X: ir.X{Typ: l.Type()}, Op: op, L: l, R: r}
}
func (builder) un(op ir.Op, e ir.Expr) ir.Expr { return &ir.Un{X: ir.X{Typ: e.Type()}, Op: op, E: e} }

// TestExprString: parentheses stand exactly where the tree needs them.
func TestExprString(t *testing.T) {
	var b builder
	x, y, z := b.v("x"), b.v("y"), b.v("z")
	for _, tt := range []struct {
		e    ir.Expr
		want string
	}{
		{b.bin(ir.Sub, x, b.bin(ir.Sub, y, z)), "x-(y-z)"},
		{b.bin(ir.Sub, b.bin(ir.Sub, x, y), z), "x-y-z"},
		{b.bin(ir.Mul, b.bin(ir.Add, x, y), z), "(x+y)*z"},
		{b.bin(ir.Div, x, b.bin(ir.Mul, y, z)), "x/(y*z)"},
		{b.bin(ir.Pow, x, b.bin(ir.Pow, y, z)), "x**y**z"},
		{b.bin(ir.Pow, b.bin(ir.Pow, x, y), z), "(x**y)**z"},
		{b.bin(ir.Add, x, b.c(-1)), "x+(-1)"},
		{b.bin(ir.Mul, b.c(-2), x), "(-2)*x"},
		{b.bin(ir.Pow, b.un(ir.Neg, x), y), "(-x)**y"},
		{b.un(ir.Neg, b.bin(ir.Pow, x, y)), "-x**y"},
		{b.un(ir.Neg, b.bin(ir.Add, x, y)), "-(x+y)"},
		{b.bin(ir.Mul, x, b.un(ir.Neg, y)), "x*(-y)"},
		{b.un(ir.Group, b.bin(ir.Add, x, y)), "(x+y)"},
		{b.un(ir.Not, b.bin(ir.And, x, y)), ".not.(x .and. y)"},
		{b.bin(ir.And, b.bin(ir.Or, x, y), b.un(ir.Not, z)), "(x .or. y) .and. .not.z"},
		{b.bin(ir.Eqv, b.bin(ir.Eq, x, y), b.bin(ir.Neqv, x, y)), "x == y .eqv. (x .neqv. y)"},
		{b.bin(ir.Lt, b.bin(ir.Add, x, y), b.bin(ir.Concat, x, y)), "x+y < x//y"},
		{&ir.Const{X: ir.X{Typ: ir.Character}, Str: "it's"}, "'it''s'"},
		{&ir.Const{X: ir.X{Typ: ir.Double}, Float: 1e-10}, "1d-10"},
		{&ir.Const{X: ir.X{Typ: ir.Double}, Float: 0.5}, "0.5d0"},
		{&ir.Const{X: ir.X{Typ: ir.Real}, Float: 2}, "2.0"},
	} {
		if got := ir.ExprString(tt.e); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

// TestSameAndClone: a clone is the same expression in other nodes, and any
// difference in operator, operand or type shows.
func TestSameAndClone(t *testing.T) {
	var b builder
	x, y := b.v("x"), b.v("y")
	a := &ir.Symbol{Name: "a", Dims: []ir.Bound{{Lo: 1, Hi: 3}}, Type: ir.Integer}
	ref := func(sub ir.Expr) ir.Expr { return &ir.Ref{X: ir.X{Typ: ir.Integer}, Sym: a, Subs: []ir.Expr{sub}} }
	call := func(name string, args ...ir.Expr) ir.Expr {
		return &ir.Call{X: ir.X{Typ: ir.Integer}, Name: name, Args: args}
	}
	list := []ir.Expr{
		x, y, b.c(1), b.c(2), ref(x), ref(b.bin(ir.Add, x, y)), b.bin(ir.Add, x, y), b.bin(ir.Sub, x, y), b.bin(ir.Add, y, x),
		b.un(ir.Neg, x), b.un(ir.Group, x), call("max", x, y), call("min", x, y), call("max", x, y, x),
		&ir.Conv{X: ir.X{Typ: ir.Real}, E: x}, &ir.Conv{X: ir.X{Typ: ir.Double}, E: x},
		&ir.Const{X: ir.X{Typ: ir.Logical}, Bool: true}, &ir.Const{X: ir.X{Typ: ir.Logical}},
	}
	for i, e := range list {
		c := ir.Clone(e)
		nodes := map[ir.Expr]bool{}
		ir.WalkExpr(e, func(n ir.Expr) bool { nodes[n] = true; return true })
		ir.WalkExpr(c, func(n ir.Expr) bool {
			if nodes[n] {
				t.Errorf("the clone of %s shares a node", ir.ExprString(e))
			}
			return true
		})
		for j, o := range list {
			if ir.Same(c, o) != (i == j) {
				t.Errorf("Same(%s, %s) = %v", ir.ExprString(c), ir.ExprString(o), i != j)
			}
		}
	}
}
