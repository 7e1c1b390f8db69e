package simulate

import (
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/procfunc"
)

// Observed is what sampled executions on a number of PEs show of a communication.
type Observed struct {
	Puts  bool // it has put something
	Again bool // … into a slot that the target had used before
	// Early: some put was not ordered, by data messages and collective operations
	// alone, behind the last use of its slot. It needs a ready message.
	Early bool
	// Waits: some put waits for a ready message by the plan.
	Waits bool
	// OnDemand: whether one is needed is found out as the program runs.
	OnDemand bool
}

// Or is what two samples show together.
func (o Observed) Or(p Observed) Observed {
	return Observed{o.Puts || p.Puts, o.Again || p.Again, o.Early || p.Early, o.Waits || p.Waits, o.OnDemand || p.OnDemand}
}

// observedEvents is the length of a sampled execution, in events and iterations.
const observedEvents = 3000

// Observe executes the communications of p on some PEs so many times, each time with
// other input and other ways where conditions are not known. It gives what it saw by
// communication number-1. Of executions whose messages are not known, as those with
// subscripts from arrays, it sees nothing.
func Observe(p *plan.Plan, pes, runs int, seed uint64) []Observed {
	out := make(observer, len(p.Slots))
	for run := range runs {
		New(p, pes, seed+uint64(run), observedEvents, out).Execute()
	}
	return out
}

type observer []Observed

// Put notes what the puts of c show.
func (out observer) Put(r *Run, c *comm.Comm, messages []procfunc.Pair, known bool) {
	slot, o := &r.Plan.Slots[c.ID-1], &out[c.ID-1]
	if !known || len(messages) == 0 {
		return
	}
	o.Puts = true
	for _, u := range r.Overwrites(c.ID) {
		for _, m := range messages {
			end := u.Ends[m.To]
			o.Again = o.Again || end > 0
			o.Early = o.Early || end > r.Knows(m.From, m.To)
		}
	}
	switch {
	case slices.Contains(slot.At, r.PEs):
	case slot.Ready == plan.Always:
		o.Waits = true
	case slot.Ready == plan.OnDemand:
		o.OnDemand = true
		for _, m := range messages {
			o.Waits = o.Waits || r.Over(c.ID, slot.Ring) > r.Direct(m.From, m.To)
		}
	}
}
