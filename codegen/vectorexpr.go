package codegen

import (
	"fmt"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/ir"
)

// expr is the value of an expression in an iteration; nil if a kernel cannot have it.
func (v *vectorLoop) expr(e ir.Expr) *kernel.Node {
	if v.why != "" {
		return nil
	}
	k := v.k
	t, ok := vectorType(e.Type())
	if !ok {
		return v.no("%s is %s", ir.ExprString(e), e.Type())
	}
	if c, ok := constantOf(e); ok && t != kernel.Mask {
		if t == kernel.F64 || t == kernel.F32 {
			return k.Float(t, c.Float)
		}
		return k.Int(t, c.Int)
	}
	if v.fixed(e) {
		return v.invariant(e, t)
	}
	switch e := e.(type) {
	case *ir.Var:
		if e.Sym == v.loop.Index {
			return v.index(t)
		}
		if n := v.env[e.Sym]; n != nil {
			return n
		}
		return v.no("%s has no value here", e.Sym.Name)
	case *ir.Ref:
		return v.load(e)
	case *ir.Un:
		x := v.expr(e.E)
		if x == nil {
			return nil
		}
		switch e.Op {
		case ir.Neg:
			return k.Op(kernel.Neg, t, x)
		case ir.Not:
			return k.Op(kernel.Not, t, x)
		}
		return x
	case *ir.Bin:
		return v.binary(e, t)
	case *ir.Conv:
		x := v.expr(e.E)
		if x == nil || x.Type == t {
			return x
		}
		if x.Op == kernel.Const {
			return v.no("%s is constant", ir.ExprString(e))
		}
		return k.Op(kernel.Conv, t, x)
	case *ir.Call:
		return v.call(e, t)
	}
	return v.no("%s is no operation of a kernel", ir.ExprString(e))
}

// constantOf is the literal that an expression of numbers is.
func constantOf(e ir.Expr) (*ir.Const, bool) {
	if c, ok := folded(e); ok {
		return c, true
	}
	c, ok := e.(*ir.Const)
	return c, ok
}

// invariant is an expression that is computed before the loop.
func (v *vectorLoop) invariant(e ir.Expr, t kernel.Type) *kernel.Node {
	if v.where != nil && !v.early(e) {
		return v.no("%s must be evaluated where its condition holds alone", ir.ExprString(e))
	}
	for _, r := range ir.ExprRefs(e) {
		v.reads = append(v.reads, vectorRead{f: v.shifted(v.refs[r]), copy: v.copy})
	}
	key := fmt.Sprint(t, ir.ExprString(e)) + v.jam.variant(e, v.copy)
	if t == kernel.Mask {
		p := v.param(kernel.I32, key, vectorParam{copy: v.copy, cond: e, text: func() string {
			return "spmd.Merge[int32](1, 0, " + v.leaf.g.expr(e) + ")"
		}})
		return v.k.Op(kernel.Ne, kernel.Mask, p, v.k.Int(kernel.I32, 0))
	}
	return v.param(t, key, vectorParam{e: e, copy: v.copy})
}

// index is the value of the loop's index.
func (v *vectorLoop) index(t kernel.Type) *kernel.Node {
	k, l := v.k, v.leaf
	typ := t.Go()
	from := v.param(t, "from "+typ, vectorParam{text: func() string { return typ + "(" + l.start() + ")" }})
	lane := k.Lane(t)
	if l.step != 1 || len(l.part) > 0 {
		minus := ""
		if l.step < 0 {
			minus = "-"
		}
		lane = k.Op(kernel.Mul, t, lane, v.param(t, "by "+typ, vectorParam{text: func() string { return typ + "(" + minus + l.by() + ")" }}))
	}
	return k.Op(kernel.Add, t, lane, from)
}

func (v *vectorLoop) load(r *ir.Ref) *kernel.Node {
	if acc := v.leaf.g.access(r); acc != nil && acc.Mode == comm.Walk {
		return v.no("%s is fetched by a list", ir.ExprString(r))
	}
	if x := v.elements[v.shifted(v.refs[r]).place()]; x != nil {
		return x
	}
	if _, linear := v.refs[r]; !linear && v.picks(r) {
		return v.pick(r)
	}
	f, ok := v.element(r)
	if !ok {
		return nil
	}
	key := f.place()
	have := v.store[key]
	if have != nil && have.mask == nil && v.covers(have.widest, v.copy) {
		return have.value
	}
	stream, off, ok := v.stream(f)
	if !ok {
		return nil
	}
	after := false
	for _, s := range v.order {
		after = after || v.store[s].f.object == f.object
	}
	v.reads = append(v.reads, vectorRead{f, v.copy, after})
	var mask *kernel.Node
	if f.conditional {
		mask = v.where
		if mask == nil {
			return v.no("%s is not always evaluated", ir.ExprString(r))
		}
	}
	n := v.k.Load(stream, off, mask)
	if have != nil && have.mask == nil {
		return v.k.InWindow(v.window(have.widest), have.value, n)
	}
	if have != nil {
		return v.k.Op(kernel.Select, n.Type, have.mask, have.value, n)
	}
	return n
}

