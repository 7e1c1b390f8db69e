package proof

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg"
)

// Checker checks certificates over one graph, and over unfoldings of it.
type Checker struct {
	graph    *cfg.Graph
	symbolic *symbolic
	finite   map[*Unfolding]*Checked
	claims   []Claim                // by point
	preds    map[*Unfolding][][]int // by point; nil is the graph
}

// NewChecker prepares for certificates over g.
func NewChecker(g *cfg.Graph) *Checker {
	return &Checker{graph: g, symbolic: newSymbolic(g), finite: map[*Unfolding]*Checked{}, preds: map[*Unfolding][][]int{}}
}

// Unfolded checks the copies and messages of an unfolding of the graph.
func (k *Checker) Unfolded(u *Unfolding) (*Checked, error) {
	if k.finite[u] == nil {
		c, err := u.Check(k.graph)
		if err != nil {
			return nil, err
		}
		k.finite[u] = c
	}
	return k.finite[u], nil
}

// Check checks that a certificate is inductive, and that its facts are enough at the puts
// that it is about.
func (k *Checker) Check(c *Certificate) error {
	if slices.Contains(c.Puts, 0) {
		return errors.New("a certificate about no communication that puts")
	}
	return k.check(c, nil)
}

// CheckAt checks that a symbolic certificate is inductive, and that behind it the next
// producers know at some points: those are the ones that overwrite what others get.
func (k *Checker) CheckAt(c *Certificate, points []int) error {
	if c.On != nil || len(c.Puts) != 1 || c.Puts[0] != 0 {
		return errors.New("a certificate that is about puts, or for one number of PEs")
	}
	for _, p := range points {
		if p < 0 || p >= len(k.graph.Nodes) {
			return fmt.Errorf("there is no node %d", p)
		}
	}
	return k.check(c, points)
}

func (k *Checker) check(c *Certificate, points []int) error {
	r, err := k.rules(c, points)
	if err != nil {
		return err
	}
	if c.Ring < 1 || (c.Ring > 1 || c.Staged) && (len(c.Puts) != 1 || c.Puts[0] != c.Use) {
		return fmt.Errorf("a ring of %d slots, or staging buffers, that others fill", c.Ring)
	}
	if err := k.spread(c, r); err != nil {
		return err
	}
	if err := k.inductive(c, r); err != nil {
		return err
	}
	for _, put := range c.Puts {
		var failed error
		r.goals(put, c.Ring-1, func(point int, f Fact) {
			if missing := f.PEs &^ k.has(r, point, f); missing != 0 && failed == nil {
				failed = fmt.Errorf("%s: nothing is claimed to have let %s know that the use of #%d%s is over", r.name(point), r.sayPEs(missing), c.Use, r.where(f))
			}
		})
		if failed != nil {
			return failed
		}
	}
	return nil
}

// rules are those for a certificate, whose assumptions are checked.
func (k *Checker) rules(c *Certificate, points []int) (*rules, error) {
	r := &rules{Obligation: Obligation{Use: c.Use, Ring: c.Ring, Staged: c.Staged}}
	if c.On != nil {
		u, err := k.Unfolded(c.On)
		if err != nil {
			return nil, err
		}
		if len(c.Kills)+len(c.Relays) > 0 {
			return nil, errors.New("kills, where the messages are known")
		}
		r.domain = u
		return r, nil
	}
	if len(c.Puts) != 1 {
		return nil, errors.New("a certificate for any number of PEs is about the puts of one communication")
	}
	s := *k.symbolic
	s.o, s.kills, s.ends = c.Obligation(c.Puts[0]), c.counts, points
	s.chains = Sequences{c.Relays, slices.DeleteFunc(slices.Clone(c.Kills), func(k Kill) bool { return k.Via == 0 })}
	r.domain, r.Put = &s, s.o.Put
	if err := c.assumptions(&s); err != nil {
		return nil, err
	}
	return r, nil
}

