package proof

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/spmdc/spmdc/cfg"
)

// Fixpoint is what an analysis has found.
type Fixpoint interface {
	// Has are those of the PEs of a fact of which it holds in front of a point.
	Has(point int, f Fact) uint64
}

// Cutter makes certificates out of fixpoints, one after another in the same memory.
type Cutter struct {
	domain  domain
	preds   [][]int // by point
	need    []Claim // by point: what has to hold in front of it
	touched []int   // the points of which something is needed
	work    []int
	kills   map[Kill]bool
	facts   []Fact
	fix     Fixpoint
	r       *rules
}

// NewCutter is for proofs for any number of PEs over g.
func NewCutter(g *cfg.Graph) *Cutter { return newCutter(newSymbolic(g)) }

// NewCutter is for proofs for the number of PEs.
func (c *Checked) NewCutter() *Cutter { return newCutter(c) }

func newCutter(d domain) *Cutter {
	return &Cutter{domain: d, preds: predecessors(d), need: make([]Claim, d.size())}
}

// predecessors are, by point, those that lead there.
func predecessors(d domain) [][]int {
	preds := make([][]int, d.size())
	for i := range d.size() {
		for _, s := range d.succs(i) {
			if !slices.Contains(preds[s], i) {
				preds[s] = append(preds[s], i)
			}
		}
	}
	return preds
}

// Symbolic cuts a proof for any number of PEs. kills and chains, which may be nil, are what
// the fixpoint counts on. With an obligation without Put, points are those where the next
// producers have to know.
func (c *Cutter) Symbolic(o Obligation, fix Fixpoint, kills func(y, nth int) bool, chains *Sequences, points []int) (*Certificate, error) {
	s := *c.domain.(*symbolic)
	s.o, s.kills, s.ends = o, kills, points
	if chains != nil {
		s.chains = *chains
	}
	c.kills = map[Kill]bool{}
	out, err := c.cut(&rules{domain: &s, Obligation: o}, []int{o.Put}, fix)
	if err != nil {
		return nil, err
	}
	out.Kills = slices.SortedFunc(maps.Keys(c.kills), func(a, b Kill) int { return cmp.Or(a.Comm-b.Comm, a.Nth-b.Nth, a.Via-b.Via) })
	out.relays(s.chains.Relays)
	return out, nil
}

// relays takes of all relays those that the kills need, and numbers them anew.
func (c *Certificate) relays(all []Relay) {
	number := make([]int, len(all)+1) // new ones, by old; 0 for none
	for _, k := range c.Kills {
		for i := k.Via; i > 0; i = all[i-1].From {
			number[i] = 1
		}
	}
	for i, r := range all {
		if number[i+1] > 0 {
			c.Relays = append(c.Relays, Relay{number[r.From], r.Comm})
			number[i+1] = len(c.Relays)
		}
	}
	for i := range c.Kills {
		c.Kills[i].Via = number[c.Kills[i].Via]
	}
	if len(c.Relays) == len(all) {
		return
	}
	for i, s := range c.Claims {
		facts := slices.Clone(s.Claim)
		for j, f := range facts {
			pes := f.PEs & (firstRelay - 1)
			for old, now := range number {
				if now > 0 && f.PEs&RelayPEs(old) != 0 {
					pes |= RelayPEs(now)
				}
			}
			facts[j].PEs = pes
		}
		c.Claims[i].Claim = facts
	}
}

// Finite cuts a proof for the number of PEs, about the puts of several communications that
// fill the same slots as o.Use.
func (c *Cutter) Finite(o Obligation, puts []int, fix Fixpoint) (*Certificate, error) {
	out, err := c.cut(&rules{domain: c.domain, Obligation: o}, puts, fix)
	if err == nil {
		out.On = c.domain.(*Checked).Unfolding
	}
	return out, err
}

