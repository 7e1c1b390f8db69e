package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/ir"
)

// A reference with subscripts that are known in an iteration alone, as x(col(i)), picks an
// element: a kernel gathers those of several iterations, and fails where the loop in Go
// would (leaf.picks).

// picks reports whether a kernel may load r so.
func (v *vectorLoop) picks(r *ir.Ref) bool {
	return !v.nested && len(r.Subs) > 0 && len(r.Subs) <= 3 && v.leaf.counted(r)
}

// pick is an element that subscripts pick.
func (v *vectorLoop) pick(r *ir.Ref) (x vectorValue) {
	k := v.k
	t, known := vectorType(r.Sym.Type.Part())
	if !known || t == kernel.Mask {
		v.no("%s is %s", ir.ExprString(r), r.Sym.Type)
		return x
	}
	object := v.leaf.object(r)
	index, ok := v.picked(r, object)
	if !ok {
		return x
	}
	i := v.tableOf(object)
	if i < 0 {
		v.streams = append(v.streams, vectorStream{leafRef: leafRef{ref: r, object: object, line: v.lineOf(r)}, widest: v.copy, table: true})
		i = k.Table(fmt.Sprintf("x%d", len(v.streams)), t)
	}
	apart := v.fixed(r.Subs[0])
	if !r.Sym.Type.IsComplex() {
		return vectorValue{re: k.Pick(i, index, v.where, apart)}
	}
	index = k.Op(kernel.Add, kernel.I64, index, index)
	return vectorValue{k.Pick(i, index, v.where, true), k.Pick(i, k.Op(kernel.Add, kernel.I64, index, k.Int(kernel.I64, 1)), v.where, true)}
}

// picked is how far the element of r is behind that whose subscripts are 0. What the
// subscripts that do not vary contribute is one parameter.
func (v *vectorLoop) picked(r *ir.Ref, object string) (index *kernel.Node, ok bool) {
	k := v.k
	add := func(x *kernel.Node) {
		if index == nil {
			index = x
			return
		}
		index = k.Op(kernel.Add, kernel.I64, index, x)
	}
	steady := make([]ir.Expr, len(r.Subs)) // by axis, nil for those that vary
	var of []ir.Expr                       // without these
	key := fmt.Sprint("steady ", object)
	for d, s := range r.Subs {
		if _, constant := constantOf(s); constant || v.fixed(s) && v.early(s) {
			steady[d], of = s, append(of, s)
			v.invariantReads(s)
			key += fmt.Sprint(" ", d, " ", ir.ExprString(s), v.jam.variant(s, v.copy))
			continue
		}
		n := v.expr(s)
		if n == nil {
			return nil, false
		}
		if e := v.given(n); e != nil { // a variable that each iteration gives one value
			steady[d], of = e, append(of, e)
			key += fmt.Sprint(" ", d, " given ", n.N)
			continue
		}
		if n.Type != kernel.I64 {
			n = k.Op(kernel.Conv, kernel.I64, n)
		}
		if d > 0 {
			n = k.Op(kernel.Mul, kernel.I64, n, v.strideOf(r, object, d))
		}
		add(n)
	}
	if of != nil {
		add(v.param(kernel.I64, key, vectorParam{copy: v.copy, of: of, text: func() string { return v.steadyOffset(steady, object) }}))
	}
	return index, true
}

// given is the expression that a value is, if that is a parameter which one gives.
func (v *vectorLoop) given(n *kernel.Node) ir.Expr {
	if n.Op == kernel.Scalar && n.Type != kernel.Mask && v.k.Params[n.N].Of == 0 && v.params[n.N].e != nil && v.params[n.N].part == "" && v.params[n.N].copy == v.copy {
		return v.params[n.N].e
	}
	return nil
}

// strideOf is how far neighbours along an axis are apart: of 32 bits where the array is so small.
func (v *vectorLoop) strideOf(r *ir.Ref, object string, axis int) *kernel.Node {
	text := func() string { return fmt.Sprintf("%s.Stride(%d, 1)", object, axis) }
	key := fmt.Sprint("stride ", object, axis)
	size := 1
	for _, b := range r.Sym.Dims {
		if b.Open() {
			size = mostShortStride
		} else {
			size *= min(max(b.Extent(), 1), mostShortStride)
		}
		size = min(size, mostShortStride)
	}
	if size == mostShortStride {
		return v.param(kernel.I64, key, vectorParam{text: text})
	}
	by := v.param(kernel.I32, key, vectorParam{text: func() string { return "int32(" + text() + ")" }})
	return v.k.Op(kernel.Conv, kernel.I64, by)
}

// mostShortStride is from how many elements on an array may have strides of more than 32 bits,
// with what lies around its pieces.
const mostShortStride = 1 << 24

// steadyOffset renders what subscripts, nil for none, contribute to the place of an element.
func (v *vectorLoop) steadyOffset(subs []ir.Expr, object string) string {
	var sum []string
	for d, s := range subs {
		if s == nil {
			continue
		}
		text, prec := v.leaf.g.asInt(s, sums)
		switch {
		case d == 0:
			sum = append(sum, enclose(text, prec, precAdd))
		default:
			sum = append(sum, fmt.Sprintf("%s*%s.Stride(%d, 1)", enclose(text, prec, precMul), object, d))
		}
	}
	return strings.Join(sum, " + ")
}

// lineOf is the line of the statement that r is in.
func (v *vectorLoop) lineOf(r *ir.Ref) int {
	line := v.loop.Pos.Line
	ir.WalkExprs(v.leaf.body, func(s ir.Stmt, e ir.Expr) bool {
		if e == ir.Expr(r) {
			line = s.Position().Line
		}
		return true
	})
	return line
}

// tableOf is the stream of an object's elements that are picked, -1 for none.
func (v *vectorLoop) tableOf(object string) int {
	return slices.IndexFunc(v.streams, func(s vectorStream) bool { return s.table && s.object == object })
}
