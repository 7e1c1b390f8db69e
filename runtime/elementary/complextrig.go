package elementary

import "math"

// Sin64 is sin(z).
func Sin64(z complex64) complex64 { return complex(sinOf(real(z), imag(z))) }

// Sin128 is sin(z).
func Sin128(z complex128) complex128 { return complex(sinOf(real(z), imag(z))) }

// Cos64 is cos(z).
func Cos64(z complex64) complex64 { return complex(cosOf(real(z), imag(z))) }

// Cos128 is cos(z).
func Cos128(z complex128) complex128 { return complex(cosOf(real(z), imag(z))) }

// Tan64 is tan(z).
func Tan64(z complex64) complex64 { return complex(tanOf(real(z), imag(z))) }

// Tan128 is tan(z).
func Tan128(z complex128) complex128 { return complex(tanOf(real(z), imag(z))) }

// The hyperbolic functions are those of the angle z/i, turned back.

// Sinh64 is sinh(z).
func Sinh64(z complex64) complex64 { return turned(Sin64(complex(imag(z), real(z)))) }

// Sinh128 is sinh(z).
func Sinh128(z complex128) complex128 { return turned128(Sin128(complex(imag(z), real(z)))) }

// Cosh64 is cosh(z).
func Cosh64(z complex64) complex64 { return Cos64(complex(-imag(z), real(z))) }

// Cosh128 is cosh(z).
func Cosh128(z complex128) complex128 { return Cos128(complex(-imag(z), real(z))) }

// Tanh64 is tanh(z).
func Tanh64(z complex64) complex64 { return turned(Tan64(complex(imag(z), real(z)))) }

// Tanh128 is tanh(z).
func Tanh128(z complex128) complex128 { return turned128(Tan128(complex(imag(z), real(z)))) }

// Asinh64 is the principal value of asinh(z).
func Asinh64(z complex64) complex64 { return turned(Asin64(turned(z))) }

// Asinh128 is the principal value of asinh(z).
func Asinh128(z complex128) complex128 { return turned128(Asin128(turned128(z))) }

// Acosh64 is the principal value of acosh(z).
func Acosh64(z complex64) complex64 { return complex64(Acosh128(complex128(z))) }

// Acosh128 is the principal value of acosh(z): acos(z) turned by a right angle, to where the real part is not negative.
func Acosh128(z complex128) complex128 {
	w := Acos128(z)
	if math.Signbit(imag(w)) || imag(w) == 0 && !math.Signbit(imag(z)) {
		return complex(-imag(w), real(w))
	}
	return complex(imag(w), -real(w))
}

// Atanh64 is the principal value of atanh(z).
func Atanh64(z complex64) complex64 { return turned(Atan64(turned(z))) }

// Atanh128 is the principal value of atanh(z).
func Atanh128(z complex128) complex128 { return turned128(Atan128(turned128(z))) }

func turned(z complex64) complex64      { return complex(imag(z), real(z)) }
func turned128(z complex128) complex128 { return complex(imag(z), real(z)) }

// coshSinh are cosh(y)*c and sinh(y)*s, which may be less than what cosh(y) would overflow to.
func coshSinh[F float](y, c, s F) (F, F) {
	l := limitsOf[F]()
	a := abs(y)
	if a <= l.log || !finite(y) {
		return in(Cosh, y) * c, in(Sinh, y) * s
	}
	s = signed(1, y) * s
	by := in(Exp, l.log)
	a, c, s = a-l.log, c*(by/2), s*(by/2)
	if a > l.log {
		a, c, s = a-l.log, c*by, s*by
	}
	r := l.huge
	if a <= l.log {
		r = in(Exp, a)
	}
	return r * c, r * s
}

func sinOf[F float](x, y F) (re, im F) {
	sin, cos := sinCos(x)
	return coshSinh(y, sin, cos)
}

func cosOf[F float](x, y F) (re, im F) {
	sin, cos := sinCos(x)
	re, im = coshSinh(-y, cos, sin)
	return re, im
}

func tanOf[F float](x, y F) (re, im F) {
	l := limitsOf[F]()
	sin, cos := sinCos(x)
	if t := F(int(l.log) / 2); abs(y) > t {
		re = 4 * sin * cos / in(Exp, 2*t)
		if more := abs(y) - t; more > t {
			re /= in(Exp, 2*t)
		} else {
			re /= in(Exp, 2*more)
		}
		return re, signed(1, y)
	}
	sinh, cosh := in(Sinh, y), in(Cosh, y)
	by := F(cos * cos)
	if abs(sinh) > abs(cos)*l.epsilon {
		by += F(sinh * sinh)
	}
	return sin * cos / by, sinh * cosh / by
}

// The inverse functions are computed in double precision, from logarithms and roots.

// Asin128 is the principal value of asin(z), after W. Kahan, "Branch cuts for complex
// elementary functions" (1987).
func Asin128(z complex128) complex128 {
	a, b := roots(z)
	return complex(Atan2(real(z), real(Mul128(a, b))), arsinh(imag(Mul128(Conj128(a), b))))
}

// roots are those of 1-z and 1+z; where z is real the sign of its zero decides.
func roots(z complex128) (a, b complex128) {
	return Sqrt128(complex(1-real(z), -imag(z))), Sqrt128(complex(1+real(z), imag(z)))
}

// Acos128 is the principal value of acos(z).
func Acos128(z complex128) complex128 {
	a, b := roots(z)
	return complex(2*Atan2(real(a), real(b)), arsinh(imag(Mul128(Conj128(b), a))))
}

// Atan128 is the principal value of atan(z).
func Atan128(z complex128) complex128 {
	x, y := real(z), imag(z)
	re := Atan2(2*x, float64((1-x)*(1+x))-float64(y*y)) / 2
	if h := Hypot(x, y); h > 0x1p500 && h <= math.MaxFloat64 { // whose square may be too large
		return complex(re, y/h/h)
	}
	square := float64(x * x)
	return complex(re, log1p(4*y/(square+float64((1-y)*(1-y))))/4)
}

// Asin64 is the principal value of asin(z).
func Asin64(z complex64) complex64 { return complex64(Asin128(complex128(z))) }

// Acos64 is the principal value of acos(z).
func Acos64(z complex64) complex64 { return complex64(Acos128(complex128(z))) }

// Atan64 is the principal value of atan(z).
func Atan64(z complex64) complex64 { return complex64(Atan128(complex128(z))) }

// arsinh is the inverse of Sinh.
func arsinh(x float64) float64 {
	a := math.Abs(x)
	if a > 0x1p28 {
		return math.Copysign(Log(a)+math.Ln2, x)
	}
	square := float64(a * a)
	return math.Copysign(log1p(a+square/(1+math.Sqrt(1+square))), x)
}
