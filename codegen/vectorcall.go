package codegen

import (
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/ir"
)

// quotient is an INTEGER over a constant, cut off, or with rest what it leaves, for MODULO
// with the sign of the constant.
func (v *vectorLoop) quotient(e, over, under ir.Expr, rest bool) *kernel.Node {
	c, ok := constantOf(under)
	t, of := vectorType(e.Type())
	if !ok || !of || c.Int >= -1 && c.Int <= 1 || max(c.Int, -c.Int) > kernel.LargestDivisor {
		return v.no("%s divides integers", ir.ExprString(e))
	}
	x := v.expr(over)
	if x != nil && x.Op == kernel.Const {
		return v.no("%s is constant", ir.ExprString(e))
	}
	if x == nil {
		return nil
	}
	k := v.k
	r := k.Quotient(x, c.Int, rest)
	if call, ok := e.(*ir.Call); !ok || call.Name != "modulo" {
		return r
	}
	other := k.Op(kernel.Lt, kernel.Mask, r, k.Int(t, 0))
	if c.Int < 0 {
		other = k.Op(kernel.Gt, kernel.Mask, r, k.Int(t, 0))
	}
	return k.Op(kernel.Select, t, other, k.Op(kernel.Add, t, r, k.Int(t, c.Int)), r)
}

// mostPower is the largest exponent for which a power is products.
const mostPower = 16

// power is x**n: for a small constant n by products, as Powi has them.
func (v *vectorLoop) power(e *ir.Bin, t kernel.Type) *kernel.Node {
	if n, half := ir.HalfPower(e.R); half && max(n, -n) <= mostPower && (t == kernel.F64 || t == kernel.F32) {
		x := v.expr(e.L)
		switch {
		case x == nil:
			return nil
		case x.Op == kernel.Const:
			return v.no("%s is constant", ir.ExprString(e))
		}
		return v.function(kernel.PowHalf, t, x, v.k.Int(kernel.I64, n))
	}
	if e.R.Type().IsReal() {
		x, y := v.expr(e.L), v.expr(e.R)
		if x == nil || y == nil {
			return nil
		}
		return v.function(kernel.Pow, t, x, y)
	}
	k := v.k
	float := t == kernel.F64 || t == kernel.F32
	c, ok := folded(e.R)
	switch {
	case !ok && t == kernel.F64:
		x, n := v.expr(e.L), v.expr(e.R)
		if x == nil || n == nil {
			return nil
		}
		if n.Type != kernel.I64 {
			n = k.Op(kernel.Conv, kernel.I64, n)
		}
		return v.function(kernel.Powi, t, x, n)
	case !ok || max(c.Int, -c.Int) > mostPower || c.Int == 0 || c.Int < 0 && !float:
		return v.no("%s is a power", ir.ExprString(e))
	}
	x := v.expr(e.L)
	if x == nil {
		return nil
	}
	mul := func(x, y *kernel.Node) *kernel.Node { return k.Op(kernel.Mul, t, x, y) }
	m := max(c.Int, -c.Int)
	var y *kernel.Node
	for ; m > 0; m >>= 1 {
		if m&1 != 0 {
			if y == nil {
				y = x
			} else {
				y = mul(y, x)
			}
		}
		if m > 1 {
			x = mul(x, x)
		}
	}
	if c.Int < 0 {
		return k.Op(kernel.Div, t, k.Float(t, 1), y)
	}
	return y
}

// elementaryOps are the functions that package elementary has too.
var elementaryOps = map[string]kernel.Op{
	"exp": kernel.Exp, "log": kernel.Log, "log10": kernel.Log10, "sin": kernel.Sin, "cos": kernel.Cos, "tan": kernel.Tan,
	"asin": kernel.Asin, "acos": kernel.Acos, "atan": kernel.Atan, "atan2": kernel.Atan2,
	"sinh": kernel.Sinh, "cosh": kernel.Cosh, "tanh": kernel.Tanh,
}

