package plan

import (
	"cmp"
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// prove leaves out the ready messages that the analysis proves unnecessary, and
// keeps the proofs.
func (p *Plan) prove(list []*worker) {
	rel := list[0].rel
	items := rel.Items()
	p.Classes = rel.Shared()
	uses := make([][]int, len(p.Slots)+1)
	for _, it := range items {
		uses[it[1]] = append(uses[it[1]], it[0])
	}
	each(list, len(p.Slots), func(w *worker, i int) {
		s := &p.Slots[i]
		against := p.decide(s, uses[s.Comm.ID], w.solver, w.rel.Kills)
		s.Ready = against > 0
		if !s.Ready {
			for _, use := range uses[s.Comm.ID] {
				sol := w.solver.SolveBefore(synch.Item{Use: use, Put: s.Comm.ID}, w.rel.Kills)
				s.Proofs = append(s.Proofs, w.certifier.certify(sol, w.rel.Kills))
			}
		}
		s.Why = p.why(s, against)
	})
}

// decide sets the verdict of a slot that the uses share. One use that nothing
// orders before the put settles it: its number is returned, else 0.
func (p *Plan) decide(s *Slot, uses []int, solver *synch.Solver, kills synch.Kills) int {
	put := s.Comm.ID
	slices.Sort(uses)
	// Its own last value, and what came shortly before, are the likeliest.
	order := slices.Clone(uses)
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare((put-a+len(p.Slots))%len(p.Slots), (put-b+len(p.Slots))%len(p.Slots))
	})
	s.Verdict = synch.Once
	for _, use := range order {
		v, _ := solver.Verdict(synch.Item{Use: use, Put: put}, kills)
		s.Verdict = min(s.Verdict, v)
		if v == synch.NeedsSync {
			return use
		}
	}
	return 0
}

// believe leaves out the ready messages that the printed analysis says are
// unnecessary.
func (p *Plan) believe(rel Relations) {
	for i, sol := range synch.SolveLiteral(p.Graph, len(p.Slots), rel.LiteralKills, synch.LiteralLimit, false) {
		s := &p.Slots[i]
		s.Verdict = sol.Verdict(p.Graph)
		switch s.Ready = s.Verdict == synch.NeedsSync; {
		case s.Ready:
			s.Why = "ready message: the printed analysis finds no message that makes it unnecessary"
		case s.Verdict == synch.Once:
			s.Why = "once: the printed analysis finds no earlier execution"
		default:
			s.Why = "no ready message: the printed analysis says so, which proves nothing"
		}
	}
}

// certify makes the proof that a solution is, and no more than that: going back
// from the puts it notes what has to hold in front of each node for the verdict
// to follow. Whatever a proof names it therefore needs.
func (c *certifier) certify(sol *synch.Solution, kills synch.Kills) Proof {
	return c.at(c.puts[sol.Item.Put], sol, kills)
}

// at is certify for other nodes than the puts: in front of each NoSync or U is to be
// shown.
func (c *certifier) at(nodes []*cfg.Node, sol *synch.Solution, kills synch.Kills) Proof {
	c.p, c.sol, c.kills, c.used = Proof{Use: sol.Item.Use, Put: sol.Item.Put}, sol, kills, map[int]bool{}
	for _, n := range nodes {
		want := Claim{Level: NoSync}
		if sol.In[n.ID].Value == synch.U {
			want.Level = Unposted
		}
		c.demand(n, want)
	}
	for len(c.work) > 0 {
		n := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		for _, before := range n.Preds {
			c.demand(before, c.before(before, c.need[n.ID]))
		}
	}
	c.touched = ascending(c.touched, len(c.need))
	c.p.Claims = spans(func(id int) Claim { return c.need[id] }, c.touched)
	for _, id := range c.touched {
		c.need[id] = Claim{}
	}
	c.touched = c.touched[:0]
	for y := range c.used {
		c.p.Kills = append(c.p.Kills, y)
	}
	slices.Sort(c.p.Kills)
	return c.p
}

// certifier makes one certificate after another in the same memory.
type certifier struct {
	puts    map[int][]*cfg.Node // by communication
	p       Proof
	sol     *synch.Solution
	kills   synch.Kills
	need    []Claim // by node: what has to hold in front of it
	touched []int   // IDs of the nodes of which something is needed
	used    map[int]bool
	work    []*cfg.Node
}

