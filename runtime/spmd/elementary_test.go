package spmd

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
