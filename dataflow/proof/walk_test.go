package proof_test

import (
	"math/rand/v2"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
)

// walk executes a proof's copies along a random path, with a clock per PE: of the
// messages that are certain, those arrive and no others; of those that there can
// be, all are puts. It reports whether a put of a communication is not ordered
// behind the last use of its slot, by instances of another one or the same.
type walk struct {
	p     *proof.Unfolding
	g     *cfg.Graph
	sent  map[int]*proof.Sent
	use   *proof.Certificate
	put   int
	now   int
	knows [][]int // [p][q]: up to which event of q PE p knows
	under map[int][][]int
	count int     // instances of the use
	ends  [][]int // by instance modulo slots and PE: event that ended the use; live if none
	begun [][]bool
	held  []bool // by PE: it takes part in the instance at hand
}

const live = 1 << 40

func newWalk(p *proof.Unfolding, g *cfg.Graph, use *proof.Certificate, put int) *walk {
	w := &walk{p: p, g: g, sent: map[int]*proof.Sent{}, use: use, put: put, under: map[int][][]int{}, held: make([]bool, p.PEs)}
	for i := range p.Sent {
		for _, k := range p.Sent[i].Copies {
			w.sent[k] = &p.Sent[i]
		}
	}
	for range p.PEs {
		w.knows = append(w.knows, make([]int, p.PEs))
	}
	for range use.Ring {
		w.ends = append(w.ends, make([]int, p.PEs))
		w.begun = append(w.begun, make([]bool, p.PEs))
	}
	return w
}

func (w *walk) node(i int) *cfg.Node { return w.g.Nodes[w.p.Copies[i].Node] }

// path walks up to so many copies; early tells whether a put was not ordered.
func (w *walk) path(rng *rand.Rand, steps int) (early bool) {
	at := 0
	for range steps {
		if w.pass(at, w.node(at)) {
			return true
		}
		next := w.p.Copies[at].Succs
		if len(next) == 0 {
			return false
		}
		at = next[rng.IntN(len(next))]
	}
	return false
}

func has(m proof.Messages, p, q int) bool { return len(m) > 0 && m[p]>>q&1 != 0 }

// pass is all PEs at copy i.
func (w *walk) pass(i int, n *cfg.Node) (early bool) {
	w.now++
	for p := range w.knows {
		w.knows[p][p] = w.now
	}
	switch n.Kind {
	case cfg.Comm:
		return w.comm(w.sent[i], n)
	case cfg.CommOver:
		for q, clock := range w.under[n.Ref] {
			merge(w.knows[q], clock)
		}
		delete(w.under, n.Ref)
		if w.use.Staged && n.Ref == w.use.Use {
			w.end()
		}
	case cfg.UseOver:
		if !w.use.Staged && n.Ref == w.use.Use {
			w.end()
		}
	case cfg.Reduce, cfg.Barrier:
		for _, clock := range w.knows {
			merge(w.knows[0], clock)
		}
		for _, clock := range w.knows {
			merge(clock, w.knows[0])
		}
	}
	return false
}

func merge(into, from []int) {
	for q, t := range from {
		into[q] = max(into[q], t)
	}
}

func (w *walk) comm(s *proof.Sent, n *cfg.Node) (early bool) {
	if n.Flavour != "recv" && n.Ref == w.put {
		slot := w.count % w.use.Ring
		for p := range w.p.PEs {
			for q := range w.p.PEs {
				if has(s.May, p, q) && w.begun[slot][q] && w.ends[slot][q] > w.knows[p][q] {
					return true
				}
			}
		}
	}
	if n.Flavour != "send" {
		come := make([][]int, w.p.PEs)
		for q := range come {
			come[q] = make([]int, w.p.PEs)
			for p := range come {
				if has(s.Must, p, q) {
					merge(come[q], w.knows[p])
				}
			}
		}
		w.under[n.Ref] = come
	}
	if n.Flavour != "recv" && n.Ref == w.use.Use {
		slot := w.count % w.use.Ring
		w.count++
		for q := range w.p.PEs {
			w.held[q] = s.Users>>q&1 != 0
			if w.held[q] {
				w.begun[slot][q], w.ends[slot][q] = true, live
			}
		}
	}
	return false
}

// end is the end of the use that was begun last.
func (w *walk) end() {
	if w.count == 0 {
		return
	}
	slot := (w.count - 1) % w.use.Ring
	for q := range w.p.PEs {
		// A use that has ended may end again, at another node of the kind.
		if w.held[q] {
			w.ends[slot][q] = w.now
		}
	}
}
