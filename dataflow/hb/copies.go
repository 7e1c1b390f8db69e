package hb

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
)

// arrange numbers the nodes so that most follow the one before.
func (s *System) arrange() (order []*cfg.Node, copyOf []int) {
	g := s.Graph
	copyOf = make([]int, len(g.Nodes))
	for i := range copyOf {
		copyOf[i] = -1
	}
	work := []*cfg.Node{g.Entry}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if copyOf[n.ID] >= 0 {
			continue
		}
		copyOf[n.ID] = len(order)
		order = append(order, n)
		for _, m := range slices.Backward(n.Succs) {
			work = append(work, m)
		}
	}
	return order, copyOf
}

// unfolding writes the system down as copies of the nodes of the program.
func (s *System) unfolding(order []*cfg.Node, copyOf, loops []int) *proof.Unfolding {
	out := &proof.Unfolding{PEs: s.PEs, Loops: loops, Ready: s.Ready}
	sent := map[string]int{}
	for i, n := range order {
		c := proof.Copy{Node: s.Origin[n.ID]}
		for _, m := range n.Succs {
			c.Succs = append(c.Succs, copyOf[m.ID])
		}
		out.Copies = append(out.Copies, c)
		if n.Kind != cfg.Comm {
			continue
		}
		x := proof.Sent{Comm: n.Ref, Must: s.Must[n.ID], May: s.May[n.ID], Users: s.Users[n.ID]}
		if x.May == nil {
			x.May = x.Must // of a pipelined one where it is received
		}
		key := fmt.Sprint(x.Comm, x.Must, x.May, x.Users)
		k, ok := sent[key]
		if !ok {
			k = len(out.Sent)
			sent[key] = k
			out.Sent = append(out.Sent, x)
		}
		out.Sent[k].Copies = append(out.Sent[k].Copies, i)
	}
	return out
}
