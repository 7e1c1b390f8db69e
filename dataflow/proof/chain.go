package proof

import (
	"math/bits"
	"slices"

	"github.com/spmdc/spmdc/cfg"
)

// Hop is a step by which a PE gets to know that a use is over.
type Hop struct {
	From, To int  // PEs; equal for the end of the use itself
	Node     int  // of the program's graph
	Ready    bool // by the ready message of the communication there
}

// Chains lists, by a finite certificate, the messages by which the PEs that put know that the
// uses are over.
type Chains struct {
	k     *Checker
	r     *rules
	c     *Certificate
	preds [][]int
}

// Chains prepares the chains of a certificate for one number of PEs that holds. It is valid
// until the checker is used again.
func (k *Checker) Chains(c *Certificate) (*Chains, error) {
	r, err := k.rules(c, nil)
	if err != nil {
		return nil, err
	}
	if err := k.spread(c, r); err != nil {
		return nil, err
	}
	return &Chains{k, r, c, k.predecessors(c.On, r)}, nil
}

// Each calls do for each pair of PEs of which one puts communication put to the other
// behind a use, with the shortest chain of messages by which the producer knows that the
// use is over, the end of the use first. It looks at so many pairs at most.
func (s *Chains) Each(put, most int, do func(p, q int, hops []Hop)) {
	done := map[[2]int]bool{}
	s.r.goals(put, s.c.Ring-1, func(point int, f Fact) {
		for set := f.PEs; set != 0 && len(done) < most; set &= set - 1 {
			p := bits.TrailingZeros64(set)
			if done[[2]int{p, f.At}] {
				continue
			}
			if hops := s.search(point, p, f); hops != nil {
				done[[2]int{p, f.At}] = true
				do(p, f.At, hops)
			}
		}
	})
}

// trace is a fact about one PE that is followed back: in front of a point.
type trace struct{ point, pe, generation, under int }

// search goes back from a fact to the end of the use, nil if no use comes before it.
func (s *Chains) search(point, pe int, f Fact) []Hop {
	type step struct {
		to  trace // the fact that this one leads to
		hop *Hop
	}
	start := trace{point, pe, f.Generation, f.Under}
	from := map[trace]step{start: {}}
	work := []trace{start}
	for len(work) > 0 {
		t := work[0]
		work = work[1:]
		for _, m := range s.preds[t.point] {
			want := Fact{t.under, t.generation, f.At, 1 << t.pe}
			for _, src := range s.r.sources(m, want) {
				node := s.r.node(m).ID
				if src.covers&want.PEs == 0 {
					continue
				}
				if src.from.PEs == 0 {
					hops := []Hop{{From: f.At, To: f.At, Node: node}}
					for at := t; at != start; at = from[at].to {
						if h := from[at].hop; h != nil {
							hops = append(hops, *h)
						}
					}
					return hops
				}
				who := src.from
				if !src.any {
					who.PEs &= want.PEs
				}
				for set := s.k.has(s.r, m, who); set != 0 && m != 0; set &= set - 1 {
					b := trace{m, bits.TrailingZeros64(set), src.from.Generation, src.from.Under}
					if _, seen := from[b]; seen {
						continue
					}
					st := step{to: t}
					if b.pe != t.pe {
						st.hop = &Hop{From: b.pe, To: t.pe, Node: node, Ready: s.ready(m, b.pe, t.pe)}
					}
					from[b] = st
					work = append(work, b)
				}
			}
		}
	}
	return nil
}

// ready reports whether what PE p sends PE q at a point is no data, but a ready message.
func (s *Chains) ready(point, p, q int) bool {
	sent := s.r.domain.(*Checked).SentAt(point)
	return sent != nil && !sent.Must.Has(p, q)
}

// Witnesses are the nodes of g at which, by a symbolic certificate, the next producers get
// to know that the use is over: reductions, barriers, and the arrival of kills, by ID.
func (c *Certificate) Witnesses(g *cfg.Graph) []*cfg.Node {
	var out []*cfg.Node
	learns := func(n *cfg.Node, behind Claim) bool {
		at := c.at(n.ID)
		return slices.ContainsFunc(behind, func(f Fact) bool {
			known := Fact{0, f.Generation, f.At, Next | Everybody}
			return f.PEs&Next != 0 && at.has(f)&Next == 0 && at.has(known) == 0
		})
	}
	for _, s := range c.Claims {
		for _, n := range g.Nodes[s.From : s.To+1] {
			if n.Kind != cfg.Reduce && n.Kind != cfg.Barrier && n.Kind != cfg.CommOver {
				continue
			}
			if slices.ContainsFunc(n.Succs, func(m *cfg.Node) bool { return learns(n, c.at(m.ID)) }) {
				out = append(out, n)
			}
		}
	}
	return out
}
