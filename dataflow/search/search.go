// Package search makes synchronisation plans: it decides which ready messages are left out,
// with which rings of slots, staging buffers, strips and barriers, and records what it
// tried. It does not change the program: a plan with barriers has one of its own.
package search

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/cfg/comm/choose"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/procfunc"
)

// The costs that the search compares are in messages, per execution. A message,
// be it of data or a ready message, costs about a microsecond on the machines at
// hand, for the producer waits for the ready message as for another.
const (
	copyCost  = 0.1  // copying a staging buffer, some hundred elements, into the overlap
	getCost   = 0.2  // getting a strip: it waits for nobody, but is a message more to start
	noteCost  = 0.03 // noting which messages have passed
	byteCost  = 1e-9 // a byte of memory for slots, once
	fenceCost = 2.0  // a barrier: one message to gather, one to release, and none has a head start
	// Of many slots:
	firstCost = 1e-4 // a byte of memory for slots, when it is touched first
	coldCost  = 5e-5 // a byte that is put where no cache holds it any more
	cache     = 256 << 10
)

// Make plans the synchronisation of c, whose graph has the relations rel. Plans
// handshake and barrier do not look at them. Only elide has options, but for the numbers of
// PEs: popl96, and popl96-literal, leave out there what is needed on others, too.
func Make(c *comm.Program, k plan.Kind, rel Relations, o Options) *plan.Plan {
	if k == plan.Elide {
		return elide(c, rel, o)
	}
	p := plan.New(c, k)
	switch k {
	case plan.PopL96:
		prove(p, workers(p.Graph, rel, len(p.Slots)))
		known := newKnown(p, rel, severalPEs(o.PEs))
		known.asTheyStand(p)
		known.oneForMany(p)
		known.settle(p)
	case plan.PopL96Literal:
		believe(p, rel, severalPEs(o.PEs))
	}
	return p
}

// elide makes plan elide.
//
// What popl96 frees stays as it is there. For each other communication it tries,
// the cheaper forms first,
//
//   - for an overlap of which successive executions are proved to fill different
//     planes, these as 2 slots (plan.Planes);
//   - for an overlap: a staging buffer, then 2 and more. It is free at CO, when
//     its content has been copied into the overlap, and nobody else puts into it;
//   - for a temporary: 2 and more of it.
//
// Whether one of them needs ready messages depends on the graph alone, and not on
// what is chosen for other communications: the first that is proved is the
// cheapest, and the choices are independent, but for the memory. They are made in
// the order of what a byte saves, the most first, as long as the bound on the
// memory allows.
//
// Where the numbers of PEs are given, proofs that are exact for these come next
// (known.go).
//
// What still needs ready messages has them on demand: then the two PEs of a pair note, as
// the program runs, which messages have passed between them, and a ready message
// goes only from consumers that have sent the producer nothing since their last use
// of the slot. So one ready message, or message of data, serves for all
// communications on demand, and for as many puts as there are slots. That takes
// no proof, and how often it happens is counted in executions on a few PEs, for 1 to
// 64 slots: the cheapest number is taken for which there is memory (ondemand.go).
//
// In outermost statements that would send more than Options.BarrierThreshold ready
// messages even so, barriers are tried, before one group after another; each is an
// analysis, of which large programs get few (fence.go).
//
// The cost of a statement is the sum over its communications, each times its
// expected number of executions (bounds that are not constant count as 50
// iterations, conditions as holding every other time): 1 for a ready message, 0.1
// for the copy from a staging buffer, 0.03 for the notes of one on demand, 2 for a barrier, and
// 1e-9 for a byte of slots. Of those on demand, which may have many slots, a byte
// costs 1e-4 when it is first touched, and 5e-5 each time where all slots do not fit
// a cache of 256 KB.
func elide(c *comm.Program, rel Relations, o Options) *plan.Plan {
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	if o.Relations == nil {
		o.Relations = func(c *comm.Program, g *cfg.Graph) Relations { return procfunc.Analyze(c, g) }
	}
	o.PEs = severalPEs(o.PEs)
	s := &searcher{Options: o, program: c, rel: rel, weights: weigh(c)}
	return s.fence(s.attempt()).done()
}

type searcher struct {
	Options
	program *comm.Program
	rel     Relations
	weights *weights
}

