package lower

import (
	"math"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// The functions of ieee_arithmetic are made of comparisons, as ieee_is_nan(x) of x /= x; its
// types are INTEGER here. Nothing traps, no flag is kept, and numbers are rounded to the
// nearest: what asks for that is ignored, and what asks for anything else is an error.

// ieeeClasses are the classes of numbers, flags and rounding modes.
var ieeeConstants = numbered("ieee_signaling_nan ieee_quiet_nan ieee_negative_inf ieee_negative_normal ieee_negative_denormal " +
	"ieee_negative_zero ieee_positive_zero ieee_positive_denormal ieee_positive_normal ieee_positive_inf " +
	"ieee_overflow ieee_divide_by_zero ieee_invalid ieee_underflow ieee_inexact " +
	"ieee_nearest ieee_to_zero ieee_up ieee_down ieee_other")

func numbered(names string) map[string]int {
	m := map[string]int{}
	for i, name := range strings.Fields(names) {
		m[name] = i + 1
		if sign, denormal := strings.CutSuffix(name, "denormal"); denormal {
			m[sign+"subnormal"] = i + 1
		}
	}
	return m
}

// ieeeFunctions are functions of ieee_arithmetic, in the table of intrinsics.
var ieeeFunctions = func() map[string]intrinsicFunc {
	m := map[string]intrinsicFunc{
		"ieee_is_nan":      ofReal("x", func(l *lowerer, c *call) ir.Expr { return l.isNaN(c.args[0]) }),
		"ieee_is_finite":   ofReal("x", func(l *lowerer, c *call) ir.Expr { return l.magnitude(ir.Le, c.args[0], "huge") }),
		"ieee_is_negative": ofReal("x", (*lowerer).isNegative),
		"ieee_is_normal": ofReal("x", func(l *lowerer, c *call) ir.Expr {
			x := c.args[0]
			zero := l.bin(ir.Eq, ir.Clone(x), l.convert(l.intConst(0, c.Pos), x.Type()), c.Pos, c.Pos)
			inside := l.bin(ir.And, l.magnitude(ir.Ge, x, "tiny"), l.magnitude(ir.Le, ir.Clone(x), "huge"), c.Pos, c.Pos)
			return l.bin(ir.Or, zero, inside, c.Pos, c.Pos)
		}),
		"ieee_unordered": ofReal("x y", func(l *lowerer, c *call) ir.Expr {
			return l.bin(ir.Or, l.isNaN(c.args[0]), l.isNaN(c.args[1]), c.Pos, c.Pos)
		}),
		"ieee_copy_sign": ofReal("x y", func(l *lowerer, c *call) ir.Expr {
			return c.result("sign", c.args[0].Type(), c.args[0], l.convert(c.args[1], c.args[0].Type()))
		}),
		"ieee_value": {[]string{"x", "class"}, ieeeValue},
	}
	for _, what := range strings.Fields("datatype denormal divide inf io nan sqrt standard subnormal") {
		m["ieee_support_"+what] = intrinsicFunc{[]string{"x?"}, func(_ *lowerer, c *call) ir.Expr {
			return &ir.Const{X: ir.X{Pos: c.Pos, Typ: ir.Logical}, Bool: true}
		}}
	}
	return m
}()

// ofReal builds a function of REAL arguments.
func ofReal(params string, build func(*lowerer, *call) ir.Expr) intrinsicFunc {
	return intrinsicFunc{strings.Fields(params), func(l *lowerer, c *call) ir.Expr {
		for i, a := range c.args {
			if !a.Type().IsReal() {
				return l.wrong(c, i, realTypes.want)
			}
		}
		return build(l, c)
	}}
}

func (l *lowerer) isNaN(x ir.Expr) ir.Expr {
	return l.bin(ir.Ne, x, ir.Clone(x), x.Position(), x.Position())
}

// magnitude compares abs(x) with the huge or the tiny number of its type.
func (l *lowerer) magnitude(op ir.Op, x ir.Expr, than string) ir.Expr {
	info, _ := l.kindInfo(x)
	at := ir.X{Pos: x.Position(), Typ: x.Type()}
	limit := &ir.Const{X: at, Float: info.tiny}
	if than == "huge" {
		limit.Float = info.huge.(float64)
	}
	return l.bin(op, l.foldCall(&ir.Call{X: at, Name: "abs", Args: []ir.Expr{x}}), limit, at.Pos, at.Pos)
}

// isNegative is ieee_is_negative: also of -0.0, not of NaN.
func (l *lowerer) isNegative(c *call) ir.Expr {
	x := c.args[0]
	at := ir.X{Pos: c.Pos, Typ: x.Type()}
	sign := l.foldCall(&ir.Call{X: at, Name: "sign", Args: []ir.Expr{&ir.Const{X: at, Float: 1}, x}})
	number := l.bin(ir.Eq, ir.Clone(x), ir.Clone(x), c.Pos, c.Pos)
	return l.bin(ir.And, number, l.bin(ir.Lt, sign, &ir.Const{X: at}, c.Pos, c.Pos), c.Pos, c.Pos)
}

// ieeeValue is ieee_value(x, class).
func ieeeValue(l *lowerer, c *call) ir.Expr {
	x, class := c.args[0], c.args[1]
	if !x.Type().IsReal() {
		return l.wrong(c, 0, realTypes.want)
	}
	n, ok := constOf(class)
	out := &ir.Const{X: ir.X{Pos: c.Pos, Typ: x.Type()}}
	info, _ := l.kindInfo(x)
	switch {
	case !ok:
	case n == ieeeConstants["ieee_quiet_nan"], n == ieeeConstants["ieee_signaling_nan"]:
		out.Float = math.NaN()
		return out
	case n == ieeeConstants["ieee_positive_inf"]:
		out.Float = math.Inf(1)
		return out
	case n == ieeeConstants["ieee_negative_inf"]:
		out.Float = math.Inf(-1)
		return out
	case n == ieeeConstants["ieee_positive_zero"]:
		return out
	case n == ieeeConstants["ieee_negative_zero"]:
		out.Float = math.Copysign(0, -1)
		return out
	case n == ieeeConstants["ieee_positive_denormal"], n == ieeeConstants["ieee_negative_denormal"]:
		out.Float = info.tiny / 2
		if n == ieeeConstants["ieee_negative_denormal"] {
			out.Float = -out.Float
		}
		return out
	case n == ieeeConstants["ieee_positive_normal"], n == ieeeConstants["ieee_negative_normal"]:
		out.Float = 42
		if n == ieeeConstants["ieee_negative_normal"] {
			out.Float = -42
		}
		return out
	}
	l.errorf(codeArgument, class.Position(), "the class of ieee_value must be one of the constants of ieee_arithmetic").
		WithHelp("write for example ieee_value(x, ieee_quiet_nan)")
	return bad(c.Pos)
}

// ieeeSubroutines are the subroutines that ask for what is so, with the constant in their
// last argument that says so.
var ieeeSubroutines = map[string]string{
	"ieee_set_halting_mode": "false", "ieee_set_flag": "false", "ieee_set_rounding_mode": "ieee_nearest",
}

// ieeeCall lowers a call of one of them: to nothing.
func (l *lowerer) ieeeCall(s *ast.Call) {
	want := ieeeSubroutines[s.Proc.Name]
	if n := len(s.Args); n > 0 && n < 3 {
		if c, ok := l.expr(s.Args[n-1]).(*ir.Const); ok && (c.Typ.IsLogical() && !c.Bool && want == "false" || c.Typ == ir.Integer && c.Int == ieeeConstants[want]) {
			return
		}
	}
	if want == "false" {
		want = ".false."
	}
	l.errorf(codeOutside, s.Pos, "%s is supported with the last argument %s only", s.Proc.Name, want).
		WithHelp("remove the call: no operation ends the program, and numbers are rounded to the nearest")
}

// fromModule reports whether name, of a function of a module of the language or of module spmd, is in use here.
func (l *lowerer) fromModule(name string) bool {
	for at := l.scope; at != nil; at = at.host {
		if at.library[name] {
			return true
		}
	}
	return false
}
