package simulate

import (
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/procfunc"
)

// A communication on demand sends as many ready messages as the program's other messages
// leave it to send. How many these are depends on the number of PEs, on sizes and on how
// many slots there are, and is no matter of right or wrong: it is counted in executions
// on a few PEs, for each number of slots at once.

// countedPEs are the numbers of PEs that the counts are taken over. countedEvents
// bounds each execution, in events and iterations.
var countedPEs = []int{2, 4, 5, 8}

const countedEvents = 1500

// Rings are the numbers of slots that are counted for.
var Rings = []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}

// Count is of a communication with some number of slots.
type Count struct {
	puts  int // messages
	ready int // of these, with a ready message
	used  int // messages into slots that were filled before
	runs  int // executions
	blank int // of these, executions whose messages are not known
}

// Rate is the expected part of the messages that have ready messages, of a
// communication with the given number of slots that is executed weight times; false
// if the executions were too short to say. Those into new slots have none, the
// others are taken to be alike.
func (c Count) Rate(slots int, weight float64) (float64, bool) {
	switch {
	case weight <= float64(slots):
		return 0, true
	case c.runs >= 4*slots && c.blank == 0 && c.ready == 0:
		return 0, true // used now and then only, and not in need
	case c.runs == 0 || c.blank > 0 || c.used*3 < c.puts:
		return 0, false
	case c.used == 0:
		return 0, true
	}
	return float64(c.ready) / float64(c.used) * (weight - float64(slots)) / weight, true
}

// Each is the messages of one execution, on the average.
func (c Count) Each() float64 { return float64(c.puts) / float64(max(1, c.runs)) }

// OnDemand counts for those communications of p that have ready messages on demand, by
// number, then as in Rings; of the form of their slots it matters whether they are staged.
func OnDemand(p *plan.Plan) [][]Count {
	c := &counter{out: make([][]Count, len(p.Slots)+1), ready: make([][][]int, len(p.Slots)+1)}
	for _, pes := range countedPEs {
		for i := range p.Slots {
			if p.Slots[i].Ready != plan.OnDemand {
				continue
			}
			if c.out[i+1] == nil {
				c.out[i+1] = make([]Count, len(Rings))
			}
			c.ready[i+1] = make([][]int, len(Rings))
			for k := range Rings {
				c.ready[i+1][k] = make([]int, pes*pes)
			}
		}
		New(p, pes, 1, countedEvents, c).Execute()
	}
	return c.out
}

type counter struct {
	out   [][]Count
	ready [][][]int // by number, then as in Rings: what its own ready messages have acknowledged, by pair
}

// Put counts the puts of c.
func (n *counter) Put(r *Run, c *comm.Comm, messages []procfunc.Pair, known bool) {
	for k := range n.out[c.ID] {
		count := &n.out[c.ID][k]
		count.runs++
		if !known {
			count.blank++
		}
		count.puts += len(messages)
		if r.Instances(c.ID) < Rings[k] {
			continue
		}
		count.used += len(messages)
		over := r.Over(c.ID, Rings[k])
		for _, m := range messages {
			ready := &n.ready[c.ID][k][m.From*r.PEs+m.To]
			if max(r.Direct(m.From, m.To), *ready) < over {
				count.ready++
				*ready = r.now
			}
		}
	}
}
