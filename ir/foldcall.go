package ir

import (
	"math"
	"math/bits"
	"strings"

	"github.com/spmdc/spmdc/runtime/elementary"
)

var realFunctions = map[string]func(float64) float64{
	"sqrt": math.Sqrt, "exp": elementary.Exp, "log": elementary.Log, "log10": elementary.Log10,
	"sin": elementary.Sin, "cos": elementary.Cos, "tan": elementary.Tan, "asin": elementary.Asin, "acos": elementary.Acos, "atan": elementary.Atan,
	"sinh": elementary.Sinh, "cosh": elementary.Cosh, "tanh": elementary.Tanh,
	"asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh,
	"erf": math.Erf, "erfc": math.Erfc, "erfc_scaled": elementary.ErfcScaled, "gamma": math.Gamma, "log_gamma": elementary.LogGamma,
	"bessel_j0": math.J0, "bessel_j1": math.J1, "bessel_y0": math.Y0, "bessel_y1": math.Y1,
	"aint": math.Trunc, "anint": math.Round, "abs": math.Abs,
	"floor": math.Floor, "ceiling": math.Ceil, "nint": math.Round,
}

// call is a function of constants.
func (c *Const) call(name string, args []*Const) (fits, ok bool) {
	if len(args) == 0 {
		return false, false
	}
	if name == "cmplx" {
		im := 0.0
		if len(args) > 1 {
			im = args[1].Float
		}
		return c.setComplex(complex(args[0].Float, im)), true
	}
	if name == "merge" {
		k := *args[1]
		if args[2].Bool {
			k = *args[0]
		}
		k.Pos, k.Typ = c.Pos, c.Typ
		*c = k
		return true, true
	}
	switch args[0].Typ {
	case Complex, DoubleComplex:
		return c.ofComplex(name, args[0])
	case Byte, Short, Integer, Long:
		ok = c.integers(name, args)
	case Real, Double:
		ok = c.reals(name, args)
	case Character:
		ok = c.texts(name, args)
	}
	switch {
	case !ok:
		return false, false
	case c.Typ.IsReal():
		return c.setFloat(c.Float), true
	case c.Typ.IsInteger():
		// A real that does not fit is in Float.
		fits = c.Float == 0 && !(name == "abs" && c.Int < 0)
		return c.setInt(c.Int) && fits, true
	}
	return true, true
}

// integers is a function of INTEGERs.
func (c *Const) integers(name string, args []*Const) (ok bool) {
	a, b := args[0].Int, 0
	if len(args) > 1 {
		b = args[1].Int
	}
	switch name {
	case "abs":
		c.Int = max(a, -a)
	case "mod", "modulo":
		if b == 0 {
			return false
		}
		if c.Int = a % b; name == "modulo" {
			c.Int = (c.Int + b) % b
		}
	case "sign":
		if c.Int = max(a, -a); b < 0 {
			c.Int = -c.Int
		}
	case "dim":
		c.Int = max(0, a-b)
	case "max", "min":
		c.Int = a
		for _, k := range args[1:] {
			if (k.Int > c.Int) == (name == "max") {
				c.Int = k.Int
			}
		}
	case "iand":
		c.Int = a & b
	case "ior":
		c.Int = a | b
	case "ieor":
		c.Int = a ^ b
	case "not":
		c.Int = ^a
	case "btest":
		c.Bool = b >= 0 && b < 64 && a>>b&1 == 1
	case "ishft":
		if b < -64 || b > 64 {
			return false
		}
		c.Int = shifted(a, b, c.Typ)
	case "popcnt", "leadz", "trailz":
		size := 8 * args[0].Typ.Bytes()
		word := uint64(a) << (64 - size)
		switch name {
		case "popcnt":
			c.Int = bits.OnesCount64(word)
		case "leadz":
			c.Int = min(size, bits.LeadingZeros64(word))
		default:
			c.Int = min(size, bits.TrailingZeros64(uint64(a)))
		}
	case "char", "achar":
		if a < 0 || a > 127 {
			return false
		}
		c.Str = string(rune(a))
	default:
		return false
	}
	return true
}

// shifted is ISHFT of an INTEGER of type t.
func shifted(a, b int, t Type) int {
	if b >= 0 {
		return t.Wrap(int(uint64(a) << b))
	}
	unused := 64 - 8*t.Bytes()
	return t.Wrap(int(uint64(a) << unused >> unused >> -b))
}