// attempt is the plan with barriers in some places.
type attempt struct {
	plan   *plan.Plan
	fences []int // ascending, as those of plan.New
	rel    Relations
	trials [][]plan.Trial  // by slot
	costs  map[int]float64 // by outermost statement
	// messages are, by number of the communication, those of all its executions, as
	// far as they were counted.
	messages []float64
}

// option is slots by which a communication is free, and what they cost.
type option struct {
	slot  int // index
	trial int // index
	slots proof.Obligation
	// planes: successive executions fill different planes of the overlap.
	planes *plan.Planes
	strip  *plan.Strip
	bytes  int64
	saves  float64
}

// attempt makes the choices, with barriers before the groups that start with the given
// communications.
func (s *searcher) attempt(fences ...int) *attempt {
	a := &attempt{plan: plan.New(s.program, plan.Elide, fences...), fences: fences, rel: s.rel, trials: make([][]plan.Trial, len(s.program.Comms)), costs: map[int]float64{}}
	p := a.plan
	if len(fences) > 0 {
		a.rel = s.Relations(p.Program, p.Graph)
	}
	list := workers(p.Graph, a.rel, len(p.Slots))
	prove(p, list)
	solver := list[0].solver
	whole := s.force(p, a.rel, solver)
	options := make([][]option, len(p.Slots)) // by slot, those that are taken first first
	each(list, len(p.Slots), func(w *worker, i int) {
		c, strip := p.Slots[i].Comm, p.Slots[i].Strip
		weight := s.weights.Comms[c.ID]
		base := weight * s.stripCost(strip)
		first := plan.Trial{Form: p.Slots[i].Form, Cost: base}
		if first.Ready == plan.Always {
			first.Cost += weight * choose.ReadyCost
		}
		if strip != nil {
			first.Strip, first.Completes = strip.Size, strip.Completes
		}
		a.trials[i] = append(a.trials[i], first)
		if why := whole[i]; why != "" {
			a.trials[i] = append(a.trials[i], plan.Trial{Not: why})
		}
		if first.Ready == plan.Never {
			return
		}
		for _, f := range s.forms(p, c) {
			if strip != nil {
				f.bytes = added(c, strip, f.slots.Ring)
			}
			t := first
			t.Form = f.form(plan.Always)
			free := w.free(f.slots, w.rel.KillsAfter)
			if free {
				t.Ready = plan.Never
				t.Cost = base + byteCost*float64(f.bytes)
				if f.slots.Staged {
					t.Cost += weight * copyCost
				}
				f.slot, f.trial, f.saves = i, len(a.trials[i]), first.Cost-t.Cost
				options[i] = append(options[i], f)
			}
			if a.trials[i] = append(a.trials[i], t); free {
				break
			}
		}
	})
	a.choose(options, s.Memory)
	s.strips(a, options, solver)
	for _, o := range slices.Concat(options...) {
		slot := &p.Slots[o.slot]
		if a.trials[o.slot][o.trial].Note != chosen {
			continue
		}
		slot.Verdict = synch.NoReady
		if o.strip != nil {
			slot.Strip = o.strip
		}
		slot.Take(o.form(plan.Never))
		c := list[0].certify(o.slots, a.rel.KillsAfter)
		slot.Proofs = []*proof.Certificate{c}
		slot.Why = p.WhyRing(slot, c.Witnesses(p.Graph))
	}
	k := s.known(a)
	s.onDemand(a)
	k.settle(a.plan)
	for i := range p.Slots {
		a.costs[s.weights.nest[i+1]] += a.taken(i).Cost
	}
	for _, c := range fences {
		a.costs[s.weights.nest[c]] += s.weights.Comms[c] * fenceCost
	}
	return a
}

// form is that of the slots of an option.
func (o *option) form(r plan.Ready) plan.Form {
	return plan.Form{Ready: r, Ring: o.slots.Ring, Staged: o.slots.Staged, Planes: o.planes}
}

const chosen = plan.Chosen

// taken is what was chosen for a slot, by its index.
func (a *attempt) taken(i int) *plan.Trial {
	k := slices.IndexFunc(a.trials[i], func(t plan.Trial) bool { return t.Note == chosen })
	return &a.trials[i][max(k, 0)]
}

// mostSlots is the most slots that are tried.
const mostSlots = 3

