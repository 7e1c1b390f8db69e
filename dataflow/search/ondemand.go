package search

import (
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/cfg/comm/choose"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/simulate"
)

// onDemandWhy says why there are ready messages from those alone that have sent nothing.
const onDemandWhy = "ready message: only from those consumers that have sent the producer nothing since their last use of the slot, which both note"

// onDemand lets the communications that still need ready messages send them on demand:
// with as many slots as are the cheapest, or as there is memory for. What that costs in
// messages is counted in executions on a few PEs. One that needs none on the numbers of
// PEs that the plan is for keeps the slots that it has, and has them on demand elsewhere.
func (s *searcher) onDemand(a *attempt) {
	left := s.Memory
	wanted, any := make([]bool, len(a.plan.Slots)+1), false
	for i := range a.plan.Slots {
		slot := &a.plan.Slots[i]
		left -= s.ringBytesOf(slot)
		if slot.Ready != plan.Never && slot.Comm.Kind != comm.Irregular && !slot.FreeOn(s.PEs) {
			wanted[slot.Comm.ID], any = true, true
		}
	}
	if any {
		s.ringsOnDemand(a, wanted, max(0, left))
	}
	for i := range a.plan.Slots {
		if slot := &a.plan.Slots[i]; len(slot.At) > 0 && slot.Ready == plan.Always && (slot.Own() || !slot.Comm.Overlap) {
			slot.Ready, slot.Why = plan.OnDemand, onDemandWhy
		}
	}
}

// ringsOnDemand is onDemand for the given communications, with so much memory.
func (s *searcher) ringsOnDemand(a *attempt, wanted []bool, left int64) {
	options := make([][]option, len(a.plan.Slots))
	trial := *a.plan
	trial.Slots = slices.Clone(trial.Slots)
	for i := range trial.Slots {
		if slot := &trial.Slots[i]; wanted[i+1] {
			planes := a.plan.PlanesOf(slot.Comm)
			slot.Form = plan.Form{Ready: plan.OnDemand, Ring: 1, Staged: slot.Comm.Overlap && planes == nil, Planes: planes}
		}
	}
	counts := simulate.OnDemand(&trial)
	a.messages = make([]float64, len(wanted))
	for i := range options {
		c := a.plan.Slots[i].Comm
		if !wanted[c.ID] {
			continue
		}
		slot, weight, first := &a.plan.Slots[i], s.weights.Comms[c.ID], *a.taken(i)
		a.messages[c.ID] = weight * counts[c.ID][0].Each()
		least := first.Cost
		for k, n := range simulate.Rings {
			rate, ok := counts[c.ID][k].Rate(n, weight)
			form := trial.Slots[i].Form
			if !ok || form.Planes != nil && n != 2 {
				continue
			}
			o := option{slot: i, slots: proof.Ring(c.ID, n, form.Staged), planes: form.Planes}
			var cost float64
			o.bytes, cost = s.manySlots(c, slot.Strip, n, o.planes)
			cost += weight * (noteCost + rate*choose.ReadyCost)
			if cost >= least {
				continue // more memory for nothing
			}
			least = cost
			o.trial, o.saves = len(a.trials[i]), first.Cost-cost
			t := a.trials[i][0]
			t.Form, t.Rate, t.Cost, t.Note = o.form(plan.OnDemand), rate, cost, ""
			a.trials[i] = append(a.trials[i], t)
			options[i] = append(options[i], o)
		}
		slices.Reverse(options[i]) // the cheapest comes first
	}
	before := make([]*plan.Trial, len(options))
	for i := range options {
		before[i] = a.taken(i)
	}
	a.choose(options, left)
	for _, o := range slices.Concat(options...) {
		if a.trials[o.slot][o.trial].Note != chosen {
			continue
		}
		if was := before[o.slot]; was.Note == chosen {
			was.Note = "" // on some numbers of PEs only
		}
		slot := &a.plan.Slots[o.slot]
		slot.Take(o.form(plan.OnDemand))
		slot.At, slot.Why = nil, onDemandWhy
	}
}

// manySlots is the bytes that n slots of c add, and what they cost: a staging buffer is
// copied, memory is touched for the first time, and put where no cache holds it. With
// strips they hold one each, and the others are got.
func (s *searcher) manySlots(c *comm.Comm, strip *plan.Strip, n int, planes *plan.Planes) (bytes int64, cost float64) {
	weight := s.weights.Comms[c.ID]
	one := c.TempCells() * c.Array.Type.Size()
	bytes = s.ringBytes(c, strip, n, planes)
	switch {
	case planes != nil:
		return 0, 0
	case strip != nil:
		cost = weight * s.stripCost(strip)
		one = strip.Cells(strip.Size) * c.Array.Type.Size()
	case c.Overlap:
		cost = weight * copyCost
		one = bytes / int64(n)
	}
	cost += firstCost * float64(bytes)
	if int64(n)*one > cache {
		cost += weight * coldCost * float64(one)
	}
	return bytes, cost
}
