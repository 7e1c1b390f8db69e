package ir_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/runtime/elementary"
)

// TestComputeFunctions: functions of constants have the bits that they have at run time.
func TestComputeFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, f := range map[string]func(float64) float64{
		"exp": elementary.Exp, "log": elementary.Log, "log10": elementary.Log10, "sin": elementary.Sin, "cos": elementary.Cos, "tan": elementary.Tan,
		"asin": elementary.Asin, "acos": elementary.Acos, "atan": elementary.Atan, "sinh": elementary.Sinh, "cosh": elementary.Cosh, "tanh": elementary.Tanh,
	} {
		for range 200 {
			x := r.Float64()
			for _, typ := range []ir.Type{ir.Double, ir.Real} {
				x = typ.Round(x)
				c := &ir.Const{X: ir.X{Typ: typ}, Float: x}
				got, fits, ok := ir.Compute(&ir.Call{X: ir.X{Typ: typ}, Name: name, Args: []ir.Expr{c}}, []*ir.Const{c})
				if !ok || !fits || got.Float != typ.Round(f(x)) {
					t.Fatalf("%s(%v) of %s is %v, want %v", name, x, typ, got.Float, typ.Round(f(x)))
				}
			}
		}
	}
	for range 200 {
		x, y := &ir.Const{X: ir.X{Typ: ir.Double}, Float: 10 * r.Float64()}, &ir.Const{X: ir.X{Typ: ir.Double}, Float: r.NormFloat64()}
		got, fits, ok := ir.Compute(&ir.Bin{X: ir.X{Typ: ir.Double}, Op: ir.Pow, L: x, R: y}, []*ir.Const{x, y})
		if !ok || !fits || got.Float != elementary.Pow(x.Float, y.Float) {
			t.Fatalf("%v ** %v is %v", x.Float, y.Float, got.Float)
		}
	}
}

// TestComputeIntegers: what does not fit is wrapped and said to, and what has no value has none.
func TestComputeIntegers(t *testing.T) {
	number := func(n int) *ir.Const { return &ir.Const{X: ir.X{Typ: ir.Integer}, Int: n} }
	for _, c := range []struct {
		op       ir.Op
		x, y     int
		want     int
		fits, ok bool
	}{
		{ir.Add, math.MaxInt32, 1, math.MinInt32, false, true},
		{ir.Mul, 1 << 20, 1 << 20, 0, false, true},
		{ir.Mul, -7, 6, -42, true, true},
		{ir.Div, -7, 2, -3, true, true},
		{ir.Div, 7, 0, 0, false, false},
		{ir.Pow, 3, 4, 81, true, true},
		{ir.Pow, 2, 31, math.MinInt32, false, true},
		{ir.Pow, 2, -1, 0, true, true},
		{ir.Pow, -1, -3, -1, true, true},
		{ir.Pow, 0, -1, 0, false, false},
	} {
		x, y := number(c.x), number(c.y)
		got, fits, ok := ir.Compute(&ir.Bin{X: ir.X{Typ: ir.Integer}, Op: c.op, L: x, R: y}, []*ir.Const{x, y})
		if ok != c.ok || ok && (fits != c.fits || got.Int != c.want) {
			t.Errorf("%d %s %d is %d, %t, %t", c.x, c.op, c.y, got.Int, fits, ok)
		}
	}
}
