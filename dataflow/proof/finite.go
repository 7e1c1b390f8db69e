package proof

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/spmdc/spmdc/cfg"
)

// Unfolding is a program on one number of PEs: a copy of each node of its graph for each
// way in which the messages there may go, with the messages.
type Unfolding struct {
	PEs int
	// Loops are the heads, by node of the program, of the loops whose iterations are kept
	// apart.
	Loops []int
	// Ready are the communications, ascending, with a ready message before each put on so
	// many PEs that proofs count on: for each message p to q at C there is one q to p, which
	// p has received by CO ("Synchronizing Multiple Communications with a Single Message",
	// section 4 of the paper).
	Ready  []int
	Copies []Copy // the first one is of the entry
	Sent   []Sent
}

// Copy is a node of the program in some of its executions.
type Copy struct {
	Node  int   // ID
	Succs []int // copies that may come next
}

// Sent is what a communication sends at some copies of its C node.
type Sent struct {
	Comm   int
	Copies []int // ascending
	// Must are the messages that are certain; of a pipelined communication where it is
	// received, with those that follow from them by way of others. May are all that there
	// can be, those in Must included. Users may use what is brought: receivers and those
	// who have it.
	Must, May Messages
	Users     uint64
}

// Messages is who sends to whom: bit q of element p for a message from PE p to q.
// Nil stands for none.
type Messages []uint64

// Has reports whether p sends to q.
func (m Messages) Has(p, q int) bool { return len(m) > 0 && m[p]>>q&1 != 0 }

// Each calls do for every message, by sender, then receiver.
func (m Messages) Each(do func(p, q int)) {
	for p, to := range m {
		for ; to != 0; to &= to - 1 {
			do(p, bits.TrailingZeros64(to))
		}
	}
}

// Chains are the messages and what leads from PE to PE by several of them: a pipelined
// communication is received before it is sent on.
func (m Messages) Chains() Messages {
	out := slices.Clone(m)
	for via := range out {
		for p := range out {
			if out[p]>>via&1 != 0 {
				out[p] |= out[via]
			}
		}
	}
	return out
}

// Within reports whether all messages of m are among those of n.
func (m Messages) Within(n Messages) bool {
	for p, to := range m {
		if to != 0 && (len(n) == 0 || to&^n[p] != 0) {
			return false
		}
	}
	return true
}

// All has a message for each two PEs.
func All(pes int) Messages {
	m := make(Messages, pes)
	for p := range m {
		m[p] = everyPE(pes) &^ (1 << p)
	}
	return m
}

func everyPE(pes int) uint64 { return 1<<pes - 1 } // of 64: a shift by 64 gives 0

// Checked is an unfolding whose copies follow each other as the nodes of a graph do. It is
// the finite domain; its points are the copies.
type Checked struct {
	*Unfolding
	graph *cfg.Graph
	sent  []*Sent // by copy; nil where it is no C node
	from  [][]uint64
	goal  map[int][]int // by communication, the copies at which it puts
}

