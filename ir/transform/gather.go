package transform

import (
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
)

// Gather lets all PEs execute a loop on copies of the whole arrays, which are gathered once
// in front of it; behind it the owners keep their part. In
//
//	do k = 1, m
//	   do i = h, n, 2*h
//	      x(list(i)) = x(list(i)) + x(list(i-h))
//	   end do
//	end do
//
// no PE has a part of the work for itself, and all exchange elements, or gather the array,
// in each iteration. Gathered, the loop costs what it costs one PE, and one message for
// each array.
//
// The text stays as it is; package cfg/comm does what Gathered says.
func (a *Analysis) Gather(loop *ir.Do) (*Change, error) {
	if loop.Gathered {
		return nil, refuse("it is already executed on gathered arrays")
	}
	if err := inOrder(loop.Body, loop); err != nil {
		return nil, err
	}
	var names []string
	ir.WalkExprs([]ir.Stmt{loop}, func(_ ir.Stmt, e ir.Expr) bool {
		if r, ok := e.(*ir.Ref); ok && r.Sym.Distributed() && !slices.Contains(names, r.Sym.Source()) {
			names = append(names, r.Sym.Source())
		}
		return true
	})
	slices.Sort(names)
	cp := newCopier()
	d := cp.do(loop, cp.block)
	d.Gathered = true
	return &Change{Kind: Gather, Old: loop, New: []ir.Stmt{d}, What: "all PEs execute it on gathered copies of " + strings.Join(names, ", ")}, nil
}
