package search

import (
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/cfg/comm/choose"
)

// weights is what the search knows of the places of communications.
type weights struct {
	*choose.Expected
	nest   []int // by number: the outermost statement, by its index in the body
	starts []int // numbers: those that come first in their group or pipelined region
}

// weigh walks the SPMD form.
func weigh(p *comm.Program) *weights {
	w := &weights{Expected: choose.Expect(p), nest: make([]int, len(p.Comms)+1)}
	for i, outermost := range p.Body {
		group := func(comms []*comm.Comm) {
			w.starts = append(w.starts, comms[0].ID)
			for _, c := range comms {
				w.nest[c.ID] = i
			}
		}
		for _, n := range comm.Within(outermost) {
			switch n := n.(type) {
			case *comm.Post:
				group(n.Comms)
			case *comm.Region:
				if n.Pipe != nil {
					group(n.Pipe.Comms)
				}
			}
		}
	}
	return w
}
