package codegen

import (
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// A loop whose communications would cost a PE that runs alone more than it computes is
// emitted twice:
//
//	if pe.N() == 1 { // it owns everything
//		... the loop as the source says, on the arrays themselves
//	} else {
//		... the loop with its communications
//	}
//
// The first form is a region without owners: its loops may be kernels too, and nests may
// be fused.
//
// So is, where sums keep the order of the source, a nest with communications in each
// iteration of which a PE that runs alone can compute several at once: other PEs cannot.

// serialLoop is the statement of node n, if it is to be emitted twice.
func (g *gen) serialLoop(n comm.Node) ir.Stmt {
	switch n := n.(type) {
	case *comm.Loop:
		if n.Serial || g.opt.FP == Strict && g.prog.Closed(n) && g.severalAtOnce(n.Do) {
			return n.Do
		}
	case *comm.WhileLoop:
		if n.Serial {
			return n.While
		}
	}
	return nil
}

// twice emits node n, of loop s, in both forms.
func (g *gen) twice(n comm.Node, s ir.Stmt) {
	g.out.at = s.Position().Line
	g.out.p("if pe.N() == 1 { // it owns everything")
	g.serially(s)
	g.out.p("} else {")
	g.inSPMD(n)
	g.out.p("}")
}

// severalAtOnce reports whether a PE that runs alone can compute several iterations of loop
// in one call of a kernel.
func (g *gen) severalAtOnce(loop *ir.Do) bool {
	if !g.usesKernels() || g.prog.IR.SPMD || len(g.stripped(loop)) > 0 {
		return false
	}
	nest, ok := nestOf(loop)
	if !ok {
		return false
	}
	r := &comm.Region{Stmts: []ir.Stmt{loop}}
	gain := false
	g.asOne(func() { gain = g.jams(nest.o, nest.o, r) && g.jammedKernel(nest, r) != nil })
	return gain
}

// serially emits a loop for a PE that runs alone.
func (g *gen) serially(s ir.Stmt) {
	for d, v := range g.asOne(func() { g.alone(&comm.Region{Stmts: []ir.Stmt{s}}) }) {
		g.serialVectors[d] = v
	}
}

// asOne executes f for a PE that runs alone, and returns what became of the loops. What was
// decided about their references and inner loops for the other form does not hold there, nor
// the other way round.
func (g *gen) asOne(f func()) map[*ir.Do]*vectorLoop {
	prog, vectors, starts := g.prog, g.vectors, g.starts
	serial := *g.prog
	serial.Access = nil // every element is where the array says
	own := map[*ir.Do]*vectorLoop{}
	g.prog, g.vectors, g.starts, g.alonePE = &serial, own, map[*ir.Assign]string{}, true
	f()
	g.prog, g.vectors, g.starts, g.alonePE = prog, vectors, starts, false
	return own
}
