package inproc

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/spmdc/spmdc/runtime/transport"
	"github.com/spmdc/spmdc/runtime/transport/agree"
)

// What all PEs take part in, where they are on several hosts. Each host has a state of its
// own, at which its PEs wait; what comes from other hosts is written there by its head.

// mostRounds is in how many rounds hosts meet at most.
const mostRounds = 16

// meet returns when all hosts have come to barrier k. The last PE of each host calls it. In
// round r each host sends to the one 2ʳ behind it, and has then been reached, through others, by
// the 2ʳ⁺¹-1 before it (dissemination).
func (p *PE) meet(site int, k uint64) {
	x := p.w.net
	n := len(x.heads)
	for round := range bits.Len(uint(n - 1)) {
		p.w.send(x.heads[(x.home+1<<round)%n], written(packetMeet, 0, uint64(round), k))
		p.await(&p.w.met[round].count, k, site, transport.WaitBarrier, -1)
	}
}

// pooled is the contribution of a PE of another host to ReduceAll.
func (w *World) pooled(l *packet) {
	p := w.pes[l.pe()]
	k := l.next()
	m := &p.pool[k%2]
	m.site = int(l.next())
	p.bring(k, l.data)
	w.show(&m.seq, k)
}

// mailed is a broadcast from another host. All PEs of this one have taken what lay in its
// place before.
func (w *World) mailed(l *packet) {
	k := l.next()
	m := &w.ring[k%ringSize]
	m.site, m.word = int(l.next()), l.next()
	m.data = w.relend(&w.net.lent[k%ringSize], l.data)
	w.show(&m.seq, k+1)
}

// queue is who waits for a lock, the holder first.
type queue []int

// queue lets PE q wait for a lock, or lets it go. It is called in the process of PE 0.
func (w *World) queue(in bool, q, number int) {
	x := w.net
	x.mu.Lock()
	l := x.locks[number]
	if l == nil {
		l = new(queue)
		x.locks[number] = l
	}
	if in {
		*l = append(*l, q)
	} else {
		*l = (*l)[1:]
	}
	next := -1
	if len(*l) > 0 && (!in || len(*l) == 1) {
		next = (*l)[0]
	}
	x.mu.Unlock()
	if next >= 0 {
		w.send(next, written(packetLocked, 0, uint64(next)))
	}
}

// lockFar is Lock: PE 0 has the queues.
func (p *PE) lockFar(site, number int) {
	p.grants++
	p.w.send(0, written(packetLock, 0, uint64(p.id), uint64(number)))
	p.await(&p.granted, p.grants, site, transport.WaitLock, -1)
}

// sameBuffersFar is sameBuffers.
func (p *PE) sameBuffersFar() bool {
	var sites []byte
	for _, b := range p.buffers {
		sites = binary.AppendVarint(sites, int64(b.site))
	}
	return slices.Equal(p.Share(-1, 0, sites), sites)
}

// gatherFar is Gather.
func (p *PE) gatherFar(site int, data []byte) (all [][]byte) {
	for q := range p.w.n {
		all = append(all, slices.Clone(p.share(site, q, data, transport.WaitAgreement)))
	}
	return all
}

// agreeFar is Agree.
func (p *PE) agreeFar(site int, v *[agree.Words]int64) {
	var own []byte
	for _, word := range v {
		own = binary.NativeEndian.AppendUint64(own, uint64(word))
	}
	for _, theirs := range p.gatherFar(site, own) {
		for i := range v {
			v[i] = min(v[i], int64(binary.NativeEndian.Uint64(theirs[i*wordBytes:])))
		}
	}
}
