package exact

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg"
)

// The flavours of the C nodes of a pipelined communication: it is received at the
// first and put at the second.
const (
	recv = "recv"
	send = "send"
)

// Checked is a proof whose claims follow from each other, over a graph.
type Checked struct {
	*Proof
	graph *cfg.Graph
	sent  []*Sent // by copy; nil where it is no C node
}

// Check checks that the copies are of the nodes of g and follow each other as
// these do, that each C node has its messages, and that the claims are inductive:
// those in front of a copy hold on every way to it. What tells the copies of a
// node apart, which ways out of loops and branches there are, and the messages
// are for others to check: they depend on the program.
func (p *Proof) Check(g *cfg.Graph) (*Checked, error) {
	c := &Checked{Proof: p, graph: g, sent: make([]*Sent, len(p.Copies))}
	if err := c.copies(); err != nil {
		return nil, err
	}
	if err := c.messages(); err != nil {
		return nil, err
	}
	for i := range p.Uses {
		u := &p.Uses[i]
		if p.Find(u.Comm, u.Slots, u.Staged) != u {
			return nil, fmt.Errorf("claims about #%s come twice", u.name())
		}
		if err := c.inductive(u); err != nil {
			return nil, fmt.Errorf("claims about #%s: %w", u.name(), err)
		}
	}
	return c, nil
}

