package hb

import "github.com/spmdc/spmdc/dataflow/proof"

// Messages is who sends to whom.
type Messages = proof.Messages

// everyone is the set of all PEs.
func everyone(pes int) uint64 { return 1<<pes - 1 } // of 64: a shift by 64 gives 0

// pack says how a set of PEs for each consumer q, "who is known to be after the
// use at q", is kept in words: pes bits for q = 0, then pes bits for q = 1 and so
// on, as many consumers to a word as fit. Messages then spread what their
// senders know for all consumers of a word at a time.
type pack struct {
	pes   int
	per   int      // consumers in a word
	words int      // for all consumers
	first []uint64 // by word: the lowest bit of each consumer
	full  []uint64 // by word: all bits
	self  []uint64 // by word: for consumer q, q alone
}

func newPack(pes int) *pack {
	p := &pack{pes: pes, per: 64 / pes}
	p.words = (pes + p.per - 1) / p.per
	p.first, p.full, p.self = make([]uint64, p.words), make([]uint64, p.words), make([]uint64, p.words)
	for q := range pes {
		w, at := p.place(q)
		p.first[w] |= 1 << at
		p.full[w] |= everyone(pes) << at
		p.self[w] |= 1 << (at + q)
	}
	return p
}

// place is the word, and the lowest bit in it, of consumer q.
func (p *pack) place(q int) (word, bit int) { return q / p.per, q % p.per * p.pes }

// of is the set of consumer q in packed sets.
func (p *pack) of(k []uint64, q int) uint64 {
	w, at := p.place(q)
	return k[w] >> at & everyone(p.pes)
}

// lanes has all bits for the consumers in a set.
func (p *pack) lanes(set uint64) []uint64 {
	out := make([]uint64, p.words)
	for q := range p.pes {
		if set>>q&1 != 0 {
			w, at := p.place(q)
			out[w] |= everyone(p.pes) << at
		}
	}
	return out
}

// spread adds to out, for each consumer, the receivers of messages whose sender
// is in k.
func (p *pack) spread(out, k []uint64, m Messages) {
	for s, to := range m {
		if to == 0 {
			continue
		}
		for w, x := range k {
			// One bit per consumer, which is then replaced by all receivers.
			out[w] |= x >> s & p.first[w] * to
		}
	}
}

// meetAll adds everyone for each consumer for which somebody is in k.
func (p *pack) meetAll(k []uint64) {
	for w, x := range k {
		var some uint64
		for s := range p.pes {
			some |= x >> s
		}
		k[w] |= some & p.first[w] * everyone(p.pes)
	}
}

// need has, for each consumer, those who put to it.
func (p *pack) need(m Messages) []uint64 {
	out := make([]uint64, p.words)
	m.Each(func(s, q int) {
		w, at := p.place(q)
		out[w] |= 1 << (at + s)
	})
	return out
}

// reach has, for each PE, whom a chain of the messages gets to from there.
func reach(m Messages) Messages {
	out := make(Messages, len(m))
	copy(out, m)
	for via := range out {
		for p := range out {
			if out[p]>>via&1 != 0 {
				out[p] |= out[via]
			}
		}
	}
	return out
}
