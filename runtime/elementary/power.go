package elementary

import "math"

// Parts of 1/3 and of 1/ln(10), the second far less than the first.
const (
	ThirdHigh  = 0x1.5555555555555p-2
	ThirdLow   = 0x1.5555555555555p-56
	PerTenHigh = 0x1.bcb7b1526e50ep-2
	PerTenLow  = 0x1.95355baaafad3p-57
)

// logParts is the logarithm of a positive number, high + low, to 64 bits or more.
func logParts(x float64) (high, low float64) {
	k, f := split(x)
	// log(1+f) = 2*atanh(s), s = f/(2+f), to twice the digits
	d := 2 + f
	moreD := f - (d - 2)
	s := f / d
	moreS := math.FMA(-s, moreD, math.FMA(-s, d, f)) / d
	z := float64(s * s)
	moreZ := math.FMA(s+s, moreS, math.FMA(s, s, -z))
	// atanh(s)/s - 1 = z*(1/3 + z*(1/5 + ...))
	q := math.FMA(1.0/25, z, 1.0/23)
	q = math.FMA(q, z, 1.0/21)
	q = math.FMA(q, z, 1.0/19)
	q = math.FMA(q, z, 1.0/17)
	q = math.FMA(q, z, 1.0/15)
	q = math.FMA(q, z, 1.0/13)
	q = math.FMA(q, z, 1.0/11)
	q = math.FMA(q, z, 1.0/9)
	q = math.FMA(q, z, 1.0/7)
	q = float64(math.FMA(q, z, 1.0/5) * z)
	p := ThirdHigh + q
	moreP := ((ThirdHigh - p) + q) + ThirdLow
	v := float64(z * p)
	moreV := math.FMA(z, moreP, math.FMA(moreZ, p, math.FMA(z, p, -v)))
	w := float64(s * v)
	moreW := math.FMA(s, moreV, math.FMA(moreS, v, math.FMA(s, v, -w)))
	u := s + w
	moreU := ((s - u) + w) + (moreS + moreW)
	a, b := float64(k*Ln2High), u+u
	sum := a + b
	rest := ((a - sum) + b) + math.FMA(k, Ln2Low, moreU+moreU)
	high = sum + rest
	return high, (sum - high) + rest
}

// Pow is x**y, with an error of less than one unit in the last place, or 1.5 where the
// result is below the normal numbers.
func Pow(x, y float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64 && math.Abs(y) <= math.MaxFloat64) {
		if x < 0 && x >= -math.MaxFloat64 && y == math.Trunc(y) && math.Abs(y) <= math.MaxFloat64 {
			if math.Mod(y, 2) != 0 {
				return -Pow(-x, y)
			}
			return Pow(-x, y)
		}
		return math.Pow(x, y) // 0, infinite, or no number
	}
	high, low := logParts(x)
	p := float64(y * high)
	if !(math.Abs(p) < 750) { // infinite, or 0
		return exponential(p, 0)
	}
	return exponential(p, math.FMA(y, low, math.FMA(y, high, -p)))
}

// PowHalf is x**(n+0.5), by a square root, with an error of less than three units in the last place.
func PowHalf(x float64, n int) float64 {
	r := Powi(x, max(n, -n-1)) * math.Sqrt(x)
	if n < 0 {
		r = 1 / r
	}
	if a := math.Abs(r); a >= 0x1p-1022 && a <= math.MaxFloat64 {
		return r
	}
	return Pow(x, float64(n)+0.5) // as it treats zeros, what is negative, and what is too great or too small
}

// Powi is x**n for a real x, by the repeated squaring of gfortran's run-time
// library, so that it rounds like it.
func Powi[F float32 | float64](x F, n int) F {
	m := n
	if m < 0 {
		m = -m
	}
	y := F(1)
	if m&1 != 0 {
		y = x
	}
	for m >>= 1; m > 0; m >>= 1 {
		x *= x
		if m&1 != 0 {
			y *= x
		}
	}
	if n < 0 {
		return 1 / y
	}
	return y
}

// Square is Powi(x, 2), without a loop. No target rounds it together with a sum.
func Square[F float32 | float64](x F) F { return F(x * x) }

// Cube is Powi(x, 3).
func Cube[F float32 | float64](x F) F { return F(x * F(x*x)) }

// Fourth is Powi(x, 4).
func Fourth[F float32 | float64](x F) F { return Square(Square(x)) }

// Log10 is the logarithm to the base 10, with an error of less than one unit in the last place.
func Log10(x float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		return Log(x)
	}
	high, low := logParts(x)
	y := float64(high * PerTenHigh)
	more := math.FMA(high, PerTenHigh, -y) + math.FMA(high, PerTenLow, float64(low*PerTenHigh))
	return y + more
}

// Mod is x - trunc(x/y)*y, exactly.
func Mod(x, y float64) float64 { return math.Mod(x, y) }
