package simulate

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/procfunc"
)

// Example is an execution on a few PEs that shows what a ready message is for: at
// a put from PE From to PE To no data message and no reduction has acknowledged to From that
// To is done with what the put overwrites.
type Example struct {
	PEs, From, To int
	Use           int // the communication whose value is overwritten
	Line          int // of the put
	// Guessed: conditions that the source does not decide were taken as it came, so
	// the way may be one that no input leads to.
	Guessed bool
	// Input: it is so for some input, since numbers that the program reads were made
	// up.
	Input bool
	// At are the values of the loops' indices around the put, "it = 2", outermost
	// first.
	At []string
}

// Examples looks for examples for all communications that have ready messages, on
// so many PEs, or on a few for 0. One that is not there may still exist. What has them on
// demand is looked at as if it had one slot, and ready messages for every put.
func Examples(p *plan.Plan, pes int) map[int]*Example {
	plain := *p
	plain.Slots = slices.Clone(p.Slots)
	for i := range plain.Slots {
		if s := &plain.Slots[i]; s.Ready == plan.OnDemand && len(s.At) == 0 {
			s.Form = plan.Form{Ready: plan.Always, Ring: 1}
		}
	}
	numbers := PEs
	if pes > 0 {
		numbers = []int{pes}
	}
	out := seeker{}
	for _, n := range numbers {
		for run := range Runs {
			New(&plain, n, uint64(run), Events, out).Execute()
		}
	}
	return out
}

// seeker finds examples, by communication.
type seeker map[int]*Example

// Put looks at the puts of c that come now: for a PE that does not know of the end
// of a use.
func (found seeker) Put(r *Run, c *comm.Comm, messages []procfunc.Pair, known bool) {
	if c.Kind == comm.Irregular || r.Plan.Slots[c.ID-1].Ready == plan.Never || !known {
		return
	}
	for _, u := range r.Overwrites(c.ID) {
		for _, m := range messages {
			have, end := found[c.ID], u.Ends[m.To]
			if end == InUse || end <= r.Knows(m.From, m.To) || have != nil && (!have.Guessed || r.guessed) {
				continue
			}
			e := &Example{PEs: r.PEs, From: m.From, To: m.To, Use: u.Comm, Line: c.CLine, Guessed: r.guessed, Input: r.invented}
			for _, index := range putLoops(r.Plan, c.ID) {
				if v, ok := r.values[index]; ok {
					e.At = append(e.At, fmt.Sprintf("%s = %d", index, v))
				}
			}
			found[c.ID] = e
			break
		}
	}
}

// putLoops are the indices of the loops around the puts of communication c,
// outermost first.
func putLoops(p *plan.Plan, c int) (out []string) {
	for _, n := range p.Graph.Nodes {
		if !proof.Puts(n, c) {
			continue
		}
		for l := n.Loop; l != nil; l = l.Parent {
			if l.Index != "" {
				out = append([]string{l.Index}, out...)
			}
		}
		break
	}
	return out
}