func newCertifier(g *cfg.Graph) *certifier {
	return &certifier{need: make([]Claim, len(g.Nodes)), puts: putsOf(g)}
}

// ascending sorts different numbers below n.
func ascending(list []int, n int) []int {
	if len(list) < n/16 {
		slices.Sort(list)
		return list
	}
	in := make([]bool, n)
	for _, id := range list {
		in[id] = true
	}
	list = list[:0]
	for id, has := range in {
		if has {
			list = append(list, id)
		}
	}
	return list
}

// putsOf are the nodes at which each communication puts, by its number.
func putsOf(g *cfg.Graph) map[int][]*cfg.Node {
	out := map[int][]*cfg.Node{}
	for _, n := range g.Nodes {
		if puts(n, n.Ref) {
			out[n.Ref] = append(out[n.Ref], n)
		}
	}
	return out
}

// demand adds to what has to hold in front of n.
func (c *certifier) demand(n *cfg.Node, want Claim) {
	have := c.need[n.ID]
	sum := have
	switch by := cmp.Compare(want.Level, have.Level); {
	case by > 0:
		sum = want
	case by == 0 && want.Level == NoSyncP:
		tags := append(slices.Clone(have.Tags), want.Tags...)
		slices.Sort(tags)
		sum = Claim{Level: NoSyncP, Tags: slices.Compact(tags)}
	}
	if !sum.equal(have) {
		if have.Level == Sync {
			c.touched = append(c.touched, n.ID)
		}
		c.need[n.ID] = sum
		c.work = append(c.work, n)
	}
}

// before is the least that has to hold in front of n for want to hold behind it.
// Where there is a choice it takes what the solution has there.
func (c *certifier) before(n *cfg.Node, want Claim) Claim {
	in := c.sol.In[n.ID]
	switch n.Kind {
	case cfg.Reduce, cfg.Barrier:
		if want.Level == NoSync || want.Level == NoSyncP {
			return Claim{Level: Cons}
		}
	case cfg.UseOver:
		if n.Ref == c.p.Use && want.Level != Sync {
			if in.Value == synch.U {
				return Claim{Level: Unposted}
			}
			return Claim{Level: CS}
		}
	case cfg.CommOver:
		if want.Level >= NoSyncP && in.Value == synch.NoSyncP && in.Tags.Has(n.Ref) {
			return Claim{Level: NoSyncP, Tags: []int{n.Ref}}
		}
	case cfg.Comm:
		return c.beforeComm(n, want, in)
	}
	return want
}

func (c *certifier) beforeComm(n *cfg.Node, want Claim, in synch.State) Claim {
	switch {
	case puts(n, c.p.Put):
		switch {
		case want.Level == Sync:
			return want
		case in.Value == synch.U && (c.p.Use != c.p.Put || want.Level > Cons):
			return Claim{Level: Unposted}
		}
		return Claim{Level: NoSync}
	case n.Ref == c.p.Put:
	case n.Ref == c.p.Use:
		if want.Level != Sync {
			return Claim{Level: CS}
		}
	case slices.Contains(want.Tags, n.Ref):
		pending := in.Value == synch.Cons || in.Value == synch.NoSyncP
		if !pending || in.Tags.Has(n.Ref) || !c.kills(n.Ref, c.p.Use, c.p.Put) {
			return want
		}
		c.used[n.Ref] = true
		rest := slices.DeleteFunc(slices.Clone(want.Tags), func(y int) bool { return y == n.Ref })
		if len(rest) == 0 {
			return Claim{Level: Cons}
		}
		return Claim{Level: NoSyncP, Tags: rest}
	}
	return want
}

// witnesses are the nodes that make NoSync of less in a proof, by ID.
func (p *Proof) witnesses(g *cfg.Graph) []*cfg.Node {
	var out []*cfg.Node
	for _, s := range p.Claims {
		c := s.Claim
		if c.Level != Cons && c.Level != NoSyncP {
			continue
		}
		for _, n := range g.Nodes[s.From : s.To+1] {
			if p.pass(c, n).Level != NoSync {
				continue
			}
			if slices.ContainsFunc(n.Succs, func(s *cfg.Node) bool { at := p.at(s.ID); return at.Level > c.Level || at.Level == NoSyncP }) {
				out = append(out, n)
			}
		}
	}
	return out
}
