package elementary

import "math"

// Ln2High and Ln2Low are ln(2) in two parts, of which the first has so few bits that its multiples by exponents
// are exact.
const (
	Ln2High = 0x1.62e42feep-1
	Ln2Low  = 0x1.a39ef35793c76p-33
)

// Shifter makes the sum with a number its integer part, rounded to nearest, in its lowest bits.
const Shifter = 0x1.8p52

// Exp is e**x, with an error of less than one unit in the last place, or 1.5 where the
// result is below the normal numbers.
func Exp(x float64) float64 { return exponential(x, 0) }

// exponential is e**(x+more), where more is far less than x.
func exponential(x, more float64) float64 {
	if x > 710 { // where it is infinite
		x = 710
	}
	if x < -746 { // where it is 0
		x = -746
	}
	t, m, less := exponent(x, more)
	// 2**k in two factors, so that results below the normal numbers are rounded once.
	n := math.Float64bits(t) - (math.Float64bits(Shifter) - 2048) // k + 2048
	a := n >> 1
	b := n - a
	sum := 1 + m
	y := sum + (((1 - sum) + m) + less)
	y = float64(y * math.Float64frombits((a-1)<<52))
	return float64(y * math.Float64frombits((b-1)<<52))
}

// exponent is e**(x+more) as 2**k*(1+r+square): t has k in its lowest bits.
func exponent(x, more float64) (t, r, square float64) {
	// x = k*ln2 + r
	t = math.FMA(x, 1/math.Ln2, Shifter)
	k := t - Shifter
	high := math.FMA(k, -Ln2High, x)
	low := math.FMA(k, -Ln2Low, more)
	r = high + low
	rest := (high - r) + low
	p := math.FMA(1.0/6227020800, r, 1.0/479001600) // 1/n! for n = 13 to 2: r is below ln(2)/2
	p = math.FMA(p, r, 1.0/39916800)
	p = math.FMA(p, r, 1.0/3628800)
	p = math.FMA(p, r, 1.0/362880)
	p = math.FMA(p, r, 1.0/40320)
	p = math.FMA(p, r, 1.0/5040)
	p = math.FMA(p, r, 1.0/720)
	p = math.FMA(p, r, 1.0/120)
	p = math.FMA(p, r, 1.0/24)
	p = math.FMA(p, r, 1.0/6)
	p = math.FMA(p, r, 0.5)
	return t, r, math.FMA(float64(r*r), p, rest)
}

// sqrtHalf is the bits of the square root of 1/2.
const sqrtHalf = 0x3fe6a09e667f3bcd

// Log is the natural logarithm, with an error of less than one unit in the last place.
func Log(x float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		switch {
		case x == 0:
			return math.Inf(-1)
		case x < 0:
			return math.NaN()
		}
		return x
	}
	k, f := split(x)
	// log(1+f) = 2*atanh(s) = f - f*f/2 + s*(f*f/2 + z*(2/3 + 2/5*z + ...))
	s := f / (2 + f)
	z := float64(s * s)
	p := math.FMA(2.0/21, z, 2.0/19)
	p = math.FMA(p, z, 2.0/17)
	p = math.FMA(p, z, 2.0/15)
	p = math.FMA(p, z, 2.0/13)
	p = math.FMA(p, z, 2.0/11)
	p = math.FMA(p, z, 2.0/9)
	p = math.FMA(p, z, 2.0/7)
	p = math.FMA(p, z, 2.0/5)
	p = math.FMA(p, z, 2.0/3)
	h := float64(float64(0.5*f) * f)
	v := math.FMA(k, Ln2Low, float64(s*math.FMA(p, z, h)))
	return math.FMA(k, Ln2High, f-(h-v))
}

// split is a positive x as 2**k * (1+f), with 1+f between the square roots of 1/2 and 2.
func split(x float64) (k, f float64) {
	less := 0.0
	if x < 0x1p-1022 {
		x, less = x*0x1p54, 54
	}
	bits := math.Float64bits(x)
	n := (bits + (1024<<52 - sqrtHalf)) >> 52 // k + 1024
	k = math.Float64frombits(n|0x433<<52) - (0x1p52 + 1024) - less
	return k, math.Float64frombits(bits-n<<52+1024<<52) - 1
}
