package linalg_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/spmdc/spmdc/ir/depend"
	. "github.com/spmdc/spmdc/procfunc/linalg"
)

// lin is the integer form c + k1*v1 + ...
func lin(c int64, terms ...any) Form {
	a := Const(c)
	for i := 0; i < len(terms); i += 2 {
		a, _ = a.Add(Term(int64(terms[i+1].(int)), terms[i].(string)))
	}
	return FormOf(a)
}

func rat(a, b int64) *big.Rat { return big.NewRat(a, b) }

func TestFormString(t *testing.T) {
	for _, c := range []struct {
		f    Form
		want string
	}{
		{Form{}, "0"},
		{lin(3, "i", 2, "n", -1), "2*i - n + 3"},
		{lin(-31, "i", 4).Scale(rat(1, 3)), "4/3*i - 31/3"},
		{lin(0, "i", 1).Sub(lin(0, "i", 1)), "0"},
		{lin(1, "k", 1).Subst("k", lin(-2, "k", 1)), "k - 1"},
	} {
		if got := c.f.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestFormBackToIntegers(t *testing.T) {
	num, den, ok := lin(-31, "i", 4).Scale(rat(1, 6)).Affine()
	if !ok || num.String() != "4*i - 31" || den != 6 {
		t.Errorf("got (%v)/%d, %v", num, den, ok)
	}
	huge := Rational(new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 64)))
	if _, _, ok := huge.Affine(); ok {
		t.Error("2^64 fits an int64")
	}
	if _, _, ok := Rational(new(big.Rat).Inv(huge.Const())).Affine(); ok {
		t.Error("the denominator 2^64 fits an int64")
	}
}

func TestTripletString(t *testing.T) {
	n := lin(0, "n", 1)
	for _, c := range []struct {
		t    Triplet
		want string
	}{
		{U(), "U"},
		{Point(Integer(-1)), "-1"},
		{Range(Integer(1), n, 1), "1:n"},
		{Range(n, Integer(1), -2), "n:1:-2"},
		{Range(Integer(2), Integer(9), 3), "2:8:3"}, // a constant end is the last element
		{Range(Integer(1), n, 1).Image(rat(-2, 1), Integer(5)), "3:-2*n + 5:-2"},
		{Range(Integer(1), n, 1).Image(rat(1, 2), Form{}), "1/2:1/2*n:1/2"},
		{U().Image(rat(3, 1), Integer(5)), "U"},
		{U().Image(rat(0, 1), Integer(5)), "5"},
		{U().Shift(n), "U"},
	} {
		if got := c.t.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// The containment test as printed, on the cases that the paper's conditions
// tell apart, and what the exact test adds when n >= 4 is known.
func TestWithin(t *testing.T) {
	n := lin(0, "n", 1)
	known := func(eqs, ineqs []Affine) bool {
		four, _ := Var("n").Sub(Const(4))
		return depend.Infeasible(eqs, append([]Affine{four}, ineqs...))
	}
	r := func(lo, hi Form, step int64) Triplet { return Range(lo, hi, step) }
	i := Integer
	for _, c := range []struct {
		a, b           Triplet
		printed, exact bool
	}{
		{r(i(1), n, 1), U(), true, true},
		{U(), r(i(1), n, 1), false, false},
		{U(), U(), true, true},
		{r(i(2), lin(-1, "n", 1), 1), r(i(1), n, 1), true, true},
		{r(i(0), n, 1), r(i(1), n, 1), false, false},                            // (i)
		{r(i(1), lin(1, "n", 1), 1), r(i(1), n, 1), false, false},               // (ii)
		{r(i(2), n, 2), r(i(1), n, 2), false, false},                            // (iii)
		{r(i(1), n, 3), r(i(1), n, 2), false, false},                            // (iv)
		{r(i(3), n, 4), r(i(1), n, 2), true, true},                              // (iv) with 4 mod 2 = 0
		{r(n, i(1), -1), r(i(1), n, 1), true, true},                             // strides made positive
		{r(i(1), n, 1), r(n, i(1), -1), true, true},                             // on either side
		{Point(i(3)), r(i(1), n, 1), false, true},                               // 3 <= n needs n >= 4
		{Point(i(5)), r(i(1), n, 1), false, false},                              // n may be 4
		{r(i(1), i(4), 1), r(i(1), n, 1), false, true},                          //
		{r(i(1), i(0), 1), r(n, n, 1), false, true},                             // nothing is inside everything
		{Point(lin(0, "n", 2)), r(i(0), lin(0, "n", 4), 2), false, true},        // n >= 0
		{Point(lin(1, "n", 2)), r(i(0), lin(0, "n", 4), 2), false, false},       // odd
		{Point(lin(0, "k", 1)), Point(lin(0, "k", 1)), true, true},              // by name
		{Point(lin(0, "k", 1)), Point(lin(1, "k", 1)), false, false},            //
		{r(i(1), n, 1).Image(rat(1, 2), Form{}), r(i(1), n, 1), false, true},    // the integers of 1/2, 1, 3/2, ...
		{r(i(2), n, 2).Image(rat(1, 2), Form{}), r(i(1), n, 1), false, true},    // 1, 2, ..., n/2
		{r(i(2), i(8), 2).Image(rat(1, 2), i(0)), r(i(1), i(4), 1), true, true}, //
	} {
		if got := c.a.WithinPrinted(c.b); got != c.printed {
			t.Errorf("as printed, %v inside %v: %v, want %v", c.a, c.b, got, c.printed)
		}
		if got := c.a.Within(c.b, known); got != c.exact {
			t.Errorf("for n >= 4, %v inside %v: %v, want %v", c.a, c.b, got, c.exact)
		}
	}
}

func TestWithinGivesUpOnOverflow(t *testing.T) {
	wide := Point(Rational(new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 70))))
	if wide.Within(wide, depend.Infeasible) {
		t.Error("numbers beyond int64 were handed to the prover")
	}
}

