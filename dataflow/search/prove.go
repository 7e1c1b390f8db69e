package search

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// prove leaves out the ready messages that the analysis proves unnecessary, and
// keeps the proofs.
func prove(p *plan.Plan, list []*worker) {
	rel := list[0].rel
	items := rel.Items()
	p.Classes = rel.Shared()
	uses := make([][]int, len(p.Slots)+1)
	for _, it := range items {
		uses[it[1]] = append(uses[it[1]], it[0])
	}
	each(list, len(p.Slots), func(w *worker, i int) {
		s := &p.Slots[i]
		against := decide(s, len(p.Slots), uses[s.Comm.ID], w)
		if against == 0 {
			s.Ready = plan.Never
			for _, use := range uses[s.Comm.ID] {
				s.Proofs = append(s.Proofs, w.certify(proof.Shared(use, s.Comm.ID), w.rel.KillsAfter))
			}
		}
		s.Why = p.WhyShared(s, against)
	})
}

// decide sets the verdict of a slot that the uses share. One use that nothing
// orders before the put settles it: its number is returned, else 0.
func decide(s *plan.Slot, slots int, uses []int, w *worker) int {
	put := s.Comm.ID
	slices.Sort(uses)
	// Its own last value, and what came shortly before, are the likeliest.
	order := slices.Clone(uses)
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare((put-a+slots)%slots, (put-b+slots)%slots)
	})
	s.Verdict = synch.Once
	for _, use := range order {
		v := w.ordered(proof.Shared(use, put))
		s.Verdict = min(s.Verdict, v)
		if v == synch.NeedsSync {
			return use
		}
	}
	return 0
}

// believe leaves out the ready messages that the printed analysis says are
// unnecessary; on some numbers of PEs by its test on physical processors.
func believe(p *plan.Plan, rel Relations, pes []int) {
	solve := func(pes int) []*synch.LiteralSolution {
		return synch.SolveLiteral(p.Graph, len(p.Slots), func(y, x int) bool { return rel.LiteralKills(pes, y, x) }, synch.LiteralLimit, false)
	}
	for i, sol := range solve(0) {
		s := &p.Slots[i]
		s.Verdict = sol.Verdict(p.Graph)
		if s.Verdict != synch.NeedsSync {
			s.Ready = plan.Never
		}
		switch s.Verdict {
		case synch.NeedsSync:
			s.Why = "ready message: the printed analysis finds no message that makes it unnecessary"
		case synch.Once:
			s.Why = "once: the printed analysis finds no earlier execution"
		default:
			s.Why = "no ready message: the printed analysis says so, which proves nothing"
		}
	}
	for _, n := range pes {
		for i, sol := range solve(n) {
			if s := &p.Slots[i]; s.Ready == plan.Always && sol.Verdict(p.Graph) != synch.NeedsSync {
				s.At = append(s.At, n)
			}
		}
	}
	for i := range p.Slots {
		if s := &p.Slots[i]; len(s.At) > 0 {
			s.Why += "; none on " + plan.NumbersOf(s.At) + ", by its test of Condition 2 on physical processors"
		}
	}
}

// certified cuts the certificate out of a fixpoint, which has what the verdict says.
func certified(c *proof.Certificate, err error) *proof.Certificate {
	if err != nil {
		panic(fmt.Sprintf("search: %v", err))
	}
	return c
}

// certify makes the certificate for an obligation.
func (w *worker) certify(o proof.Obligation, kills synch.Kills) *proof.Certificate {
	all := func(y, nth int) bool { return kills(y, o.Put, nth) }
	solver := w.solver
	if !o.Own() && !w.free(o, kills) {
		solver = solver.Through(o, w.rel.Chains(o.Put))
	}
	return certified(w.cutter().Symbolic(o, solver.Before(o, kills), all, solver.Sequences(), nil))
}

// ordered is the verdict on an obligation with one slot, by single communications, and
// where these do not prove it by chains of them.
func (w *worker) ordered(o proof.Obligation) synch.Verdict {
	v, _ := w.solver.Verdict(o, w.rel.KillsAfter)
	if v == synch.NeedsSync {
		if through := w.solver.Through(o, w.rel.Chains(o.Put)); through != w.solver {
			v, _ = through.Verdict(o, w.rel.KillsAfter)
		}
	}
	return v
}
