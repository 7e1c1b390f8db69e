package hb

import (
	"slices"

	"github.com/spmdc/spmdc/cfg"
)

// System is a program as the analysis sees it: control flow, and the messages
// between a number of PEs. Its graph is that of the program or an unfolding of
// it, in which a node of the program stands once for each way in which the
// messages may go there.
type System struct {
	Graph *cfg.Graph
	PEs   int
	// Origin is, by node, the ID of the node of the program.
	Origin []int
	// May holds, by node that puts, all messages that there can be; Must, by node
	// that starts a communication, those that are certain. The messages of a
	// pipelined communication are put at its node of flavour "send", and received
	// by nodes further on when these are at "recv": there Must has them, and their
	// chains.
	May, Must []Messages
	// Users has, by node that puts, the PEs that may use what is brought.
	Users []uint64
	// Ready are the communications, ascending, whose ready messages are counted on: with
	// each certain message there is one in the opposite direction, which arrives as it does.
	Ready []int

	loops []int // heads, in the program, of the loops whose iterations are kept apart
}

// The flavours of the C nodes of a pipelined communication.
const (
	recv = "recv"
	send = "send"
)

// puts reports whether n is a node at which its communication puts.
func puts(n *cfg.Node) bool { return n.Kind == cfg.Comm && n.Flavour != recv }

// newSystem is a system without messages over g.
func newSystem(g *cfg.Graph, pes int) *System {
	n := len(g.Nodes)
	s := &System{Graph: g, PEs: pes, Origin: make([]int, n), May: make([]Messages, n), Must: make([]Messages, n), Users: make([]uint64, n)}
	for i := range s.Origin {
		s.Origin[i] = i
	}
	return s
}

// set notes the messages of a node.
func (s *System) set(n *cfg.Node, may, must Messages, users uint64) {
	switch n.Flavour {
	case recv:
		s.Must[n.ID] = reach(must)
	case send:
		s.May[n.ID], s.Users[n.ID] = may, users
	default:
		s.May[n.ID], s.Must[n.ID], s.Users[n.ID] = may, must, users
	}
}

// carried is what goes from PE to PE at a C node, ready messages that are counted on included.
func (s *System) carried(n *cfg.Node) Messages {
	must := s.Must[n.ID]
	if must == nil || !slices.Contains(s.Ready, n.Ref) {
		return must
	}
	out := slices.Clone(must)
	must.Each(func(p, q int) { out[q] |= 1 << p })
	return out
}

// counting is the system with the ready messages of some communications counted on. It
// shares what does not depend on them.
func (s *System) counting(ready []int) *System {
	out := *s
	out.Ready = ready
	return &out
}

// unfolding builds a graph out of copies of the nodes of another one.
type unfolding struct {
	of     *cfg.Graph
	origin []int // by copy
	succs  [][]int
}

// add makes a copy of n and returns its number. The entry has to come first.
func (u *unfolding) add(n *cfg.Node) int {
	u.origin, u.succs = append(u.origin, n.ID), append(u.succs, nil)
	return len(u.origin) - 1
}

// system is the unfolded graph without messages. Its nodes know no loops.
func (u *unfolding) system(pes int) *System {
	g := &cfg.Graph{Nodes: make([]*cfg.Node, len(u.origin))}
	for i, id := range u.origin {
		n := *u.of.Nodes[id]
		n.ID, n.Succs, n.Preds, n.Loop = i, nil, nil, nil
		g.Nodes[i] = &n
		if id == u.of.Exit.ID {
			g.Exit = &n
		}
	}
	g.Entry = g.Nodes[0]
	for i, n := range g.Nodes {
		for _, k := range u.succs[i] {
			n.Succs = append(n.Succs, g.Nodes[k])
			g.Nodes[k].Preds = append(g.Nodes[k].Preds, n)
		}
	}
	s := newSystem(g, pes)
	s.Origin = u.origin
	return s
}