// function is a function of package elementary, computed as F64.
func (v *vectorLoop) function(op kernel.Op, t kernel.Type, args ...*kernel.Node) *kernel.Node {
	k := v.k
	var wide []*kernel.Node
	for _, x := range args {
		switch {
		case x.Type == kernel.F32 && x.Op == kernel.Const:
			x = k.Float(kernel.F64, x.Float())
		case x.Type == kernel.F32:
			x = k.Op(kernel.Conv, kernel.F64, x)
		}
		wide = append(wide, x)
	}
	y := k.Function(op, v.where, wide...)
	if t == kernel.F64 {
		return y
	}
	return k.Op(kernel.Conv, t, y)
}

// call is an intrinsic function.
func (v *vectorLoop) call(e *ir.Call, t kernel.Type) *kernel.Node {
	k := v.k
	if (e.Name == "mod" || e.Name == "modulo") && (t == kernel.I32 || t == kernel.I64) {
		return v.quotient(e, e.Args[0], e.Args[1], true)
	}
	if len(e.Args) > 0 && e.Args[0].Type().IsComplex() {
		x := v.value(e.Args[0])
		switch {
		case x.re == nil:
			return nil
		case e.Name == "real" && x.re.Type == t:
			return x.re
		case e.Name == "aimag":
			return x.im
		}
		return v.no("%s is no operation of a kernel", ir.ExprString(e))
	}
	var args []*kernel.Node
	for i, a := range e.Args {
		if i == 1 && (e.Name == "ishft" || e.Name == "btest") {
			break
		}
		x := v.expr(a)
		if x == nil {
			return nil
		}
		args = append(args, x)
	}
	if op, ok := elementaryOps[e.Name]; ok {
		if args[0].Op == kernel.Const && len(args) == 1 {
			return v.no("%s is constant", ir.ExprString(e))
		}
		return v.function(op, t, args...)
	}
	switch e.Name {
	case "sqrt":
		return k.Op(kernel.Sqrt, t, args[0])
	case "abs":
		return k.Op(kernel.Abs, t, args[0])
	case "max", "min":
		op := map[string]kernel.Op{"max": kernel.Max, "min": kernel.Min}[e.Name]
		x := args[0]
		for _, a := range args[1:] {
			x = k.Op(op, t, x, a)
		}
		return x
	case "merge":
		if t == kernel.Mask {
			other := k.Op(kernel.Not, kernel.Mask, args[2])
			return k.Op(kernel.Or, kernel.Mask, k.Op(kernel.And, kernel.Mask, args[2], args[0]), k.Op(kernel.And, kernel.Mask, other, args[1]))
		}
		return k.Op(kernel.Select, t, args[2], args[0], args[1])
	case "iand", "ior", "ieor":
		return k.Op(map[string]kernel.Op{"iand": kernel.BitAnd, "ior": kernel.BitOr, "ieor": kernel.BitXor}[e.Name], t, args...)
	case "not":
		return k.Op(kernel.BitNot, t, args[0])
	case "ishft", "btest":
		return v.bits(e, args[0])
	case "sign", "dim", "mod", "modulo":
		if t == kernel.F64 || t == kernel.F32 {
			return v.remainder(e, t, args[0], args[1])
		}
		if e.Name == "sign" {
			a := k.Op(kernel.Abs, t, args[0])
			return k.Op(kernel.Select, t, k.Op(kernel.Lt, kernel.Mask, args[1], k.Int(t, 0)), k.Op(kernel.Neg, t, a), a)
		}
		if e.Name == "dim" {
			return v.difference(t, args[0], args[1], k.Int(t, 0))
		}
	case "aint", "anint", "nint", "floor", "ceiling":
		return v.rounded(e, t, args[0])
	}
	return v.no("%s is no function of kernels", e.Name)
}

