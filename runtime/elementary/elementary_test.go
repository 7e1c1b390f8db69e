package elementary

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"github.com/spmdc/spmdc/internal/effort"
)

const bigPrec = 400

func bigFloat(x float64) *big.Float { return new(big.Float).SetPrec(bigPrec).SetFloat64(x) }

// bigExp is e**x to about 300 bits: by its series, for an argument that is halved
// 40 times.
func bigExp(x *big.Float) *big.Float {
	const halvings = 40
	y := new(big.Float).SetPrec(bigPrec).SetMantExp(x, -halvings)
	sum, term := bigFloat(1), bigFloat(1)
	for n := 1; n < 60; n++ {
		term.Mul(term, y)
		term.Quo(term, bigFloat(float64(n)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog is the logarithm of x to about 150 bits: a step of Halley's method from y.
func bigLog(x, y float64) *big.Float {
	e := bigExp(bigFloat(y))
	up, down := new(big.Float).Sub(bigFloat(x), e), new(big.Float).Add(bigFloat(x), e)
	up.Quo(up.Mul(up, bigFloat(2)), down)
	return up.Add(up, bigFloat(y))
}

// ulps is how far got is from want, in units of the last place of want.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	unit := math.Nextafter(math.Abs(w), math.Inf(1)) - math.Abs(w)
	d, _ := new(big.Float).Sub(bigFloat(got), want).Float64()
	return math.Abs(d) / unit
}

// bigSinCos is the sine and the cosine of x, by their series for x less the nearest
// multiple of 2*pi.
func bigSinCos(x float64) (sin, cos *big.Float) {
	const prec = 1500 // x may be that great
	pi := wide(prec)
	y := new(big.Float).SetPrec(prec).SetFloat64(x)
	turns := new(big.Float).SetPrec(prec).Quo(y, pi)
	n, _ := turns.Int(nil)
	if n.Bit(0) != 0 {
		n.Add(n, big.NewInt(1))
	}
	y.Sub(y, new(big.Float).SetPrec(prec).Mul(pi, new(big.Float).SetPrec(prec).SetInt(n)))
	y.SetPrec(bigPrec)
	sin, cos = bigFloat(0), bigFloat(0)
	term := bigFloat(1)
	for k := 1.0; k < 120; k += 2 {
		cos.Add(cos, term)
		term.Quo(term.Mul(term, y), bigFloat(k))
		sin.Add(sin, term)
		term.Quo(term.Mul(term, y), bigFloat(-k-1))
	}
	return sin, cos
}

// wide is pi to so many bits.
var wide = func() func(prec uint) *big.Float {
	done := map[uint]*big.Float{}
	return func(prec uint) *big.Float {
		if done[prec] != nil {
			return done[prec]
		}
		f := func(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }
		small := func(n float64) *big.Float {
			sum, power := f(0), new(big.Float).Quo(f(1), f(n))
			for k := 1.0; k < float64(prec); k += 2 {
				sum.Add(sum, new(big.Float).Quo(power, f(k)))
				power.Quo(power, f(-n*n))
			}
			return sum
		}
		x := new(big.Float).Mul(f(4), small(5))
		done[prec] = x.Mul(f(4), x.Sub(x, small(239)))
		return done[prec]
	}
}()

// bigAtan is the arc tangent of x to about 140 bits, from y, which is near.
func bigAtan(x, y float64) *big.Float { return bigAngle(bigFloat(x), bigFloat(1), y) }

// cathetus is the square root of 1 - x*x.
func cathetus(x float64) *big.Float {
	z := bigFloat(x)
	z.Sub(bigFloat(1), z.Mul(z, z))
	return z.Sqrt(z)
}

// bigAngle is the angle of the point (v, u), from y, which is near.
func bigAngle(u, v *big.Float, y float64) *big.Float {
	s, c := bigSinCos(y)
	times := func(a, b *big.Float) *big.Float { return new(big.Float).Mul(a, b) }
	d := times(u, c)
	d.Quo(d.Sub(d, times(v, s)), new(big.Float).Add(times(v, c), times(u, s)))
	cube := new(big.Float).Mul(d, d)
	cube.Quo(cube.Mul(cube, d), bigFloat(3))
	return d.Add(d.Sub(d, cube), bigFloat(y))
}

// bigHyperbolic is e**x and e**-x.
func bigHyperbolic(x float64) (up, down *big.Float) {
	up = bigExp(bigFloat(x))
	return up, new(big.Float).Quo(bigFloat(1), up)
}

// TestErrors: the functions are as exact as they are said to be, of arguments of all kinds.
func TestErrors(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	any := func() float64 { // of all magnitudes
		return math.Float64frombits(r.Uint64()&^(2047<<52) | uint64(1+r.Intn(2046))<<52)
	}
	medium := func() float64 { return math.Ldexp(r.NormFloat64(), r.Intn(40)-30) }
	positive := func() float64 { return math.Abs(medium()) }
	bounded := func(limit float64) func() float64 {
		return func() float64 { return max(-limit, min(limit, medium())) }
	}
	// The doubles nearest to multiples of pi/2, among them the nearest of all.
	angle := func() float64 {
		switch r.Intn(4) {
		case 0:
			return any()
		case 1:
			return float64(r.Intn(1<<20)) * (math.Pi / 2)
		case 2:
			return []float64{6381956970095103 * 0x1p797, 0x1.6ac5b262ca1ffp+849, 0x1.921fb54442d18p+0, 0x1.6c6cbc45dc8dep+5, 5.3e18}[r.Intn(5)] * float64(1-2*r.Intn(2))
		}
		return medium()
	}
	sin := func(x float64) *big.Float { s, _ := bigSinCos(x); return s }
	cos := func(x float64) *big.Float { _, c := bigSinCos(x); return c }
	for _, f := range []struct {
		name string
		get  func(float64) float64
		want func(float64) *big.Float
		args []func() float64
	}{
		{"sin", Sin, sin, []func() float64{angle, angle, bounded(4)}},
		{"cos", Cos, cos, []func() float64{angle, angle, bounded(4)}},
		{"tan", Tan, func(x float64) *big.Float { s, c := bigSinCos(x); return s.Quo(s, c) }, []func() float64{angle, angle, bounded(4)}},
		{"log10", Log10, func(x float64) *big.Float {
			return new(big.Float).Quo(bigLog(x, math.Log2(x)*math.Ln2), bigLog(10, math.Ln10))
		},
			[]func() float64{positive, func() float64 { return math.Abs(any()) }, func() float64 { return 1 + math.Ldexp(r.NormFloat64(), -r.Intn(50)-4) }}},
		{"atan", Atan, func(x float64) *big.Float { return bigAtan(x, math.Atan(x)) }, []func() float64{bounded(1e10), bounded(4)}},
		{"asin", Asin, func(x float64) *big.Float {
			return bigAngle(bigFloat(x), cathetus(x), math.Asin(x))
		}, []func() float64{func() float64 { return 2*r.Float64() - 1 }, func() float64 { return math.Copysign(1-math.Ldexp(r.Float64(), -r.Intn(50)), medium()) }, bounded(1)}},
		{"acos", Acos, func(x float64) *big.Float {
			return bigAngle(cathetus(x), bigFloat(x), math.Acos(x))
		}, []func() float64{func() float64 { return 2*r.Float64() - 1 }, func() float64 { return math.Copysign(1-math.Ldexp(r.Float64(), -r.Intn(50)), medium()) }, bounded(1)}},
		{"tanh", Tanh, func(x float64) *big.Float {
			a, b := bigHyperbolic(x)
			return new(big.Float).Quo(new(big.Float).Sub(a, b), new(big.Float).Add(a, b))
		}, []func() float64{bounded(30), bounded(1)}},
		{"sinh", Sinh, func(x float64) *big.Float {
			a, b := bigHyperbolic(x)
			return a.Quo(a.Sub(a, b), bigFloat(2))
		}, []func() float64{bounded(710.4), bounded(2)}},
		{"cosh", Cosh, func(x float64) *big.Float {
			a, b := bigHyperbolic(x)
			return a.Quo(a.Add(a, b), bigFloat(2))
		}, []func() float64{bounded(710.4), bounded(2)}},
	} {
		worst := 0.0
		for i := range effort.Of(20000, 1000) {
			x := f.args[i%len(f.args)]()
			want := f.want(x)
			if w, _ := want.Float64(); math.Abs(w) < 0x1p-1020 || math.IsInf(w, 0) || x == 0 {
				continue
			}
			if got := ulps(f.get(x), want); !(got < mostError) {
				t.Errorf("%s(%v) is %v, off by %.3f units", f.name, x, f.get(x), got)
			} else {
				worst = max(worst, got)
			}
		}
		t.Logf("%s: the largest error %.3f", f.name, worst)
	}
}

// mostError is the largest error, in units of the last place, that the functions are said to
// have; sinh and atan2 come near it.
const mostError = 1.25

func TestAtan2(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	worst := 0.0
	for range effort.Of(20000, 1000) {
		y, x := math.Ldexp(r.NormFloat64(), r.Intn(8)), math.Ldexp(r.NormFloat64(), r.Intn(8))
		want := bigAngle(bigFloat(y), bigFloat(x), math.Atan2(y, x))
		if got := ulps(Atan2(y, x), want); !(got < mostError) {
			t.Errorf("atan2(%v, %v) is %v, off by %.3f units", y, x, Atan2(y, x), got)
		} else {
			worst = max(worst, got)
		}
	}
	t.Logf("the largest error: %.3f", worst)
	special := []float64{0, math.Copysign(0, -1), 1, -1, 5e-324, 1e300, -1e300, math.Inf(1), math.Inf(-1), math.NaN()}
	for _, y := range special {
		for _, x := range special {
			if got, want := Atan2(y, x), math.Atan2(y, x); math.Float64bits(got) != math.Float64bits(want) && want == want {
				t.Errorf("atan2(%v, %v) is %v, want %v", y, x, got, want)
			}
		}
	}
}

func TestPow(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	worst := 0.0
	for range effort.Of(20000, 2000) {
		x := math.Ldexp(1+r.Float64(), r.Intn(20)-10)
		switch r.Intn(4) {
		case 0:
			x = math.Ldexp(1+r.Float64(), r.Intn(2090)-1070)
		case 1:
			x = 1 + math.Ldexp(r.NormFloat64(), -r.Intn(50)-3)
		}
		l := math.Log2(x) * math.Ln2
		if x == 1 || l == 0 {
			continue
		}
		y := 1400 * (r.Float64() - 0.5) / l
		if r.Intn(2) == 0 {
			y = r.NormFloat64() * 10
		}
		p := bigLog(x, l)
		p.Mul(p, bigFloat(y))
		if f, _ := p.Float64(); math.Abs(f) > 705 {
			continue
		}
		if got := ulps(Pow(x, y), bigExp(p)); !(got < 1) {
			t.Errorf("%v ** %v is %v, off by %.3f units", x, y, Pow(x, y), got)
		} else {
			worst = max(worst, got)
		}
	}
	t.Logf("the largest error: %.3f", worst)
	special := []float64{0, math.Copysign(0, -1), 1, -1, 2, -2, 0.5, -0.5, 3, -3, 1e300, -1e300, 1e-300, 5e-324, math.Inf(1), math.Inf(-1), math.NaN(), 1025, -1074.5, 0x1p53, 0x1p54}
	for _, x := range special {
		for _, y := range special {
			got, want := Pow(x, y), math.Pow(x, y)
			if math.IsNaN(got) != math.IsNaN(want) || math.Signbit(got) != math.Signbit(want) && want == want || math.Abs(got-want) > 1e-14*math.Abs(want) {
				t.Errorf("%v ** %v is %v, want %v", x, y, got, want)
			}
		}
	}
}

func TestExpAndLog(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	worstExp, worstLog := 0.0, 0.0
	for range effort.Of(20000, 2000) {
		var x float64
		most := 1.0
		switch r.Intn(4) {
		case 0:
			x = r.NormFloat64()
		case 1:
			x = 700 * (2*r.Float64() - 1)
		case 2:
			x = -708 - 37*r.Float64() // below the normal numbers, rounded twice
			most = 1.5
		case 3:
			x = math.Ldexp(r.NormFloat64(), -r.Intn(60))
		}
		if got := ulps(Exp(x), bigExp(bigFloat(x))); got >= most {
			t.Errorf("exp(%v) is off by %.3f units", x, got)
		} else if most == 1 {
			worstExp = max(worstExp, got)
		}
		var y float64
		switch r.Intn(3) {
		case 0:
			y = 1 + math.Ldexp(r.NormFloat64(), -2-r.Intn(50))
		case 1:
			y = math.Exp(700 * (2*r.Float64() - 1))
		case 2:
			y = math.Ldexp(1+r.Float64(), -1030-r.Intn(40))
		}
		if y <= 0 || y == 1 {
			continue
		}
		if got := ulps(Log(y), bigLog(y, math.Log2(y)*math.Ln2)); got >= 1 {
			t.Errorf("log(%v) is off by %.3f units", y, got)
		} else {
			worstLog = max(worstLog, got)
		}
	}
	t.Logf("the largest errors: %.3f of exp, %.3f of log", worstExp, worstLog)
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct{ name, got, want any }{
		{"exp(0)", Exp(0), 1.0}, {"exp(-0)", Exp(math.Copysign(0, -1)), 1.0}, {"exp(inf)", Exp(inf), inf}, {"exp(-inf)", Exp(-inf), 0.0},
		{"exp(709.8)", Exp(709.8), inf}, {"exp(1e300)", Exp(1e300), inf}, {"exp(-745.2)", Exp(-745.2), 0.0}, {"exp(-745.1)", Exp(-745.1), 5e-324},
		{"exp(-1e300)", Exp(-1e300), 0.0}, {"log(1)", Log(1), 0.0}, {"log(0)", Log(0), -inf}, {"log(-0)", Log(math.Copysign(0, -1)), -inf},
		{"log(inf)", Log(inf), inf}, {"exp(nan)", math.IsNaN(Exp(nan)), true}, {"log(nan)", math.IsNaN(Log(nan)), true},
		{"log(-1)", math.IsNaN(Log(-1)), true}, {"log(-inf)", math.IsNaN(Log(-inf)), true}, {"log(2)", Log(2), math.Ln2},
		{"sin(0)", Sin(0), 0.0}, {"1/sin(-0)", 1 / Sin(math.Copysign(0, -1)), -inf}, {"1/tan(-0)", 1 / Tan(math.Copysign(0, -1)), -inf}, {"cos(-0)", Cos(math.Copysign(0, -1)), 1.0},
		{"sin(inf)", math.IsNaN(Sin(inf)), true}, {"cos(nan)", math.IsNaN(Cos(nan)), true}, {"tan(-inf)", math.IsNaN(Tan(-inf)), true},
		{"sin of the least", Sin(-5e-324), -5e-324}, {"tan of the least", Tan(5e-324), 5e-324}, {"tanh of the least", Tanh(-5e-324), -5e-324}, {"sinh of the least", Sinh(5e-324), 5e-324},
		{"atan of the least", Atan(5e-324), 5e-324}, {"atan(inf)", Atan(inf), math.Pi / 2}, {"atan(-inf)", Atan(-inf), -math.Pi / 2}, {"atan(nan)", math.IsNaN(Atan(nan)), true}, {"1/atan(-0)", 1 / Atan(math.Copysign(0, -1)), -inf},
		{"asin(1)", Asin(1), math.Pi / 2}, {"asin(-1)", Asin(-1), -math.Pi / 2}, {"asin(2)", math.IsNaN(Asin(2)), true}, {"1/asin(-0)", 1 / Asin(math.Copysign(0, -1)), -inf}, {"asin(nan)", math.IsNaN(Asin(nan)), true},
		{"acos(1)", Acos(1), 0.0}, {"acos(-1)", Acos(-1), math.Pi}, {"acos(0)", Acos(0), math.Pi / 2}, {"acos(-2)", math.IsNaN(Acos(-2)), true}, {"acos(nan)", math.IsNaN(Acos(nan)), true},
		{"tanh(inf)", Tanh(inf), 1.0}, {"tanh(-inf)", Tanh(-inf), -1.0}, {"tanh(nan)", math.IsNaN(Tanh(nan)), true}, {"1/tanh(-0)", 1 / Tanh(math.Copysign(0, -1)), -inf},
		{"sinh(-inf)", Sinh(-inf), -inf}, {"sinh(nan)", math.IsNaN(Sinh(nan)), true}, {"sinh(711)", Sinh(711), inf}, {"cosh(-inf)", Cosh(-inf), inf}, {"cosh(nan)", math.IsNaN(Cosh(nan)), true}, {"cosh(0)", Cosh(0), 1.0},
		{"1/sinh(-0)", 1 / Sinh(math.Copysign(0, -1)), -inf}, {"log10(1000)", Log10(1000), 3.0}, {"log10(1e-300)", Log10(1e-300), -300.0}, {"log10(0)", Log10(0), -inf}, {"log10(-1)", math.IsNaN(Log10(-1)), true},
		{"log of the least", Log(5e-324), -744.4400719213812}, {"log of the greatest", Log(math.MaxFloat64), 709.782712893384},
	} {
		if c.got != c.want {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
}

var elementarySink float64

func BenchmarkExp(b *testing.B) {
	s := 0.0
	for i := range b.N {
		s += Exp(float64(i&1023) * 0.01)
	}
	elementarySink = s
}

func BenchmarkLog(b *testing.B) {
	s := 0.0
	for i := range b.N {
		s += Log(float64(i&1023)*0.01 + 0.5)
	}
	elementarySink = s
}

// TestPowHalf: powers by a square root are right within three units in the last place, and
// those of math.Pow where it treats arguments in a way of its own.
func TestPowHalf(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for n := -4; n <= 3; n++ {
		y := float64(n) + 0.5
		for _, x := range []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), -2, 1, 0x1p-1074, math.MaxFloat64} {
			if got, want := PowHalf(x, n), math.Pow(x, y); math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%g ** %g is %g, want %g", x, y, got, want)
			}
		}
		for range 5000 {
			x := math.Ldexp(1+r.Float64(), r.Intn(2046)-1023)
			exact := new(big.Float).SetPrec(200).SetFloat64(x)
			want := new(big.Float).Sqrt(exact)
			for range max(n, -n) {
				if n > 0 {
					want.Mul(want, exact)
				} else {
					want.Quo(want, exact)
				}
			}
			f, _ := want.Float64()
			if f < 0x1p-1022 || math.IsInf(f, 0) {
				continue
			}
			if got := PowHalf(x, n); math.Abs(got-f) > 3*0x1p-52*f {
				t.Fatalf("%g ** %g is %v, want %v", x, y, got, f)
			}
		}
	}
}

// TestProducts: the powers without a loop have the bits of Powi, which is gfortran's.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	list := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 5e-324, 1e300, -1.5}
	for range 1000 {
		list = append(list, r.NormFloat64()*math.Pow(10, float64(r.Intn(40)-20)))
	}
	for _, x := range list {
		for n, got := range map[int]float64{2: Square(x), 3: Cube(x), 4: Fourth(x)} {
			if want := Powi(x, n); math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("%v**%d = %v, want %v", x, n, got, want)
			}
		}
		y := float32(x)
		for n, got := range map[int]float32{2: Square(y), 3: Cube(y), 4: Fourth(y)} {
			if want := Powi(y, n); math.Float32bits(got) != math.Float32bits(want) {
				t.Errorf("%v**%d = %v, want %v", y, n, got, want)
			}
		}
	}
}

