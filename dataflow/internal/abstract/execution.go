package abstract

import (
	"math/rand/v2"

	"github.com/spmdc/spmdc/cfg"
)

// Clock is what a PE knows to have happened on each PE, in events.
type Clock [MaxPEs]int32

// Join adds what another PE knows.
func (c *Clock) Join(d Clock) {
	for i := range c {
		c[i] = max(c[i], d[i])
	}
}

// Execution follows the messages of a program along a path with vector clocks:
// only data messages and collectives carry knowledge. What the messages overwrite
// is the business of those who use it.
type Execution struct {
	of      *Built
	rng     *rand.Rand
	Clock   [MaxPEs]Clock
	sent    []Relation      // by number-1, messages on their way
	carried [][MaxPEs]Clock // by number-1, and what their senders knew
}

// NewExecution starts an execution, in which rng decides on the messages that
// are not certain.
func NewExecution(b *Built, rng *rand.Rand) Execution {
	return Execution{of: b, rng: rng, sent: make([]Relation, b.Comms()), carried: make([][MaxPEs]Clock, b.Comms())}
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
		e.sent[x], e.carried[x] = e.draw(n.Ref, at), e.Clock
		return e.sent[x]
	case cfg.CommOver:
		e.sent[x].Each(func(p, q int) { e.Clock[q].Join(e.carried[x][p]) })
		e.sent[x] = 0
	case cfg.Reduce, cfg.Barrier:
		var all Clock
		for p := range e.of.PEs {
			all.Join(e.Clock[p])
		}
		for p := range e.of.PEs {
			e.Clock[p] = all
		}
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
	arrived := make([][MaxPEs]Clock, region.Count) // by receiver
	for i := range messages {
		messages[i] = e.draw(region.First+i, at)
	}
	for k := range e.of.PEs {
		p := k
		if region.Ahead < 0 {
			p = e.of.PEs - 1 - k
		}
		for i := range messages {
			e.Clock[p].Join(arrived[i][p])
		}
		for i := range messages {
			x, received := region.First+i, false
			for q := range e.of.PEs {
				if messages[i].Has(p, q) {
					put(x, p, q)
					arrived[i][q].Join(e.Clock[p])
				}
				received = received || messages[i].Has(q, p)
			}
			over(x, p, received)
		}
	}
}