// bits is ISHFT or BTEST by a constant.
func (v *vectorLoop) bits(e *ir.Call, x *kernel.Node) *kernel.Node {
	k := v.k
	bits := 64
	if x.Type == kernel.I32 {
		bits = 32
	}
	by, ok := folded(e.Args[1])
	switch {
	case !ok || by.Int <= -bits || by.Int >= bits || e.Name == "btest" && by.Int < 0:
		return v.no("%s is no operation of a kernel", ir.ExprString(e))
	case e.Name == "btest":
		bit := k.Op(kernel.BitAnd, x.Type, x, k.Int(x.Type, 1<<by.Int))
		return k.Op(kernel.Ne, kernel.Mask, bit, k.Int(x.Type, 0))
	case by.Int >= 0:
		return k.Shift(kernel.Shl, x, by.Int)
	}
	return k.Shift(kernel.Shr, x, -by.Int)
}

// difference is DIM, as spmd.PosDiff.
func (v *vectorLoop) difference(t kernel.Type, x, y, zero *kernel.Node) *kernel.Node {
	d := v.k.Op(kernel.Sub, t, x, y)
	return v.k.Op(kernel.Select, t, v.k.Op(kernel.Le, kernel.Mask, d, zero), zero, d)
}

// remainder is SIGN, DIM, MOD or MODULO of reals.
func (v *vectorLoop) remainder(e *ir.Call, t kernel.Type, x, y *kernel.Node) *kernel.Node {
	k := v.k
	zero := k.Float(t, 0)
	is := func(op kernel.Op, x, y *kernel.Node) *kernel.Node { return k.Op(op, kernel.Mask, x, y) }
	switch e.Name {
	case "sign":
		return k.Op(kernel.CopySign, t, x, y)
	case "dim":
		return v.difference(t, x, y, zero)
	}
	if x.Op == kernel.Const && y.Op == kernel.Const {
		return v.no("%s is constant", ir.ExprString(e))
	}
	r := v.function(kernel.Mod, t, x, y)
	if e.Name == "mod" {
		return r
	}
	// As spmd.ModuloF.
	other := k.Op(kernel.And, kernel.Mask, is(kernel.Lt, r, zero), k.Op(kernel.Not, kernel.Mask, is(kernel.Lt, y, zero)))
	other = k.Op(kernel.Or, kernel.Mask, other, k.Op(kernel.And, kernel.Mask, is(kernel.Lt, y, zero), k.Op(kernel.Not, kernel.Mask, is(kernel.Lt, r, zero))))
	sum := k.Op(kernel.Select, t, other, k.Op(kernel.Add, t, r, y), r)
	return k.Op(kernel.Select, t, is(kernel.Eq, r, zero), k.Op(kernel.CopySign, t, zero, y), sum)
}

// rounded is AINT, ANINT, NINT, FLOOR or CEILING.
func (v *vectorLoop) rounded(e *ir.Call, t kernel.Type, x *kernel.Node) *kernel.Node {
	k := v.k
	if x.Op == kernel.Const {
		return v.no("%s is constant", ir.ExprString(e))
	}
	switch e.Name {
	case "aint":
		return k.Whole(kernel.Trunc, x)
	case "anint":
		return k.Nearest(x)
	case "nint": // by way of 64 bits, as spmd.Nint
		n := k.Op(kernel.Conv, kernel.I64, k.Nearest(x))
		if t == kernel.I64 {
			return n
		}
		return k.Op(kernel.Conv, t, n)
	}
	// As spmd.Floor and spmd.Ceiling.
	n := k.Op(kernel.Conv, t, x)
	back := k.Op(kernel.Conv, x.Type, n)
	if e.Name == "floor" {
		return k.Op(kernel.Select, t, k.Op(kernel.Lt, kernel.Mask, x, back), k.Op(kernel.Sub, t, n, k.Int(t, 1)), n)
	}
	return k.Op(kernel.Select, t, k.Op(kernel.Gt, kernel.Mask, x, back), k.Op(kernel.Add, t, n, k.Int(t, 1)), n)
}
