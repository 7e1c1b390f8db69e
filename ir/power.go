package ir

import "math"

// HalfPower reports whether e is a constant exponent n + 1/2, of 3/2 to 7/2 or the
// negative of these: such powers are computed by a square root, as constants and as the
// program runs.
func HalfPower(e Expr) (n int, ok bool) {
	c, isConst := e.(*Const)
	if !isConst || !c.Typ.IsReal() {
		return 0, false
	}
	n = int(math.Floor(max(-9, min(9, c.Float))))
	return n, c.Float == float64(n)+0.5 && math.Abs(c.Float) >= 1.5 && math.Abs(c.Float) <= 3.5
}
