package plan

import (
	"cmp"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// unheard says why there are ready messages from those alone that have sent nothing.
const unheard = "ready message: only from those consumers that have sent the producer nothing since their last use of the slot, which both note"

// listen lets the communications that still have ready messages listen, so that
// only those consumers send them that have sent nothing since: with as many slots
// as are the cheapest, or as there is memory for. What that costs in messages is
// estimated by a rehearsal. One that needs none on the numbers of PEs that the plan
// is for keeps the slots that it has, and listens on other numbers.
func (s *searcher) listen(a *attempt, extra map[int]float64) {
	left := s.Memory
	// any: some communication may send ready messages.
	listen, any := make([]bool, len(a.plan.Slots)+1), false
	for i := range a.plan.Slots {
		slot := &a.plan.Slots[i]
		left -= s.bytes(slot)
		if slot.Ready && slot.Comm.Kind != comm.Irregular && !slot.free(s.PEs) {
			listen[slot.Comm.ID], any = true, true
		}
		any = any || len(slot.Pairwise) > 0 && !slot.free(s.PEs)
	}
	if any {
		s.listenWith(a, listen, extra, max(0, left))
	}
	for i := range a.plan.Slots {
		if slot := &a.plan.Slots[i]; len(slot.At) > 0 && slot.Ready && (slot.Staged || !slot.Comm.Overlap) {
			slot.OnDemand, slot.Why = true, unheard
		}
	}
}

// listenWith is listen for the given communications, with so much memory. Those, and
// the ones that ask, do without where there is memory for a slot for each execution.
func (s *searcher) listenWith(a *attempt, listen []bool, extra map[int]float64, left int64) {
	options := make([][]option, len(a.plan.Slots))
	staged := func(c *comm.Comm) bool { return listen[c.ID] && c.Overlap || a.plan.Slots[c.ID-1].Staged }
	var counts *rehearsal
	if slices.Contains(listen, true) {
		counts = rehearse(a.plan, listen, staged)
		a.messages = make([]float64, len(listen))
	}
	for i := range options {
		c := a.plan.Slots[i].Comm
		slot := &a.plan.Slots[i]
		if !listen[c.ID] && (len(slot.Pairwise) == 0 || slot.free(s.PEs)) {
			continue
		}
		weight, first := s.weights.of[c.ID], *a.taken(i)
		if o, t, ok := s.counted(a, i, extra[c.ID]); ok && t.Cost < first.Cost {
			o.trial, o.saves = len(a.trials[i]), first.Cost-t.Cost
			a.trials[i] = append(a.trials[i], t)
			options[i] = append(options[i], o)
		}
		if !listen[c.ID] {
			continue
		}
		a.messages[c.ID] = weight * counts.shares[c.ID][0].each()
		found := options[i]
		least := first.Cost
		for k, n := range slotCounts {
			rate, ok := counts.shares[c.ID][k].rate(n, weight)
			if !ok {
				continue
			}
			o := option{slot: i, slots: proof.Ring(c.ID, n, c.Overlap)}
			var cost float64
			o.bytes, cost = s.manySlots(c, slot.Strip, n)
			cost += weight*noteCost + weight*rate*readyCost + extra[c.ID]
			if cost >= least {
				continue // more memory for nothing
			}
			least = cost
			o.trial, o.saves = len(a.trials[i]), first.Cost-cost
			a.trials[i] = append(a.trials[i], Trial{
				What: mood(Slot{Ready: true, OnDemand: true, Staged: c.Overlap, Count: n}), InTurn: a.trials[i][0].InTurn, Strip: a.trials[i][0].Strip, Completes: a.trials[i][0].Completes, OnDemand: true, Rate: rate, Cost: cost,
			})
			found = append(found, o)
		}
		slices.SortStableFunc(found, func(x, y option) int { return cmp.Compare(y.saves, x.saves) })
		options[i] = found
	}
	before := make([]*Trial, len(options))
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
		slot.Staged, slot.Count, slot.At = o.slots.Staged, o.slots.Ring, nil
		if slot.Times = o.times; o.times > 0 {
			slot.Ready, slot.Proofs, slot.Planes, slot.Pairwise, slot.Verdict, slot.Why = false, nil, nil, nil, synch.NoReady, whyTimes(o.times)
		} else {
			slot.OnDemand, slot.Why = true, unheard
		}
		slot.Cells = cells(slot.Comm)
		if slot.Strip != nil {
			slot.Cells += slot.Strip.cells()
		}
		slot.Cells += sharedOut(slot)
	}
}

// manySlots is the bytes that n slots of c add, and what they cost: a stage is copied,
// memory is touched for the first time, and put where no cache holds it. With strips
// they hold one each, and the others are got.
func (s *searcher) manySlots(c *comm.Comm, strip *Strip, n int) (bytes int64, cost float64) {
	weight := s.weights.of[c.ID]
	one := c.TempCells() * elemSize(c.Array.Type)
	bytes = added(c, strip, n)
	switch {
	case strip != nil:
		cost = weight * s.stripCost(strip)
		one = strip.Cells(strip.Size) * elemSize(c.Array.Type)
	case c.Overlap:
		cost = weight * copyCost
		one = s.program.StageCells(c) * elemSize(c.Array.Type)
		bytes = int64(n) * one
	}
	cost += firstCost * float64(bytes)
	if int64(n)*one > cache {
		cost += weight * coldCost * float64(one)
	}
	return bytes, cost
}

// counted is a slot for each execution of a communication, if there can only be so
// many: it needs neither ready messages nor notes.
func (s *searcher) counted(a *attempt, i int, extra float64) (option, Trial, bool) {
	c := a.plan.Slots[i].Comm
	if c.Kind == comm.Pipeline || c.Kind == comm.Irregular {
		return option{}, Trial{}, false
	}
	n := a.plan.times(c.ID)
	if n == 0 || !a.plan.Slots[i].Ready && n > fewTimes/2 {
		return option{}, Trial{}, false
	}
	o := option{slot: i, slots: proof.Ring(c.ID, n, c.Overlap), times: n}
	var cost float64
	strip := a.plan.Slots[i].Strip
	o.bytes, cost = s.manySlots(c, strip, n)
	t := Trial{What: mood(Slot{Staged: c.Overlap, Count: n}), InTurn: a.trials[i][0].InTurn, Times: n, Free: true, Cost: cost + extra}
	if strip != nil {
		t.Strip, t.Completes = strip.Size, strip.Completes
	}
	return o, t, true
}
