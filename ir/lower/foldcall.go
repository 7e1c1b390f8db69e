package lower

import (
	"math"
	"math/bits"
	"strings"

	"github.com/spmdc/spmdc/ir"
)

var realFunctions = map[string]func(float64) float64{
	"sqrt": math.Sqrt, "exp": math.Exp, "log": math.Log, "log10": math.Log10,
	"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
	"sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh,
	"aint": math.Trunc, "anint": math.Round, "abs": math.Abs,
	"floor": math.Floor, "ceiling": math.Ceil, "nint": math.Round,
}

// foldCall returns the constant that c is, or c. A constant argument outside
// the domain of a function is an error.
func (l *lowerer) foldCall(c *ir.Call) ir.Expr {
	consts := make([]*ir.Const, len(c.Args))
	for i, a := range c.Args {
		k, ok := a.(*ir.Const)
		if !ok || k.Typ == ir.Invalid {
			return c
		}
		consts[i] = k
	}
	if len(consts) == 0 {
		return c
	}
	out := &ir.Const{X: c.X}
	ok := false
	switch consts[0].Typ {
	case ir.Integer, ir.Long:
		ok = l.foldIntegers(out, c, consts)
	case ir.Real, ir.Double:
		ok = l.foldReals(out, c, consts)
	case ir.Character:
		ok = foldText(out, c.Name, consts)
	}
	if c.Name == "merge" {
		k := *consts[1]
		if consts[2].Bool {
			k = *consts[0]
		}
		k.Pos = c.Pos
		out, ok = &k, true
	}
	if !ok {
		return c
	}
	if (c.Name == "mod" || c.Name == "modulo") && consts[1].Int == 0 && consts[1].Float == 0 {
		l.errorf(codeOverflow, c.Pos, "division by zero in %s", c.Name)
		return bad(c.Pos)
	}
	if out.Typ.IsReal() {
		out.Float = roundTo(out.Typ, out.Float)
	}
	if math.IsNaN(out.Float) || math.IsInf(out.Float, 0) || out.Typ.IsInteger() && (out.Typ.Wrap(out.Int) != out.Int || c.Name == "abs" && out.Int < 0) {
		l.errorf(codeOverflow, c.Pos, "%s has no value", ir.ExprString(c)).WithHelp("check the argument")
		return bad(c.Pos)
	}
	return out
}

func (l *lowerer) foldIntegers(out *ir.Const, c *ir.Call, args []*ir.Const) bool {
	a, b := args[0].Int, 0
	if len(args) > 1 {
		b = args[1].Int
	}
	switch c.Name {
	case "abs":
		out.Int = max(a, -a)
	case "mod":
		if b != 0 {
			out.Int = a % b
		}
	case "modulo":
		if b != 0 {
			out.Int = ((a % b) + b) % b
		}
	case "sign":
		if out.Int = max(a, -a); b < 0 {
			out.Int = -out.Int
		}
	case "dim":
		out.Int = max(0, a-b)
	case "max", "min":
		out.Int = a
		for _, k := range args[1:] {
			if (k.Int > out.Int) == (c.Name == "max") {
				out.Int = k.Int
			}
		}
	case "iand":
		out.Int = a & b
	case "ior":
		out.Int = a | b
	case "ieor":
		out.Int = a ^ b
	case "not":
		out.Int = ^a
	case "btest":
		out.Bool = b >= 0 && b < 64 && a>>b&1 == 1
	case "ishft":
		if b < -64 || b > 64 {
			return false
		}
		out.Int = shifted(a, b, c.Typ)
	case "popcnt", "leadz", "trailz":
		size := 32
		if c.Args[0].Type() == ir.Long {
			size = 64
		}
		word := uint64(a) << (64 - size)
		switch c.Name {
		case "popcnt":
			out.Int = bits.OnesCount64(word)
		case "leadz":
			out.Int = min(size, bits.LeadingZeros64(word))
		default:
			out.Int = min(size, bits.TrailingZeros64(uint64(a)))
		}
	case "char", "achar":
		if a < 0 || a > 127 {
			return false
		}
		out.Str = string(rune(a))
	default:
		return false
	}
	return true
}

// shifted is ISHFT of an INTEGER of type t.
func shifted(a, b int, t ir.Type) int {
	if t == ir.Long {
		if b >= 0 {
			return int(uint64(a) << b)
		}
		return int(uint64(a) >> -b)
	}
	if b >= 0 {
		return int(int32(uint32(a) << b))
	}
	return int(int32(uint32(a) >> -b))
}

func (l *lowerer) foldReals(out *ir.Const, c *ir.Call, args []*ir.Const) bool {
	a := args[0].Float
	if f := realFunctions[c.Name]; f != nil {
		v := f(a)
		if c.Typ.IsInteger() {
			if !(math.Abs(v) < 1<<62) {
				out.Float = math.Inf(1) // reported by the caller
				return true
			}
			out.Int = int(v)
			return true
		}
		out.Float = v
		return true
	}
	if len(args) < 2 {
		return false
	}
	b := args[1].Float
	switch c.Name {
	case "atan2":
		out.Float = math.Atan2(a, b)
	case "mod":
		out.Float = math.Mod(a, b)
	case "modulo":
		switch out.Float = math.Mod(a, b); {
		case out.Float == 0:
			out.Float = math.Copysign(0, b)
		case (out.Float < 0) != (b < 0):
			out.Float += b
		}
	case "sign":
		out.Float = math.Copysign(a, b)
	case "dim":
		out.Float = max(0, a-b)
	case "max": // as at run time: of zeros, 0.0 is larger
		out.Float = a
		for _, k := range args[1:] {
			out.Float = max(out.Float, k.Float)
		}
	case "min":
		out.Float = a
		for _, k := range args[1:] {
			out.Float = min(out.Float, k.Float)
		}
	default:
		return false
	}
	if c.Name == "mod" && b == 0 || c.Name == "modulo" && b == 0 {
		out.Float = 0 // reported by the caller
	}
	return true
}

func foldText(out *ir.Const, name string, args []*ir.Const) bool {
	a := args[0].Str
	switch name {
	case "len_trim":
		out.Int = len(strings.TrimRight(a, " "))
	case "trim":
		out.Str = strings.TrimRight(a, " ")
	case "adjustl":
		out.Str = pad(strings.TrimLeft(a, " "), len(a))
	case "adjustr":
		t := strings.TrimRight(a, " ")
		out.Str = strings.Repeat(" ", len(a)-len(t)) + t
	case "index":
		if len(args) == 3 && args[2].Bool {
			out.Int = strings.LastIndex(a, args[1].Str) + 1
		} else {
			out.Int = strings.Index(a, args[1].Str) + 1
		}
	case "ichar", "iachar":
		if len(a) != 1 {
			return false
		}
		out.Int = int(a[0])
	case "lge":
		out.Bool = order(args[0], args[1]) >= 0
	case "lgt":
		out.Bool = order(args[0], args[1]) > 0
	case "lle":
		out.Bool = order(args[0], args[1]) <= 0
	case "llt":
		out.Bool = order(args[0], args[1]) < 0
	default:
		return false
	}
	return true
}