// forms are the rings of slots that may free a communication that one slot does not, the
// cheapest first. A pipelined one has its values where its region computes; the
// start of an irregular one orders all PEs anyway.
func (s *searcher) forms(p *plan.Plan, c *comm.Comm) (out []option) {
	first := 2
	switch {
	case c.Kind == comm.Pipeline || c.Kind == comm.Irregular:
		return nil
	case c.Overlap:
		if planes := p.PlanesOf(c); planes != nil {
			out = append(out, option{slots: proof.Ring(c.ID, 2, false), planes: planes})
		}
		first = 1
	}
	for n := first; n <= mostSlots; n++ {
		out = append(out, option{slots: proof.Ring(c.ID, n, c.Overlap), bytes: s.ringBytes(c, nil, n, nil)})
	}
	return out
}

// ringBytes is how many bytes a ring of n slots for c takes more than the slot that there
// is anyway: a staging buffer each for an overlap, nothing for planes of it.
func (s *searcher) ringBytes(c *comm.Comm, strip *plan.Strip, n int, planes *plan.Planes) int64 {
	switch {
	case planes != nil:
		return 0
	case c.Overlap:
		return int64(n) * s.program.StageCells(c) * c.Array.Type.Size()
	}
	return added(c, strip, n)
}

// choose takes, for each slot, the first of its options for which there is memory.
// Those slots come first whose first option saves the most per byte.
func (a *attempt) choose(options [][]option, memory int64) {
	var order [][]option
	for _, list := range options {
		if len(list) > 0 {
			order = append(order, list)
		}
	}
	slices.SortStableFunc(order, func(x, y []option) int {
		return cmp.Compare(y[0].saves*float64(max(1, x[0].bytes)), x[0].saves*float64(max(1, y[0].bytes)))
	})
	left := max(0, memory)
	for _, list := range order {
		for _, o := range list {
			t := &a.trials[o.slot][o.trial]
			if o.saves <= 0 {
				continue
			}
			if o.bytes <= left {
				t.Note = chosen
				left -= o.bytes
				break
			}
			t.Note = fmt.Sprintf("but takes up to %d bytes, of %d that are left", o.bytes, left)
		}
	}
}

// done gives the slots what was tried for them.
func (a *attempt) done() *plan.Plan {
	for i, list := range a.trials {
		if !slices.ContainsFunc(list, func(t plan.Trial) bool { return t.Note == chosen }) {
			list[0].Note = chosen
		}
		if len(list) > 1 {
			a.plan.Slots[i].Tried = list
		}
	}
	a.plan.Notes = notes(a.plan)
	return a.plan
}

// notes explain the words of the text form of a plan that was searched for.
func notes(p *plan.Plan) []string {
	if len(p.Fenced) == 0 && !slices.ContainsFunc(p.Slots, func(s plan.Slot) bool { return s.Tried != nil }) {
		return nil
	}
	list := []string{
		"tried: what the search looked at for the slot above; it takes the cheapest.",
		"elided: no ready messages; ready: one before every put; on-demand: only from consumers that have sent the producer nothing since.",
		"*2: a ring of two slots; staged: staging buffers, from which is copied what has arrived; pingpong: planes of the overlap in turn.",
		fmt.Sprintf("cost: of all expected executions, in messages: a ready message %g, a copy out of a staging buffer %g, on demand %g,", choose.ReadyCost, copyCost, noteCost),
		fmt.Sprintf("a barrier %g, a byte of slots %g, of many slots %g. Loops of unknown bounds count as %g iterations.", fenceCost, byteCost, firstCost, choose.GuessTrip),
		"proof: what is known in front of each node of the graph below, of the last value | of the one before | ...; verified.",
	}
	if slices.ContainsFunc(p.Slots, func(s plan.Slot) bool { return s.Strip != nil }) {
		list = append(list,
			"strips: the temporary holds a strip of a loop; what comes later is got from the owners. Behind the colon, the nodes that may",
			fmt.Sprintf("overwrite it, and what holds in front of them; or completion acknowledgements. A strip that is got costs %g.", getCost))
	}
	if slices.ContainsFunc(p.Slots, func(s plan.Slot) bool { return s.Planes != nil }) {
		list = append(list, "alternates: the subscript named is another one in each execution; verified.")
	}
	return list
}
