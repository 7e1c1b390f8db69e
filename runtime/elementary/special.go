package elementary

import "math"

// LogGamma is the logarithm of the absolute value of the gamma function.
func LogGamma(x float64) float64 {
	y, _ := math.Lgamma(x)
	return y
}

// ErfcScaled is exp(x*x)*erfc(x), by the continued fraction where erfc would be too small.
func ErfcScaled(x float64) float64 {
	if x < 10 {
		square := float64(x * x)
		return float64(Exp(square)*math.Erfc(x)) * (1 + math.FMA(x, x, -square))
	}
	f := x
	for k := 40; k > 0; k-- {
		f = x + float64(k)/2/f
	}
	return 1 / float64(f*math.Sqrt(math.Pi))
}
