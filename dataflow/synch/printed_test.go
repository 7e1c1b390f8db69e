package synch

import (
	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/internal/abstract"
)

// The printed tests, on concrete relations.

// printedKind is how Condition 3 is read.
type printedKind uint8

const (
	// byProduct is the test of section 3.2: RF_y * RF_x contains NP_x. The product
	// of matrices maps p to what any of its consumers answer to.
	byProduct printedKind = iota
	// byTheorem is Condition 3 of Theorem 2 itself: each consumer of p answers to
	// all next producers.
	byTheorem
)

// literalKills is the test that belongs to the printed form. Relations are
// compared by the names of the loop indices: both at the same values of the loops
// around either. Repetitions are those of the innermost loop around x: identical
// in all of its iterations, or with the producers of its next iteration as
// NextProducers.
func (b *built) literalKills(kind printedKind) LiteralKills {
	type pair struct{ y, x int }
	known := map[pair]bool{}
	return func(y, x int) bool {
		k, ok := known[pair{y, x}]
		if !ok {
			k = b.printed(kind, y, x)
			known[pair{y, x}] = k
		}
		return k
	}
}

func (b *built) printed(kind printedKind, y, x int) bool {
	cx, cy := b.putter(x), b.putter(y)
	if cx == nil || cy == nil {
		return false
	}
	holds := true
	b.everyIteration(cx.Loop, cy.Loop, func(v abstract.Iteration) {
		rx := b.Mapped(x, v)
		ry := b.Mapped(y, v)
		next, identical := rx, true
		if l := cx.Loop; l != nil {
			identical = b.identical(x, l.ID-1, v)
			w := v
			w[l.ID-1]++ // a matrix does not know where the loop ends
			next = b.Mapped(x, w)
		}
		var producers, consumers, senders abstract.Relation // as sets: bit p*MaxPEs
		rx.Each(func(p, q int) { producers |= abstract.Message(p, 0); consumers |= abstract.Message(q, 0) })
		ry.Each(func(p, _ int) { senders |= abstract.Message(p, 0) })
		holds = holds && consumers&^senders == 0
		for p := range b.PEs {
			if !producers.Has(p, 0) {
				continue
			}
			for n := range b.PEs {
				if identical && n != p || !identical && !b.produces(next, n) {
					continue // not among NextProducers(p)
				}
				some, all := false, true
				for q := range b.PEs {
					if rx.Has(p, q) {
						answers := ry.Has(q, n)
						some, all = some || answers, all && answers
					}
				}
				holds = holds && some && (all || kind == byProduct)
			}
		}
	})
	return holds
}

func (b *built) produces(r abstract.Relation, p int) bool {
	found := false
	r.Each(func(from, _ int) { found = found || from == p })
	return found
}

// identical reports whether x's messages are the same in all iterations of the
// loop number l, those of other loops being as in v.
func (b *built) identical(x, l int, v abstract.Iteration) bool {
	v[l] = 0
	first := b.Mapped(x, v)
	for i := range b.Loops[l].Most {
		v[l] = uint8(i)
		if r := b.Mapped(x, v); r != first {
			return false
		}
	}
	return true
}

// everyIteration calls do for all combinations of iterations of the loops around
// two points.
func (b *built) everyIteration(l, m *cfg.Loop, do func(v abstract.Iteration)) {
	var v abstract.Iteration
	var rec func(i int)
	rec = func(i int) {
		if i == len(b.Loops) {
			do(v)
			return
		}
		trips := 1
		if inner := b.Graph.Loops[i]; inner.Contains(l) || inner.Contains(m) {
			trips = b.Loops[i].Most
		}
		for k := range trips {
			v[i] = uint8(k)
			rec(i + 1)
		}
		v[i] = 0
	}
	rec(0)
}