// Check checks that the copies are of the nodes of g and follow each other as these do,
// and that each C node has its messages. What distinguishes the copies of a node, which ways
// out of loops and branches there are, and the messages are for others to check: they
// depend on the program.
func (u *Unfolding) Check(g *cfg.Graph) (*Checked, error) {
	c := &Checked{Unfolding: u, graph: g, sent: make([]*Sent, len(u.Copies)), from: make([][]uint64, len(u.Copies)), goal: map[int][]int{}}
	if err := c.copies(); err != nil {
		return nil, err
	}
	if err := c.messages(); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Checked) copies() error {
	if c.PEs < 1 || c.PEs > MaxPEs || len(c.Copies) == 0 {
		return errors.New("no copies, or too many PEs")
	}
	for i, k := range c.Copies {
		if k.Node < 0 || k.Node >= len(c.graph.Nodes) {
			return fmt.Errorf("copy %d is of node %d, and there are %d", i, k.Node, len(c.graph.Nodes))
		}
	}
	if c.node(0) != c.graph.Entry {
		return errors.New("the first copy is not of the entry")
	}
	for i, k := range c.Copies {
		n := c.node(i)
		for _, s := range k.Succs {
			if s < 0 || s >= len(c.Copies) || !slices.Contains(n.Succs, c.node(s)) {
				return fmt.Errorf("copy %d of node %d goes on to copy %d, which is not of a node that comes next", i, n.ID, s)
			}
		}
		open := 0
		for _, m := range n.Succs {
			if !slices.ContainsFunc(k.Succs, func(s int) bool { return c.node(s) == m }) {
				open++
			}
		}
		// Loops and branches may be known to go one way.
		if chooses := n.Kind == cfg.LoopHead || n.Kind == cfg.Branch; open > 0 && (!chooses || open == len(n.Succs)) {
			return fmt.Errorf("copy %d of node %d does not go on to all nodes that come next", i, n.ID)
		}
	}
	return nil
}

func (c *Checked) messages() error {
	for i := range c.Sent {
		s := &c.Sent[i]
		if !s.Must.Within(s.May) {
			return fmt.Errorf("messages of #%d are certain and cannot be", s.Comm)
		}
		from := make([]uint64, c.PEs)
		acknowledged := slices.Contains(c.Ready, s.Comm)
		s.Must.Each(func(p, q int) {
			if from[q] |= 1 << p; acknowledged {
				from[p] |= 1 << q
			}
		})
		for _, k := range s.Copies {
			n := c.node(k)
			if n.Kind != cfg.Comm || n.Ref != s.Comm {
				return fmt.Errorf("copy %d is not of a C node of #%d", k, s.Comm)
			}
			if acknowledged && (n.Flavour == recv || n.Flavour == send) {
				return fmt.Errorf("proofs count on the ready messages of #%d, which is pipelined", s.Comm)
			}
			if c.sent[k] != nil {
				return fmt.Errorf("copy %d has messages twice", k)
			}
			c.sent[k], c.from[k] = s, from
			if Puts(n, s.Comm) {
				c.goal[s.Comm] = append(c.goal[s.Comm], k)
			}
		}
	}
	for k := range c.Copies {
		if n := c.node(k); n.Kind == cfg.Comm && c.sent[k] == nil {
			return fmt.Errorf("copy %d of %s has no messages", k, n.Name())
		}
	}
	return nil
}

// SentAt is the messages at a copy of a C node.
func (c *Checked) SentAt(i int) *Sent { return c.sent[i] }

func (c *Checked) size() int                   { return len(c.Copies) }
func (c *Checked) node(i int) *cfg.Node        { return c.graph.Nodes[c.Copies[i].Node] }
func (c *Checked) succs(i int) []int           { return c.Copies[i].Succs }
func (c *Checked) everyone() uint64            { return everyPE(c.PEs) }
func (c *Checked) users(i int) uint64          { return c.sent[i].Users }
func (c *Checked) senders(i, pe, _ int) uint64 { return c.from[i][pe] }
func (c *Checked) begins(n *cfg.Node) bool     { return n.Flavour != recv }
func (c *Checked) forgets(*cfg.Node) bool      { return false }
func (c *Checked) name(i int) string           { return fmt.Sprintf("copy %d (%s)", i, c.node(i).Name()) }
func (c *Checked) sayPEs(set uint64) string    { return "PEs " + setText(set) }

// goals: each PE that may put to a consumer has to know of it.
func (c *Checked) goals(put, generation int, do func(point int, f Fact)) {
	for _, i := range c.goal[put] {
		to := make([]uint64, c.PEs)
		c.sent[i].May.Each(func(p, q int) { to[q] |= 1 << p })
		for q, from := range to {
			if from != 0 {
				do(i, Fact{Generation: generation, At: q, PEs: from})
			}
		}
	}
}
