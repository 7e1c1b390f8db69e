package agree

import (
	"encoding/binary"
	"slices"
)

// Clone copies an Exchange by its ends, which may be in the midst of an agreement. With
// State it serves tests that explore every interleaving of the steps of PEs.
func Clone(parties []*Party) []*Party {
	x := NewExchange(len(parties))
	for pe, p := range parties {
		own := *p
		own.Exchange = x[pe].Exchange
		if p.vote != nil {
			v := *p.vote
			own.vote = &v
		}
		*x[pe] = own
	}
	from, to := parties[0].Exchange, x[0].Exchange
	to.outcomes = from.outcomes
	for i := range from.slots {
		to.slots[i].word.Store(from.slots[i].word.Load())
		to.slots[i].vote = from.slots[i].vote
	}
	return x
}

// State appends to b all that later steps of an Exchange depend on: states with equal
// texts go on alike.
func State(b []byte, parties []*Party) []byte {
	put := func(words ...uint64) {
		for _, w := range words {
			b = binary.AppendUvarint(b, w)
		}
	}
	bit := func(set bool) uint64 { return uint64(slices.Index([]bool{false, true}, set)) }
	for _, p := range parties {
		put(p.gen, p.word, p.first, bit(p.differ), bit(p.full))
		if p.vote != nil {
			for _, w := range p.vote {
				put(uint64(w))
			}
		}
	}
	for i := range parties[0].slots {
		s := &parties[0].slots[i]
		put(s.word.Load())
		for _, w := range s.vote {
			put(uint64(w))
		}
	}
	return b
}
