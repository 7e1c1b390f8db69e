package spmd

import "math"

// floating is the floating-point types of Fortran, integer those of INTEGER(4) and
// INTEGER(8).
type (
	floating interface{ float32 | float64 }
	integer  interface{ int32 | int }
)

// Count is the trip count of `DO i = lo, hi, step`, at most the largest int. It panics if
// step is 0.
func Count(lo, hi, step int) int {
	var far, by uint64 // differences that an int may not hold
	switch {
	case step == 0:
		panic(&Fault{Msg: "DO step is zero"})
	case step > 0 && lo <= hi:
		far, by = uint64(hi)-uint64(lo), uint64(step)
	case step < 0 && lo >= hi:
		far, by = uint64(lo)-uint64(hi), -uint64(step)
	default:
		return 0
	}
	return int(min(far/by, math.MaxInt-1)) + 1
}

// Larger is MAX of two reals. A NaN loses against a number, and 0.0 is larger than
// -0.0: so the largest of many values does not depend on their order.
func Larger[F floating](a, b F) F {
	if b > a || a != a || a == 0 && b == 0 && 1/a < 0 {
		return b
	}
	return a
}

// Smaller is MIN of two reals, by the same rule.
func Smaller[F floating](a, b F) F {
	if b < a || a != a || a == 0 && b == 0 && 1/b < 0 {
		return b
	}
	return a
}

// PowInt is x**n for integers; 0 with a negative exponent divides by zero.
func PowInt[I integer](x I, n int) I {
	if n < 0 {
		switch x {
		case 0:
			panic(&Fault{Msg: "integer divide by zero", Hint: "0 has no negative power"})
		case 1:
			return 1
		case -1:
			return I(1 - 2*(n&1))
		}
		return 0
	}
	y := I(1)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			y *= x
		}
		x *= x
	}
	return y
}

// Div is a division that Go's compiler refuses: by the constant 0, where it is never executed or
// an error of the program.
func Div[I integer](a, b I) I { return a / b }

// Mod is MOD where Go's compiler refuses its %.
func Mod[I integer](a, b I) I { return a % b }

// Modulo is MODULO: a - floor(a/b)*b, with the sign of b. For MOD use Go's %.
func Modulo[I integer](a, b I) I {
	r := a % b
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r
}

// ModuloF is MODULO for reals: the remainder with the sign of b.
func ModuloF[F floating](a, b F) F {
	r := F(math.Mod(float64(a), float64(b)))
	switch {
	case r == 0:
		return F(math.Copysign(0, float64(b)))
	case (r < 0) != (b < 0):
		r += b
	}
	return r
}

// Sign is SIGN: the magnitude of a with the sign of b, that of a real -0.0
// being negative.
func Sign[T number](a, b T) T {
	var negative bool
	switch b := any(b).(type) {
	case float64:
		negative = math.Signbit(b)
	case float32:
		negative = math.Signbit(float64(b))
	case int32:
		negative = b < 0
	default:
		negative = any(b).(int) < 0
	}
	a = Abs(a)
	if negative {
		return -a
	}
	return a
}

// Abs is ABS; that of -0.0 is 0.0.
func Abs[T number](x T) T {
	switch v := any(x).(type) {
	case float64:
		return any(math.Abs(v)).(T)
	case float32:
		return any(float32(math.Abs(float64(v)))).(T)
	}
	if x < 0 {
		return -x
	}
	return x
}

// PosDiff is the intrinsic DIM: a-b, or 0 if that is negative.
func PosDiff[T number](a, b T) T {
	d := a - b
	if d <= 0 {
		return 0
	}
	return d // a NaN too
}

// Trunc is INT: x without its fraction. What does not fit in I, and a NaN, gives the least
// I, on every machine, as the processors do for which gfortran compiles on amd64.
func Trunc[I integer, F floating](x F) I {
	least := I(1) << (bitsOf[I]() - 1)
	if lo := F(least); x > lo-1 && x < -lo {
		return I(x)
	}
	return least // also where it is exact
}

// bitsOf is the size of an integer.
func bitsOf[I integer]() int {
	if most := I(math.MaxInt32); most+1 < 0 {
		return 32
	}
	return 64
}

// Nint is NINT: the nearest integer, halves away from zero. gfortran rounds to 64 bits
// first, so that an INTEGER(4) wraps. The largest double below 0.5 is added since with 0.5 the
// sum could be rounded up to the next integer.
func Nint[I integer, F floating](x F) I {
	v := float64(x)
	if math.Abs(v) < 1<<62 {
		return I(int(v + math.Copysign(0.49999999999999994, v)))
	}
	return I(Trunc[int](v)) // whole, too large, or no number
}

// Floor is FLOOR: the greatest integer not above x. Like gfortran's it corrects what Trunc
// gives, also where that did not fit.
func Floor[I integer, F floating](x F) I {
	i := Trunc[I](x)
	if x < F(i) {
		i--
	}
	return i
}

// Ceiling is CEILING: the least integer not below x.
func Ceiling[I integer, F floating](x F) I {
	i := Trunc[I](x)
	if x > F(i) {
		i++
	}
	return i
}
