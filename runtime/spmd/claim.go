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
)

// claim is what was said of the instance at hand.
type claim struct {
	relation Relation
	pairs    check.Pairs
	checked  bool // against the messages of the communication as they are
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
		c.claim = &claim{}
	case c.claim.relation.Equal(&r):
		return
	}
	*c.claim = claim{relation: r, pairs: r.Pairs()}
}

// foreseen compares the messages of this PE with what was claimed. changed: they
// are others than last time.
func (c *Comm[T]) foreseen(changed bool) {
	if c.claim == nil || c.claim.checked && !changed {
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
func (c *Comm[T]) compare(p, q int, puts bool) {
	k := p*c.pe.n + q
	switch {
	case puts && !c.claim.pairs.May[k]:
		c.order.Blame(check.Unforeseen, p, q)
	case !puts && c.claim.pairs.Must[k]:
		c.order.Blame(check.Missing, p, q)
	}
}
