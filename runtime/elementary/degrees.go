package elementary

import "math"

// The functions of this file take angles in degrees. They have the operations of
// gfortran's library (libgfortran/intrinsics/trigd.inc) and so its digits, as far as the
// functions of radians have them: whole turns are exact, and so are the values of
// multiples of 30 degrees, or of 45 for the tangent.

// Sind is the sine of x degrees.
func Sind[F float](x F) F {
	v := math.Abs(float64(x))
	if v < smallDegrees[F](0x1p-5, 0x1p-19) {
		return F(radians[F](float64(x)))
	}
	k, d := fold(v, 90)
	y := d
	if k%2 == 0 {
		y = sineOf[F](d)
	} else {
		y = cosineOf[F](d)
	}
	if k == 2 || k == 3 {
		y = -y
	}
	return F(math.Copysign(1, float64(x)) * y)
}

// Cosd is the cosine of x degrees.
func Cosd[F float](x F) F {
	v := math.Abs(float64(x))
	if v <= smallDegrees[F](0x1p-7, 0x1p-21) {
		return 1
	}
	k, d := fold(v, 90)
	switch {
	case k%2 != 0 && d == 0:
		return 0
	case k == 1:
		return F(-sineOf[F](d))
	case k == 2:
		return F(-cosineOf[F](d))
	case k == 3:
		return F(sineOf[F](d))
	}
	return F(cosineOf[F](d))
}

// Tand is the tangent of x degrees, which is infinite for odd multiples of 90.
func Tand[F float](x F) F {
	v := math.Abs(float64(x))
	if v < smallDegrees[F](0x1p-5, 0x1p-19) {
		return F(radians[F](float64(x)))
	}
	k, d := fold(v, 180)
	var y float64
	switch {
	case math.Abs(d) == 90:
		y = math.Copysign(math.Inf(1), 90-float64(180*k)-d)
		if k == 0 {
			y = math.Inf(1)
		}
	case math.Abs(d) == 45:
		y = d / 45
	case d == 0:
		y = 0
	default:
		y = Tan(radians[F](d))
	}
	return F(math.Copysign(1, float64(x)) * y)
}

// fold is an angle of v degrees within one turn as the nearest multiple k of step and what
// is left, which is exact; of two multiples that are as near the smaller one.
func fold(v, step float64) (k int, d float64) {
	v = math.Mod(v, 360)
	for float64(float64(k)*step)+step/2 < v {
		k++
	}
	return k, v - float64(float64(k)*step)
}

// sineOf is the sine of d degrees, from -45 to 45.
func sineOf[F float](d float64) float64 {
	if math.Abs(d) == 30 {
		return math.Copysign(0.5, d)
	}
	return float64(F(Sin(radians[F](d))))
}

// cosineOf is the cosine of d degrees, from -45 to 45.
func cosineOf[F float](d float64) float64 {
	if math.Abs(d) == 30 {
		return float64(F(math.Sqrt(3) / 2))
	}
	return float64(F(Cos(radians[F](d))))
}

// radians is d degrees, a number of type F, in radians, rounded once but for the lower
// part of pi/180.
func radians[F float](d float64) float64 {
	if digits, _ := model[F](); digits == 24 {
		const high, low = 0x1.1ep-6, -0x1.72bb5ap-19
		return float64(F(float64(d*high) + float64(F(d*low))))
	}
	const high, low = 1.7453283071517944e-02, 9.4484253514332993e-09
	return math.FMA(d, high, float64(d*low))
}

// smallDegrees is the first of two numbers for REAL, the second for DOUBLE PRECISION.
func smallDegrees[F float](single, double float64) float64 {
	if digits, _ := model[F](); digits == 24 {
		return single
	}
	return double
}
