package choose

import (
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// Expected is how often the parts of a program are executed in a run, by the estimates of
// this package. The search for plans of synchronisation counts with it.
type Expected struct {
	Comms []float64          // executions of each communication, by number
	Trips map[*ir.Do]float64 // iterations of a loop, each time that it is executed
}

// Expect estimates how often the parts of a program are executed.
func Expect(p *comm.Program) *Expected {
	w := newWeigher(p, guessPEs)
	w.expected = &Expected{Comms: make([]float64, len(p.Comms)+1), Trips: map[*ir.Do]float64{}}
	w.nodes(p.Body)
	return w.expected
}

// executed notes that communications are executed at the place at hand.
func (w *weigher) executed(list []*comm.Comm) {
	if w.expected == nil {
		return
	}
	for _, c := range list {
		w.expected.Comms[c.ID] = w.weight
	}
}
