package linalg

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/spmdc/spmdc/internal/gcless"
)

// of builds a form from a constant and alternating names and coefficients.
func of(c int64, terms ...any) Affine {
	a := Const(c)
	for k := 0; k < len(terms); k += 2 {
		var ok bool
		if a, ok = a.Add(Term(int64(terms[k+1].(int)), terms[k].(string))); !ok {
			panic("overflow in a test's own form")
		}
	}
	return a
}

func TestAffineString(t *testing.T) {
	for _, c := range []struct {
		a    Affine
		want string
	}{
		{Affine{}, "0"},
		{Const(-7), "-7"},
		{Var("i"), "i"},
		{of(3, "i", 2, "j", -1), "2*i - j + 3"},
		{of(-1, "j", -1, "i", -4), "-4*i - j - 1"},
		{of(0, "i", 1, "i", -1), "0"},
		{Affine{C: 1, T: map[string]int64{"i": 0}}, "1"},
		{Const(math.MinInt64), "-9223372036854775808"},
		{Affine{T: map[string]int64{"i": 1, "j": math.MinInt64}}, "i - 9223372036854775808*j"},
	} {
		if got := c.a.String(); got != c.want {
			t.Errorf("%#v prints %q, want %q", c.a, got, c.want)
		}
	}
}

func TestAffineSubst(t *testing.T) {
	for _, c := range []struct {
		a    Affine
		v    string
		by   Affine
		want string
	}{
		{of(3, "i", 2, "j", -1), "i", of(1, "k", 1), "-j + 2*k + 5"},
		{of(0, "i", 1), "i", of(-1, "i", 1), "i - 1"}, // a back edge: i becomes i - 1
		{of(0, "i", 1, "j", -1), "i", Var("j"), "0"},
		{of(0, "i", 1), "k", Var("j"), "i"},
	} {
		got, ok := c.a.Subst(c.v, c.by)
		if !ok || got.String() != c.want {
			t.Errorf("(%v)[%s := %v] = %v, %v, want %s", c.a, c.v, c.by, got, ok, c.want)
		}
	}
}

func TestAffineRenameAddsUpVariablesThatMeet(t *testing.T) {
	a := of(1, "i", 2, "j", -2, "k", 1)
	got, ok := a.Rename(func(v string) string {
		if v == "k" {
			return "k'"
		}
		return "x"
	})
	if want := of(1, "k'", 1); !ok || !got.Equal(want) {
		t.Errorf("got %v, %v, want %v", got, ok, want)
	}
}

func TestAffineOverflowIsReported(t *testing.T) {
	const big, small = math.MaxInt64, math.MinInt64
	max, min := Const(big), Const(small)
	huge := Term(big, "i")
	for name, op := range map[string]func() (Affine, bool){
		"max+1":     func() (Affine, bool) { return max.Add(Const(1)) },
		"min-1":     func() (Affine, bool) { return min.Sub(Const(1)) },
		"-min":      func() (Affine, bool) { return min.Scale(-1) },
		"max*i + i": func() (Affine, bool) { return huge.Add(Var("i")) },
		"2*max*i":   func() (Affine, bool) { return huge.Scale(2) },
		"subst":     func() (Affine, bool) { return huge.Subst("i", Const(2)) },
		"rename": func() (Affine, bool) {
			sum, _ := huge.Add(Var("j"))
			return sum.Rename(func(string) string { return "x" })
		},
	} {
		if got, ok := op(); ok {
			t.Errorf("%s = %v, want overflow", name, got)
		}
	}
	if _, ok := huge.Eval(func(string) int64 { return 3 }); ok {
		t.Error("evaluation overflow is not reported")
	}
}

// forms draws forms over i, j, k with coefficients from the whole int64 range,
// small ones more often.
func forms() *rapid.Generator[Affine] {
	coef := rapid.OneOf(rapid.Int64Range(-5, 5), rapid.Int64())
	return rapid.Custom(func(t *rapid.T) Affine {
		a := Const(coef.Draw(t, "c"))
		for _, v := range []string{"i", "j", "k"} {
			a, _ = a.Add(Term(coef.Draw(t, v), v))
		}
		return a
	})
}

