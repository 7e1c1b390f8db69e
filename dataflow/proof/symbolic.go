package proof

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
)

// symbolic is the domain for any number of PEs: one consumer, PE 0, stands for all, and
// Next and Everybody for who may know. Its points are the nodes of the graph.
type symbolic struct {
	graph *cfg.Graph
	next  [][]int             // by point
	comms map[int][]*cfg.Node // by number, the C nodes of a communication
	o     Obligation
	// kills reports whether a communication answers the put that is number nth from there.
	kills  func(y, nth int) bool
	chains Sequences
	// ends are the points at which Next has to be known, where Put is 0.
	ends []int
}

func newSymbolic(g *cfg.Graph) *symbolic {
	s := &symbolic{graph: g, next: make([][]int, len(g.Nodes)), comms: map[int][]*cfg.Node{}}
	for _, n := range g.Nodes {
		if n.Kind == cfg.Comm {
			s.comms[n.Ref] = append(s.comms[n.Ref], n)
		}
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
func (s *symbolic) everyone() uint64         { return RelayPEs(len(s.chains.Relays)+1) - 1 }
func (s *symbolic) users(int) uint64         { return Consumer }
func (s *symbolic) name(point int) string    { return s.graph.Nodes[point].Name() }

// senders: the consumer sends to the next producers, if the communication kills, and the
// PEs of a relay do if it ends their chain; the PEs of a relay are sent to by those of the
// one before.
func (s *symbolic) senders(point, pe, nth int) uint64 {
	n := s.node(point)
	switch who := uint64(1) << pe; {
	case n.Flavour == recv || n.Flavour == send:
	case who == Next:
		out := uint64(0)
		if s.kills(n.Ref, nth) {
			out = Consumer
		}
		for _, k := range s.chains.Ends {
			if k.Comm == n.Ref && k.Nth == nth {
				out |= RelayPEs(k.Via)
			}
		}
		return out
	case who >= firstRelay:
		switch r := s.chains.Relays[pe-relayBits]; {
		case r.Comm != n.Ref:
		case r.From == 0:
			return Consumer
		default:
			return RelayPEs(r.From)
		}
	}
	return 0
}

// relayBits is the place of the first relay in a set of PEs.
const relayBits = 3

// counted is what is taken for granted where some of the senders send to pe: nothing of
// relays but that their messages are certain.
func (s *symbolic) counted(comm, nth, pe int, from uint64) Kill {
	switch {
	case 1<<pe != Next:
		return Kill{}
	case from == Consumer:
		return Kill{Comm: comm, Nth: nth}
	}
	return Kill{comm, nth, bits.TrailingZeros64(from) - relayBits + 1}
}

func (s *symbolic) goals(put, generation int, do func(point int, f Fact)) {
	f := Fact{Generation: generation, PEs: Next}
	if put == 0 {
		for _, point := range s.ends {
			do(point, f)
		}
		return
	}
	for _, n := range s.comms[put] {
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
	for i, r := range s.chains.Relays {
		if set&RelayPEs(i+1) != 0 {
			names = append(names, fmt.Sprintf("the receivers of C_%d in a chain", r.Comm))
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
	if len(c.Relays) > MaxRelays || len(c.Relays) > 0 && c.Ring > 1 {
		return fmt.Errorf("%d relays, of a ring of %d slots", len(c.Relays), c.Ring)
	}
	for i, r := range c.Relays {
		if r.From < 0 || r.From > i {
			return fmt.Errorf("relay %d of chains comes behind relay %d", i+1, r.From)
		}
		if err := s.alike(r.Comm); err != nil {
			return err
		}
	}
	for _, k := range c.Kills {
		if k.Via < 0 || k.Via > len(c.Relays) {
			return fmt.Errorf("there is no relay %d", k.Via)
		}
		if k.Via > 0 {
			if err := s.alike(k.Comm); err != nil {
				return err
			}
		}
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

// alike wants a link of a chain: another communication than those of the obligation, not
// pipelined, in the outermost loop around the put.
func (s *symbolic) alike(y int) error {
	if y == s.o.Use || y == s.o.Put {
		return fmt.Errorf("#%d counts on its own messages, or those of the put, in a chain", s.o.Use)
	}
	if l := s.outermost(y); l == nil || l != s.outermost(s.o.Put) {
		return fmt.Errorf("#%d counts on #%d in a chain, which is not in the outermost loop around #%d", s.o.Use, y, s.o.Put)
	}
	return s.sends(y)
}

// sends wants a communication that is not pipelined.
func (s *symbolic) sends(y int) error {
	for _, n := range s.comms[y] {
		if n.Flavour == recv || n.Flavour == send {
			return fmt.Errorf("#%d is pipelined: its messages say nothing of what comes before it", y)
		}
	}
	if len(s.comms[y]) == 0 {
		return fmt.Errorf("there is no communication #%d", y)
	}
	return nil
}

// outermost is the outermost loop around the puts of communication r.
func (s *symbolic) outermost(r int) (out *cfg.Loop) {
	for _, n := range s.comms[r] {
		if Puts(n, r) {
			for l := n.Loop; l != nil; l = l.Parent {
				out = l
			}
		}
	}
	return out
}

// counts reports whether the certificate takes for granted that y answers the put that
// comes as number nth behind it.
func (c *Certificate) counts(y, nth int) bool {
	return slices.Contains(c.Kills, Kill{Comm: y, Nth: nth})
}
