package plan

import (
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/procfunc"
)

// Observed is what sampled executions on a number of PEs show of a communication.
type Observed struct {
	Puts  bool // it has put something
	Again bool // … into a slot that the target had used before
	// Early: some put was not ordered, by data messages and collective operations
	// alone, behind the last use of its slot. It needs a ready message.
	Early bool
	// Told: some put waits for a ready message by the plan.
	Told bool
}

// observeEvents is the length of a sampled execution, in events and iterations.
const observeEvents = 3000

// Observe executes the communications of p on np PEs so many times, each time with
// other input and other ways where conditions are not known, with the slots that p
// gives them and no ready messages. It tells what it saw by communication number-1.
// Of executions whose messages are not known, as those with subscripts from
// arrays, it sees nothing.
func (p *Plan) Observe(np, runs int, seed uint64) []Observed {
	out := make([]Observed, len(p.Slots))
	for run := range runs {
		r := newReplay(p, np, seed+uint64(run))
		r.left = observeEvents
		r.seen = out
		r.nodes(p.Program.Body)
	}
	return out
}

// observe notes what the puts of c show, of which the messages are known.
func (r *replay) observe(c *comm.Comm, st *commState, messages []procfunc.Pair) {
	slot, o := &r.p.Slots[c.ID-1], &r.seen[c.ID-1]
	early := func(m procfunc.Pair, end int, live bool) {
		o.Again = o.Again || live || end > 0
		o.Early = o.Early || live || end > r.knows[m.From][m.To]
	}
	for _, m := range messages {
		o.Puts = true
		reused := true
		if slot.own() {
			last := len(st.ends) - slot.Count
			if reused = last >= 0; reused {
				end := st.ends[last][m.To]
				early(m, end, end == inUse)
			}
		} else {
			for _, use := range r.class[c.ID] {
				k := &r.state[use]
				early(m, k.used[m.To], k.live[m.To])
			}
		}
		switch {
		case slices.Contains(slot.At, r.np):
		case slot.Ready:
			o.Told = true
		case len(slot.Asks) > 0 && reused && !r.asked(slot, m):
			o.Told = true
		}
	}
}
