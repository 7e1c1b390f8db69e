package elementary

import "math"

// The operations on COMPLEX, in the precision of the operands: those whose names end in 64 on
// complex64, which is COMPLEX(4), those in 128 on complex128. Go's own product and quotient
// are not used: it computes those of complex64 in double precision, and gives infinities by
// rules of its own. Each product of reals is rounded before it is added to another, so that no
// target fuses them. What programs call much is written for each precision: functions of any
// type look that up in each call.

type float interface{ float32 | float64 }

// Mul64 is x*y by the formula of the textbook.
func Mul64(x, y complex64) complex64 { return complex(product(real(x), imag(x), real(y), imag(y))) }

// Mul128 is x*y by the formula of the textbook.
func Mul128(x, y complex128) complex128 {
	return complex(product(real(x), imag(x), real(y), imag(y)))
}

func product[F float](a, b, c, d F) (re, im F) { return F(a*c) - F(b*d), F(a*d) + F(b*c) }

// Div64 is x/y by Smith's method, which divides by the larger part of y first.
func Div64(x, y complex64) complex64 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	if abs(c) < abs(d) {
		r := c / d
		by := float32(c*r) + d
		return complex((float32(a*r)+b)/by, (float32(b*r)-a)/by)
	}
	r := d / c
	by := float32(d*r) + c
	return complex((float32(b*r)+a)/by, (b-float32(a*r))/by)
}

// Div128 is x/y by Smith's method, which divides by the larger part of y first.
func Div128(x, y complex128) complex128 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	if math.Abs(c) < math.Abs(d) {
		r := c / d
		by := float64(c*r) + d
		return complex((float64(a*r)+b)/by, (float64(b*r)-a)/by)
	}
	r := d / c
	by := float64(d*r) + c
	return complex((float64(b*r)+a)/by, (b-float64(a*r))/by)
}

// DivReal64 is Div64 of x and complex(c, 0).
func DivReal64(x complex64, c float32) complex64 {
	r := float32(math.Copysign(0, float64(c))) // 0/c
	if c == 0 {
		r = float32(math.NaN())
	}
	return complex((float32(imag(x)*r)+real(x))/c, (imag(x)-float32(real(x)*r))/c)
}

// DivReal128 is Div128 of x and complex(c, 0).
func DivReal128(x complex128, c float64) complex128 {
	r := math.Copysign(0, c) // 0/c
	if c == 0 {
		r = math.NaN()
	}
	return complex((float64(imag(x)*r)+real(x))/c, (imag(x)-float64(real(x)*r))/c)
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
func Abs64(x complex64) float32 {
	a, b := math.Abs(float64(real(x))), math.Abs(float64(imag(x)))
	if math.IsInf(a, 1) || math.IsInf(b, 1) {
		return float32(math.Inf(1))
	}
	return float32(math.Sqrt(float64(a*a) + float64(b*b))) // the squares are exact
}

// Abs128 is |x|.
func Abs128(x complex128) float64 { return hypot(real(x), imag(x)) }

// Hypot is the root of x**2 + y**2, without overflow in between and with an error of less than
// one unit in the last place.
func Hypot[F float](x, y F) F {
	if _, single := any(x).(float32); single {
		return F(Abs64(complex(float32(x), float32(y))))
	}
	return F(hypot(float64(x), float64(y)))
}

// hypot is Hypot of float64. The correction of the root is that of C. F. Borges, "An improved
// algorithm for hypot(a, b)" (2019).
func hypot(x, y float64) float64 {
	a, b := math.Abs(x), math.Abs(y)
	b, a = min(a, b), max(a, b) // both of no number if one is
	if a <= 0x1p511 && b >= 0x1p-459 && b > a*0x1p-54 {
		return root(a, b)
	}
	switch {
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		return math.Inf(1)
	case a != a:
		return math.NaN()
	case b <= a*0x1p-54:
		return a + b
	case a > 0x1p511:
		return root(a*0x1p-600, b*0x1p-600) * 0x1p600
	}
	return root(a*0x1p600, b*0x1p600) * 0x1p-600
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
