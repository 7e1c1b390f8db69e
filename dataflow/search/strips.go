package search

import (
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/cfg/comm/choose"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/ir"
)

// source finds out whether other messages acknowledge gets to the owners, and proves it. What counts
// is whether each PE that gets from another sends to it, which is shown where it
// gets from the same ones in all executions. Barriers do not count: they may be left
// out at run time by what is put, which gets are not.
func source(p *plan.Plan, s *plan.Strip, rel Relations, solver *synch.Solver) {
	x := s.Comm.ID
	s.Writes, s.Completes = p.Writes(s.Comm.Array), true
	if slices.ContainsFunc(p.Graph.Nodes, func(n *cfg.Node) bool { return n.Kind == cfg.Barrier }) {
		return
	}
	answers := map[int]bool{}
	kills := func(y, _, _ int) bool {
		if _, known := answers[y]; !known {
			answers[y] = y != x && rel.AnswersAll(y, x)
		}
		return answers[y]
	}
	// What communications may put does not matter: whoever is done with an execution is
	// done with those before.
	sol := solver.Solve(proof.Shared(x, 0), kills, false)
	for _, id := range s.Writes {
		if v := sol.In[id].Value; v != synch.NoSync && v != synch.U {
			return
		}
	}
	all := func(y, _ int) bool { return kills(y, x, 0) }
	s.Completes, s.Proof = false, certified(proof.NewCutter(p.Graph).Symbolic(proof.Shared(x, 0), sol, all, nil, s.Writes))
}

// added is how many bytes n slots for c take more than the one that holds all.
func added(c *comm.Comm, strip *plan.Strip, n int) int64 {
	cells := c.TempCells()
	if strip != nil {
		cells = strip.Cells(strip.Size)
	}
	return max(0, int64(n)*cells-c.TempCells()) * c.Array.Type.Size()
}

// gets is how many strips are got in an execution, by estimate.
func gets(s *plan.Strip, trips float64) float64 {
	if s == nil {
		return 0
	}
	return max(0, float64(int((trips+float64(s.Size)-1)/float64(s.Size)))-1)
}

// cost is what strips cost in an execution.
func (s *searcher) stripCost(x *plan.Strip) float64 {
	if x == nil {
		return 0
	}
	cost := getCost * gets(x, s.weights.Trips[x.Loop])
	if x.Completes {
		cost += choose.ReadyCost
	}
	return cost
}

// force divides every loop that can be divided into strips of Options.Strip
// iterations. It returns why others are not, by index of the slot.
func (s *searcher) force(p *plan.Plan, rel Relations, solver *synch.Solver) (why map[int]string) {
	why = map[int]string{}
	if s.Strip <= 0 {
		return why
	}
	for i := range p.Slots {
		slot := &p.Slots[i]
		if slot.Comm.Overlap || slot.Comm.Kind == comm.Irregular {
			continue
		}
		at, not := s.program.Strips(slot.Comm)
		if not != "" {
			why[i] = not
			continue
		}
		slot.Strip = &plan.Strip{Strips: at, Size: s.Strip}
		source(p, slot.Strip, rel, solver)
		slot.Take(slot.Form)
	}
	return why
}

// strips tries strips for communications that several slots free for which there is
// no memory. Options that are taken are added to options.
func (s *searcher) strips(a *attempt, options [][]option, solver *synch.Solver) {
	if s.Strip != 0 {
		return // given, or not wanted
	}
	left := max(0, s.Memory)
	refused := false
	taken := func(o option) bool { return a.trials[o.slot][o.trial].Note == chosen }
	for _, list := range options {
		for _, o := range list {
			if taken(o) {
				left -= o.bytes
			}
		}
		refused = refused || len(list) > 0 && !slices.ContainsFunc(list, taken)
	}
	if !refused {
		return
	}
	sizes := map[*ir.Do]int{} // of loops that are divided
	for i, list := range options {
		if len(list) == 0 || slices.ContainsFunc(list, taken) || list[0].slots.Staged || list[0].planes != nil {
			continue
		}
		c, first := a.plan.Slots[i].Comm, a.trials[i][0]
		at, why := s.program.Strips(c)
		if why != "" {
			a.trials[i] = append(a.trials[i], plan.Trial{Not: why})
			continue
		}
		for _, o := range list {
			x := &plan.Strip{Strips: at, Size: sizes[at.Loop]}
			if x.Size == 0 {
				x.Size = s.stripSize(at, o.slots.Ring, left)
			}
			o.bytes = added(c, x, o.slots.Ring)
			if x.Size == 0 || o.bytes > left {
				continue
			}
			source(a.plan, x, a.rel, solver)
			weight := s.weights.Comms[c.ID]
			cost := byteCost*float64(o.bytes) + weight*s.stripCost(x)
			t := plan.Trial{Form: o.form(plan.Never), Strip: x.Size, Completes: x.Completes, Cost: cost}
			o.strip, o.trial, o.saves = x, len(a.trials[i]), first.Cost-cost
			if o.saves > 0 {
				t.Note = chosen
				left -= o.bytes
				sizes[at.Loop] = x.Size
				options[i] = append(options[i], o)
			}
			if a.trials[i] = append(a.trials[i], t); o.saves > 0 {
				break
			}
		}
	}
}

// stripSize is how many iterations a strip may have, so that there are as few strips
// as the memory allows, and these are alike; 0 if not even one fits.
func (s *searcher) stripSize(at *comm.Strips, slots int, left int64) int {
	c := at.Comm
	all := c.TempExtent(at.Axis)
	bytes := c.Array.Type.Size() * at.Cells(1) * int64(slots)
	if all < 2 || bytes == 0 {
		return 0
	}
	most := int(min(int64(all-1), (left+c.TempCells()*c.Array.Type.Size())/bytes))
	if most == 0 {
		return 0
	}
	count := (all + most - 1) / most
	return (all + count - 1) / count
}
