package elementary

import "math"

// The functions of complex arguments, from those of real ones: exp(x+iy) is exp(x)*(cos(y)+i*sin(y)),
// and so on, each rounded to the precision of the argument where gfortran's mathematical library
// rounds it. Infinities and NaNs are treated as C's Annex G has it.

// Exp64 is exp(z).
func Exp64(z complex64) complex64 { return complex(expOf(real(z), imag(z))) }

// Exp128 is exp(z).
func Exp128(z complex128) complex128 { return complex(expOf(real(z), imag(z))) }

// Log64 is the principal value of log(z).
func Log64(z complex64) complex64 { return complex(logOf(real(z), imag(z))) }

// Log128 is the principal value of log(z).
func Log128(z complex128) complex128 { return complex(logOf(real(z), imag(z))) }

// Sqrt64 is the principal value of the root of z.
func Sqrt64(z complex64) complex64 { return complex(sqrtOf(real(z), imag(z))) }

// Sqrt128 is the principal value of the root of z.
func Sqrt128(z complex128) complex128 { return complex(sqrtOf(real(z), imag(z))) }

// Pow64 is x**y, which is exp(y*log(x)).
func Pow64(x, y complex64) complex64 { return Exp64(Mul64(y, Log64(x))) }

// Pow128 is x**y, which is exp(y*log(x)).
func Pow128(x, y complex128) complex128 { return Exp128(Mul128(y, Log128(x))) }

// limits are those of a precision: the largest number, the smallest normal one, the distance from
// 1 to the next one, and the whole part of the logarithm of half the largest.
type limits[F float] struct{ huge, tiny, epsilon, log F }

func limitsOf[F float]() limits[F] {
	l := limits[F]{}
	switch l := any(&l).(type) {
	case *limits[float32]:
		*l = limits[float32]{math.MaxFloat32, 0x1p-126, 0x1p-23, 88}
	case *limits[float64]:
		*l = limits[float64]{math.MaxFloat64, 0x1p-1022, 0x1p-52, 709}
	}
	return l
}

func in[F float](f func(float64) float64, x F) F { return F(f(float64(x))) }

func isNaN[F float](x F) bool          { return x != x }
func isInf[F float](x F) bool          { return math.IsInf(float64(x), 0) }
func finite[F float](x F) bool         { return x-x == 0 }
func negative[F float](x F) bool       { return math.Signbit(float64(x)) }
func signed[F float](x, sign F) F      { return F(math.Copysign(float64(x), float64(sign))) }
func scaled[F float](x F, by int) F    { return F(math.Ldexp(float64(x), by)) }
func sinCos[F float](x F) (sin, cos F) { return in(Sin, x), in(Cos, x) }

func expOf[F float](x, y F) (re, im F) {
	l := limitsOf[F]()
	sin, cos := y, F(1)
	if finite(y) && y != 0 {
		sin, cos = sinCos(y)
	}
	switch {
	case finite(x) && finite(y):
		for range 2 { // exp(x) alone may be too large
			if x > l.log {
				by := in(Exp, l.log)
				x, sin, cos = x-l.log, sin*by, cos*by
			}
		}
		r := l.huge
		if x <= l.log {
			r = in(Exp, x)
		}
		return r * cos, r * sin
	case finite(x):
		return F(math.NaN()), F(math.NaN())
	case isNaN(x):
		if y != 0 {
			y = x
		}
		return x, y
	}
	r := in(Exp, x) // 0 or infinite
	switch {
	case y == 0:
		return r, y
	case finite(y):
		return signed(r, cos), signed(r, sin)
	case negative(x):
		return 0, signed(0, y)
	}
	return r, y - y
}

func logOf[F float](x, y F) (re, im F) {
	im = F(Atan2(float64(y), float64(x)))
	a, b := abs(x), abs(y)
	switch {
	case isInf(a) || isInf(b):
		return F(math.Inf(1)), im
	case isNaN(a) || isNaN(b):
		return F(math.NaN()), F(math.NaN())
	case a == 0 && b == 0:
		return F(math.Inf(-1)), im
	}
	if a < b {
		a, b = b, a
	}
	l := limitsOf[F]()
	switch {
	case a > l.huge/2:
		if b < 2*l.tiny {
			b = 0
		}
		return in(Log, Hypot(a/2, b/2)) + math.Ln2, im
	case a < l.tiny:
		const by = 54
		return in(Log, Hypot(scaled(a, by), scaled(b, by))) - by*math.Ln2, im
	case a == 1:
		return in(log1p, F(b*b)) / 2, im
	case a > 1 && a < 2 && b < 1:
		less := F((a - 1) * (a + 1))
		if b >= l.epsilon {
			less += F(b * b)
		}
		return in(log1p, less) / 2, im
	case a >= 0.5 && a < 1 && b < l.epsilon/2:
		return in(log1p, F((a-1)*(a+1))) / 2, im
	case a >= 0.5 && a < 1 && F(a*a)+F(b*b) >= 0.5:
		return in(log1p, lessOne(a, b)) / 2, im
	}
	return in(Log, Hypot(a, b)), im
}

// lessOne is a**2 + b**2 - 1, rounded once.
func lessOne[F float](a, b F) F {
	square := func(x float64) (high, low float64) {
		high = float64(x * x)
		return high, math.FMA(x, x, -high)
	}
	aa, a0 := square(float64(a))
	bb, b0 := square(float64(b))
	// aa is at least a quarter, so that aa - 1 is exact where it is large.
	s, s0 := plus(-1, aa)
	s, more := plus(s, bb)
	t, t0 := plus(a0, b0)
	return F(s + (more + s0 + t + t0))
}

// log1p is the logarithm of 1+x.
func log1p(x float64) float64 {
	u := 1 + x
	if u == 1 || !(u > 0) || math.IsInf(u, 1) {
		return math.Log1p(x)
	}
	return Log(u) - ((u-1)-x)/u
}

func sqrtOf[F float](x, y F) (re, im F) {
	l := limitsOf[F]()
	switch {
	case isInf(y):
		return F(math.Inf(1)), y
	case isInf(x) && x < 0:
		if isNaN(y) {
			return y, F(math.Inf(1))
		}
		return 0, signed(F(math.Inf(1)), y)
	case isInf(x):
		if !isNaN(y) {
			y = signed(0, y)
		}
		return x, y
	case isNaN(x) || isNaN(y):
		return F(math.NaN()), F(math.NaN())
	case y == 0 && x < 0:
		return 0, signed(in(math.Sqrt, -x), y)
	case y == 0:
		return abs(in(math.Sqrt, x)), y
	case x == 0 && abs(y) >= 2*l.tiny:
		re = in(math.Sqrt, abs(y)/2)
		return re, signed(re, y)
	case x == 0:
		re = in(math.Sqrt, 2*abs(y)) / 2
		return re, signed(re, y)
	}
	by := 0 // what the root is scaled back by
	switch {
	case abs(x) > l.huge/4:
		by, x, y = 1, x/4, y/4
	case abs(y) > l.huge/4:
		if abs(x) < 4*l.tiny {
			x = 0
		}
		by, x, y = 1, x/4, y/4
	case abs(x) < 2*l.tiny && abs(y) < 2*l.tiny:
		by = -27
		x, y = scaled(x, 54), scaled(y, 54)
	}
	d := Hypot(x, y)
	large := in(math.Sqrt, (d+abs(x))/2)
	small := y / large / 2
	large, small = scaled(large, by), scaled(abs(small), by)
	if x > 0 {
		return large, signed(small, y)
	}
	return small, signed(large, y)
}
