package search

import (
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// What the search guesses where the source does not say.
const (
	guessTrip = 50.0 // iterations of a loop of unknown bounds
	chance    = 0.5  // that a condition holds
)

// weights is what the search knows of the places of communications.
type weights struct {
	of     []float64 // by number: expected executions
	nest   []int     // by number: the outermost statement, by its index in the body
	starts []int     // numbers: those that come first in their group or pipelined region
}

// weigh walks the SPMD form.
func weigh(p *comm.Program) *weights {
	w := &weights{of: make([]float64, len(p.Comms)+1), nest: make([]int, len(p.Comms)+1)}
	for i, n := range p.Body {
		w.node(p, n, 1, i)
	}
	return w
}

func (w *weights) list(p *comm.Program, list []comm.Node, weight float64, nest int) {
	for _, n := range list {
		w.node(p, n, weight, nest)
	}
}

func (w *weights) node(p *comm.Program, n comm.Node, weight float64, nest int) {
	put := func(comms []*comm.Comm) {
		for _, c := range comms {
			w.of[c.ID], w.nest[c.ID] = weight, nest
		}
	}
	switch n := n.(type) {
	case *comm.Post:
		put(n.Comms)
		w.starts = append(w.starts, n.Comms[0].ID)
	case *comm.Region:
		if n.Pipe != nil {
			put(n.Pipe.Comms)
			w.starts = append(w.starts, n.Pipe.Comms[0].ID)
		}
	case *comm.Loop:
		w.list(p, n.Body, weight*trips(p, n.Do), nest)
	case *comm.WhileLoop:
		w.list(p, n.Pre, weight*guessTrip, nest)
		w.list(p, n.Body, weight*guessTrip, nest)
	case *comm.Branch:
		w.list(p, n.Then, weight*chance, nest)
		w.list(p, n.Else, weight*chance, nest)
	}
}

// trips is how often the body of a loop is expected to be executed.
func trips(p *comm.Program, d *ir.Do) float64 {
	b := p.Info.Bounds(d)
	if !b.LoOK || !b.HiOK || b.Step == 0 {
		return guessTrip
	}
	way, ok := b.Hi.Sub(b.Lo)
	if !ok || len(way.Vars()) > 0 {
		return guessTrip
	}
	last, ok := way.Eval(func(string) int64 { return 0 })
	if !ok {
		return guessTrip
	}
	return float64(max(0, last/b.Step+1))
}
