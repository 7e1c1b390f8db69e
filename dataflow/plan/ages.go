package plan

import (
	"cmp"
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// certify makes the proof that a solution over several ages is, and no more
// than that: going back from the puts it notes what has to hold in front of each
// node, age by age, for the verdict to follow.
// Of what kills says, strict is what holds for all pairs of PEs.
func (c *agesCertifier) certify(sol *synch.AgedSolution, kills, strict synch.KillsAfter) *SlotProof {
	c.slots, c.sol, c.kills, c.used = sol.Slots, sol, kills, map[Answer]bool{}
	count := sol.Slots.Count
	for _, id := range c.touched {
		c.need[id] = ages{}
	}
	c.touched = c.touched[:0]
	for _, n := range c.puts[sol.Slots.Comm] {
		var want ages
		want[count-1] = c.free(n)
		c.demand(n, want)
	}
	for len(c.work) > 0 {
		n := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		for _, before := range n.Preds {
			c.demand(before, c.before(before, c.need[n.ID]))
		}
	}
	p := &SlotProof{Comm: sol.Slots.Comm}
	c.touched = ascending(c.touched, len(c.need))
	for a := range count {
		p.Ages = append(p.Ages, spans(func(id int) Claim { return c.need[id][a] }, c.touched))
	}
	for k := range c.used {
		if strict(k.Comm, p.Comm, k.Nth) {
			p.Kills = append(p.Kills, k)
		} else if !slices.Contains(p.Asks, k.Comm) {
			p.Asks = append(p.Asks, k.Comm)
		}
	}
	slices.Sort(p.Asks)
	// What is asked anyway is not counted on otherwise.
	p.Kills = slices.DeleteFunc(p.Kills, func(k Answer) bool { return slices.Contains(p.Asks, k.Comm) })
	slices.SortFunc(p.Kills, func(a, b Answer) int { return cmp.Or(a.Comm-b.Comm, a.Nth-b.Nth) })
	return p
}

// agesCertifier makes one certificate after another in the same memory.
type agesCertifier struct {
	graph   *cfg.Graph
	puts    map[int][]*cfg.Node // by communication
	slots   synch.Slots
	sol     *synch.AgedSolution
	kills   synch.KillsAfter
	need    []ages // by node
	touched []int  // IDs of the nodes of which something is needed
	used    map[Answer]bool
	work    []*cfg.Node
}

// ages are claims about the values in the slots of a communication, the youngest first.
type ages [synch.MaxSlots]Claim

func newAgesCertifier(g *cfg.Graph) *agesCertifier {
	return &agesCertifier{graph: g, puts: putsOf(g), need: make([]ages, len(g.Nodes))}
}

// free is what has to hold of the oldest value where n puts.
func (c *agesCertifier) free(n *cfg.Node) Claim {
	if c.sol.In[n.ID][c.slots.Count-1].Value == synch.U {
		return Claim{Level: Unposted}
	}
	return Claim{Level: NoSync}
}

// demand adds to what has to hold in front of n.
func (c *agesCertifier) demand(n *cfg.Node, want ages) {
	changed, known := false, false
	for a, w := range want {
		have := &c.need[n.ID][a]
		known = known || have.Level != Sync
		if sum := both(*have, w); !sum.equal(*have) {
			*have, changed = sum, true
		}
	}
	if changed {
		if !known {
			c.touched = append(c.touched, n.ID)
		}
		c.work = append(c.work, n)
	}
}

// both is the least claim from which two claims follow.
func both(a, b Claim) Claim {
	switch by := cmp.Compare(a.Level, b.Level); {
	case by < 0:
		return b
	case by > 0 || a.Level != NoSyncP:
		return a
	}
	tags := append(slices.Clone(a.Tags), b.Tags...)
	slices.Sort(tags)
	return Claim{Level: NoSyncP, Tags: slices.Compact(tags)}
}

// before is the least that has to hold in front of n for want to hold behind it.
// Where there is a choice it takes what the solution has there.
func (c *agesCertifier) before(n *cfg.Node, want ages) ages {
	if !n.Kind.IsComm() {
		return want
	}
	in := c.sol.In[n.ID]
	out := want
	switch n.Kind {
	case cfg.Reduce, cfg.Barrier:
		for a, w := range want {
			if w.Level == NoSync || w.Level == NoSyncP {
				out[a] = Claim{Level: Cons}
			}
		}
	case cfg.CommOver:
		for a, w := range want {
			if w.Level >= NoSyncP && in[a].Value == synch.NoSyncP && in[a].Tags.Has(n.Ref) {
				out[a] = Claim{Level: NoSyncP, Tags: []int{n.Ref}}
			}
		}
	case cfg.Comm:
		if n.Flavour == "recv" {
			return out
		}
		return c.beforeComm(n, out)
	}
	ends := cfg.UseOver
	if c.slots.Staged {
		ends = cfg.CommOver
	}
	if n.Kind == ends && n.Ref == c.slots.Comm && want[0].Level != Sync {
		out[0] = Claim{Level: CS}
		if in[0].Value == synch.U {
			out[0] = Claim{Level: Unposted}
		}
	}
	return out
}

// beforeComm undoes the answers of n, then, where it puts into the slots, the
// ageing of their values.
func (c *agesCertifier) beforeComm(n *cfg.Node, want ages) ages {
	count, in := c.slots.Count, c.sol.In[n.ID]
	own := n.Ref == c.slots.Comm
	for a := range count {
		if n.Flavour == "send" || !slices.Contains(want[a].Tags, n.Ref) {
			continue
		}
		was := in[a]
		if own { // the state between ageing and answer
			if a == 0 {
				continue
			}
			was = in[a-1]
		}
		nth := count - a
		pending := was.Value == synch.Cons || was.Value == synch.NoSyncP
		if !pending || was.Tags.Has(n.Ref) || !c.kills(n.Ref, c.slots.Comm, nth) {
			continue
		}
		c.used[Answer{n.Ref, nth}] = true
		rest := slices.DeleteFunc(slices.Clone(want[a].Tags), func(y int) bool { return y == n.Ref })
		if len(rest) == 0 {
			want[a] = Claim{Level: Cons}
		} else {
			want[a] = Claim{Level: NoSyncP, Tags: rest}
		}
	}
	if !own {
		return want
	}
	var out ages
	copy(out[:], want[1:count])
	out[count-1] = both(out[count-1], c.free(n))
	return out
}

// witnesses are the nodes that make NoSync of less at some age, by ID, in the proof
// that was made last.
func (c *agesCertifier) witnesses(p *SlotProof) []*cfg.Node {
	at := c.need
	var out []*cfg.Node
	for _, id := range c.touched {
		n := c.graph.Nodes[id]
		if n.Kind != cfg.Reduce && n.Kind != cfg.Barrier && n.Kind != cfg.CommOver {
			continue
		}
		after := p.pass(at[n.ID][:c.slots.Count], n, c.slots.Staged)
		helps := func(s *cfg.Node) bool {
			for a, c := range at[n.ID][:c.slots.Count] {
				if (c.Level == Cons || c.Level == NoSyncP) && after[a].Level == NoSync && (at[s.ID][a].Level > c.Level || at[s.ID][a].Level == NoSyncP) {
					return true
				}
			}
			return false
		}
		if slices.ContainsFunc(n.Succs, helps) {
			out = append(out, n)
		}
	}
	return out
}
