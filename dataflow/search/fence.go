package search

import (
	"cmp"
	"slices"

	"github.com/spmdc/spmdc/dataflow/plan"
)

// Barriers are tried one by one: mostFences in all, at mostPlaces in a statement,
// those that are executed the least first. Each is an analysis of the program, of
// which there are as many as make mostAnalysed communications in all.
const (
	mostFences   = 4
	mostPlaces   = 12
	mostAnalysed = 5000
)

// fence adds barriers to a plan. A barrier orders all that all PEs have done, so
// that communications of which its loop has no other messages in the opposite
// direction need no ready messages any more; but everybody waits for the last. So it
// is tried only in an outermost statement that would send more ready messages than
// Options.BarrierThreshold, before each of its groups, and taken where it makes the
// cost of the statement least, if it lowers it at all. Then the next is looked for.
func (s *searcher) fence(a *attempt) *attempt {
	bound := s.BarrierThreshold
	if bound == 0 {
		bound = DefaultBarrierThreshold
	}
	var tried []plan.FenceTrial
	left := mostAnalysed / max(1, len(a.plan.Slots))
	settled := map[int]bool{} // statements that no further barrier makes better
	for bound > 0 && len(a.fences) < mostFences {
		best, at := a, -1
		nest, messages := s.neediest(a, settled)
		if messages <= bound {
			break
		}
		for _, c := range s.places(a, nest) {
			if left--; left < 0 {
				break
			}
			fences := append(slices.Clone(a.fences), c)
			slices.Sort(fences)
			b := s.attempt(fences...)
			tried = append(tried, plan.FenceTrial{
				Before: c, Line: a.plan.Slots[c-1].Comm.CLine, Messages: messages, Without: a.costs[nest], With: b.costs[nest],
			})
			if b.costs[nest] < best.costs[nest] {
				best, at = b, len(tried)-1
			}
		}
		if at < 0 {
			settled[nest] = true
			continue
		}
		tried[at].Chosen = true
		a = best
	}
	a.plan.Fenced = tried
	return a
}

// neediest is the outermost statement, of those that are not settled, in which a
// sends the most ready messages, by its number, and how many these are.
func (s *searcher) neediest(a *attempt, settled map[int]bool) (nest int, messages float64) {
	sum := map[int]float64{}
	for i := range a.plan.Slots {
		slot := &a.plan.Slots[i]
		if slot.Ready == plan.Never || slot.FreeOn(s.PEs) || a.messages == nil || settled[s.weights.nest[i+1]] {
			continue
		}
		n := a.messages[i+1]
		if slot.Ready == plan.OnDemand {
			n *= a.taken(i).Rate
		}
		at := s.weights.nest[i+1]
		sum[at] += n
		if sum[at] > messages {
			nest, messages = at, sum[at]
		}
	}
	return nest, messages
}

// places are the communications of a statement before which a barrier is tried.
func (s *searcher) places(a *attempt, nest int) []int {
	var out []int
	for _, c := range weigh(a.plan.Program).starts {
		if s.weights.nest[c] == nest && !slices.Contains(a.fences, c) {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(x, y int) int { return cmp.Compare(s.weights.Comms[x], s.weights.Comms[y]) })
	return out[:min(len(out), mostPlaces)]
}