// small draws triplets with constant bounds and their elements.
func small() *rapid.Generator[Triplet] {
	return rapid.Custom(func(t *rapid.T) Triplet {
		if rapid.IntRange(0, 9).Draw(t, "point") == 0 {
			return Point(Integer(rapid.Int64Range(-9, 9).Draw(t, "at")))
		}
		lo, trips := rapid.Int64Range(-9, 9).Draw(t, "lo"), rapid.Int64Range(0, 5).Draw(t, "trips")
		step := rapid.SampledFrom([]int64{1, 1, 2, 3, -1, -2, -3, 4}).Draw(t, "step")
		// Not always an element; past the end for no trips.
		hi := lo + trips*step - step
		if trips > 0 && step != 1 && step != -1 {
			hi += step / 2 * rapid.Int64Range(0, 1).Draw(t, "loose")
		}
		return Range(Integer(lo), Integer(hi), step)
	})
}

func none(string) int64 { return 0 }

// elements are the integers of a set.
func elements(t Triplet) []int64 {
	var xs []int64
	for x := int64(-200); x <= 200; x++ {
		if t.Holds(x, none) {
			xs = append(xs, x)
		}
	}
	return xs
}

func subset(a, b []int64) bool {
	return !slices.ContainsFunc(a, func(x int64) bool { return !slices.Contains(b, x) })
}

