package elementary

import "math"

// atan(c) for c = 1/2, 1, 3/2 and infinite, in two parts.
const (
	AtanHalfHigh, AtanHalfLow = 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56
	AtanOneHigh, AtanOneLow   = 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55
	AtanMoreHigh, AtanMoreLow = 0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56
)

// AtanTerms is the polynomial of the arc tangent below 7/16, that of fdlibm, by powers of
// the square from the eleventh down.
var AtanTerms = [...]float64{
	1.62858201153657823623e-02, -3.65315727442169155270e-02, 4.97687799461593236017e-02, -5.83357013379057348645e-02,
	6.66107313738753120669e-02, -7.69187620504482999495e-02, 9.09088713343650656196e-02, -1.11111104054623557880e-01,
	1.42857142725034663711e-01, -1.99999999998764832476e-01, 3.33333333333329318027e-01,
}

// Atan is the arc tangent, with an error of less than one unit in the last place.
func Atan(x float64) float64 {
	a := math.Abs(x)
	// atan(a) = atan(c) + atan((a-c)/(1+a*c))
	up, down, high, low := a, 1.0, 0.0, 0.0
	switch {
	case a > 39.0/16:
		up, down, high, low = -1, a, HalfPiHigh, HalfPiMid
	case a > 19.0/16:
		up, down, high, low = a-1.5, math.FMA(1.5, a, 1), AtanMoreHigh, AtanMoreLow
	case a > 11.0/16:
		up, down, high, low = a-1, a+1, AtanOneHigh, AtanOneLow
	case a > 7.0/16:
		up, down, high, low = a+a-1, a+2, AtanHalfHigh, AtanHalfLow
	}
	t := up / down
	z := float64(t * t)
	p := AtanTerms[0]
	for _, c := range AtanTerms[1:] {
		p = math.FMA(p, z, c)
	}
	return math.Copysign(high-((math.FMA(t, float64(z*p), -low))-t), x)
}

// The rational function of the arc sine below 1/2, that of fdlibm: asin(x) = x + x*z*P(z)/Q(z), z = x*x.
const (
	AsinUp0, AsinUp1, AsinUp2, AsinUp3, AsinUp4, AsinUp5 = 1.66666666666666657415e-01, -3.25565818622400915405e-01, 2.01212532134862925881e-01,
		-4.00555345006794114027e-02, 7.91534994289814532176e-04, 3.47933107596021167570e-05
	AsinDown1, AsinDown2, AsinDown3, AsinDown4 = -2.40339491173441421878e+00, 2.02094576023350569471e+00, -6.88283971605453293030e-01, 7.70381505559019352791e-02
)

// asinSmall is asin(x)/x - 1 for z = x*x up to 1/4.
func asinSmall(z float64) float64 {
	p := math.FMA(AsinUp5, z, AsinUp4)
	p = math.FMA(p, z, AsinUp3)
	p = math.FMA(p, z, AsinUp2)
	p = math.FMA(p, z, AsinUp1)
	p = math.FMA(p, z, AsinUp0)
	q := math.FMA(AsinDown4, z, AsinDown3)
	q = math.FMA(q, z, AsinDown2)
	q = math.FMA(q, z, AsinDown1)
	q = math.FMA(q, z, 1)
	return float64(z*p) / q
}

// rootParts is the square root of z, and what that is short of.
func rootParts(z float64) (s, more float64) {
	s = math.Sqrt(z)
	if z == 0 {
		return s, 0
	}
	return s, math.FMA(-s, s, z) / (s + s)
}

// Asin is the arc sine, with an error of less than one unit in the last place.
func Asin(x float64) float64 {
	a := math.Abs(x)
	if a < 0.5 {
		return math.FMA(x, asinSmall(float64(x*x)), x)
	}
	// asin(a) = pi/2 - 2*asin(sqrt((1-a)/2))
	z := float64((1 - a) * 0.5)
	w := asinSmall(z)
	s, more := rootParts(z)
	s, more = s+s, math.FMA(s, w, more)
	h := HalfPiHigh - s
	rest := ((HalfPiHigh - h) - s) + (HalfPiMid - (more + more))
	return math.Copysign(h+rest, x)
}

// Acos is the arc cosine, with an error of less than one unit in the last place.
func Acos(x float64) float64 {
	a := math.Abs(x)
	if a < 0.5 {
		h := HalfPiHigh - x
		return h + (((HalfPiHigh - h) - x) + math.FMA(-x, asinSmall(float64(x*x)), HalfPiMid))
	}
	z := float64((1 - a) * 0.5)
	w := asinSmall(z)
	s, more := rootParts(z)
	s, more = s+s, math.FMA(s, w, more)
	more += more
	if x > 0 {
		return s + more
	}
	const high, low = 2 * HalfPiHigh, 2 * HalfPiMid
	h := high - s
	return h + (((high - h) - s) + (low - more))
}

// Atan2 is the angle of the point with these coordinates, with an error of less than 1.25
// units in the last place where they and their ratio are neither huge nor tiny, else of math.Atan2.
func Atan2(y, x float64) float64 {
	a, b := math.Abs(y), math.Abs(x)
	if !(a >= 0x1p-400 && a <= 0x1p400 && b >= 0x1p-400 && b <= 0x1p400) {
		return math.Copysign(math.Atan2(a, x), y) // of which the ratio may be 0
	}
	// atan(a/b) = atan(c) + atan((a-c*b)/(b+c*a))
	up, down, high, low := a, b, 0.0, 0.0
	switch {
	case a > 39.0/16*b:
		up, down, high, low = -b, a, HalfPiHigh, HalfPiMid
	case a > 19.0/16*b:
		up, down, high, low = math.FMA(-1.5, b, a), math.FMA(1.5, a, b), AtanMoreHigh, AtanMoreLow
	case a > 11.0/16*b:
		up, down, high, low = a-b, a+b, AtanOneHigh, AtanOneLow
	case a > 7.0/16*b:
		up, down, high, low = math.FMA(-0.5, b, a), math.FMA(0.5, a, b), AtanHalfHigh, AtanHalfLow
	}
	t := up / down
	if x < 0 { // pi less that
		t = -t
		h := 2*HalfPiHigh - high
		low = ((2*HalfPiHigh - h) - high) + (2*HalfPiMid - low)
		high = h
	}
	z := float64(t * t)
	p := AtanTerms[0]
	for _, c := range AtanTerms[1:] {
		p = math.FMA(p, z, c)
	}
	return math.Copysign(high-(math.FMA(t, float64(z*p), -low)-t), y)
}
