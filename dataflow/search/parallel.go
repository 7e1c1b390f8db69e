package search

import (
	"runtime"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/internal/parallel"
	"github.com/spmdc/spmdc/procfunc"
)

// What is proved of a communication depends on the graph and on no other proof, so that
// the communications of a large program are divided among the processors. The answers of
// processor functions are remembered, and so is the memory of solutions: each worker has
// its own.

// worker is what serves one caller at a time.
type worker struct {
	graph  *cfg.Graph
	rel    Relations
	solver *synch.Solver
	cuts   *proof.Cutter // see cutter
}

func newWorker(g *cfg.Graph, rel Relations) *worker {
	return &worker{graph: g, rel: rel, solver: synch.NewSolver(g)}
}

// free reports whether an obligation is met, with what kills says.
func (w *worker) free(o proof.Obligation, kills synch.Kills) bool {
	v, _ := w.solver.Verdict(o, kills)
	return v != synch.NeedsSync
}

// cutter makes certificates.
func (w *worker) cutter() *proof.Cutter {
	if w.cuts == nil {
		w.cuts = proof.NewCutter(w.graph)
	}
	return w.cuts
}

// fewSlots is the number of slots below which one worker is done before others have
// started.
const fewSlots = 100

// workers are as many as there are processors, the first with rel itself.
func workers(g *cfg.Graph, rel Relations, slots int) []*worker {
	list := []*worker{newWorker(g, rel)}
	f, ok := rel.(*procfunc.Functions)
	if !ok || slots < fewSlots {
		return list
	}
	for range runtime.GOMAXPROCS(0) - 1 {
		list = append(list, newWorker(g, f.Fork()))
	}
	return list
}

// each calls f for 0 to n-1, at the same time for as many as there are workers.
func each(list []*worker, n int, f func(w *worker, i int)) {
	parallel.Each(len(list), n, func(w, i int) { f(list[w], i) })
}