// exact evaluates a in unbounded arithmetic.
func exact(a Affine, env map[string]int64) *big.Int {
	sum := big.NewInt(a.C)
	for v, x := range a.T {
		sum.Add(sum, new(big.Int).Mul(big.NewInt(x), big.NewInt(env[v])))
	}
	return sum
}

// TestAffineArithmetic checks each operation by its value at a random point,
// computed without bounds: a result that is reported to fit is exact.
func TestAffineArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := forms().Draw(t, "a"), forms().Draw(t, "b")
		k := rapid.Int64().Draw(t, "scale")
		env := map[string]int64{}
		for _, v := range []string{"i", "j", "k"} {
			env[v] = rapid.Int64().Draw(t, "at "+v)
		}
		va, vb := exact(a, env), exact(b, env)
		check := func(what string, got Affine, ok bool, want *big.Int) {
			if !ok {
				return
			}
			if exact(got, env).Cmp(want) != 0 {
				t.Fatalf("%s of %v and %v is %v: value %v, want %v", what, a, b, got, exact(got, env), want)
			}
			for v, x := range got.T {
				if x == 0 {
					t.Fatalf("%s of %v and %v keeps a zero coefficient of %s", what, a, b, v)
				}
			}
			if got.T != nil && len(got.T) == 0 {
				t.Fatalf("%s of %v and %v has an empty map", what, a, b)
			}
		}
		sum, ok := a.Add(b)
		check("sum", sum, ok, new(big.Int).Add(va, vb))
		diff, ok := a.Sub(b)
		check("difference", diff, ok, new(big.Int).Sub(va, vb))
		scaled, ok := a.Scale(k)
		check("multiple", scaled, ok, new(big.Int).Mul(va, big.NewInt(k)))

		sub, ok := a.Subst("i", b)
		// The substitution is the same affine map with vb in place of i.
		want := new(big.Int).Sub(vb, big.NewInt(env["i"]))
		want.Mul(want, big.NewInt(a.Coef("i"))).Add(want, va)
		check("substitution", sub, ok, want)

		if v, ok := a.Eval(func(v string) int64 { return env[v] }); ok && va.Cmp(big.NewInt(v)) != 0 {
			t.Fatalf("%v evaluates to %d, want %v", a, v, va)
		}
	})
}

func TestInt64AgainstUnboundedIntegers(t *testing.T) {
	edge := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-3, 3),
		rapid.SampledFrom([]int64{math.MaxInt64, math.MinInt64, math.MaxInt64 - 1, math.MinInt64 + 1, 1 << 32, -1 << 31}))
	rapid.Check(t, func(t *rapid.T) {
		a, b := edge.Draw(t, "a"), edge.Draw(t, "b")
		ba, bb := big.NewInt(a), big.NewInt(b)
		for _, c := range []struct {
			op   string
			f    func(a, b int64) (int64, bool)
			want *big.Int
		}{
			{"+", AddInt64, new(big.Int).Add(ba, bb)},
			{"-", SubInt64, new(big.Int).Sub(ba, bb)},
			{"*", MulInt64, new(big.Int).Mul(ba, bb)},
		} {
			got, ok := c.f(a, b)
			if ok != c.want.IsInt64() || ok && got != c.want.Int64() {
				t.Fatalf("%d %s %d = %d, %v, want %v", a, c.op, b, got, ok, c.want)
			}
		}
		g := GCD(a, b)
		if a != 0 && a%g != 0 || b != 0 && b%g != 0 {
			t.Fatalf("gcd(%d, %d) = %d does not divide both", a, b, g)
		}
		if a != math.MinInt64 && b != math.MinInt64 {
			want := new(big.Int).GCD(nil, nil, ba.Abs(ba), new(big.Int).Abs(bb))
			if want.Int64() != g {
				t.Fatalf("gcd(%d, %d) = %d, want %v", a, b, g, want)
			}
		}
		if b > 0 {
			// Euclidean division rounds down for a positive divisor.
			floor := new(big.Int).Div(big.NewInt(a), bb).Int64()
			ceil := floor
			if a%b != 0 {
				ceil++
			}
			if FloorDiv(a, b) != floor || CeilDiv(a, b) != ceil {
				t.Fatalf("%d / %d rounds to %d and %d, want %d and %d", a, b, FloorDiv(a, b), CeilDiv(a, b), floor, ceil)
			}
		}
	})
}
