package record

import (
	"math"
	"strconv"
	"strings"
)

// Implied is what a format says of numbers: Scale is the scale factor of those without an
// exponent, Decimals is how many digits follow the point of those that have none.
type Implied struct{ Scale, Decimals int }

// ParseReal reads a Fortran real: an exponent is marked by e, d, q or by its sign alone.
// With f, which is that of a format, the digits in front of the exponent may be missing, as
// gfortran has it.
func ParseReal(s string, bits int, f *Implied) (float64, bool) {
	body, sign := strings.ToUpper(s), ""
	if body != "" && (body[0] == '+' || body[0] == '-') {
		sign, body = body[:1], body[1:]
	}
	switch {
	case body == "INF", body == "INFINITY":
		x, _ := strconv.ParseFloat(sign+"inf", 64)
		return x, true
	case body == "NAN", strings.HasPrefix(body, "NAN(") && strings.HasSuffix(body, ")"):
		return math.Float64frombits(0x7FF8 << 48), true // the bits of gfortran's
	}
	mantissa := body
	if i := strings.IndexFunc(body, func(c rune) bool { return c != '.' && (c < '0' || c > '9') }); i >= 0 {
		mantissa = body[:i]
	}
	exponent, e := body[len(mantissa):], 0
	if f != nil {
		e = -f.Scale
	}
	if exponent != "" {
		if strings.IndexByte("EDQ", exponent[0]) >= 0 {
			exponent = exponent[1:]
		} else if exponent[0] != '+' && exponent[0] != '-' {
			return 0, false
		}
		var err error
		if e, err = strconv.Atoi(exponent); err != nil {
			return 0, false
		}
	}
	text := s[:len(sign)+len(mantissa)]
	if f != nil {
		if !strings.Contains(mantissa, ".") {
			e -= f.Decimals
		}
		if strings.Trim(mantissa, ".") == "" {
			text = sign + "0"
		}
	}
	if e != 0 {
		text += "e" + strconv.Itoa(e)
	}
	x, err := strconv.ParseFloat(text, bits)
	return x, err == nil || math.IsInf(x, 0)
}

// SwapPoint exchanges commas and points: a number of a unit with DECIMAL='COMMA'.
func SwapPoint(s string) string { return strings.NewReplacer(",", ".", ".", ",").Replace(s) }
