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
func (v *vectorLoop) pick(r *ir.Ref) *kernel.Node {
	k := v.k
	t, known := vectorType(r.Sym.Type)
	if !known || t == kernel.Mask {
		return v.no("%s is %s", ir.ExprString(r), r.Sym.Type)
	}
	object := v.leaf.object(r)
	var index *kernel.Node
	for d, s := range r.Subs {
		x := v.expr(s)
		switch {
		case x == nil:
			return nil
		case x.Op == kernel.Const:
			c := int(x.Bits)
			if x.Type == kernel.I32 {
				c = int(int32(x.Bits))
			}
			x = k.Int(kernel.I64, c)
		case x.Type != kernel.I64:
			x = k.Op(kernel.Conv, kernel.I64, x)
		}
		if d == 0 {
			index = x
			continue
		}
		by := v.param(kernel.I64, fmt.Sprint("stride ", object, d), vectorParam{text: func() string { return fmt.Sprintf("%s.Stride(%d, 1)", object, d) }})
		index = k.Op(kernel.Add, kernel.I64, index, k.Op(kernel.Mul, kernel.I64, x, by))
	}
	i := v.tableOf(object)
	if i < 0 {
		v.streams = append(v.streams, vectorStream{leafRef: leafRef{ref: r, object: object, line: v.lineOf(r)}, widest: v.copy, table: true})
		i = k.Table(fmt.Sprintf("x%d", len(v.streams)), t)
	}
	return k.Pick(i, index, v.where, v.fixed(r.Subs[0]))
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
