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
	for i, n := range p.Body {
		w.node(n, i)
	}
	return w
}

func (w *weights) list(list []comm.Node, nest int) {
	for _, n := range list {
		w.node(n, nest)
	}
}

func (w *weights) node(n comm.Node, nest int) {
	group := func(comms []*comm.Comm) {
		w.starts = append(w.starts, comms[0].ID)
		for _, c := range comms {
			w.nest[c.ID] = nest
		}
	}
	switch n := n.(type) {
	case *comm.Post:
		group(n.Comms)
	case *comm.Region:
		if n.Pipe != nil {
			group(n.Pipe.Comms)
		}
	case *comm.Loop:
		w.list(n.Body, nest)
	case *comm.WhileLoop:
		w.list(n.Pre, nest)
		w.list(n.Body, nest)
	case *comm.Branch:
		w.list(n.Then, nest)
		w.list(n.Else, nest)
	}
}
