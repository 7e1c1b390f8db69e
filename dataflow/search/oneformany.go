package search

import (
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// One ready message for many (section 4 of the paper): a ready message that has to be sent
// anyway also acknowledges the uses of other slots that its sender is done with. It is a
// communication with the roles reversed, so that the analysis is made anew with the ready
// messages of one communication counted on, and the choice is kept that leaves out the most.
// In
//
//	do t = 1, m
//	   C_1 p to p+1    CO_1    use    UO_1    C_2 p to p+1    CO_2    use    UO_2
//	end do
//
// nothing comes back by itself. The ready message of #2 acknowledges the use of #1, which so
// needs none.

// mostCarriers is how many communications are tried, those that are executed the most first.
const mostCarriers = 12

// oneForMany counts on ready messages that remain, as long as others become unnecessary by
// them.
func (k *knownPEs) oneForMany(p *plan.Plan) {
	if k == nil {
		return
	}
	weights := weigh(p.Program).Comms
	for _, n := range k.pes {
		for {
			remaining := k.remaining(p, n, weights)
			best, saved := 0, 0.0
			before := k.prover(n)
			for _, y := range remaining[:min(len(remaining), mostCarriers)] {
				if slices.Contains(before.Ready(), y) || !before.Acknowledges(y) {
					continue
				}
				k.provers[n] = before.Counting(withNumber(before.Ready(), y))
				sum := 0.0
				for _, x := range remaining {
					if x != y && !slices.Contains(before.Ready(), x) && k.freeAsItStands(p, n, x) {
						sum += weights[x]
					}
				}
				if sum > saved {
					best, saved = y, sum
				}
			}
			k.provers[n] = before
			if best == 0 {
				break
			}
			k.provers[n] = before.Counting(withNumber(before.Ready(), best))
			for _, x := range remaining {
				if x != best && !slices.Contains(before.Ready(), x) && k.freeAsItStands(p, n, x) {
					at := &p.Slots[x-1].At
					*at = withNumber(*at, n)
				}
			}
		}
	}
}

// remaining are the communications with ready messages on n PEs, those that are executed the
// most first.
func (k *knownPEs) remaining(p *plan.Plan, n int, weights []float64) []int {
	var out []int
	for i := range p.Slots {
		s := &p.Slots[i]
		if s.Ready == plan.Always && !slices.Contains(s.At, n) && s.Comm.Kind != comm.Irregular {
			out = append(out, s.Comm.ID)
		}
	}
	slices.SortStableFunc(out, func(x, y int) int {
		switch {
		case weights[x] > weights[y]:
			return -1
		case weights[x] < weights[y]:
			return 1
		}
		return 0
	})
	return out
}

func (k *knownPEs) freeAsItStands(p *plan.Plan, n, x int) bool {
	s := &p.Slots[x-1]
	return k.free(n, x, s.Ring, s.Staged)
}

// withNumber is an ascending list with one number more, in a copy.
func withNumber(list []int, n int) []int {
	out := append(slices.Clone(list), n)
	slices.Sort(out)
	return out
}