// cut goes back from the puts.
func (c *Cutter) cut(r *rules, puts []int, fix Fixpoint) (*Certificate, error) {
	c.r, c.fix = r, fix
	for _, i := range c.touched {
		c.need[i] = nil
	}
	c.touched = c.touched[:0]
	for _, put := range puts {
		r.goals(put, r.Ring-1, func(point int, f Fact) { c.demand(point, Claim{c.unused(point, f)}) })
	}
	for len(c.work) > 0 {
		i := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		for _, p := range c.preds[i] {
			want, err := c.before(p, c.need[i])
			if err != nil {
				c.work = c.work[:0]
				return nil, err
			}
			c.demand(p, want)
		}
	}
	out := &Certificate{Use: r.Use, Puts: slices.Sorted(slices.Values(puts)), Ring: r.Ring, Staged: r.Staged}
	for _, i := range ascending(c.touched, len(c.need)) {
		k := len(out.Claims) - 1
		if k >= 0 && out.Claims[k].To == i-1 && slices.Equal(out.Claims[k].Claim, c.need[i]) {
			out.Claims[k].To = i
			continue
		}
		out.Claims = append(out.Claims, Span{i, i, c.need[i]})
	}
	return out, nil
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

// demand adds to what has to hold in front of a point. In front of the entry everything
// does. What is never reached needs nothing in front of it.
func (c *Cutter) demand(point int, want Claim) {
	have := c.need[point]
	if point == 0 || len(c.preds[point]) == 0 || want.within(have) {
		return
	}
	if len(have) == 0 {
		c.touched = append(c.touched, point)
	} else {
		want = MakeClaim(append(slices.Clone(have), want...)...)
	}
	c.need[point] = want
	c.work = append(c.work, point)
}

// unused asks for no knowledge of a generation that is not used yet, only for that.
func (c *Cutter) unused(point int, f Fact) Fact {
	if never := c.r.unused(); never != 0 {
		if all := (Fact{Generation: f.Generation, PEs: never}); c.fix.Has(point, all) != 0 {
			return all
		}
	}
	return f
}

// before is what has to hold in front of a point for want to hold behind it.
func (c *Cutter) before(point int, want Claim) (Claim, error) {
	n := c.r.node(point)
	c.facts = c.facts[:0]
	changed := false
	for i, f := range want {
		// What arrives is not asked for where the fixpoint has the fact without it.
		if c.r.keeps(n, f) || n.Kind == cfg.CommOver && n.Ref != f.Under && !c.r.Ends(n) && c.fix.Has(point, f) == f.PEs {
			if changed {
				c.facts = append(c.facts, f)
			}
			continue
		}
		if !changed {
			c.facts, changed = append(c.facts, want[:i]...), true
		}
		if missing := c.support(point, f); missing != 0 {
			return nil, fmt.Errorf("proof: %v: behind %s %s have to know of the use of generation %d%s, and the analysis has nothing that makes them", c.r.Obligation, c.r.name(point), c.r.sayPEs(missing), f.Generation, c.r.where(f))
		}
	}
	if !changed {
		return want, nil
	}
	return MakeClaim(c.facts...), nil
}

// support adds, for a fact behind a point, what in front of it gives the fact: for each PE
// the first source that the fixpoint has. It returns the PEs for which there is none.
func (c *Cutter) support(point int, f Fact) uint64 {
	left := f.PEs
	for _, s := range c.r.sources(point, f) {
		take := left & s.covers
		if take == 0 || s.also.PEs != 0 && c.fix.Has(point, s.also) != s.also.PEs {
			continue
		}
		if s.from.PEs != 0 {
			have := s.from
			have.PEs = c.fix.Has(point, s.from)
			switch {
			case have.PEs == 0:
				continue
			case s.any && have.PEs>>f.At&1 != 0: // the user itself
				have.PEs = 1 << f.At
			case s.any:
				have.PEs &= -have.PEs
			default:
				take &= have.PEs
				have.PEs = take
			}
			if take == 0 {
				continue
			}
			c.facts = append(c.facts, have)
		}
		if s.also.PEs != 0 {
			c.facts = append(c.facts, s.also)
		}
		if s.by.Comm != 0 && c.kills != nil {
			c.kills[s.by] = true
		}
		if left &^= take; left == 0 {
			break
		}
	}
	return left
}
