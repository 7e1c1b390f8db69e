package codegen

import (
	"fmt"

	"github.com/spmdc/spmdc/ir"
)

// COMPLEX values are Go's complex64 and complex128. Sums and comparisons are Go's; products,
// quotients and functions are those of package elementary, which round as gfortran's do.

// complexFuncs are the intrinsics of one COMPLEX argument, without the size of its Go type.
var complexFuncs = map[string]string{
	"conjg": "Conj", "abs": "Abs", "sqrt": "Sqrt", "exp": "Exp", "log": "Log", "sin": "Sin", "cos": "Cos", "tan": "Tan",
	"sinh": "Sinh", "cosh": "Cosh", "tanh": "Tanh", "asin": "Asin", "acos": "Acos", "atan": "Atan",
	"asinh": "Asinh", "acosh": "Acosh", "atanh": "Atanh",
}

// complexFunc is the function of package elementary on values of type t.
func complexFunc(name string, t ir.Type) string {
	return fmt.Sprintf("elementary.%s%d", name, map[ir.Type]int{ir.Complex: 64, ir.DoubleComplex: 128}[t])
}

func complexConstant(c *ir.Const) (string, int) {
	re, _ := float(c.Float, ir.Double)
	im, _ := float(c.Imag, ir.Double)
	return fmt.Sprintf("%s(complex(%s, %s))", goType(c.Typ), re, im), precAtom
}

// complexBinary renders a product, quotient or power of COMPLEX operands; ok is false for
// other operations.
func (g *gen) complexBinary(e *ir.Bin) (string, bool) {
	call := func(name string, args ...string) (string, bool) {
		return fmt.Sprintf("%s(%s, %s)", complexFunc(name, e.Typ), args[0], args[1]), true
	}
	switch e.Op {
	case ir.Mul:
		return call("Mul", g.expr(e.L), g.expr(e.R))
	case ir.Div:
		if r, ok := asReal(e.R); ok {
			return call("DivReal", g.expr(e.L), g.expr(r))
		}
		return call("Div", g.expr(e.L), g.expr(e.R))
	case ir.Pow:
		if !e.R.Type().IsInteger() {
			return call("Pow", g.expr(e.L), g.expr(e.R))
		}
		if c, ok := folded(e.R); ok && c.Int == 2 && simple(e.L) { // gfortran makes a product of it
			return call("Mul", g.expr(e.L), g.expr(e.L))
		}
		n, _ := g.whole(e.R)
		return call("Powi", g.expr(e.L), n)
	}
	return "", false
}

// asReal is x of cmplx(x), which is what a real operand beside a COMPLEX one becomes.
func asReal(e ir.Expr) (ir.Expr, bool) {
	c, ok := ir.Ungrouped(e).(*ir.Call)
	if !ok || c.Name != "cmplx" || len(c.Args) != 1 || !c.Args[0].Type().IsReal() {
		return nil, false
	}
	return c.Args[0], true
}

// complexCall renders a function that takes or gives a COMPLEX number; ok is false for others.
func (g *gen) complexCall(e *ir.Call, args []string) (string, bool) {
	if len(e.Args) == 0 {
		return "", false
	}
	switch e.Name {
	case "cmplx":
		if len(args) == 1 {
			args = append(args, "0")
		}
		return fmt.Sprintf("complex(%s, %s)", args[0], args[1]), true
	case "real":
		return g.complexPart("real", e.Args[0], args[0]), true
	case "aimag":
		return g.complexPart("imag", e.Args[0], args[0]), true
	}
	f := complexFuncs[e.Name]
	if t := e.Args[0].Type(); f != "" && t.IsComplex() {
		return fmt.Sprintf("%s(%s)", complexFunc(f, t), args[0]), true
	}
	return "", false
}

// complexPart renders a part of z, which is rendered as text. In check builds that part alone
// must have a value: z%re = 1 gives none to z%im.
func (g *gen) complexPart(f string, z ir.Expr, text string) string {
	if !g.opt.Check || g.fetches {
		return fmt.Sprintf("%s(%s)", f, text)
	}
	var raw *bool
	switch z := z.(type) {
	case *ir.Var:
		raw = &z.Raw
	case *ir.Ref:
		raw = &z.Raw
	}
	if raw == nil || *raw {
		return fmt.Sprintf("%s(%s)", f, text)
	}
	*raw = true
	part := fmt.Sprintf("%s(%s)", f, g.expr(z))
	*raw = false
	return fmt.Sprintf("spmd.Def(%s, %q)", part, ir.ExprString(z)+map[string]string{"real": "%re", "imag": "%im"}[f])
}
