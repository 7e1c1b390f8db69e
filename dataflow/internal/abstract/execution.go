package abstract

import (
	"math/rand/v2"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/clocks"
)

// Execution follows the messages of a program along a path with vector clocks:
// only data messages and collectives carry knowledge. What the messages overwrite
// is the business of those who use it.
type Execution struct {
	of      *Built
	rng     *rand.Rand
	Clocks  clocks.Clocks
	sent    []Relation      // by number-1, messages on their way
	carried []clocks.Clocks // by number-1, then by sender, and what they carry
}

// NewExecution starts an execution, in which rng decides on the messages that
// are not certain.
func NewExecution(b *Built, rng *rand.Rand) Execution {
	return Execution{of: b, rng: rng, Clocks: clocks.New(b.PEs), sent: make([]Relation, b.Comms()), carried: make([]clocks.Clocks, b.Comms())}
}

// draw gives the messages of an instance of communication x.
func (e *Execution) draw(x int, at Iteration) Relation {
	may, must := e.of.Messages(x, at)
	if may == must {
		return must
	}
	return must | may&Relation(e.rng.Uint32())
}

// Step passes a node outside of pipelined regions. It returns the messages that
// are sent there.
func (e *Execution) Step(n *cfg.Node, at Iteration) (sent Relation) {
	x := n.Ref - 1
	switch n.Kind {
	case cfg.Comm:
		e.sent[x], e.carried[x] = e.draw(n.Ref, at), make(clocks.Clocks, e.of.PEs)
		for p := range e.of.PEs {
			e.carried[x][p] = e.Clocks.Leave(p)
		}
		return e.sent[x]
	case cfg.CommOver:
		e.sent[x].Each(func(p, q int) { e.Clocks.Arrive(q, e.carried[x][p]) })
		e.sent[x] = 0
	case cfg.Reduce, cfg.Barrier:
		e.Clocks.Meet()
	}
	return 0
}

// Pipe passes a pipelined region: PE by PE along the messages, each of which goes
// to a PE that is still waiting for it. The communications of a region fill
// different cells. It calls put for each message p to q of communication x, and
// then over where p is done with what x has brought it; received tells whether
// that is anything.
func (e *Execution) Pipe(region *Region, at Iteration, put func(x, p, q int), over func(x, p int, received bool)) {
	messages := make([]Relation, region.Count)
	arrived := make([]map[int][]clocks.Clock, region.Count) // by receiver: what messages to it carry
	for i := range messages {
		messages[i], arrived[i] = e.draw(region.First+i, at), map[int][]clocks.Clock{}
	}
	for k := range e.of.PEs {
		p := k
		if region.Ahead < 0 {
			p = e.of.PEs - 1 - k
		}
		for i := range messages {
			for _, m := range arrived[i][p] {
				e.Clocks.Arrive(p, m)
			}
		}
		for i := range messages {
			x, received := region.First+i, false
			for q := range e.of.PEs {
				if messages[i].Has(p, q) {
					put(x, p, q)
					arrived[i][q] = append(arrived[i][q], e.Clocks.Leave(p))
				}
				received = received || messages[i].Has(q, p)
			}
			over(x, p, received)
		}
	}
}
