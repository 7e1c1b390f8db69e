package codegen

import (
	"github.com/spmdc/spmdc/ir"
)

// To fill the argument of a kernel, and to load it, takes longer than a few iterations in Go.
// Where the number of iterations changes as the program runs, as those of the stages of a
// Fourier transform do, the program chooses each time:
//
//	nT := end - i + 1
//	if nT <= 5 {
//		for t := 0; t < nT; t++ { ... }
//	} else {
//		kernelL12(&kernelL12Args{n: nT, ...})
//	}
//
// Both give the same bits.

// What a call takes, what each field of its argument adds, and what an access or an operation
// of an iteration in Go takes, in tenths of a nanosecond; and the most iterations in Go.
const (
	callCost  = 100
	fieldCost = 15
	stepCost  = 3
	mostFew   = 16
)

// few is up to how many iterations the loop of a kernel is faster in Go; 0 if only the kernel is
// emitted.
func (v *vectorLoop) few(g *gen) int {
	d := v.loop
	if v.nested || v.jam != nil || v.flat != nil || v.ordered || len(v.sums)+len(v.finals)+len(g.walksOf(d, v.region)) > 0 || len(v.leaf.part) > 0 || !g.tripsChange(d) {
		return 0
	}
	fields := len(v.params)
	for _, s := range v.k.Streams {
		if fields++; s.Stride != 1 || s.Masked || s.Table {
			fields++
		}
	}
	accesses, operations := v.k.Work(func(int) bool { return true })
	return min(mostFew, (callCost+fieldCost*fields)/(stepCost*max(1, accesses+operations)))
}

// tripsChange reports whether the number of a loop's iterations is given by elements, or by
// variables that a loop assigns otherwise than as its index.
func (g *gen) tripsChange(d *ir.Do) bool {
	if g.assigned == nil {
		g.assigned = map[*ir.Symbol]bool{}
		var find func(list []ir.Stmt, inLoop bool)
		find = func(list []ir.Stmt, inLoop bool) {
			for _, s := range list {
				switch s := s.(type) {
				case *ir.Assign:
					if x, ok := s.LHS.(*ir.Var); ok && inLoop {
						g.assigned[x.Sym] = true
					}
				case *ir.Do, *ir.While:
					for _, b := range ir.Bodies(s) {
						find(b, true)
					}
					continue
				}
				for _, b := range ir.Bodies(s) {
					find(b, inLoop)
				}
			}
		}
		find(g.prog.IR.Body, false)
	}
	changes := false
	for _, e := range []ir.Expr{d.Lo, d.Hi, d.Step} {
		ir.WalkExpr(e, func(e ir.Expr) bool {
			switch e := e.(type) {
			case *ir.Var:
				changes = changes || g.assigned[e.Sym]
			case *ir.Ref:
				changes = true
			}
			return !changes
		})
	}
	return changes
}