func (v *vectorLoop) binary(e *ir.Bin, t kernel.Type) *kernel.Node {
	k := v.k
	if e.Op == ir.Pow {
		return v.power(e, t)
	}
	if e.Op == ir.Div && t != kernel.F64 && t != kernel.F32 {
		return v.quotient(e, e.L, e.R, false)
	}
	x := v.expr(e.L)
	if x == nil {
		return nil
	}
	if e.Op == ir.And || e.Op == ir.Or {
		// The right side is evaluated only where it decides.
		around := v.where
		v.where = v.and(around, x)
		if e.Op == ir.Or {
			v.where = v.and(around, k.Op(kernel.Not, kernel.Mask, x))
		}
		y := v.expr(e.R)
		v.where = around
		if y == nil {
			return nil
		}
		return k.Op(map[ir.Op]kernel.Op{ir.And: kernel.And, ir.Or: kernel.Or}[e.Op], kernel.Mask, x, y)
	}
	y := v.expr(e.R)
	if y == nil {
		return nil
	}
	if f := v.contract(e, x, y); f != nil {
		return f
	}
	switch e.Op {
	case ir.Add, ir.Sub, ir.Mul, ir.Div:
		return k.Op(map[ir.Op]kernel.Op{ir.Add: kernel.Add, ir.Sub: kernel.Sub, ir.Mul: kernel.Mul, ir.Div: kernel.Div}[e.Op], t, x, y)
	case ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge:
		if x.Type == kernel.Mask {
			break
		}
		return k.Op(map[ir.Op]kernel.Op{ir.Eq: kernel.Eq, ir.Ne: kernel.Ne, ir.Lt: kernel.Lt, ir.Le: kernel.Le, ir.Gt: kernel.Gt, ir.Ge: kernel.Ge}[e.Op], kernel.Mask, x, y)
	case ir.Eqv, ir.Neqv:
		not := func(x *kernel.Node) *kernel.Node { return k.Op(kernel.Not, kernel.Mask, x) }
		both := k.Op(kernel.And, kernel.Mask, x, y)
		none := k.Op(kernel.And, kernel.Mask, not(x), not(y))
		same := k.Op(kernel.Or, kernel.Mask, both, none)
		if e.Op == ir.Neqv {
			return not(same)
		}
		return same
	}
	return v.no("%s is no operation of a kernel", ir.ExprString(e))
}

// quotient is an INTEGER over a constant, cut off, or with rest what it leaves.
func (v *vectorLoop) quotient(e, over, under ir.Expr, rest bool) *kernel.Node {
	c, ok := constantOf(under)
	if !ok || e.Type() != ir.Integer || c.Int >= -1 && c.Int <= 1 {
		return v.no("%s divides integers", ir.ExprString(e))
	}
	x := v.expr(over)
	if x != nil && x.Op == kernel.Const {
		return v.no("%s is constant", ir.ExprString(e))
	}
	if x == nil {
		return nil
	}
	return v.k.Quotient(x, c.Int, rest)
}

// product reports whether e is a product that is not the same in all iterations.
func (v *vectorLoop) product(e ir.Expr) bool {
	b, ok := e.(*ir.Bin)
	return ok && b.Op == ir.Mul && b.Typ == ir.Double && !v.fixed(b)
}

// side says which operand of a sum is a product that is not rounded.
type side uint8

const (
	productLeft side = iota + 1
	productRight
)

