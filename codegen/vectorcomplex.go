package codegen

import (
	"fmt"

	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/ir"
)

// A kernel has no COMPLEX values: it computes their parts, with the operations of package
// elementary in the same order. An array of COMPLEX elements is a stream of reals, of which
// an iteration touches two neighbours.

// vectorValue is the value of an expression in an iteration; re is nil if a kernel cannot have
// it. Only COMPLEX values have im.
type vectorValue struct{ re, im *kernel.Node }

// both applies an operation to each part.
func (x vectorValue) both(f func(*kernel.Node) *kernel.Node) vectorValue {
	if x.re == nil {
		return x
	}
	if x.re = f(x.re); x.im != nil {
		x.im = f(x.im)
	}
	return x
}

// combine applies an operation to each part of two values of one type.
func combine(x, y vectorValue, f func(x, y *kernel.Node) *kernel.Node) vectorValue {
	if x.re == nil || y.re == nil {
		return vectorValue{}
	}
	z := vectorValue{re: f(x.re, y.re)}
	if x.im != nil {
		z.im = f(x.im, y.im)
	}
	return z
}

// value is expr for expressions of any type.
func (v *vectorLoop) value(e ir.Expr) vectorValue {
	if !e.Type().IsComplex() {
		return vectorValue{re: v.expr(e)}
	}
	if v.why != "" {
		return vectorValue{}
	}
	k := v.k
	t, _ := vectorType(e.Type().Part())
	if c, ok := e.(*ir.Const); ok {
		return vectorValue{k.Float(t, c.Float), k.Float(t, c.Imag)}
	}
	if v.fixed(e) {
		return v.fixedParts(e, t)
	}
	switch e := e.(type) {
	case *ir.Var:
		if x := v.env[e.Sym]; x.re != nil {
			return x
		}
		v.no("%s has no value here", e.Sym.Name)
		return vectorValue{}
	case *ir.Ref:
		return v.load(e)
	case *ir.Un:
		x := v.value(e.E)
		if e.Op == ir.Neg {
			return x.both(func(x *kernel.Node) *kernel.Node { return k.Op(kernel.Neg, t, x) })
		}
		return x
	case *ir.Conv:
		if e.E.Type().IsComplex() {
			return v.value(e.E).both(func(x *kernel.Node) *kernel.Node {
				if x.Type == t {
					return x
				}
				return k.Op(kernel.Conv, t, v.named(x))
			})
		}
	case *ir.Bin:
		return v.complexBinary(e, t)
	case *ir.Call:
		switch e.Name {
		case "cmplx":
			x := vectorValue{v.expr(e.Args[0]), k.Float(t, 0)}
			if len(e.Args) > 1 {
				x.im = v.expr(e.Args[1])
			}
			if x.re == nil || x.im == nil || x.re.Type != t || x.im.Type != t {
				break
			}
			return x
		case "conjg":
			x := v.value(e.Args[0])
			if x.re != nil {
				x.im = k.Op(kernel.Neg, t, x.im)
			}
			return x
		}
	}
	v.no("%s is no operation of a kernel", ir.ExprString(e))
	return vectorValue{}
}

// fixedParts are those of an expression that is computed before the loop.
func (v *vectorLoop) fixedParts(e ir.Expr, t kernel.Type) vectorValue {
	if v.where != nil && !v.early(e) {
		v.no("%s must be evaluated where its condition holds alone", ir.ExprString(e))
		return vectorValue{}
	}
	for _, r := range ir.ExprRefs(e) {
		v.reads = append(v.reads, vectorRead{f: v.shifted(v.refs[r]), copy: v.copy, stream: -1})
	}
	part := func(name string) *kernel.Node {
		key := fmt.Sprint(t, name, ir.ExprString(e)) + v.jam.variant(e, v.copy)
		return v.param(t, key, vectorParam{e: e, copy: v.copy, part: name})
	}
	return vectorValue{part("real"), part("imag")}
}

// named is x as a parameter if it is a constant: operations that Go would evaluate on
// constants, exactly or not at all, have none.
func (v *vectorLoop) named(x *kernel.Node) *kernel.Node {
	if x.Op != kernel.Const {
		return x
	}
	text, _ := constant(&ir.Const{X: ir.X{Typ: map[kernel.Type]ir.Type{kernel.F64: ir.Double, kernel.F32: ir.Real}[x.Type]}, Float: x.Float()})
	return v.param(x.Type, fmt.Sprint("constant ", x.Type, text), vectorParam{text: func() string { return text }})
}

