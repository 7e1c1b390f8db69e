package spmd

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/runtime/elementary"
)

// TestArithmetic is arith.f90: the helpers give gfortran's results, to the bit.
func TestArithmetic(t *testing.T) {
	a := []int32{7, -7, 8, -8, 0, 1, -1, 3}
	b := []int32{3, -3, 1, -1, 5, -8}
	x := []float64{2.5, -2.5, 0.49999999999999994, -0.5, 1.1, -7.75, 0, math.Copysign(0, -1)}
	y := []float64{1.1, -1.1, 2, -2}
	out, _ := spmd(t, 1, "", func(pe *PE) {
		l := pe.NewLine()
		table := func(rows, cols int, f func(i, j int) any) {
			for i := range rows {
				for j := range cols {
					l.Add(f(i, j))
				}
			}
			l.End()
		}
		table(8, 6, func(i, j int) any { return Modulo(a[i], b[j]) })
		table(8, 6, func(i, j int) any { return a[i] % b[j] })
		table(8, 4, func(i, j int) any { return ModuloF(x[i], y[j]) })
		table(8, 4, func(i, j int) any { return math.Mod(x[i], y[j]) })
		table(8, 8, func(i, j int) any { return Sign(x[i], x[j]) })
		table(8, 8, func(i, j int) any { return Sign(a[i], a[j]) })
		table(8, 8, func(i, j int) any { return PosDiff(a[i], a[j]) })
		table(8, 3, func(i, j int) any { return []int32{Nint[int32](x[i]), Floor[int32](x[i]), Ceiling[int32](x[i])}[j] })
		table(8, 2, func(i, j int) any { return []float64{math.Round(x[i]), math.Trunc(x[i])}[j] })
		table(8, 6, func(i, j int) any { return PowInt(a[i], int(Abs(b[j])%6)) })
		table(6, 8, func(i, j int) any { return elementary.Powi(x[i], 6*j-9) })
		table(6, 8, func(i, j int) any { return elementary.Powi(float32(x[i]), 6*j-9) })
	})
	got, want := strings.Split(out, "\n"), strings.Split(golden(t, "arith.txt"), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	for i := range got {
		g, w := strings.Fields(got[i]), strings.Fields(want[i])
		if len(g) != len(w) {
			t.Fatalf("table %d has %d numbers, want %d", i+1, len(g), len(w))
		}
		for k := range g {
			if g[k] != w[k] {
				t.Errorf("table %d, number %d: %s, gfortran %s", i+1, k+1, g[k], w[k])
			}
		}
	}
}

func TestTripCount(t *testing.T) {
	for lo := -4; lo <= 4; lo++ {
		for hi := -4; hi <= 4; hi++ {
			for _, step := range []int{1, 2, 3, -1, -2, -5} {
				want := 0
				for i := lo; step > 0 && i <= hi || step < 0 && i >= hi; i += step {
					want++
				}
				if got := Count(lo, hi, step); got != want {
					t.Errorf("trip count of %d,%d,%d is %d, want %d", lo, hi, step, got, want)
				}
			}
		}
	}
	const least, most = math.MinInt, math.MaxInt
	for _, c := range []struct{ lo, hi, step, want int }{
		{most - 2, most, 1, 3}, {least + 2, least, -1, 3}, {most - 4, most, 3, 2}, {least, most, most, 3}, {most, least, least, 2},
		{least, most, 1, most}, {most, least, -1, most}, {least, most, 2, most}, {least, most, 3, 6148914691236517206}, {most, least, 1, 0},
	} {
		if got := Count(c.lo, c.hi, c.step); got != c.want {
			t.Errorf("trip count of %d,%d,%d is %d, want %d", c.lo, c.hi, c.step, got, c.want)
		}
	}
	mustPanic(t, "DO step is zero", func() { Count(1, 2, 0) })
}

func TestIntegerPowers(t *testing.T) {
	for _, c := range []struct{ x, n, want int }{
		{2, 10, 1024}, {-2, 3, -8}, {0, 0, 1}, {0, 5, 0}, {7, 0, 1}, {1, -3, 1}, {-1, -3, -1}, {-1, -4, 1}, {2, -1, 0}, {-3, -2, 0}, {10, 9, 1000000000},
	} {
		if got := PowInt(c.x, c.n); got != c.want {
			t.Errorf("%d**%d = %d, want %d", c.x, c.n, got, c.want)
		}
	}
	mustPanic(t, "integer divide by zero", func() { PowInt(0, -1) })
}

// Both INTEGER types wrap, as gfortran's do with -fwrapv.
func TestWrapping(t *testing.T) {
	const least4, least8 = math.MinInt32, math.MinInt64
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"3**21", PowInt(int32(3), 21), int32(1870418611)},
		{"3**41", PowInt(3, 41), -420491770248316829},
		{"(-2)**31", PowInt(int32(-2), 31), int32(least4)},
		{"2**32", PowInt(int32(2), 32), int32(0)},
		{"abs", Abs(int32(least4)), int32(least4)},
		{"abs of 64 bits", Abs(least8), least8},
		{"sign", Sign(int32(least4), 1), int32(least4)},
		{"sign of 64 bits", Sign(-5, 3), 5},
		{"dim", PosDiff(int32(math.MaxInt32), -1), int32(0)}, // the difference is negative, as gfortran sees it
		{"modulo", Modulo(int32(least4), math.MaxInt32), int32(math.MaxInt32 - 1)},
		{"modulo by -1", Modulo(int32(least4), -1), int32(0)},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
}