// reals is a function of reals.
func (c *Const) reals(name string, args []*Const) (ok bool) {
	a := args[0].Float
	if f := realFunctions[name]; f != nil {
		v := f(a)
		if c.Typ.IsInteger() {
			if !(math.Abs(v) < 1<<63) {
				c.Float = math.Inf(1) // what does not fit
				return true
			}
			c.Int = int(v)
			return true
		}
		c.Float = v
		return true
	}
	if c.ofModel(name, args) {
		return true
	}
	if len(args) < 2 {
		return false
	}
	b := args[1].Float
	switch name {
	case "atan2":
		c.Float = elementary.Atan2(a, b)
	case "hypot":
		c.Float = elementary.Hypot(a, b)
	case "mod":
		c.Float = math.Mod(a, b)
		return b != 0
	case "modulo":
		if b == 0 {
			return false
		}
		switch c.Float = math.Mod(a, b); {
		case c.Float == 0:
			c.Float = math.Copysign(0, b)
		case (c.Float < 0) != (b < 0):
			c.Float += b
		}
	case "sign":
		c.Float = math.Copysign(a, b)
	case "dim":
		c.Float = max(0, a-b)
	case "max": // as at run time: of zeros, 0.0 is larger
		c.Float = a
		for _, k := range args[1:] {
			c.Float = max(c.Float, k.Float)
		}
	case "min":
		c.Float = a
		for _, k := range args[1:] {
			c.Float = min(c.Float, k.Float)
		}
	default:
		return false
	}
	return true
}

// ofModel is a function of the model of real numbers, or of an angle in degrees.
func (c *Const) ofModel(name string, args []*Const) (ok bool) {
	if args[0].Typ == Real {
		return modelFunction(c, name, float32(args[0].Float), args)
	}
	return modelFunction(c, name, args[0].Float, args)
}

func modelFunction[F float32 | float64](c *Const, name string, x F, args []*Const) (ok bool) {
	switch name {
	case "sind":
		x = elementary.Sind(x)
	case "cosd":
		x = elementary.Cosd(x)
	case "tand":
		x = elementary.Tand(x)
	case "fraction":
		x = elementary.Fraction(x)
	case "exponent":
		c.Int = int(elementary.Exponent(x))
		return true
	case "spacing":
		x = elementary.Spacing(x)
	case "rrspacing":
		x = elementary.Rrspacing(x)
	case "nearest":
		x = elementary.Nearest(x, args[1].Float)
	case "scale":
		x = elementary.Scale(x, args[1].Int)
	case "set_exponent":
		x = elementary.SetExponent(x, args[1].Int)
	default:
		return false
	}
	c.Float = float64(x)
	return true
}

// texts is a function of CHARACTER values.
func (c *Const) texts(name string, args []*Const) (ok bool) {
	a := args[0].Str
	switch name {
	case "len_trim":
		c.Int = len(strings.TrimRight(a, " "))
	case "trim":
		c.Str = strings.TrimRight(a, " ")
	case "adjustl":
		c.Str = padded(strings.TrimLeft(a, " "), len(a))
	case "adjustr":
		t := strings.TrimRight(a, " ")
		c.Str = strings.Repeat(" ", len(a)-len(t)) + t
	case "index":
		if len(args) == 3 && args[2].Bool {
			c.Int = strings.LastIndex(a, args[1].Str) + 1
		} else {
			c.Int = strings.Index(a, args[1].Str) + 1
		}
	case "scan", "verify":
		back := len(args) == 3 && args[2].Bool
		for i := range len(a) {
			if back {
				i = len(a) - 1 - i
			}
			if (strings.IndexByte(args[1].Str, a[i]) >= 0) == (name == "scan") {
				c.Int = i + 1
				break
			}
		}
	case "repeat":
		if args[1].Int < 0 || args[1].Int > (1<<16)/max(1, len(a)) {
			return false
		}
		c.Str = strings.Repeat(a, args[1].Int)
	case "ichar", "iachar":
		if len(a) != 1 {
			return false
		}
		c.Int = int(a[0])
	case "lge":
		return c.compare(Ge, args[0], args[1])
	case "lgt":
		return c.compare(Gt, args[0], args[1])
	case "lle":
		return c.compare(Le, args[0], args[1])
	case "llt":
		return c.compare(Lt, args[0], args[1])
	default:
		return false
	}
	return true
}
