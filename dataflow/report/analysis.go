package report

import (
	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/procfunc"
)

// Analysis is what both forms of the analysis say about every communication of
// a program. It keeps verdicts, not solutions: those of large programs would
// take a gigabyte, and one of them is solved again in no time.
type Analysis struct {
	Functions *procfunc.Functions
	Graph     *cfg.Graph
	Items     []Item // by Put, then by Use
	// Sweeps is the largest number of sweeps that the sound form took for an item,
	// the last one, which changed nothing, included.
	Sweeps int

	solver *synch.Solver
	sound  []synch.Verdict // of communication r at r-1
	// printed is the solutions of the printed form, nil until they are asked for:
	// compiling a program does without them.
	printed []*synch.LiteralSolution
}

// Item is an obligation with its verdict.
type Item struct {
	synch.Item
	Verdict synch.Verdict
	Sweeps  int
}

// Analyze solves all items of f, whose graph must stay as it is.
func Analyze(f *procfunc.Functions) *Analysis {
	a := &Analysis{Functions: f, Graph: f.Graph, solver: synch.NewSolver(f.Graph)}
	for range f.Relations {
		a.sound = append(a.sound, synch.Once)
	}
	for _, pair := range f.Items() {
		it := Item{Item: synch.Item{Use: pair[0], Put: pair[1]}}
		it.Verdict, it.Sweeps = a.solver.Verdict(it.Item, f.Kills)
		a.Items = append(a.Items, it)
		a.sound[it.Put-1] = min(a.sound[it.Put-1], it.Verdict)
		a.Sweeps = max(a.Sweeps, it.Sweeps)
	}
	return a
}

// Verdict is that of the sound form on communication r: the worst of its items.
func (a *Analysis) Verdict(r int) synch.Verdict { return a.sound[r-1] }

// Literal is the verdict of the printed form on communication r. It proves
// nothing.
func (a *Analysis) Literal(r int) synch.Verdict { return a.literal(r).Verdict(a.Graph) }

func (a *Analysis) literal(r int) *synch.LiteralSolution {
	if a.printed == nil {
		a.printed = synch.SolveLiteral(a.Graph, len(a.sound), a.Functions.LiteralKills, synch.LiteralLimit, true)
	}
	return a.printed[r-1]
}

// solve is the solution of an item, with all its sweeps.
func (a *Analysis) solve(it synch.Item) *synch.Solution {
	return a.solver.Solve(it, a.Functions.Kills, true)
}
