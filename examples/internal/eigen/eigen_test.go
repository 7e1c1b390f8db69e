package eigen

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// wantClose fails the test unless each value is within tol of the wanted one,
// relative to the largest of those wanted.
func wantClose(t *testing.T, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d eigenvalues, want %d", len(got), len(want))
	}
	norm := 0.0
	for _, w := range want {
		norm = max(norm, math.Abs(w))
	}
	for k := range want {
		if math.Abs(got[k]-want[k]) > tol*norm {
			t.Errorf("eigenvalue %d is %.17g, want %.17g", k+1, got[k], want[k])
		}
	}
}

func constant(n int, v float64) []float64 {
	return slices.Repeat([]float64{v}, n)
}

// Matrices whose eigenvalues are known in closed form.
func TestTridiagonal(t *testing.T) {
	type test struct {
		name string
		d, e []float64
		want []float64
	}
	tests := []test{
		{"order 0", nil, nil, nil},
		{"order 1", []float64{-7}, []float64{99}, []float64{-7}},
		{"zero", constant(4, 0), constant(4, 0), constant(4, 0)},
		{"diagonal", []float64{3, -1, 2, 3}, constant(4, 0), []float64{-1, 2, 3, 3}},
		{"order 2", []float64{1, 1}, []float64{0, 2}, []float64{-1, 3}},
		{"sign of the subdiagonal", []float64{1, 1}, []float64{0, -2}, []float64{-1, 3}},
		{"two blocks", []float64{1, 1, 5, 5}, []float64{0, 2, 0, 1}, []float64{-1, 3, 4, 6}},
		{"huge", []float64{1e300, 1e300}, []float64{0, 2e300}, []float64{-1e300, 3e300}},
		{"close to overflow", []float64{0, 0}, []float64{0, 1.7e308}, []float64{-1.7e308, 1.7e308}},
		{"tiny", []float64{1e-300, 1e-300}, []float64{0, 2e-300}, []float64{-1e-300, 3e-300}},
	}

	// The second difference: 2 - 2 cos(k pi/(n+1)).
	const n = 50
	second := test{"second difference", constant(n, 2), constant(n, -1), nil}
	for k := 1; k <= n; k++ {
		second.want = append(second.want, 2-2*math.Cos(float64(k)*math.Pi/(n+1)))
	}
	tests = append(tests, second)

	// Kac's matrix, made symmetric: e(i)^2 = i (n-i); its eigenvalues are
	// -(n-1), -(n-3), ..., n-1.
	for _, order := range []int{2, 3, 20, 41} {
		kac := test{"Kac", constant(order, 0), []float64{0}, nil}
		for i := 1; i < order; i++ {
			kac.e = append(kac.e, math.Sqrt(float64(i*(order-i))))
		}
		for k := range order {
			kac.want = append(kac.want, float64(2*k-order+1))
		}
		tests = append(tests, kac)
	}

	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Tridiagonal(test.d, test.e)
			if err != nil {
				t.Fatal(err)
			}
			wantClose(t, got, test.want, 4e-15)
			if !slices.IsSorted(got) {
				t.Errorf("not in increasing order: %v", got)
			}
			if len(test.d) == 0 {
				return
			}
			lo, hi, err := Extremes(test.d, test.e)
			if err != nil {
				t.Fatal(err)
			}
			wantClose(t, []float64{lo, hi}, []float64{test.want[0], test.want[len(test.want)-1]}, 4e-15)
		})
	}
}

// Wilkinson's W21+ has two largest eigenvalues that agree to 14 digits.
func TestClosePair(t *testing.T) {
	d := make([]float64, 21)
	for i := range d {
		d[i] = math.Abs(float64(i - 10))
	}
	got, err := Tridiagonal(d, constant(21, 1))
	if err != nil {
		t.Fatal(err)
	}
	wantClose(t, got[19:], []float64{10.746194182903322, 10.746194182903393}, 1e-15)
}

// A small eigenvalue of a matrix that is graded, or diagonal, is found to its
// own last digits, not only to those of the largest.
func TestSmallEigenvalue(t *testing.T) {
	smallest, _, err := Extremes([]float64{1e9, 3e-7, 1}, constant(3, 0))
	if err != nil {
		t.Fatal(err)
	}
	wantClose(t, []float64{smallest}, []float64{3e-7}, 1e-9)
}

