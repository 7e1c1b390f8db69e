package codegen

import (
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// A leaf loop of a few iterations, whose number is known here, is unrolled in Go: its
// counters and tests cost more than what it computes, and the Go compiler unrolls nothing.
//
//	do m = 1, 3                              ptN1 := pt.Data[pt.At2(1, i):][:nT]
//	   d = d + (pt(m,i) - cen(m,c))**2       cenN2 := cen.Data[cen.At2(1, c):][:nT]
//	end do                                   {
//	                                         	const t = 0
//	                                         	d = d + spmd.Sqr(ptN1[t]-cenN2[t])
//	                                         }
//	                                         ...

// Such a loop has at most mostTrips iterations, which are at most mostShort statements.
const (
	mostTrips = 16
	mostShort = 32
)

// tripsIfShort is the number of iterations of a loop that is unrolled in Go, else 0; v is
// what is known of it as a kernel.
func (l *leaf) tripsIfShort(v *vectorLoop) int {
	g, d := l.g, l.d
	if !l.plain() || !isLeaf(l.body) || l.flat != nil && len(l.flat.walked) > 0 || v.k != nil || g.prog.IR.SPMD {
		return 0
	}
	b := g.prog.Info.Bounds(d)
	if !b.Affine() || !b.Runs() {
		return 0
	}
	far, ok := b.Hi.Sub(b.Lo)
	if !ok || !far.IsConst() {
		return 0
	}
	statements := 0
	ir.Walk(l.body, func(ir.Stmt) bool { statements++; return true })
	n := int(far.C/b.Step) + 1
	if n > mostTrips || n*statements > mostShort {
		return 0
	}
	return n
}

// oneAfterAnother emits the iterations of a loop that is unrolled; k is its index in Go.
func (l *leaf) oneAfterAnother(k string, r *comm.Region) {
	g := l.g
	at := len(g.out.lines)
	g.out.p("%s := %s", k, l.now())
	undeclared := l.declareLocals()
	g.inLeaf++
	g.stmts(l.body, r)
	g.inLeaf--
	undeclared()
	g.dropUnused(at, k)
	body := slices.Clone(g.out.lines[at:])
	g.out.lines = g.out.lines[:at]
	for t := range l.short {
		g.out.p("{")
		if mentionedIn(body, "t") {
			g.out.p("const t = %d", t)
		}
		g.out.lines = append(g.out.lines, body...)
		g.out.p("}")
	}
}
