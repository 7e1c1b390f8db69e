package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
)

// mathFuncs are the intrinsics that functions of float64 compute.
var mathFuncs = map[string]string{
	"sqrt": "math.Sqrt", "exp": "elementary.Exp", "log": "elementary.Log", "log10": "elementary.Log10",
	"sin": "elementary.Sin", "cos": "elementary.Cos", "tan": "elementary.Tan",
	"asin": "elementary.Asin", "acos": "elementary.Acos", "atan": "elementary.Atan", "atan2": "elementary.Atan2",
	"sinh": "elementary.Sinh", "cosh": "elementary.Cosh", "tanh": "elementary.Tanh",
	"asinh": "math.Asinh", "acosh": "math.Acosh", "atanh": "math.Atanh", "hypot": "elementary.Hypot",
	"erf": "math.Erf", "erfc": "math.Erfc", "erfc_scaled": "elementary.ErfcScaled", "gamma": "math.Gamma", "log_gamma": "elementary.LogGamma",
	"bessel_j0": "math.J0", "bessel_j1": "math.J1", "bessel_y0": "math.Y0", "bessel_y1": "math.Y1",
	"aint": "math.Trunc", "anint": "math.Round",
}

// runtimeFuncs are the intrinsics that the run time implements; this and the
// other tables of this file are all the functions that emitted code calls.
var runtimeFuncs = map[string]string{
	"modulo": "spmd.Modulo", "dim": "spmd.PosDiff", "nint": "spmd.Nint", "floor": "spmd.Floor", "ceiling": "spmd.Ceiling",
	"len_trim": "spmd.LenTrim", "trim": "spmd.Trim", "adjustl": "spmd.Adjustl", "adjustr": "spmd.Adjustr",
	"popcnt": "spmd.Popcnt", "leadz": "spmd.Leadz", "trailz": "spmd.Trailz",
	"fraction": "elementary.Fraction", "exponent": "elementary.Exponent", "spacing": "elementary.Spacing",
	"rrspacing": "elementary.Rrspacing", "nearest": "elementary.Nearest",
	"sind": "elementary.Sind", "cosd": "elementary.Cosd", "tand": "elementary.Tand",
	"ichar": "spmd.Ichar", "iachar": "spmd.Ichar", "merge": "spmd.Merge",
}

// storedAs is the Go type of values that files have so many bytes of.
func storedAs(t ir.Type, bytes int) string {
	if t.IsLogical() {
		return fmt.Sprintf("spmd.Logical%d", bytes)
	}
	return fmt.Sprintf("int%d", 8*bytes)
}

// imageFuncs are the methods of a PE that are functions about images.
var imageFuncs = map[string]string{"image_index": "ImageIndex", "team_index": "TeamIndex", "team_size": "TeamSize", "team_image": "TeamImage",
	"team_number": "TeamNumber", "parent_team": "ParentTeam", "sibling_team": "SiblingTeam", "image_state": "ImageState", "initial_image": "InitialImage"}

func (g *gen) call(e *ir.Call) (string, int) { return g.callOf(e, g.prec) }

