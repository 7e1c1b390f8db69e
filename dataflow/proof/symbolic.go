package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
)

// symbolic is the domain for any number of PEs: one consumer, PE 0, stands for all, and
// Next and Everybody for who may know. Its points are the nodes of the graph.
type symbolic struct {
	graph *cfg.Graph
	next  [][]int // by point
	o     Obligation
	// kills reports whether a communication answers the put that is number nth from there.
	kills func(y, nth int) bool
	// ends are the points at which Next has to be known, where Put is 0.
	ends []int
}

func newSymbolic(g *cfg.Graph) *symbolic {
	s := &symbolic{graph: g, next: make([][]int, len(g.Nodes))}
	for _, n := range g.Nodes {
		for _, m := range n.Succs {
			if m != nil {
				s.next[n.ID] = append(s.next[n.ID], m.ID)
			}
		}
	}
	return s
}

func (s *symbolic) size() int                { return len(s.graph.Nodes) }
func (s *symbolic) node(point int) *cfg.Node { return s.graph.Nodes[point] }
func (s *symbolic) succs(point int) []int    { return s.next[point] }
func (s *symbolic) everyone() uint64         { return Consumer | Next | Everybody }
func (s *symbolic) users(int) uint64         { return Consumer }
func (s *symbolic) name(point int) string    { return s.graph.Nodes[point].Name() }

// senders: the consumer sends to the next producers, if the communication kills.
func (s *symbolic) senders(point, pe, nth int) uint64 {
	n := s.node(point)
	if 1<<pe != Next || n.Flavour == recv || n.Flavour == send || !s.kills(n.Ref, nth) {
		return 0
	}
	return Consumer
}

func (s *symbolic) goals(put, generation int, do func(point int, f Fact)) {
	f := Fact{Generation: generation, PEs: Next}
	if put == 0 {
		for _, point := range s.ends {
			do(point, f)
		}
		return
	}
	for _, n := range s.graph.Nodes {
		if Puts(n, put) {
			do(n.ID, f)
		}
	}
}

// begins: where others fill the same cells, a pipelined communication uses them from
// where it waits.
func (s *symbolic) begins(n *cfg.Node) bool { return n.Flavour != recv || s.o.Put != s.o.Use }

func (s *symbolic) forgets(n *cfg.Node) bool { return s.o.Put != s.o.Use && Puts(n, s.o.Put) }

func (s *symbolic) sayPEs(set uint64) string {
	var names []string
	for i, name := range []string{"the consumer", "the next producers", "everybody"} {
		if set>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " and ")
}

// assumptions checks what a symbolic certificate takes for granted, as far as the graph
// shows: a proof must not count on messages that do not exist, on those of a slot of
// which there is one for itself, or on those of pipelined communications, which arrive
// before they are sent.
func (c *Certificate) assumptions(s *symbolic) error {
	o := s.o
	for _, k := range c.Kills {
		if k.Nth < 1 || k.Nth > c.Ring || (k.Comm == o.Use || k.Comm == o.Put) && k.Nth == c.Ring {
			return fmt.Errorf("#%d counts on its own messages, or those of no put to come: %d@%d", o.Use, k.Comm, k.Nth)
		}
		if k.Comm != o.Use {
			if err := s.sends(k.Comm); err != nil {
				return err
			}
		}
	}
	return nil
}

// sends wants a communication that is not pipelined.
func (s *symbolic) sends(y int) error {
	found := false
	for _, n := range s.graph.Nodes {
		if n.Kind != cfg.Comm || n.Ref != y {
			continue
		}
		found = true
		if n.Flavour == recv || n.Flavour == send {
			return fmt.Errorf("#%d is pipelined: its messages say nothing of what comes before it", y)
		}
	}
	if !found {
		return fmt.Errorf("there is no communication #%d", y)
	}
	return nil
}

// counts reports whether the certificate takes for granted that y answers the put that
// comes as number nth behind it.
func (c *Certificate) counts(y, nth int) bool {
	return slices.Contains(c.Kills, Kill{y, nth})
}
