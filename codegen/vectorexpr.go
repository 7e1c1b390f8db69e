package codegen

import (
	"fmt"

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
		if n := v.env[e.Sym].re; n != nil {
			return n
		}
		return v.no("%s has no value here", e.Sym.Name)
	case *ir.Ref:
		return v.load(e).re
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
	v.invariantReads(e)
	if r, ok := e.(*ir.Ref); ok && t != kernel.Mask {
		if n := v.inBlock(r, t); n != nil {
			return n
		}
	}
	key := fmt.Sprint(t, ir.ExprString(e)) + v.jam.variant(e, v.copy)
	if t == kernel.Mask {
		p := v.param(kernel.I32, key, vectorParam{copy: v.copy, of: []ir.Expr{e}, text: func() string {
			return "spmd.Merge[int32](1, 0, " + v.leaf.g.expr(e) + ")"
		}})
		return v.k.Op(kernel.Ne, kernel.Mask, p, v.k.Int(kernel.I32, 0))
	}
	return v.param(t, key, vectorParam{e: e, copy: v.copy})
}

// invariantReads notes what an expression that is computed before the loop reads.
func (v *vectorLoop) invariantReads(e ir.Expr) {
	for _, r := range ir.ExprRefs(e) {
		v.reads = append(v.reads, vectorRead{f: v.shifted(v.refs[r]), copy: v.copy, stream: -1})
	}
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

func (v *vectorLoop) load(r *ir.Ref) (x vectorValue) {
	if _, run := v.refs[r]; !run && !v.leaf.evaluates(r) {
		v.no("%s is fetched by a list", ir.ExprString(r))
		return x
	}
	if x.re = v.elements[v.shifted(v.refs[r]).place()]; x.re != nil {
		return x
	}
	if _, linear := v.refs[r]; !linear && v.picks(r) {
		if x, ok := v.stepped(r); ok {
			return x
		}
		return v.pick(r)
	}
	f, ok := v.element(r)
	if !ok {
		return x
	}
	key := f.place()
	have := v.store[key]
	if have != nil && have.mask == nil && v.covers(have.widest, v.copy) {
		return have.value
	}
	stream, off, ok := v.stream(f)
	if !ok {
		return x
	}
	after := false
	for _, s := range v.order {
		after = after || v.store[s].f.object == f.object
	}
	v.reads = append(v.reads, vectorRead{f, v.copy, stream, after})
	var mask *kernel.Node
	if f.conditional {
		if mask = v.where; mask == nil {
			v.no("%s is not always evaluated", ir.ExprString(r))
			return x
		}
	}
	if x.re = v.k.Load(stream, off, mask); r.Sym.Type.IsComplex() {
		x = vectorValue{v.k.Load(stream, 2*off, mask), v.k.Load(stream, 2*off+1, mask)}
	}
	switch {
	case have == nil:
		return x
	case x.re.Type == kernel.Mask:
		v.no("%s has been stored in some iterations", ir.ExprString(r))
		return vectorValue{}
	}
	return combine(have.value, x, func(stored, loaded *kernel.Node) *kernel.Node {
		if have.mask == nil {
			return v.k.InWindow(v.window(have.widest), stored, loaded)
		}
		return v.k.Op(kernel.Select, loaded.Type, have.mask, stored, loaded)
	})
}

func (v *vectorLoop) binary(e *ir.Bin, t kernel.Type) *kernel.Node {
	k := v.k
	if e.Op == ir.Pow {
		return v.power(e, t)
	}
	if e.Op == ir.Div && t != kernel.F64 && t != kernel.F32 {
		return v.quotient(e, e.L, e.R, false)
	}
	if e.L.Type().IsComplex() && (e.Op == ir.Eq || e.Op == ir.Ne) {
		same := v.equal(v.value(e.L), v.value(e.R))
		if same != nil && e.Op == ir.Ne {
			same = k.Op(kernel.Not, kernel.Mask, same)
		}
		return same
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
