package codegen

import (
	"fmt"
	"slices"

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
	var index *kernel.Node
	for d, s := range r.Subs {
		n := v.expr(s)
		switch {
		case n == nil:
			return x
		case n.Op == kernel.Const:
			c := int(n.Bits)
			if n.Type == kernel.I32 {
				c = int(int32(n.Bits))
			}
			n = k.Int(kernel.I64, c)
		case n.Type != kernel.I64:
			n = k.Op(kernel.Conv, kernel.I64, n)
		}
		if d == 0 {
			index = n
			continue
		}
		by := v.param(kernel.I64, fmt.Sprint("stride ", object, d), vectorParam{text: func() string { return fmt.Sprintf("%s.Stride(%d, 1)", object, d) }})
		index = k.Op(kernel.Add, kernel.I64, index, k.Op(kernel.Mul, kernel.I64, n, by))
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