// The eigenvalues have the trace and the sum of squares of the matrix, and
// move with a shift of its diagonal.
func TestInvariants(t *testing.T) {
	element := rapid.OneOf(rapid.Float64Range(-10, 10), rapid.SampledFrom([]float64{0, 1, -1, 1e-9}))
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		d := rapid.SliceOfN(element, n, n).Draw(t, "d")
		e := rapid.SliceOfN(element, n, n).Draw(t, "e")
		const shift = 5

		values, err := Tridiagonal(d, e)
		if err != nil {
			t.Fatal(err)
		}
		moved := make([]float64, n)
		var trace, squares, gotTrace, gotSquares float64
		for i := range n {
			moved[i] = d[i] + shift
			trace += d[i]
			squares += d[i] * d[i]
			if i > 0 {
				squares += 2 * e[i] * e[i]
			}
			gotTrace += values[i]
			gotSquares += values[i] * values[i]
		}
		if math.Abs(trace-gotTrace) > 1e-12 || math.Abs(squares-gotSquares) > 1e-10 {
			t.Fatalf("trace %v and squares %v, want %v and %v", gotTrace, gotSquares, trace, squares)
		}
		shifted, err := Tridiagonal(moved, e)
		if err != nil {
			t.Fatal(err)
		}
		for k := range n {
			if math.Abs(shifted[k]-shift-values[k]) > 1e-13 {
				t.Fatalf("eigenvalue %d moved from %v to %v, want by %d", k+1, values[k], shifted[k], shift)
			}
		}
	})
}

func TestBadMatrices(t *testing.T) {
	for _, test := range []struct {
		name string
		d, e []float64
		want string
	}{
		{"lengths", []float64{1, 2}, []float64{0}, "2 diagonal and 1 subdiagonal elements"},
		{"not a number", []float64{1, math.NaN()}, []float64{0, 1}, "row 2 has the element NaN"},
		{"infinite", []float64{1, 1}, []float64{0, math.Inf(-1)}, "row 2 has the element -Inf"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Tridiagonal(test.d, test.e)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one that says %q", err, test.want)
			}
			if _, _, err := Extremes(test.d, test.e); err == nil {
				t.Error("Extremes reports no error")
			}
		})
	}
	if _, _, err := Extremes(nil, nil); err == nil {
		t.Error("Extremes of order 0 reports no error")
	}
}

// What is outside of the matrix does not count: e[0] may be anything.
func TestFirstSubdiagonalElementIsIgnored(t *testing.T) {
	got, err := Tridiagonal([]float64{1, 1}, []float64{math.NaN(), 2})
	if err != nil {
		t.Fatal(err)
	}
	wantClose(t, got, []float64{-1, 3}, 1e-15)
}

// gfortran's output of tred2 for nos4 has the extreme eigenvalues that
// EISPACK's tred2 and tqlrat find.
func TestNos4(t *testing.T) {
	f, err := os.Open("../../tred2/tred2.out")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, e, err := ReadTred2(f)
	if err != nil {
		t.Fatal(err)
	}
	smallest, largest, err := Extremes(d, e)
	if err != nil {
		t.Fatal(err)
	}
	if want := 5.3795283693e-4; math.Abs(smallest-want) > 1e-8*want {
		t.Errorf("smallest eigenvalue %.12g, want %g", smallest, want)
	}
	if want := 0.84913778378; math.Abs(largest-want) > 1e-8*want {
		t.Errorf("largest eigenvalue %.12g, want %g", largest, want)
	}
}

func TestReadTred2(t *testing.T) {
	d, e, err := ReadTred2(strings.NewReader("   2\n 1  0.5 0.0000000000000000E+000\n 2 -1.5 2.0\n residual T\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d, []float64{0.5, -1.5}) || !slices.Equal(e, []float64{0, 2}) {
		t.Errorf("d = %v, e = %v", d, e)
	}
	for _, bad := range []struct{ text, want string }{
		{"", "line 1"},
		{"x\n", `line 1: found "x"`},
		{"0\n", `line 1: found "0"`},
		{"999999999999\n", "line 1"},
		{"2\n1 0. 0.\n", "want row 2 of 2"},
		{"2\n1 0. 0.\n3 0. 0.\n", "line 3"},
		{"1\n1 0.\n", "line 2"},
		{"1\n1 0. b\n", "line 2"},
		{" tred2: the input is empty\n", "want the order of the matrix"},
	} {
		if _, _, err := ReadTred2(strings.NewReader(bad.text)); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%q: error %v, want one that says %q", bad.text, err, bad.want)
		}
	}
}