func (c *Checked) node(i int) *cfg.Node { return c.graph.Nodes[c.Copies[i].Node] }

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
		for _, k := range s.Copies {
			n := c.node(k)
			if n.Kind != cfg.Comm || n.Ref != s.Comm {
				return fmt.Errorf("copy %d is not of a C node of #%d", k, s.Comm)
			}
			if c.sent[k] != nil {
				return fmt.Errorf("copy %d has messages twice", k)
			}
			c.sent[k] = s
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

// table is who knows what, for each age and PE at which a use is: bit p if p knows.
type table []uint64

// view is a claim as the rules need it.
type view struct {
	known      table
	under      map[int]table // by communication
	over, idle uint64
}

// rules is how the claims about a use pass nodes.
type rules struct {
	*Checked
	u *Use
}

func (r *rules) newTable() table { return make(table, r.u.Slots*r.PEs) }

func (r *rules) view(c *Claim) *view {
	v := &view{known: r.newTable(), under: map[int]table{}, over: c.Over, idle: c.Idle}
	for _, f := range c.Facts {
		t := v.known
		if f.Under != 0 {
			if t = v.under[f.Under]; t == nil {
				t = r.newTable()
				v.under[f.Under] = t
			}
		}
		t[f.Age*r.PEs+f.At] |= f.PEs
	}
	return v
}

// told is what the arrival of y lets PEs know, or leaves them knowing.
func (r *rules) told(v *view, y int) table {
	out := slices.Clone(v.known)
	for i, s := range v.under[y] {
		out[i] |= s
	}
	return out
}

func (c *Checked) inductive(u *Use) error {
	r := &rules{c, u}
	claims := make([]*Claim, len(c.Copies))
	last := -1
	for _, s := range u.Claims {
		if s.From <= last || s.To < s.From || s.To >= len(c.Copies) {
			return fmt.Errorf("claims for the copies %d-%d: copies ascend", s.From, s.To)
		}
		for i := s.From; i <= s.To; i++ {
			claims[i] = s.Claim
		}
		last = s.To
	}
	if slices.Contains(allSuccs(c.Copies), 0) {
		return errors.New("the entry is reached again")
	}
	for i, k := range c.Copies {
		var out *view
		for _, s := range k.Succs {
			claim := claims[s]
			if claim == nil {
				continue
			}
			if out == nil {
				in := claims[i]
				if in == nil {
					in = &Claim{}
				}
				out = r.after(r.before(i, in), i)
			}
			if err := r.follows(claim, out); err != nil {
				return fmt.Errorf("copy %d (%s) behind copy %d (%s): %w", s, c.node(s).Name(), i, c.node(i).Name(), err)
			}
		}
	}
	return nil
}

func allSuccs(copies []Copy) (out []int) {
	for _, c := range copies {
		out = append(out, c.Succs...)
	}
	return out
}

// before is what holds in front of a copy. At the entry nothing was used, so that
// all PEs are after all uses.
func (r *rules) before(i int, c *Claim) *view {
	v := r.view(c)
	if i == 0 {
		for k := range v.known {
			v.known[k] = everyone(r.PEs)
		}
		v.over, v.idle = everyone(r.PEs), everyone(r.PEs)
	}
	return v
}

// after is what holds behind copy i when v holds in front of it. v is used up.
func (r *rules) after(v *view, i int) *view {
	n := r.node(i)
	switch n.Kind {
	case cfg.Comm:
		r.comm(v, n, r.sent[i])
	case cfg.CommOver:
		v.known = r.told(v, n.Ref)
		delete(v.under, n.Ref)
		if n.Ref == r.u.Comm && r.u.Staged {
			r.end(v)
		}
	case cfg.UseOver:
		if n.Ref == r.u.Comm && !r.u.Staged {
			r.end(v)
		}
	case cfg.Reduce, cfg.Barrier: // who knows it tells everybody
		for k, s := range v.known {
			if s != 0 {
				v.known[k] = everyone(r.PEs)
			}
		}
	}
	return v
}

// comm is the C nodes: what is certain to be sent takes along what its senders
// know, and a put of the communication itself starts a new use, which makes all
// others one age older.
func (r *rules) comm(v *view, n *cfg.Node, s *Sent) {
	if n.Flavour != send {
		flight := r.newTable()
		for k, knows := range v.known {
			for p := range r.PEs {
				if knows>>p&1 != 0 && len(s.Must) > 0 {
					flight[k] |= s.Must[p]
				}
			}
		}
		v.under[n.Ref] = flight
	}
	if n.Ref != r.u.Comm || n.Flavour == recv {
		return
	}
	older := func(t table) table {
		out := r.newTable()
		copy(out[r.PEs:], t)
		for q := range r.PEs {
			// Who does not take part has used the slot when it was filled last.
			if s.Users>>q&1 == 0 {
				out[q] = t[(r.u.Slots-1)*r.PEs+q]
			}
		}
		return out
	}
	v.known = older(v.known)
	for y, t := range v.under {
		v.under[y] = older(t)
	}
	// Users who may not be done with the value before are not told apart.
	v.over &^= s.Users
	v.idle = v.over
}

// end is the end of the latest use. Nobody but the user itself knows of it.
func (r *rules) end(v *view) {
	for q := range r.PEs {
		if v.idle>>q&1 == 0 {
			v.known[q] = 0
			for _, t := range v.under {
				t[q] = 0
			}
		}
		v.known[q] |= 1 << q
	}
	v.over = everyone(r.PEs)
}

// follows checks that a claim follows from what holds.
func (r *rules) follows(c *Claim, v *view) error {
	if c.Over&^v.over != 0 || c.Idle&^v.idle != 0 {
		return errors.New("a use may not be over")
	}
	for _, f := range c.Facts {
		have := v.known[f.Age*r.PEs+f.At]
		if t := v.under[f.Under]; f.Under != 0 && t != nil {
			have |= t[f.Age*r.PEs+f.At]
		}
		if f.PEs&^have != 0 {
			return fmt.Errorf("PEs %s need not know of the use of age %d at PE %d", set(f.PEs&^have), f.Age, f.At)
		}
	}
	return nil
}

// Orders checks that the claims about the uses of a communication, with so many
// slots, are enough for the puts of another one, or the same, to go without ready
// messages: each PE that may put to another knows that the use of the slot is over.
func (c *Checked) Orders(use, slots int, staged bool, put int) error {
	u := c.Find(use, slots, staged)
	if u == nil {
		return fmt.Errorf("nothing is claimed of the uses of #%d on %d PEs", use, c.PEs)
	}
	r := &rules{c, u}
	at := 0
	for i := range c.Copies {
		n := c.node(i)
		if n.Kind != cfg.Comm || n.Ref != put || n.Flavour == recv {
			continue
		}
		for at < len(u.Claims) && u.Claims[at].To < i {
			at++
		}
		claim := &Claim{}
		if at < len(u.Claims) && u.Claims[at].From <= i {
			claim = u.Claims[at].Claim
		}
		v := r.before(i, claim)
		for p := range c.PEs {
			for q := range c.PEs {
				if c.sent[i].May.has(p, q) && v.known[(slots-1)*c.PEs+q]>>p&1 == 0 {
					return fmt.Errorf("on %d PEs, when PE %d puts #%d to PE %d (copy %d), nothing is claimed to have told PE %d that the use of #%d there is over", c.PEs, p, put, q, i, p, use)
				}
			}
		}
	}
	return nil
}