// callOf is call with operands that render makes.
func (g *gen) callOf(e *ir.Call, render func(ir.Expr) (string, int)) (string, int) {
	switch e.Name {
	case "write", "trywrite", "writerecords", "trywriterecords":
		return g.written(e), precAtom
	case "resident":
		return g.resident(e), precAtom
	}
	if f := imageFuncs[e.Name]; f != "" {
		args := make([]string, len(e.Args))
		for i, a := range e.Args {
			args[i] = g.position(a)
		}
		return "pe." + f + "(" + strings.Join(args, ", ") + ")", precAtom
	}
	if e.Name == "ichar" || e.Name == "iachar" {
		if text, ok := g.character(e.Args[0]); ok {
			return text, precAtom
		}
	}
	// Go takes the type of an INTEGER constant from another argument if there is one.
	constants := !slices.ContainsFunc(e.Args, func(a ir.Expr) bool { return a.Type().IsInteger() && !isConst(a) })
	args := make([]string, len(e.Args))
	for i, a := range e.Args {
		if a.Type().IsInteger() && !constants {
			args[i], _ = render(a)
		} else {
			args[i] = unfused(a, g.typed(a)) // the call may be inlined into a sum
		}
	}
	list := strings.Join(args, ", ")
	operand := func(i, p int) string {
		s, q := render(e.Args[i])
		return enclose(s, q, p)
	}
	arg := func(i int) string { return operand(i, precUnary) }
	if s, ok := g.complexCall(e, args); ok {
		return s, precAtom
	}
	if f, ok := mathFuncs[e.Name]; ok {
		if e.Typ == ir.Real {
			for i := range args {
				args[i] = "float64(" + args[i] + ")"
			}
			return fmt.Sprintf("float32(%s(%s))", f, strings.Join(args, ", ")), precAtom
		}
		return fmt.Sprintf("%s(%s)", f, list), precAtom
	}
	switch e.Name {
	case "number_of_processors", "num_images":
		return "pe.N()", precAtom
	case "this_image":
		return "pe.ID() + 1", precAdd
	case "abs":
		switch e.Typ {
		case ir.Double:
			return "math.Abs(" + list + ")", precAtom
		case ir.Real:
			return "float32(math.Abs(float64(" + list + ")))", precAtom
		}
		return "spmd.Abs(" + list + ")", precAtom
	case "max", "min":
		if e.Typ.IsReal() {
			f := map[string]string{"max": "spmd.Larger", "min": "spmd.Smaller"}[e.Name]
			s := args[0]
			for _, a := range args[1:] {
				s = fmt.Sprintf("%s(%s, %s)", f, s, a)
			}
			return s, precAtom
		}
		fallthrough
	case "len":
		return e.Name + "(" + list + ")", precAtom
	case "mod":
		switch e.Typ {
		case ir.Double:
			return "elementary.Mod(" + list + ")", precAtom
		case ir.Real:
			return fmt.Sprintf("float32(elementary.Mod(float64(%s), float64(%s)))", args[0], args[1]), precAtom
		}
		if c, ok := folded(e.Args[1]); ok && c.Int == 0 { // Go's compiler refuses it
			return fmt.Sprintf("spmd.Mod[%s](%s)", goType(e.Typ), list), precAtom
		}
		return operand(0, precMul) + " % " + arg(1), precMul
	case "sign":
		switch e.Typ {
		case ir.Double:
			return "math.Copysign(" + list + ")", precAtom
		case ir.Real:
			return fmt.Sprintf("float32(math.Copysign(float64(%s), float64(%s)))", args[0], args[1]), precAtom
		}
		return "spmd.Sign(" + list + ")", precAtom
	case "modulo":
		if e.Typ.IsReal() {
			return "spmd.ModuloF(" + list + ")", precAtom
		}
	case "stored":
		return storedAs(e.Args[0].Type(), e.Args[1].(*ir.Const).Int) + "(" + args[0] + ")", precAtom
	case "scale", "set_exponent":
		f := map[string]string{"scale": "Scale", "set_exponent": "SetExponent"}[e.Name]
		n, _ := g.whole(e.Args[1])
		return fmt.Sprintf("elementary.%s(%s, %s)", f, args[0], n), precAtom
	case "bessel_jn", "bessel_yn":
		f := map[string]string{"bessel_jn": "math.Jn", "bessel_yn": "math.Yn"}[e.Name]
		n, _ := g.whole(e.Args[0])
		s := fmt.Sprintf("%s(%s, float64(%s))", f, n, args[1])
		if e.Typ == ir.Real {
			s = "float32(" + s + ")"
		}
		return s, precAtom
	case "iand":
		return arg(0) + " & " + arg(1), precMul
	case "ior":
		return arg(0) + " | " + arg(1), precAdd
	case "ieor":
		return arg(0) + " ^ " + arg(1), precAdd
	case "not":
		return "^" + arg(0), precUnary
	case "ishft":
		return g.shift(e)
	case "btest":
		n, _ := g.whole(e.Args[1])
		return fmt.Sprintf("spmd.Btest(%s, %s)", g.typed(e.Args[0]), n), precAtom
	case "char", "achar":
		return "spmd.Char(" + g.position(e.Args[0]) + ")", precAtom
	case "nint", "floor", "ceiling":
		return fmt.Sprintf("%s[%s](%s)", runtimeFuncs[e.Name], goType(e.Typ), list), precAtom
	case "index":
		if len(args) < 3 {
			args = append(args, "false")
		}
		return "spmd.IndexStr(" + strings.Join(args, ", ") + ")", precAtom
	case "scan", "verify":
		if len(args) < 3 {
			args = append(args, "false")
		}
		return fmt.Sprintf("spmd.Scan(%s, %t)", strings.Join(args, ", "), e.Name == "scan"), precAtom
	case "setsub":
		if n := ir.Target(e.Args[0]).Len; g.opt.Check && n != ir.AnyLength { // a text without a value yet is shorter than declared
			args[0] = fmt.Sprintf("spmd.Pad(%s, %d)", args[0], n)
		}
		return fmt.Sprintf("spmd.SetSub(%s, %s, %s, %s)", args[0], g.position(e.Args[1]), g.position(e.Args[2]), args[3]), precAtom
	case "pad":
		return fmt.Sprintf("spmd.Pad(%s, %s)", args[0], g.position(e.Args[1])), precAtom
	case "repeat":
		n, _ := g.whole(e.Args[1])
		return fmt.Sprintf("spmd.Repeat(%s, %s)", args[0], n), precAtom
	case "transfer":
		f := map[ir.Type]string{ir.Integer: "int32(math.Float32bits(%s))", ir.Long: "int(math.Float64bits(%s))",
			ir.Real: "math.Float32frombits(uint32(%s))", ir.Double: "math.Float64frombits(uint64(%s))"}[e.Typ]
		return fmt.Sprintf(f, g.typed(e.Args[0])), precAtom
	case "lge", "lgt", "lle", "llt":
		op := map[string]string{"lge": ">=", "lgt": ">", "lle": "<=", "llt": "<"}[e.Name]
		return fmt.Sprintf("spmd.CmpStr(%s) %s 0", list, op), precCompare
	}
	if f, ok := runtimeFuncs[e.Name]; ok {
		return f + "(" + list + ")", precAtom
	}
	panic("codegen: no Go for intrinsic " + e.Name)
}
