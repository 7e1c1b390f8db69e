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
	Items     []synch.Item // by Put, then by Use

	solver *synch.Solver
	sound  []synch.Verdict // of communication r at r-1
	// printed is the verdicts of the printed form, nil until they are asked for:
	// compiling a program does without them.
	printed []synch.Verdict
	tested  map[[2]int]bool // LiteralKills of y and x
}

// Analyze finds the verdicts of the sound form on f, whose graph must stay as it
// is. Of a communication that needs ready messages not all items are solved.
func Analyze(f *procfunc.Functions) *Analysis {
	a := &Analysis{Functions: f, Graph: f.Graph, solver: synch.NewSolver(f.Graph)}
	for range f.Relations {
		a.sound = append(a.sound, synch.Once)
	}
	for _, pair := range f.Items() {
		it := synch.Item{Use: pair[0], Put: pair[1]}
		a.Items = append(a.Items, it)
		if a.sound[it.Put-1] > synch.NeedsSync {
			v, _ := a.solver.Verdict(it, f.Kills)
			a.sound[it.Put-1] = min(a.sound[it.Put-1], v)
		}
	}
	return a
}

// Verdict is that of the sound form on communication r: the worst of its items.
func (a *Analysis) Verdict(r int) synch.Verdict { return a.sound[r-1] }

// Literal is the verdict of the printed form on communication r. It proves
// nothing.
func (a *Analysis) Literal(r int) synch.Verdict {
	if a.printed == nil {
		for i := range a.sound {
			a.printed = append(a.printed, a.literal(i+1, a.literalKills).Verdict(a.Graph))
		}
	}
	return a.printed[r-1]
}

// literal is the solution of the printed form for communication r.
func (a *Analysis) literal(r int, kills synch.LiteralKills) *synch.LiteralSolution {
	return a.solver.SolveLiteral(r, kills, synch.LiteralLimit, false)
}

// literalKills is the printed test, of which each answer is kept.
func (a *Analysis) literalKills(y, x int) bool {
	if a.tested == nil {
		a.tested = map[[2]int]bool{}
	}
	key := [2]int{y, x}
	answer, known := a.tested[key]
	if !known {
		answer = a.Functions.LiteralKills(y, x)
		a.tested[key] = answer
	}
	return answer
}

// solve is the solution of an item, with all its sweeps.
func (a *Analysis) solve(it synch.Item) *synch.Solution {
	return a.solver.Solve(it, a.Functions.Kills, true)
}
