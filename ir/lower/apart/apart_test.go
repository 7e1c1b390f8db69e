package apart_test

import (
	"math/rand/v2"
	"testing"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/lower/apart"
)

// TestApart compares with what loops find that execute all iterations, in
//
//	do k = c, c, s
//	   do j = form(k), form(k), s
//	      [if (form(j, k) /= 0)]
//	         a(form(el, j, k), form(el, j, k)) = a(form(el', j, k), form(el', j, k))
//
// with el and el' from 1 to form(j, k).
func TestApart(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	number := func(k int) ir.Expr { return &ir.Const{X: ir.X{Typ: ir.Long}, Int: k} }
	binary := func(op ir.Op, x, y ir.Expr) ir.Expr { return &ir.Bin{X: ir.X{Typ: ir.Long}, Op: op, L: x, R: y} }
	type form struct{ c, k, j, el int }
	random := func(k, j, el bool) form {
		f := form{c: rnd.IntN(7) - 3}
		for _, v := range []struct {
			in bool
			to *int
		}{{k, &f.k}, {j, &f.j}, {el, &f.el}} {
			if v.in && rnd.IntN(2) == 0 {
				*v.to = []int{-1, 1, 1, 1, 2}[rnd.IntN(5)]
			}
		}
		return f
	}
	at := func(f form, k, j, el int) int { return f.c + f.k*k + f.j*j + f.el*el }
	symbol := func(name string) *ir.Symbol { return &ir.Symbol{Name: name, Type: ir.Long} }
	k, j, el := symbol("k"), symbol("j"), symbol("el")
	expr := func(f form) ir.Expr {
		out := number(f.c)
		for _, v := range []struct {
			coef int
			sym  *ir.Symbol
		}{{f.k, k}, {f.j, j}, {f.el, el}} {
			if v.coef != 0 {
				out = binary(ir.Add, out, binary(ir.Mul, number(v.coef), &ir.Var{X: ir.X{Typ: ir.Long}, Sym: v.sym}))
			}
		}
		return out
	}
	steps := []int{1, 1, 1, -1, 2, -2}
	run := func(lo, hi, step int) (list []int) {
		for i := lo; step > 0 && i <= hi || step < 0 && i >= hi; i += step {
			list = append(list, i)
		}
		return list
	}
	proved, wholly := 0, 0
	for range 20000 {
		kLo, kHi, kStep := rnd.IntN(3)-1, rnd.IntN(5)+2, steps[rnd.IntN(len(steps))]
		jLo, jHi, jStep := random(true, false, false), random(true, false, false), steps[rnd.IntN(len(steps))]
		n, unequal := random(true, true, false), random(true, true, false)
		conditional := rnd.IntN(3) == 0
		var left, right [2]form
		for d := range left {
			left[d], right[d] = random(true, true, true), random(true, true, true)
		}
		var x apart.Indices
		x.Add(k, number(kLo), number(kHi), number(kStep), false)
		x.Add(j, expr(jLo), expr(jHi), number(jStep), false)
		if conditional {
			x.Holds(&ir.Bin{X: ir.X{Typ: ir.Logical}, Op: ir.Ne, L: expr(unequal), R: number(0)}, true)
		}
		extent := expr(n)
		if rnd.IntN(2) == 0 {
			extent = &ir.Call{X: ir.X{Typ: ir.Long}, Name: "max", Args: []ir.Expr{number(0), extent}}
		}
		x.Add(el, number(1), extent, number(1), true)
		meet, some := false, false
		for _, k := range run(kLo, kHi, kStep) {
			for _, j := range run(at(jLo, k, 0, 0), at(jHi, k, 0, 0), jStep) {
				if conditional && at(unequal, k, j, 0) == 0 {
					continue
				}
				for p := 1; p <= at(n, k, j, 0); p++ {
					for q := 1; q <= at(n, k, j, 0); q++ {
						some = true
						meet = meet || at(left[0], k, j, p) == at(right[0], k, j, q) && at(left[1], k, j, p) == at(right[1], k, j, q)
					}
				}
			}
		}
		a := &ir.Ref{Subs: []ir.Expr{expr(left[0]), expr(left[1])}}
		b := &ir.Ref{Subs: []ir.Expr{expr(right[0]), expr(right[1])}}
		got := x.Apart(a, b)
		if got && meet {
			t.Fatalf("%s and %s are said to be apart, with k = %d, %d, %d, j = %s, %s, %d, el up to %s, condition %v on %s",
				ir.ExprString(a), ir.ExprString(b), kLo, kHi, kStep, ir.ExprString(expr(jLo)), ir.ExprString(expr(jHi)), jStep, ir.ExprString(extent), conditional, ir.ExprString(expr(unequal)))
		}
		if some && !meet {
			wholly++
			if got {
				proved++
			}
		}
	}
	if proved < wholly/4 {
		t.Errorf("%d of %d pairs that never meet are found to be apart", proved, wholly)
	}
	t.Logf("%d of %d pairs that never meet are found to be apart", proved, wholly)
}
