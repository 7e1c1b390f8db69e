package elementary

import "math"

// The functions of this file are those of Fortran's model of real numbers: x is fraction*2**e
// with 0.5 <= |fraction| < 1, and as many binary digits as its type has.

// model is the digits of F and the exponent of its least normal number.
func model[F float]() (digits, least int) {
	if F(1)+F(0x1p-30) == 1 {
		return 24, -125
	}
	return 53, -1021
}

// Fraction is FRACTION, which is no number for an infinite x.
func Fraction[F float](x F) F {
	if math.IsInf(float64(x), 0) {
		return F(math.NaN())
	}
	f, _ := math.Frexp(float64(x))
	return F(f)
}

// Exponent is EXPONENT, the greatest INTEGER for what has none.
func Exponent[F float](x F) int32 {
	if v := float64(x); math.IsInf(v, 0) || math.IsNaN(v) {
		return math.MaxInt32
	}
	_, e := math.Frexp(float64(x))
	return int32(e)
}

// Spacing is SPACING: the distance of the numbers near x, at least the least normal number.
func Spacing[F float](x F) F {
	if v := float64(x); math.IsInf(v, 0) || math.IsNaN(v) {
		return F(math.NaN())
	}
	digits, least := model[F]()
	if x == 0 {
		return F(math.Ldexp(1, least-1))
	}
	return F(math.Ldexp(1, max(int(Exponent(x))-digits, least-1)))
}

// Rrspacing is RRSPACING: the reciprocal of the relative distance of the numbers near x.
func Rrspacing[F float](x F) F {
	digits, _ := model[F]()
	return Scale(F(math.Abs(float64(Fraction(x)))), digits)
}

// Nearest is NEAREST: the number next to x, above it where s is positive.
func Nearest[F, S float](x F, s S) F {
	to := math.Copysign(math.Inf(1), float64(s))
	if digits, _ := model[F](); digits == 24 {
		return F(math.Nextafter32(float32(x), float32(to)))
	}
	return F(math.Nextafter(float64(x), to))
}

// Scale is SCALE: x*2**n, rounded once.
func Scale[F float](x F, n int) F { return F(math.Ldexp(float64(x), n)) }

// SetExponent is SET_EXPONENT: the fraction of x with the exponent n.
func SetExponent[F float](x F, n int) F { return Scale(Fraction(x), n) }
