package elementary

import (
	"math"
	"math/bits"
)

// Pi/2 in three parts of 53 bits each.
const (
	HalfPiHigh = 0x1.921fb54442d18p+0
	HalfPiMid  = 0x1.1a62633145c07p-54
	HalfPiLow  = -0x1.f1976b7ed8fbcp-110
)

// Farthest is the magnitude up to which arguments of sines are reduced by the parts above.
const Farthest = 0x1p30

// The polynomials of sine and cosine between -pi/4 and pi/4, those of fdlibm, by powers of
// the square; without the first terms.
const (
	Sin3, Sin5, Sin7, Sin9, Sin11, Sin13 = -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
		2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10
	Cos4, Cos6, Cos8, Cos10, Cos12, Cos14 = 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
		-2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11
)

// reduce is x as a multiple n of pi/2 and what is left, r - low, between -pi/4 and pi/4 or
// hardly outside; n is right but for multiples of 4.
func reduce(x float64) (n uint64, r, low float64) {
	if !(math.Abs(x) <= Farthest) {
		return reduceFar(x)
	}
	t := math.FMA(x, 2/math.Pi, Shifter)
	k := t - Shifter
	first := math.FMA(k, -HalfPiHigh, x) // exact
	p := float64(k * HalfPiMid)
	pl := math.FMA(k, HalfPiMid, -p)
	s := first - p
	b := s - first
	lost := (first - (s - b)) - (p + b)
	l := math.FMA(k, HalfPiLow, pl-lost)
	r = s - l
	return math.Float64bits(t), r, l - (s - r)
}

// twoOverPi is the bits of 2/pi behind the point, behind a word of zeros.
var twoOverPi = [...]uint64{0,
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
	0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
	0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
	0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
}

// reduceFar is reduce for numbers beyond Farthest: the product with 2/pi, of which the
// bits are taken that matter for a multiple below 4, and 199 behind them (M. Payne,
// R. Hanek: Radian reduction for trigonometric functions, 1983).
func reduceFar(x float64) (n uint64, r, low float64) {
	word := math.Float64bits(x)
	exponent := int(word >> 52 & 0x7ff)
	if exponent == 0x7ff {
		return 0, math.NaN(), 0
	}
	m := word&(1<<52-1) | 1<<52 // |x| is m*2**(exponent-1075)
	// The bits of 2/pi of weights below 2**-at count.
	at := exponent - 1075 - 2 + 64
	i, shift := at/64, uint(at%64)
	var w [4]uint64
	for j := range w {
		w[j] = twoOverPi[i+j]<<shift | twoOverPi[i+j+1]>>(64-shift) // a shift by 64 gives 0
	}
	// The product but for multiples of 2**256, which is 4 times pi/2.
	_, p0 := bits.Mul64(m, w[0])
	h1, p1 := bits.Mul64(m, w[1])
	h2, p2 := bits.Mul64(m, w[2])
	h3, p3 := bits.Mul64(m, w[3])
	var carry uint64
	p2, carry = bits.Add64(p2, h3, 0)
	p1, carry = bits.Add64(p1, h2, carry)
	p0, _ = bits.Add64(p0, h1, carry)
	n = p0 >> 62
	f := [4]uint64{p0<<2 | p1>>62, p1<<2 | p2>>62, p2<<2 | p3>>62, p3 << 2}
	sign := 1.0
	if f[0]>>63 != 0 { // more than half: from above
		n++
		sign = -1
		var borrow uint64
		for j := 3; j >= 0; j-- {
			f[j], borrow = bits.Sub64(0, f[j], borrow)
		}
	}
	// f is 53 bits and 53 more behind the leading zeros, of which there are fewer than 64.
	zeros := uint(bits.LeadingZeros64(f[0]))
	a := f[0]<<zeros | f[1]>>(64-zeros)
	b := f[1]<<zeros | f[2]>>(64-zeros)
	high := float64(a >> 11)
	rest := float64(a<<53>>11 | b>>11>>11)
	high = math.Ldexp(high, -53-int(zeros))
	rest = math.Ldexp(rest, -106-int(zeros))
	r = float64(high * HalfPiHigh)
	l := math.FMA(high, HalfPiHigh, -r) + (float64(high*HalfPiMid) + float64(rest*HalfPiHigh))
	sum := r + l
	low = (sum - r) - l
	if word>>63 != 0 {
		n, sign = -n, -sign
	}
	return n, sign * sum, sign * low
}

// sine is the sine of r - low, and what it is short of.
func sine(r, low float64) (s, more float64) {
	z := float64(r * r)
	v := float64(z * r)
	p := math.FMA(-Sin13, z, -Sin11)
	p = math.FMA(p, z, -Sin9)
	p = math.FMA(p, z, -Sin7)
	p = math.FMA(p, z, -Sin5)
	// What is subtracted from r is 0 or above where r is a zero, whose sign stays.
	c := math.FMA(v, -Sin3, math.FMA(z, math.FMA(v, p, float64(-0.5*low)), low))
	s = r - c
	return s, (r - s) - c
}

// cosine is the cosine of r - low, and what it is short of.
func cosine(r, low float64) (c, more float64) {
	z := float64(r * r)
	p := math.FMA(Cos14, z, Cos12)
	p = math.FMA(p, z, Cos10)
	p = math.FMA(p, z, Cos8)
	p = math.FMA(p, z, Cos6)
	p = math.FMA(p, z, Cos4)
	half := float64(0.5 * z)
	w := 1 - half
	rest := ((1 - w) - half) + math.FMA(z, float64(z*p), float64(r*low))
	c = w + rest
	return c, (w - c) + rest
}

// Sin is the sine, with an error of less than one unit in the last place.
func Sin(x float64) float64 {
	n, r, low := reduce(x)
	var y float64
	if n&1 == 0 {
		y, _ = sine(r, low)
	} else {
		y, _ = cosine(r, low)
	}
	if n&2 != 0 {
		return -y
	}
	return y
}

// Cos is the cosine, with an error of less than one unit in the last place.
func Cos(x float64) float64 {
	n, r, low := reduce(x)
	var y float64
	if n&1 == 0 {
		y, _ = cosine(r, low)
	} else {
		y, _ = sine(r, low)
	}
	if (n+1)&2 != 0 {
		return -y
	}
	return y
}

// SinCos is Sin and Cos of one argument.
func SinCos(x float64) (sin, cos float64) {
	n, r, low := reduce(x)
	sin, _ = sine(r, low)
	cos, _ = cosine(r, low)
	if n&1 != 0 {
		sin, cos = cos, -sin
	}
	if n&2 != 0 {
		return -sin, -cos
	}
	return sin, cos
}

// Tan is the tangent, with an error of less than one unit in the last place.
func Tan(x float64) float64 {
	n, r, low := reduce(x)
	up, moreUp := sine(r, low)
	down, moreDown := cosine(r, low)
	if n&1 != 0 {
		up, moreUp, down, moreDown = down, moreDown, -up, -moreUp
	}
	q := up / down
	// The product is larger than the numerator by over.
	over := math.FMA(q, down, -up) + (float64(q*moreDown) - moreUp)
	return q - over/down
}
