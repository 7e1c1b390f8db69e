package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// Where all that changes from one iteration of the loop around a kernel to the next is where
// its streams begin, the kernel takes that loop along:
//
//	do j = 2, n - 1
//	   do i = 2, n - 1
//	      a(i,j) = b(i,j)
//	   end do
//	end do
//
//	for block1, t := dist.Range(2, n-1, 1), 0; t < block1.N; { // all columns in one call
//		j := block1.Lo + t*block1.Step
//		colsT := block1.N - t
//		if it := dist.Range(2, n-1, 1); it.N > 0 {
//			...
//			colsT = min(colsT, 1+65536/nT)
//			bN1By := b.Stride(1, block1.Step)
//			bN1 := b.Data[b.At2(i, j):][:(colsT-1)*bN1By+nT]
//			...
//		}
//		t += colsT
//	}
//
// The order of all operations is that of one call for each column.

// mostElements is about the number of elements after which a call returns, so that what
// must stop the program need not wait.
const mostElements = 1 << 16

// columnsKernel is a kernel of one iteration of o that takes o along, nil if there is none.
func (g *gen) columnsKernel(n nest, r *comm.Region) *vectorLoop {
	if g.vectorized(n.d, r).k == nil {
		return nil
	}
	v := g.jam(n.d, r, nil, []*ir.Do{n.o}, 1)
	if v.k == nil || !v.takesColumns(n) {
		return nil
	}
	return v
}

// takesColumns reports whether the kernel may take the loop around along.
func (v *vectorLoop) takesColumns(n nest) bool {
	if len(n.before)+len(n.after)+len(v.sums)+len(v.tests)+len(v.crossing) > 0 || v.jam.windows != nil {
		return false
	}
	g, o := v.leaf.g, n.o
	if g.step(o) <= 0 {
		return false
	}
	for _, p := range v.params {
		if p.e != nil && ir.Mentions(p.e, o.Index) || slices.ContainsFunc(p.of, func(e ir.Expr) bool { return ir.Mentions(e, o.Index) }) {
			return false
		}
	}
	for _, f := range v.all {
		if f.conditional {
			return false
		}
	}
	for i, s := range v.streams {
		if stride := v.k.Streams[i].Stride; stride != 1 && !(stride == 2 && v.k.Paired()) || s.table {
			return false
		}
		for _, sub := range s.leafRef.subs {
			if sub.Coef(o.Index.Name) < 0 {
				return false
			}
		}
	}
	return true
}

// columnStride renders by how much the offset of a stream changes from one call's column to
// the next.
func (v *vectorLoop) columnStride(f leafRef) string {
	l := v.jam.loops[0]
	var sum []string
	for d, a := range f.subs {
		by := fmt.Sprintf("%s.Step", v.block)
		if k := a.Coef(l.do.Index.Name) * int64(len(l.shifts)); k > 1 {
			by = fmt.Sprintf("%d*%s", k, by)
		} else if k == 0 {
			continue
		}
		sum = append(sum, fmt.Sprintf("%s.Stride(%d, %s)", f.object, d, by))
	}
	if sum == nil {
		return "0"
	}
	by := strings.Join(sum, " + ")
	if f.ref.Sym.Type.IsComplex() {
		return fmt.Sprintf("2*(%s)", by) // in parts
	}
	return by
}
