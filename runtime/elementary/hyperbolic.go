package elementary

import "math"

// less1 is e**x - 1, and what that is short of, for x >= 0 below 709.
func less1(x float64) (y, more float64) {
	t, r, square := exponent(x, 0)
	n := math.Float64bits(t) - (math.Float64bits(Shifter) - 1023)
	scale := math.Float64frombits(n << 52)
	m := r + square
	moreM := (r - m) + square
	whole, part := scale-1, float64(scale*m)
	y = whole + part
	return y, ((whole - y) + part) + float64(scale*moreM)
}

// quotient is (x+moreX)/(y+moreY), and what that is short of.
func quotient(x, moreX, y, moreY float64) (q, more float64) {
	q = x / y
	return q, (math.FMA(-q, y, x) + (moreX - float64(q*moreY))) / y
}

// plus is x + y, and what that is short of.
func plus(x, y float64) (sum, more float64) {
	sum = x + y
	b := sum - x
	return sum, (x - (sum - b)) + (y - b)
}

// Tanh is the hyperbolic tangent, with an error of less than one unit in the last place.
func Tanh(x float64) float64 {
	a := math.Abs(x)
	if a > 22 { // where it is 1
		a = 22
	}
	e, moreE := less1(a + a)
	d, moreD := plus(e, 2)
	q, more := quotient(e, moreE, d, moreE+moreD)
	return math.Copysign(q+more, x)
}

// Sinh is the hyperbolic sine, with an error of less than 1.25 units in the last place.
func Sinh(x float64) float64 {
	a := math.Abs(x)
	if a > 709 {
		return math.Copysign(halfExp(a), x)
	}
	e, moreE := less1(a)
	d, moreD := plus(e, 1)
	q, moreQ := quotient(e, moreE, d, moreE+moreD)
	s, more := plus(e, q)
	return math.Copysign(float64(0.5*(s+(more+(moreE+moreQ)))), x)
}

// Cosh is the hyperbolic cosine, with an error of less than one unit in the last place.
func Cosh(x float64) float64 {
	a := math.Abs(x)
	if a > 709 {
		return halfExp(a)
	}
	e, moreE := less1(a)
	d, moreD := plus(e, 1)
	moreD += moreE
	q, moreQ := quotient(1, 0, d, moreD)
	s, more := plus(d, q)
	return float64(0.5 * (s + (more + (moreD + moreQ))))
}

// halfExp is e**x/2 for large x.
func halfExp(x float64) float64 {
	if x > 720 {
		x = 720
	}
	t, r, square := exponent(x, 0)
	n := math.Float64bits(t) - (math.Float64bits(Shifter) - 1022)
	y := 1 + r
	y += ((1 - y) + r) + square
	return float64(float64(y*math.Float64frombits((n-512)<<52)) * 0x1p512)
}