// complexBinary is a sum, difference, product, quotient or power, as package elementary has it.
func (v *vectorLoop) complexBinary(e *ir.Bin, t kernel.Type) vectorValue {
	k := v.k
	mul := func(x, y *kernel.Node) *kernel.Node { return k.Op(kernel.Mul, t, x, y) }
	add := func(x, y *kernel.Node) *kernel.Node { return k.Op(kernel.Add, t, x, y) }
	sub := func(x, y *kernel.Node) *kernel.Node { return k.Op(kernel.Sub, t, x, y) }
	div := func(x, y *kernel.Node) *kernel.Node { return k.Op(kernel.Div, t, x, y) }
	product := func(x, y vectorValue) vectorValue {
		return vectorValue{sub(mul(x.re, y.re), mul(x.im, y.im)), add(mul(x.re, y.im), mul(x.im, y.re))}
	}
	x := v.value(e.L)
	if x.re == nil {
		return x
	}
	k.Together(x.re, x.im)
	if e.Op == ir.Pow {
		c, ok := folded(e.R)
		if !ok || c.Int < 1 || c.Int > mostPower {
			v.no("%s is a power", ir.ExprString(e))
			return vectorValue{}
		}
		if c.Int == 2 && simple(e.L) {
			return product(x, x)
		}
		y := vectorValue{k.Float(t, 1), k.Float(t, 0)}
		for m := c.Int; m > 0; m >>= 1 {
			if m&1 != 0 {
				y = product(y, x)
			}
			if m > 1 {
				x = product(x, x)
			}
		}
		return y
	}
	if r, ok := asReal(e.R); ok && e.Op == ir.Div {
		c := v.expr(r)
		if c == nil || c.Type != t {
			v.no("%s is no operation of a kernel", ir.ExprString(e))
			return vectorValue{}
		}
		c = v.named(c)
		zero := div(k.Float(t, 0), c)
		return vectorValue{div(add(mul(x.im, zero), x.re), c), div(sub(x.im, mul(x.re, zero)), c)}
	}
	y := v.value(e.R)
	if y.re == nil {
		return y
	}
	k.Together(y.re, y.im)
	switch e.Op {
	case ir.Add:
		return combine(x, y, add)
	case ir.Sub:
		return combine(x, y, sub)
	case ir.Mul:
		return product(x, y)
	case ir.Div:
		a, b, c, d := v.named(x.re), v.named(x.im), v.named(y.re), v.named(y.im)
		turned := k.Op(kernel.Lt, kernel.Mask, k.Op(kernel.Abs, t, c), k.Op(kernel.Abs, t, d))
		choose := func(x, y *kernel.Node) *kernel.Node { return k.Op(kernel.Select, t, turned, x, y) }
		large, small, p, q := choose(d, c), choose(c, d), choose(a, b), choose(b, a)
		r := div(small, large)
		by := add(mul(small, r), large)
		u := mul(q, r)
		return vectorValue{div(add(mul(p, r), q), by), div(choose(sub(mul(b, r), a), sub(b, u)), by)}
	}
	v.no("%s is no operation of a kernel", ir.ExprString(e))
	return vectorValue{}
}

// equal is x == y of COMPLEX numbers.
func (v *vectorLoop) equal(x, y vectorValue) *kernel.Node {
	if x.re == nil || y.re == nil {
		return nil
	}
	same := func(x, y *kernel.Node) *kernel.Node { return v.k.Op(kernel.Eq, kernel.Mask, v.named(x), y) }
	return v.k.Op(kernel.And, kernel.Mask, same(x.re, y.re), same(x.im, y.im))
}

// data renders the elements of a stream's object, those of COMPLEX type as their parts, and
// perElement is how many there are of each.
func (s vectorStream) data() (text string, perElement int) {
	switch s.ref.Sym.Type {
	case ir.Complex:
		return fmt.Sprintf("spmd.Parts64(%s.Data)", s.object), 2
	case ir.DoubleComplex:
		return fmt.Sprintf("spmd.Parts128(%s.Data)", s.object), 2
	}
	return s.object + ".Data", 1
}

// place renders where in data the element is that lies at an offset of the object.
func (s vectorStream) place(at string) string {
	if s.ref.Sym.Type.IsComplex() {
		return fmt.Sprintf("2*(%s)", at)
	}
	return at
}
