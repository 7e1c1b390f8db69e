package elementary

import "math"

// The operations on COMPLEX, in the precision of the operands: those whose names end in 64 on
// complex64, which is COMPLEX(4), those in 128 on complex128. Go's own product and quotient
// are not used: it computes those of complex64 in double precision, and gives infinities by
// rules of its own. Each product of reals is rounded before it is added to another, so that no
// target fuses them.

type float interface{ float32 | float64 }

// Mul64 is x*y by the formula of the textbook.
func Mul64(x, y complex64) complex64 { return complex(product(real(x), imag(x), real(y), imag(y))) }

// Mul128 is x*y by the formula of the textbook.
func Mul128(x, y complex128) complex128 {
	return complex(product(real(x), imag(x), real(y), imag(y)))
}

func product[F float](a, b, c, d F) (re, im F) { return F(a*c) - F(b*d), F(a*d) + F(b*c) }

// Div64 is x/y by Smith's method, which divides by the larger part of y first.
func Div64(x, y complex64) complex64 { return complex(ratio(real(x), imag(x), real(y), imag(y))) }

// Div128 is x/y by Smith's method, which divides by the larger part of y first.
func Div128(x, y complex128) complex128 { return complex(ratio(real(x), imag(x), real(y), imag(y))) }

// ratio is (a + bi)/(c + di), after R. L. Smith, "Algorithm 116: Complex division", CACM 5 (1962).
func ratio[F float](a, b, c, d F) (re, im F) {
	if abs(c) < abs(d) {
		r := c / d
		by := F(c*r) + d
		return (F(a*r) + b) / by, (F(b*r) - a) / by
	}
	r := d / c
	by := F(d*r) + c
	return (F(b*r) + a) / by, (b - F(a*r)) / by
}

func abs[F float](x F) F { return F(math.Abs(float64(x))) }

// Conj64 is the conjugate of x.
func Conj64(x complex64) complex64 { return complex(real(x), -imag(x)) }

// Conj128 is the conjugate of x.
func Conj128(x complex128) complex128 { return complex(real(x), -imag(x)) }

// Powi64 is x**n, by the repeated squaring of gfortran's run-time library.
func Powi64(x complex64, n int) complex64 { return powi(x, n, Mul64, Div64) }

// Powi128 is x**n, by the repeated squaring of gfortran's run-time library.
func Powi128(x complex128, n int) complex128 { return powi(x, n, Mul128, Div128) }

func powi[C complex64 | complex128](x C, n int, mul, div func(x, y C) C) C {
	y, m := C(1), uint(n)
	if n < 0 {
		x, m = div(1, x), -m
	}
	for ; m > 0; m >>= 1 {
		if m&1 != 0 {
			y = mul(y, x)
		}
		if m > 1 {
			x = mul(x, x)
		}
	}
	return y
}

// Abs64 is |x|.
func Abs64(x complex64) float32 { return Hypot(real(x), imag(x)) }

// Abs128 is |x|.
func Abs128(x complex128) float64 { return Hypot(real(x), imag(x)) }

// Hypot is the root of x**2 + y**2, without overflow in between and with an error of less than
// one unit in the last place. The correction of the root is that of C. F. Borges, "An improved
// algorithm for hypot(a, b)" (2019).
func Hypot[F float](x, y F) F {
	a, b := math.Abs(float64(x)), math.Abs(float64(y))
	switch {
	case math.IsInf(a, 0) || math.IsInf(b, 0):
		return F(math.Inf(1))
	case a != a || b != b:
		return F(math.NaN())
	}
	if a < b {
		a, b = b, a
	}
	if _, single := any(x).(float32); single { // whose squares are exact
		return F(math.Sqrt(float64(a*a) + float64(b*b)))
	}
	switch {
	case b <= a*0x1p-54:
		return F(a + b)
	case a > 0x1p511:
		return F(root(a*0x1p-600, b*0x1p-600) * 0x1p600)
	case b < 0x1p-459:
		return F(root(a*0x1p600, b*0x1p600) * 0x1p-600)
	}
	return F(root(a, b))
}

// root is the root of a**2 + b**2, where neither square is out of range and a >= b.
func root(a, b float64) float64 {
	h := math.Sqrt(float64(a*a) + float64(b*b))
	var t, u float64
	if h <= 2*b {
		d := h - b
		t = float64(a * (2*d - a))
		u = float64((d - 2*(a-b)) * d)
	} else {
		d := h - a
		t = float64(2 * d * (a - 2*b))
		u = float64((4*d-b)*b) + float64(d*d)
	}
	return h - (t+u)/(2*h)
}
