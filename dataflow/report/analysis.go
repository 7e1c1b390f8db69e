package report

import (
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/procfunc"
)

// Options of a report.
type Options struct {
	// PEs is the number of PEs for which pairs of PEs are listed and examples are
	// looked for; 0 stands for several numbers.
	PEs int
	// Search is how plan elide was made, or would be made where the report is about
	// another plan, which is compared with it.
	Search search.Options
}

// Analysis is what a report on a plan is made from.
type Analysis struct {
	Plan      *plan.Plan
	Functions *procfunc.Functions // of the plan's program and graph
	Graph     *cfg.Graph          // the plan's
	Items     []proof.Obligation  // by Put, then by Use

	options Options
	solver  *synch.Solver
	source  *forms
}

// Analyze prepares the report on plan p. f are the functions of its program, or of that
// program without the barriers of the plan. It does little: the work is that of Build.
func Analyze(p *plan.Plan, f *procfunc.Functions, o Options) *Analysis {
	return &Analysis{Plan: p, Graph: p.Graph, options: o, source: &forms{f: f, search: o.Search}}
}

// open does what only those pay who want a report.
func (a *Analysis) open() {
	if a.Functions != nil {
		return
	}
	f := a.source.f
	if a.Functions = f; f.Program != a.Plan.Program {
		a.Functions = procfunc.Analyze(a.Plan.Program, a.Plan.Graph)
	}
	if source := f.Program.Barriers(func([]*comm.Comm) bool { return false }); source != f.Program {
		a.source.f = procfunc.Analyze(source, source.Graph())
	}
	a.solver = synch.NewSolver(a.Graph)
	a.Items = items(a.Functions)
	a.source.open()
	if a.Plan.Kind == plan.Elide {
		a.source.elide = a.Plan
	}
}

func items(f *procfunc.Functions) []proof.Obligation {
	var out []proof.Obligation
	for _, pair := range f.Items() {
		out = append(out, proof.Shared(pair[0], pair[1]))
	}
	return out
}

// solve is the solution of an item, with all its sweeps.
func (a *Analysis) solve(it proof.Obligation) *synch.Solution {
	s := a.solver.Solve(it, a.Functions.KillsAfter, true)
	if s.Verdict(a.Graph) == synch.NeedsSync {
		if through := a.solver.Through(it, a.Functions.Chains(it.Put)); through != a.solver {
			if t := through.Solve(it, a.Functions.KillsAfter, true); t.Verdict(a.Graph) != synch.NeedsSync {
				return t
			}
		}
	}
	return s
}

// forms are the verdicts of the forms of the analysis on the program as it stands
// in the source, whatever plan the report is about. They are found when they are
// asked for, and verdicts are kept, not solutions: those of large programs would
// take a gigabyte, and one of them is solved again in no time.
type forms struct {
	f      *procfunc.Functions
	solver *synch.Solver
	search search.Options

	sound   []synch.Verdict // of communication r at r-1
	printed []synch.Verdict
	elide   *plan.Plan
	tested  map[[2]int]bool // LiteralKills of y and x
}

func (s *forms) open() { s.solver = synch.NewSolver(s.f.Graph) }

// verdict is that of the sound form for one slot on communication r: the worst of
// its items.
func (s *forms) verdict(r int) synch.Verdict {
	if s.sound == nil {
		s.sound = slices.Repeat([]synch.Verdict{synch.Once}, len(s.f.Relations))
		for _, it := range items(s.f) {
			if worst := &s.sound[it.Put-1]; *worst > synch.NeedsSync {
				v, _ := s.solver.Verdict(it, s.f.KillsAfter)
				if v == synch.NeedsSync {
					v, _ = s.solver.Through(it, s.f.Chains(it.Put)).Verdict(it, s.f.KillsAfter)
				}
				*worst = min(*worst, v)
			}
		}
	}
	return s.sound[r-1]
}

// literal is the verdict of the printed form on communication r. It proves
// nothing.
func (s *forms) literal(r int) synch.Verdict {
	if s.printed == nil {
		for i := range s.f.Relations {
			s.printed = append(s.printed, s.solveLiteral(i+1, s.literalKills).Verdict(s.f.Graph))
		}
	}
	return s.printed[r-1]
}

// slot is what plan elide does about communication r.
func (s *forms) slot(r int) *plan.Slot {
	if s.elide == nil {
		s.elide = search.Make(s.f.Program, plan.Elide, s.f, s.search)
	}
	return &s.elide.Slots[r-1]
}

// solveLiteral is the solution of the printed form for communication r.
func (s *forms) solveLiteral(r int, kills synch.LiteralKills) *synch.LiteralSolution {
	return s.solver.SolveLiteral(r, kills, synch.LiteralLimit, false)
}

// literalKills is the printed test, of which each answer is kept.
func (s *forms) literalKills(y, x int) bool {
	if s.tested == nil {
		s.tested = map[[2]int]bool{}
	}
	key := [2]int{y, x}
	answer, known := s.tested[key]
	if !known {
		answer = s.f.LiteralKills(0, y, x)
		s.tested[key] = answer
	}
	return answer
}

// pes are the numbers of PEs that plan elide is made for in particular; one PE has
// no messages.
func (a *Analysis) pes() []int {
	out := []int{}
	for _, n := range a.options.Search.PEs {
		if n > 1 && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// Table counts the verdicts, as the paper's section 5 does: of the printed form,
// of the sound form with one slot for each communication, and of plan elide.
func (a *Analysis) Table() []Total {
	a.open()
	count := func(form string, verdict func(int) synch.Verdict) Total {
		t := Total{Form: form, Communications: len(a.source.f.Relations)}
		for r := 1; r <= t.Communications; r++ {
			switch verdict(r) {
			case synch.NoReady:
				t.NoSync++
			case synch.Once:
				t.Once++
			default:
				t.Sync++
			}
		}
		if t.Communications > 0 {
			t.Percent = 100 * float64(t.Sync) / float64(t.Communications)
		}
		return t
	}
	rows := []Total{count("literal", a.source.literal), count("popl96", a.source.verdict),
		count("elide", func(r int) synch.Verdict { return a.source.slot(r).Verdict })}
	for r := range a.source.f.Relations {
		s := a.source.slot(r + 1)
		if s.Ready == plan.OnDemand {
			rows[2].OnDemand++
		}
		if len(s.At) > 0 && len(s.At) == len(a.pes()) && s.Ready != plan.Never {
			rows[2].ElidedOn++
		}
	}
	return rows
}