// spread unpacks the claims.
func (k *Checker) spread(c *Certificate, r *rules) error {
	n := r.size()
	if cap(k.claims) < n {
		k.claims = make([]Claim, n)
	}
	k.claims = k.claims[:n]
	clear(k.claims)
	last := -1
	for _, s := range c.Claims {
		if s.From <= last || s.To < s.From || s.To >= n {
			return fmt.Errorf("claims for the points %d-%d: points ascend from 0 to %d", s.From, s.To, n-1)
		}
		for i, f := range s.Claim {
			consumers := r.consumers()
			if i > 0 && compareFacts(s.Claim[i-1], f) >= 0 || f.Under < Over || f.Generation < 0 || f.Generation >= c.Ring || f.At < 0 || f.At >= consumers || f.PEs&^r.everyone() != 0 {
				return fmt.Errorf("claims for the points %d-%d: facts out of order or range", s.From, s.To)
			}
		}
		for i := s.From; i <= s.To; i++ {
			k.claims[i] = s.Claim
		}
		last = s.To
	}
	return nil
}

// consumers is how many there are.
func (r *rules) consumers() int {
	if c, finite := r.domain.(*Checked); finite {
		return c.PEs
	}
	return 1
}

// has are those of the PEs of a fact of which it holds in front of a point: at the entry
// nothing has been used, so that everybody is after all uses.
func (k *Checker) has(r *rules, point int, f Fact) uint64 {
	if point == 0 {
		return f.PEs & r.everyone()
	}
	return r.holds(k.claims[point], f)
}

// inductive checks that each claim of a certificate follows from those in front of it.
func (k *Checker) inductive(c *Certificate, r *rules) error {
	preds := k.predecessors(c.On, r)
	if len(preds[0]) > 0 {
		return errors.New("the entry is reached again")
	}
	for _, span := range c.Claims {
		for s := span.From; s <= span.To; s++ {
			for _, i := range preds[s] {
				if err := k.follows(r, i, s, span.Claim); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// predecessors are those of each point.
func (k *Checker) predecessors(u *Unfolding, d domain) [][]int {
	if k.preds[u] == nil {
		k.preds[u] = predecessors(d)
	}
	return k.preds[u]
}

// follows checks that a claim in front of point s follows from what holds at point i, which
// leads there.
func (k *Checker) follows(r *rules, i, s int, claim Claim) error {
	if passes := !r.node(i).Kind.IsComm(); passes && (i == 0 || claim.within(k.claims[i])) {
		return nil
	}
	for _, f := range claim {
		missing := k.unsupported(r, i, f)
		if missing != 0 && f.Under < 0 {
			return fmt.Errorf("%s behind %s: the use at %s may not be over", r.name(s), r.name(i), r.sayPEs(missing))
		}
		if missing != 0 {
			return fmt.Errorf("%s behind %s: %s need not know of the use of generation %d%s", r.name(s), r.name(i), r.sayPEs(missing), f.Generation, r.where(f))
		}
	}
	return nil
}

// unsupported are those of the PEs of a fact behind a point for which nothing in front of
// it gives the fact.
func (k *Checker) unsupported(r *rules, point int, f Fact) uint64 {
	left := f.PEs &^ k.has(r, point, f)
	if r.keeps(r.node(point), f) {
		if f.Under > 0 {
			f.Under = 0
			left &^= k.has(r, point, f)
		}
		return left
	}
	left = f.PEs
	for _, s := range r.sources(point, f) {
		switch {
		case s.also.PEs != 0 && k.has(r, point, s.also) != s.also.PEs:
		case s.from.PEs == 0:
			left &^= s.covers
		case s.any:
			if k.has(r, point, s.from) != 0 {
				left &^= s.covers
			}
		default:
			left &^= s.covers & k.has(r, point, s.from)
		}
		if left == 0 {
			break
		}
	}
	return left
}

// where is the consumer of a fact, and what is under way, in words.
func (r *rules) where(f Fact) string {
	text := ""
	if _, finite := r.domain.(*Checked); finite && f.Under >= 0 {
		text = fmt.Sprintf(" at PE %d", f.At)
	}
	if f.Under > 0 {
		text += fmt.Sprintf(" when C_%d has arrived", f.Under)
	}
	return text
}