// What does not fit gives the least integer, that of cvttsd2si; NINT rounds to 64 bits
// first.
func TestConversions(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		x           float64
		trunc, nint int32
		long        int
	}{
		{2147483647.9, math.MaxInt32, math.MinInt32, 2147483647}, {2147483648, math.MinInt32, math.MinInt32, 2147483648},
		{-2147483648.9, math.MinInt32, 2147483647, -2147483648}, {-2147483649, math.MinInt32, 2147483647, -2147483649},
		{3e9, math.MinInt32, -1294967296, 3000000000}, {nan, math.MinInt32, 0, math.MinInt}, {inf, math.MinInt32, 0, math.MinInt},
		{-inf, math.MinInt32, 0, math.MinInt}, {1e19, math.MinInt32, 0, math.MinInt}, {9223372036854774784, math.MinInt32, -1024, 9223372036854774784},
		{-9223372036854775808, math.MinInt32, 0, math.MinInt}, {-0.9, 0, -1, 0}, {1.5, 1, 2, 1},
	} {
		if got := Trunc[int32](c.x); got != c.trunc {
			t.Errorf("int(%v) = %d, want %d", c.x, got, c.trunc)
		}
		if got := Nint[int32](c.x); got != c.nint {
			t.Errorf("nint(%v) = %d, want %d", c.x, got, c.nint)
		}
		if got := Trunc[int](c.x); got != c.long {
			t.Errorf("int(%v, 8) = %d, want %d", c.x, got, c.long)
		}
	}
	for _, x := range []float64{0.5, 1.5, 2.5, 1<<51 + 0.5, 1<<52 + 1, 1<<53 + 2, 1 << 61, 1 << 62, 7.25} {
		for _, v := range []float64{x, math.Nextafter(x, 0), math.Nextafter(x, 1e300), -x, -math.Nextafter(x, 0)} {
			if got, want := Nint[int](v), int(math.Round(v)); got != want {
				t.Errorf("nint(%v, 8) = %d, want %d", v, got, want)
			}
		}
	}
	if got := Trunc[int32](float32(-2147483648)); got != math.MinInt32 {
		t.Errorf("int of a REAL: %d", got)
	}
	if got := Trunc[int32](float32(2147483520)); got != 2147483520 {
		t.Errorf("int of a REAL: %d", got)
	}
}

func TestCharacters(t *testing.T) {
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"pad", Pad("ab", 4), "ab  "},
		{"cut", Pad("abcd", 2), "ab"},
		{"substring", Substr("abcdef", 2, 4), "bcd"},
		{"whole substring", Substr("abc", 1, 3), "abc"},
		{"empty substring", Substr("abc", 9, 2), ""},
		{"assigned substring", SetSub("abcdef", 2, 4, "xy"), "axy ef"},
		{"assigned long value", SetSub("abcdef", 2, 3, "wxyz"), "awxdef"},
		{"assigned empty substring", SetSub("abc", 3, 2, "x"), "abc"},
		{"trim", Trim(" a b  "), " a b"},
		{"trim blanks", Trim("   "), ""},
		{"len_trim", LenTrim("ab  "), 2},
		{"adjustl", Adjustl("  ab "), "ab   "},
		{"adjustr", Adjustr(" ab  "), "   ab"},
		{"index", IndexStr("banana", "an"), 2},
		{"index from the back", IndexStr("banana", "an", true), 4},
		{"index of nothing", IndexStr("banana", "x"), 0},
		{"index of the empty string", IndexStr("abc", ""), 1},
		{"index of the empty string from the back", IndexStr("abc", "", true), 4},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.what, c.got, c.want)
		}
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"ab", "ab  ", 0}, {"ab", "abc", -1}, {"b", "abc", 1}, {"", "  ", 0}, {"ab\t", "ab", -1}, {"ab", "ab\x01", 1}, {"a", "", 1}} {
		if got := CmpStr(c.a, c.b); got != c.want {
			t.Errorf("%q against %q: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := CmpStr(c.b, c.a); got != -c.want {
			t.Errorf("%q against %q: %d, want %d", c.b, c.a, got, -c.want)
		}
	}
	mustPanic(t, "(0:2)", func() { Substr("abc", 0, 2) })
	mustPanic(t, "(2:4)", func() { SetSub("abc", 2, 4, "x") })
}

// gfortran's DIM is a NaN where the difference is.
func TestPosDiffNaN(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, d := range []float64{PosDiff(nan, 1), PosDiff(1, nan), PosDiff(inf, inf)} {
		if !math.IsNaN(d) {
			t.Errorf("%v, want NaN", d)
		}
	}
	if d := PosDiff(1, inf); d != 0 {
		t.Errorf("dim(1, inf) = %v, want 0", d)
	}
}

// TestLargerAndSmaller: NaN loses against every number, and the others are ordered
// as listed. So both functions are commutative and associative, to the bit.
func TestLargerAndSmaller(t *testing.T) {
	ordered := []float64{math.Inf(-1), -1, math.Copysign(0, -1), 0, 1, math.Inf(1)}
	check := func(what string, got, want float64) {
		if math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	nan := math.NaN()
	for i, x := range ordered {
		for k, y := range ordered {
			what := fmt.Sprintf("of %v and %v", x, y)
			check("the larger "+what, Larger(x, y), ordered[max(i, k)])
			check("the smaller "+what, Smaller(x, y), ordered[min(i, k)])
			check("the larger single "+what, float64(Larger(float32(x), float32(y))), ordered[max(i, k)])
			check("the smaller single "+what, float64(Smaller(float32(x), float32(y))), ordered[min(i, k)])
		}
		for _, y := range []float64{Larger(x, nan), Larger(nan, x), Smaller(x, nan), Smaller(nan, x)} {
			check(fmt.Sprintf("what is left of NaN and %v", x), y, x)
		}
	}
	if x, y := Larger(nan, nan), Smaller(nan, nan); x == x || y == y {
		t.Errorf("of NaNs alone %v and %v, want NaN", x, y)
	}
}
