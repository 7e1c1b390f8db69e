package spmd

import (
	"math"
	"testing"

	"github.com/spmdc/spmdc/runtime/elementary"
)

// TestProducts: products of COMPLEX in reductions have the bits of those in expressions.
func TestProducts(t *testing.T) {
	values := []float64{0, math.Copysign(0, -1), 1, -3.7, 1e-30, 2.5e30, 1.0000001, math.Inf(1), math.Inf(-1), math.NaN()}
	bits := func(z complex128) [2]uint64 { return [2]uint64{math.Float64bits(real(z)), math.Float64bits(imag(z))} }
	for _, a := range values {
		for _, b := range values {
			for _, c := range values {
				for _, d := range values {
					x, y := complex(a, b), complex(c, d)
					if got, want := mul128(x, y), elementary.Mul128(x, y); bits(got) != bits(want) {
						t.Fatalf("%v*%v is %v in a reduction, %v in an expression", x, y, got, want)
					}
					s, r := complex64(x), complex64(y)
					if got, want := mul64(s, r), elementary.Mul64(s, r); bits(complex128(got)) != bits(complex128(want)) {
						t.Fatalf("%v*%v is %v in a reduction, %v in an expression", s, r, got, want)
					}
				}
			}
		}
	}
}