// TestModel: the functions of the model of real numbers at its ends.
func TestModel(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"spacing(0)", Spacing(0.0), 0x1p-1022}, {"spacing(0) of REAL(4)", float64(Spacing(float32(0))), 0x1p-126},
		{"spacing(1)", Spacing(1.0), 0x1p-52}, {"spacing(1) of REAL(4)", float64(Spacing(float32(1))), 0x1p-23},
		{"spacing(tiny/2)", Spacing(0x1p-1023), 0x1p-1022}, {"rrspacing(-3)", Rrspacing(-3.0), 0.75 * 0x1p53}, {"rrspacing(0)", Rrspacing(0.0), 0},
		{"nearest(1, -1) of REAL(4)", float64(Nearest(float32(1), -1.0)), 1 - 0x1p-24}, {"nearest(0, 1)", Nearest(0.0, float32(1)), 0x1p-1074},
		{"exponent(inf)", float64(Exponent(inf)), math.MaxInt32}, {"exponent(0)", float64(Exponent(0.0)), 0}, {"exponent(8)", float64(Exponent(8.0)), 4},
		{"scale(1, 128) of REAL(4)", float64(Scale(float32(1), 128)), inf}, {"scale(3, -150) of REAL(4)", float64(Scale(float32(3), -150)), 0x1p-148},
		{"set_exponent(-5, 0)", SetExponent(-5.0, 0), -0.625},
	} {
		if c.got != c.want {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
	if !math.IsNaN(Fraction(inf)) || !math.IsNaN(Spacing(inf)) {
		t.Error("an infinity has no fraction and no spacing")
	}
	for _, x := range []float64{-3, 0.5, 6, 9.9, 10.1, 26, 1e8} { // erfc itself has no value behind 26
		want := math.Exp(x*x) * math.Erfc(x)
		if x > 9.95 {
			want = (1 - 0.5/(x*x) + 0.75/(x*x*x*x) - 1.875/(x*x*x*x*x*x)) / (x * math.Sqrt(math.Pi))
		}
		if got := ErfcScaled(x); math.Abs(got-want) > 1e-7*want {
			t.Errorf("erfc_scaled(%v) is %v, want %v", x, got, want)
		}
	}
}

// TestSinCos: SinCos has the bits of Sin and Cos.
func TestSinCos(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	list := []float64{0, math.Copysign(0, -1), math.Pi / 2, -math.Pi, 5e-324, math.MaxFloat64, math.Inf(1), math.NaN()}
	for range 10000 {
		list = append(list, r.NormFloat64()*100, math.Float64frombits(r.Uint64()))
	}
	for _, x := range list {
		sin, cos := SinCos(x)
		if math.Float64bits(sin) != math.Float64bits(Sin(x)) || math.Float64bits(cos) != math.Float64bits(Cos(x)) {
			t.Errorf("of %v they are %v and %v, want %v and %v", x, sin, cos, Sin(x), Cos(x))
		}
	}
}
