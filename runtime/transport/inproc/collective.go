package inproc

import (
	"sync/atomic"

	"github.com/spmdc/spmdc/runtime/transport"
)

const (
	// ringSize is how many broadcasts a root may be ahead of the slowest
	// reader; creditEvery how often readers report what they have taken. A
	// reader that waits for broadcast k has reported more than k-creditEvery,
	// so a root never waits for a reader that waits for that root.
	ringSize    = 64
	creditEvery = 16
)

// Barrier is a central one: a count and a generation. In one process it beats
// dissemination; and unlike one built on a mutex it orders exactly what a
// barrier orders, so that the race detector stays useful. Two PEs look at each
// other's count instead: two transfers of a cache line, not three.
func (p *PE) Barrier(site int) {
	w := p.w
	p.barriers++
	if w.room != nil {
		p.announce()
	}
	if w.n == 2 && !w.several() {
		p.wakeAfter(&w.came[p.id].count, p.barriers)
		p.await(&w.came[1-p.id].count, p.barriers, site, transport.WaitBarrier, -1)
	} else if int(w.arrived.Add(1)) == w.near() {
		w.arrived.Store(0)
		if w.several() {
			p.meet(site, p.barriers)
		}
		w.passed.Swap(p.barriers)
		p.wakeAll(&w.passed)
	} else {
		p.await(&w.passed, p.barriers, site, transport.WaitBarrier, -1)
	}
	if w.room != nil {
		p.mirror()
	}
}

// wakeAfter stores in a flag and wakes the other PEs that wait for it.
func (p *PE) wakeAfter(flag *atomic.Uint64, value uint64) {
	p.w.publish(flag, value)
	p.wakeAll(flag)
}

// wakeAll wakes the other PEs that wait for flag, which the caller has stored
// by publish or by an exchange.
func (p *PE) wakeAll(flag *atomic.Uint64) {
	hideSync()
	for _, q := range p.w.pes {
		if q.waiting.Load() == flag {
			q.wakeFrom(flag)
		}
	}
	showSync()
}

// Reduce gathers the words at PE 0 in the order of PE ids and hands the result
// to all. One mailbox for each PE and one for the result are enough: a PE
// contributes again only after it has read the result, and PE 0 writes the next
// result only after all have contributed again.
func (p *PE) Reduce(site int, word uint64, combine func(acc, word uint64) uint64) uint64 {
	w := p.w
	p.reductions++
	k := p.reductions
	if p.id != 0 {
		if w.far(0) {
			w.send(0, written(packetGift, 0, uint64(p.id), word, uint64(site), k))
		} else {
			w.give(p.id, word, site, k)
		}
		p.await(&w.result.seq, k, site, transport.WaitResult, 0)
		return w.result.word
	}
	if w.spin == 0 {
		p.await(&w.given, k*uint64(w.n-1), site, transport.WaitReduction, -1)
	}
	for q := 1; q < w.n; q++ {
		gift := &w.pes[q].gift
		p.await(&gift.seq, k, site, transport.WaitReduction, q)
		if gift.site != site {
			p.diverged(q, gift.site, site)
		}
		word = combine(word, gift.word)
	}
	w.result.word = word
	p.wakeAfter(&w.result.seq, k)
	if w.several() {
		w.spread(written(packetResult, 0, k, word))
	}
	return word
}

// give is the contribution of PE q, which is not PE 0, to reduction k.
func (w *World) give(q int, word uint64, site int, k uint64) {
	gift := &w.pes[q].gift
	gift.word, gift.site = word, site
	if w.spin == 0 {
		// PE 0 parks once, for the last of them.
		gift.seq.Store(k)
		if w.given.Add(1) == k*uint64(w.n-1) {
			w.wake(w.pes[0], &w.given)
		}
	} else {
		w.pes[0].raise(&gift.seq, k)
	}
}

// ReduceAll publishes own and lets f look at what the others have published. Two places
// for each PE are enough: a PE publishes in one of them again only after all have
// published in the other, and so have read the first.
//
// For each PE to look at all others takes two PEs no longer than one of them to send what
// it has. Of more than fewFolds only PE 0 looks, and the others take its result, if that is
// theirs too.
func (p *PE) ReduceAll(site int, own transport.Memory, f transport.Folder) {
	w := p.w
	p.pooled++
	k := p.pooled
	mine := &p.pool[k%2]
	mine.value, mine.site = own, site
	if w.room != nil {
		mine.value = nil
		data := own.Bytes()
		p.bring(k, data)
		if w.several() {
			w.spread(append(written(packetPool, len(data), uint64(p.id), k, uint64(site)), data...))
		}
	} else if w.n > fewFolds {
		p.folded(site, k, f)
		return
	}
	p.wakeAfter(&mine.seq, k)
	for q, other := range w.pes {
		m := &other.pool[k%2]
		if q != p.id {
			p.await(&m.seq, k, site, transport.WaitReduction, q)
			if m.site != site {
				p.diverged(q, m.site, site)
			}
		}
		switch {
		case w.room == nil:
			f.Fold(q, m.value.(transport.Memory))
		case q == p.id:
			f.Fold(q, own)
		default:
			f.Fold(q, own.At(q, m.data))
		}
	}
}

