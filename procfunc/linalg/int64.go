package linalg

import "math"

// AddInt64 returns a + b, or false when the sum does not fit.
func AddInt64(a, b int64) (int64, bool) {
	s := a + b
	// Overflow flips the sign of two operands of equal sign.
	return s, (a^s)&(b^s) >= 0
}

// SubInt64 returns a - b, or false when the difference does not fit.
func SubInt64(a, b int64) (int64, bool) {
	d := a - b
	return d, (a^b)&(a^d) >= 0
}

// MulInt64 returns a * b, or false when the product does not fit.
func MulInt64(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	p := a * b
	// The division test misses exactly -1 * MinInt64, which wraps to itself.
	if p/b != a || (b == -1 && a == math.MinInt64) {
		return 0, false
	}
	return p, true
}

// mulAdd returns a + b*k, or false when the product or the sum does not fit.
func mulAdd(a, b, k int64) (int64, bool) {
	p, ok := MulInt64(b, k)
	if !ok {
		return 0, false
	}
	return AddInt64(a, p)
}

// GCD is the greatest common divisor of |a| and |b|, 0 for two zeros. Its
// result does not fit only for operands drawn from {0, MinInt64}; then it is 1,
// which is a common divisor and so safe to divide by.
func GCD(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	switch {
	case a == math.MinInt64:
		return 1
	case a < 0:
		return -a
	}
	return a
}

// FloorDiv is the largest q with q*b <= a, for b > 0.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// CeilDiv is the smallest q with q*b >= a, for b > 0.
func CeilDiv(a, b int64) int64 {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}