// contract is a*b+c, a*b-c or c-a*b rounded once, with --fp=fast: of two products the
// first.
func (v *vectorLoop) contract(e *ir.Bin, x, y *kernel.Node) *kernel.Node {
	if v.leaf.g.opt.FP != Fast || e.Typ != ir.Double || e.Op != ir.Add && e.Op != ir.Sub {
		return nil
	}
	k := v.k
	neg := func(n *kernel.Node) *kernel.Node { return k.Op(kernel.Neg, kernel.F64, n) }
	switch {
	case v.product(e.L) && x.Op == kernel.Mul:
		if e.Op == ir.Sub {
			y = neg(y)
		}
		v.fused[e] = productLeft
		return k.Op(kernel.FMA, kernel.F64, x.Args[0], x.Args[1], y)
	case v.product(e.R) && y.Op == kernel.Mul:
		a := y.Args[0]
		if e.Op == ir.Sub {
			a = neg(a)
		}
		v.fused[e] = productRight
		return k.Op(kernel.FMA, kernel.F64, a, y.Args[1], x)
	}
	return nil
}

// mostPower is the largest exponent for which a power is products.
const mostPower = 16

// power is x**n for a constant n, by the products of spmd.Powi.
func (v *vectorLoop) power(e *ir.Bin, t kernel.Type) *kernel.Node {
	if n, half := ir.HalfPower(e.R); half && max(n, -n) <= mostPower && (t == kernel.F64 || t == kernel.F32) {
		x := v.expr(e.L)
		switch {
		case x == nil:
			return nil
		case t == kernel.F64:
			return v.k.HalfPower(x, n, v.where)
		}
		return v.k.Op(kernel.Conv, t, v.k.HalfPower(v.k.Op(kernel.Conv, kernel.F64, x), n, v.where))
	}
	c, ok := folded(e.R)
	if !ok || t != kernel.F64 && t != kernel.F32 || max(c.Int, -c.Int) > mostPower || c.Int == 0 {
		return v.no("%s is a power", ir.ExprString(e))
	}
	k := v.k
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

func (v *vectorLoop) call(e *ir.Call, t kernel.Type) *kernel.Node {
	k := v.k
	if e.Name == "mod" && t == kernel.I32 {
		return v.quotient(e, e.Args[0], e.Args[1], true)
	}
	switch e.Name {
	case "sqrt", "abs", "sign", "max", "min", "merge", "iand", "ior", "ieor", "not", "ishft", "exp", "log":
	default:
		return v.no("%s is no function of kernels", e.Name)
	}
	var args []*kernel.Node
	for i, a := range e.Args {
		if e.Name == "ishft" && i == 1 {
			break
		}
		x := v.expr(a)
		if x == nil {
			return nil
		}
		args = append(args, x)
	}
	float := t == kernel.F64 || t == kernel.F32
	switch e.Name {
	case "sqrt":
		return k.Op(kernel.Sqrt, t, args[0])
	case "exp", "log":
		op := map[string]kernel.Op{"exp": kernel.Exp, "log": kernel.Log}[e.Name]
		switch {
		case args[0].Op == kernel.Const:
			return v.no("%s is constant", ir.ExprString(e))
		case t == kernel.F64:
			return k.Function(op, args[0])
		}
		return k.Op(kernel.Conv, t, k.Function(op, k.Op(kernel.Conv, kernel.F64, args[0])))
	case "abs":
		return k.Op(kernel.Abs, t, args[0])
	case "sign":
		if float {
			return k.Op(kernel.CopySign, t, args...)
		}
		a := k.Op(kernel.Abs, t, args[0])
		return k.Op(kernel.Select, t, k.Op(kernel.Lt, kernel.Mask, args[1], k.Int(t, 0)), k.Op(kernel.Neg, t, a), a)
	case "max", "min":
		op := map[string]kernel.Op{"max": kernel.Max, "min": kernel.Min}[e.Name]
		x := args[0]
		for _, a := range args[1:] {
			x = k.Op(op, t, x, a)
		}
		return x
	case "merge":
		if t == kernel.Mask {
			break
		}
		return k.Op(kernel.Select, t, args[2], args[0], args[1])
	case "iand", "ior", "ieor":
		return k.Op(map[string]kernel.Op{"iand": kernel.BitAnd, "ior": kernel.BitOr, "ieor": kernel.BitXor}[e.Name], t, args...)
	case "not":
		return k.Op(kernel.BitNot, t, args[0])
	case "ishft":
		bits := 64
		if t == kernel.I32 {
			bits = 32
		}
		if by, ok := folded(e.Args[1]); ok && by.Int > -bits && by.Int < bits {
			if by.Int >= 0 {
				return k.Shift(kernel.Shl, args[0], by.Int)
			}
			return k.Shift(kernel.Shr, args[0], -by.Int)
		}
	}
	return v.no("%s is no operation of a kernel", ir.ExprString(e))
}
