// Package eigen computes the eigenvalues of a real symmetric tridiagonal
// matrix by bisection with Sturm counts. It judges what programs that reduce a
// matrix to that form have printed, and shares no method with them.
//
// The number of eigenvalues below x is the number of negative pivots of the
// factorisation T - x I = L D L' (Sylvester's law of inertia). For
//
//	    | 2 -1  0 |
//	T = |-1  2 -1 |        x = 1
//	    | 0 -1  2 |
//
// the pivots are 1, 2-1-1/1 = 0, and 2-1-1/pivot; a pivot that vanishes is replaced
// by a tiny negative one, which counts the eigenvalue 1 of the leading part as
// being below x; for bisection it may count either way. Here one pivot is
// negative, and one eigenvalue, 2 - sqrt(2), is below 1.
//
// See Barth, Martin and Wilkinson, "Calculation of the eigenvalues of a
// symmetric tridiagonal matrix by the method of bisection", Numerische
// Mathematik 9 (1967).
package eigen

import (
	"fmt"
	"math"
)

// Tridiagonal returns all eigenvalues, in increasing order, of the matrix with
// diagonal d and subdiagonal e. The layout is EISPACK's: e[i] couples i-1 and
// i, so e[0] is not used; d and e have the same length. The error of each
// eigenvalue is a few units in the last place of the largest.
//
// Lengths that differ and values that are not finite are errors.
func Tridiagonal(d, e []float64) ([]float64, error) {
	m, err := newMatrix(d, e)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(d))
	lo := m.lo
	for k := range values {
		// Eigenvalue k is not below eigenvalue k-1, so the lower end of the
		// interval found for the one serves the other.
		var value float64
		value, lo = m.bisect(k, lo)
		values[k] = value * m.scale
	}
	return values, nil
}

// Extremes returns the smallest and the largest eigenvalue of the matrix that
// Tridiagonal describes; a matrix of order 0 has none, which is an error.
func Extremes(d, e []float64) (smallest, largest float64, err error) {
	m, err := newMatrix(d, e)
	if err != nil {
		return 0, 0, err
	}
	if len(d) == 0 {
		return 0, 0, fmt.Errorf("a matrix of order 0 has no eigenvalues")
	}
	smallest, _ = m.bisect(0, m.lo)
	largest, _ = m.bisect(len(d)-1, m.lo)
	return smallest * m.scale, largest * m.scale, nil
}

// matrix is a tridiagonal matrix, scaled by a power of two so that every
// element is below 2 and no square overflows.
type matrix struct {
	d     []float64
	e2    []float64 // squares of the subdiagonal; e2[0] is 0
	scale float64
	lo    float64 // below every eigenvalue
	hi    float64 // above every eigenvalue
}

const (
	// ulp is the spacing of doubles just above 1.
	ulp = 0x1p-52
	// tinyPivot replaces smaller pivots. Its inverse, times a square below
	// 4, is finite, and it is far below what rounding does to a pivot.
	tinyPivot = 0x1p-1000
)

func newMatrix(d, e []float64) (*matrix, error) {
	n := len(d)
	if len(e) != n {
		return nil, fmt.Errorf("%d diagonal and %d subdiagonal elements, want as many of both", n, len(e))
	}
	largest := 0.0
	for i := range n {
		off := e[i]
		if i == 0 {
			off = 0
		}
		for _, v := range [...]float64{d[i], off} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("row %d has the element %v, want finite numbers", i+1, v)
			}
			largest = max(largest, math.Abs(v))
		}
	}

	m := &matrix{d: make([]float64, n), e2: make([]float64, n), scale: 1}
	if largest == 0 {
		return m, nil // the interval from 0 to 0 has all eigenvalues
	}
	// largest = fraction * 2**exponent with fraction below 1. Beyond exponent
	// 1023 the power is not a double; elements of the scaled matrix below 2 do.
	_, exponent := math.Frexp(largest)
	m.scale = math.Ldexp(1, min(exponent, 1023))
	m.lo, m.hi = math.Inf(1), math.Inf(-1)
	before := 0.0 // the absolute value of the subdiagonal element above row i
	for i := range n {
		m.d[i] = d[i] / m.scale
		after := 0.0
		if i+1 < n {
			after = math.Abs(e[i+1] / m.scale)
			m.e2[i+1] = after * after
		}
		// Gershgorin's disc of row i.
		m.lo = min(m.lo, m.d[i]-before-after)
		m.hi = max(m.hi, m.d[i]+before+after)
		before = after
	}
	// The discs are closed, and counting has rounding errors: leave room.
	room := 8 * ulp * (1 + float64(n))
	m.lo -= room
	m.hi += room
	return m, nil
}

// below counts the eigenvalues below x.
func (m *matrix) below(x float64) int {
	count := 0
	pivot := 1.0
	for i, d := range m.d {
		pivot = d - x - m.e2[i]/pivot
		if math.Abs(pivot) < tinyPivot {
			pivot = -tinyPivot
		}
		if pivot < 0 {
			count++
		}
	}
	return count
}

// bisect returns eigenvalue k, counted from 0 in increasing order, of the
// scaled matrix, and the lower end of the interval that it was narrowed to.
// No more than k eigenvalues lie below lo.
func (m *matrix) bisect(k int, lo float64) (value, lower float64) {
	hi := m.hi
	for {
		// An eigenvalue near zero is pursued some way below the last place of
		// the largest, since it may be known that well (a diagonal matrix).
		mid := lo + (hi-lo)/2
		if hi-lo <= 2*ulp*max(math.Abs(lo), math.Abs(hi), ulp) || mid <= lo || mid >= hi {
			return mid, lo
		}
		if m.below(mid) > k {
			hi = mid
		} else {
			lo = mid
		}
	}
}