// TestTripletsAgainstEnumeration: images, sums and containment of random
// triplets are those of their elements.
func TestTripletsAgainstEnumeration(t *testing.T) {
	exactSums, inexactSums, inside, proved := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		a, b := small().Draw(t, "a"), small().Draw(t, "b")
		xs, ys := elements(a), elements(b)
		k := rapid.SampledFrom([]int64{-2, -1, 0, 1, 3}).Draw(t, "k")
		if got, want := elements(a.Image(rat(k, 1), Integer(4))), image(xs, k, 4); len(xs) > 0 && !slices.Equal(got, want) {
			t.Fatalf("%d*(%v) + 4 = %v: %v, want %v", k, a, a.Image(rat(k, 1), Integer(4)), got, want)
		}
		// A half of the elements, the even ones.
		for _, x := range elements(a.Image(rat(1, 2), Form{})) {
			if !slices.Contains(xs, 2*x) {
				t.Fatalf("half of %v has %d", a, x)
			}
		}
		if up, exact := a.Ascending(); !exact || !slices.Equal(elements(up), xs) && len(xs) > 0 {
			t.Fatalf("%v ascending is %v", a, up)
		}
		sum, exact := a.Plus(b)
		var want []int64
		for _, x := range xs {
			for _, y := range ys {
				want = append(want, x+y)
			}
		}
		slices.Sort(want)
		want = slices.Compact(want)
		got := elements(sum)
		if !subset(want, got) || exact && len(want) > 0 && !slices.Equal(got, want) {
			t.Fatalf("%v + %v = %v (exact %v): %v, want %v", a, b, sum, exact, got, want)
		}
		if exact {
			exactSums++
		} else {
			inexactSums++
		}
		truth := subset(xs, ys)
		if a.Within(b, depend.Infeasible) != truth {
			t.Fatalf("%v inside %v: %v, want %v", a, b, !truth, truth)
		}
		if a.WithinPrinted(b) {
			proved++
			if !truth {
				t.Fatalf("as printed, %v is inside %v", a, b)
			}
		}
		if truth {
			inside++
		}
	})
	t.Logf("sums: %d exact, %d supersets; containments: %d, printed test finds %d", exactSums, inexactSums, inside, proved)
}

func image(xs []int64, k, c int64) []int64 {
	var out []int64
	for _, x := range xs {
		out = append(out, k*x+c)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestSymbolicTripletsAgainstEnumeration: what holds of symbolic triplets holds
// for each value of n.
func TestSymbolicTripletsAgainstEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) Triplet {
			form := func(l string) Form {
				return lin(rapid.Int64Range(-4, 4).Draw(t, label+l), "n", rapid.IntRange(-1, 2).Draw(t, label+l+" n"))
			}
			return Range(form("lo"), form("hi"), rapid.SampledFrom([]int64{1, 2, -1, -2, 3}).Draw(t, label+"step"))
		}
		a, b := draw("a"), draw("b")
		up, upExact := a.Ascending()
		sum, sumExact := a.Plus(b)
		known := func(eqs, ineqs []Affine) bool {
			one, _ := Var("n").Sub(Const(1))
			return depend.Infeasible(eqs, append([]Affine{one}, ineqs...))
		}
		within, printed := a.Within(b, known), a.WithinPrinted(b)
		for n := int64(1); n <= 9; n++ {
			at := func(string) int64 { return n }
			set := func(t Triplet) []int64 {
				var xs []int64
				for x := int64(-60); x <= 80; x++ {
					if t.Holds(x, at) {
						xs = append(xs, x)
					}
				}
				return xs
			}
			xs, ys := set(a), set(b)
			if zs := set(up); !subset(xs, zs) || upExact && len(xs) > 0 && len(zs) != len(xs) {
				t.Fatalf("n = %d: %v ascending is %v (exact %v)", n, a, up, upExact)
			}
			zs, sums := set(sum), 0
			for _, z := range zs {
				if slices.ContainsFunc(xs, func(x int64) bool { return slices.Contains(ys, z-x) }) {
					sums++
				}
			}
			for _, x := range xs {
				for _, y := range ys {
					if !slices.Contains(zs, x+y) {
						t.Fatalf("n = %d: %v + %v = %v lacks %d", n, a, b, sum, x+y)
					}
				}
			}
			if sumExact && len(xs) > 0 && len(ys) > 0 && sums != len(zs) {
				t.Fatalf("n = %d: %v + %v = %v has more than the sums", n, a, b, sum)
			}
			if (within || printed) && !subset(xs, ys) {
				t.Fatalf("n = %d: %v inside %v (exact %v, printed %v)", n, a, b, within, printed)
			}
		}
	})
}

func ExampleTriplet() {
	n := FormOf(Var("n"))
	i := Range(Integer(1), n, 1)                           // do i = 1, n
	fmt.Println(i.Image(big.NewRat(2, 1), Integer(1)))     // positions of a(i) with 2*i+1
	fmt.Println(Range(n, Integer(1), -1).WithinPrinted(i)) // do i = n, 1, -1
	// Output:
	// 3:2*n + 1:2
	// true
}