// fewFolds is on up to how many PEs each of them combines all contributions to a
// reduction.
const fewFolds = 4

// folded is ReduceAll in which PE 0 waits for all contributions, lets its f look at them,
// and hands it to the f of the others; or all look, when PE 0 has got them. What it hands over stays as it is until all have contributed again.
func (p *PE) folded(site int, k uint64, f transport.Folder) {
	w := p.w
	p.pool[k%2].seq.Store(k)
	all := k * uint64(w.n)
	if w.offered.Add(1) == all && p.id != 0 {
		w.wake(w.pes[0], &w.offered)
	}
	look := func() {
		for q, other := range w.pes {
			m := &other.pool[k%2]
			if m.site != site {
				p.diverged(q, m.site, site)
			}
			f.Fold(q, m.value.(transport.Memory))
		}
	}
	if p.id != 0 {
		p.await(&w.total.seq, k, site, transport.WaitResult, 0)
		if w.total.site != site {
			p.diverged(0, w.total.site, site)
		}
		if f.Alike() {
			f.Take(w.total.value.(transport.Folder))
		} else {
			look()
		}
		return
	}
	p.await(&w.offered, all, site, transport.WaitReduction, -1)
	if f.Alike() {
		look()
	}
	w.total.value, w.total.site = f, site
	p.wakeAfter(&w.total.seq, k)
	if !f.Alike() {
		look()
	}
}

// wake wakes p if it waits for flag, which the caller has stored by an exchange or an
// addition (see publish).
func (w *World) wake(p *PE, flag *atomic.Uint64) {
	hideSync()
	if p.waiting.Load() == flag {
		p.wakeFrom(flag)
	}
	showSync()
}

// Broadcast returns the word that root passes.
func (p *PE) Broadcast(site, root int, word uint64) uint64 {
	m := p.exchange(site, root, word, nil, transport.WaitBroadcast)
	word = m.word
	p.take()
	return word
}

// Share returns the bytes that root passes.
func (p *PE) Share(site, root int, data []byte) []byte {
	return p.share(site, root, data, transport.WaitBroadcast)
}

func (p *PE) share(site, root int, data []byte, kind transport.WaitKind) []byte {
	m := p.exchange(site, root, 0, data, kind)
	data = p.w.keep(m.data)
	p.take()
	return data
}

// anySite is that of agreements, to which PEs come from different sites: they find out by their votes.
const anySite = -2

// exchange returns the mail of the next broadcast, written by root. Others wait for it as kind
// says.
func (p *PE) exchange(site, root int, word uint64, data []byte, kind transport.WaitKind) *mail {
	w := p.w
	k := p.broadcasts
	m := &w.ring[k%ringSize]
	from := site // of all PEs alike
	if kind == transport.WaitAgreement {
		from = anySite
	}
	if p.id == root {
		if k >= p.credit+ringSize {
			p.collectCredit(site, k)
		}
		if w.room != nil {
			// All have taken what lay in this place before.
			data = w.relend(&p.lent[k%ringSize], data)
		}
		m.word, m.data, m.site = word, data, from
		p.wakeAfter(&m.seq, k+1)
		if w.several() {
			w.spread(append(written(packetMail, len(data), k, uint64(from), word), data...))
		}
		return m
	}
	p.await(&m.seq, k+1, site, kind, root)
	if m.site != from {
		p.diverged(root, m.site, site)
	}
	return m
}

// collectCredit waits until all PEs have taken the broadcast whose mail number
// k will overwrite.
func (p *PE) collectCredit(site int, k uint64) {
	least := k
	hideSync()
	p.w.lenders.Add(1) // before it looks at what others have taken
	showSync()
	for q, other := range p.w.pes {
		if q != p.id {
			got, _ := p.await(&other.taken, k-ringSize+1, site, transport.WaitCredit, q)
			least = min(least, got)
		}
	}
	hideSync()
	p.w.lenders.Add(-1)
	showSync()
	p.credit = least
}

// take counts a broadcast as read, and reports it now and then.
func (p *PE) take() {
	p.broadcasts++
	if p.broadcasts%creditEvery == 0 {
		p.taken.Swap(p.broadcasts)
		hideSync()
		waited := p.w.lenders.Load() > 0
		showSync()
		if waited {
			p.wakeAll(&p.taken)
		}
		if p.w.several() {
			p.w.spread(written(packetTaken, 0, uint64(p.id), p.broadcasts))
		}
	}
}

// diverged aborts: two PEs are at different collectives, so single-valued
// control has broken down.
func (p *PE) diverged(q, theirs, ours int) {
	p.Abort(&transport.Diverged{PE: p.id, Site: ours, Other: q, OtherSite: theirs})
}
