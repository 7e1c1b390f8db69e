package spmd

import (
	"slices"

	"github.com/spmdc/spmdc/runtime/check"
)

// Relation, and what it is made of, say which messages the compiler's analysis
// expects of an instance of a communication (see check.Relation).
type (
	Relation = check.Relation
	Index    = check.Span
	Place    = check.Place
	Form     = check.Form
	Bounded  = check.Bounded
	Next     = check.Next
	Row      = check.Row
)

// claim is what was said of the instance at hand.
type claim struct {
	relation Relation
	pairs    check.Pairs
	checked  bool // against the messages of the communication as they are

	before   *Relation // what was said of the instance before, nil if there was none
	followed []bool    // by depth of loops: an instance like this one followed like that
}

// Claim says, in check builds, which messages the analysis expects of the instance
// that the next Post starts. Post compares them with those that there are.
func (c *Comm[T]) Claim(r Relation) {
	if c.order == nil {
		return
	}
	r.Shape = c.src.Layout.Shape
	switch {
	case c.claim == nil:
		c.claim = &claim{relation: r, pairs: r.Pairs()}
	case c.claim.relation.Equal(&r):
		if c.claim.before == nil || !c.claim.before.Equal(&r) {
			c.claim.before, c.claim.followed = &r, nil
		}
	default:
		before := c.claim.relation
		*c.claim = claim{relation: r, pairs: r.Pairs(), before: &before}
	}
}

// follows compares this instance with what was said in the one before of the next.
func (c *node) follows() {
	x := c.claim
	depth := c.order.Crossed()
	if x.before == nil || depth < 0 || depth < len(x.followed) && x.followed[depth] {
		return
	}
	for len(x.followed) <= depth {
		x.followed = append(x.followed, false)
	}
	x.followed[depth] = true
	if _, ok := x.before.Foresees(&x.relation, depth); !ok {
		c.order.Blame(check.Astray, c.pe.id, c.pe.id)
	}
}

// foreseen compares the messages of this PE with what was claimed. changed: they
// are others than last time.
func (c *node) foreseen(changed bool) {
	if c.claim == nil {
		return
	}
	c.follows()
	if c.claim.checked && !changed {
		return
	}
	c.claim.checked = true
	self, np := c.pe.id, c.pe.n
	for other := range np {
		if other == self {
			continue
		}
		sends := slices.ContainsFunc(c.plan.sends, func(m transfer) bool { return m.pe == other })
		c.compare(self, other, sends)
		c.compare(other, self, slices.Contains(c.plan.recvs, other))
	}
}

// compare compares whether p puts to q in this instance with what was claimed.
func (c *node) compare(p, q int, puts bool) {
	k := p*c.pe.n + q
	switch {
	case puts && !c.claim.pairs.May[k]:
		c.order.Blame(check.Unforeseen, p, q)
	case !puts && c.claim.pairs.Must[k]:
		c.order.Blame(check.Missing, p, q)
	}
}
