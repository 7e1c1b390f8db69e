package inproc

import (
	"fmt"
	"sync/atomic"

	"github.com/spmdc/spmdc/runtime/transport"
)

// lock gives the right of way by tickets: the holder of ticket t has it when t-1 have been
// done with.
type lock struct {
	tickets atomic.Uint64
	_       pad
	served  atomic.Uint64
	holder  atomic.Int64 // for reports
}

// lockTable holds the locks by number. They are made, some at a time, when a PE comes to
// one of them first.
type lockTable [64]atomic.Pointer[[16]lock]

func (w *World) lock(n int) *lock {
	const each = len([16]lock{})
	if n >= len(w.locks)*each {
		panic(fmt.Sprintf("lock %d: there are %d", n, len(w.locks)*each))
	}
	hideSync() // that a lock is there orders nothing
	at := &w.locks[n/each]
	if at.Load() == nil {
		at.CompareAndSwap(nil, &made[[16]lock](w, 1)[0])
	}
	l := &at.Load()[n%each]
	showSync()
	return l
}

var _ transport.Locker = (*PE)(nil)

// Lock takes a ticket and waits until it is served.
func (p *PE) Lock(site, number int) {
	if p.w.several() {
		p.lockFar(site, number)
		return
	}
	l := p.w.lock(number)
	hideSync()
	ticket, holder := l.tickets.Add(1), int(l.holder.Load())
	showSync()
	p.await(&l.served, ticket-1, site, transport.WaitLock, holder)
	hideSync()
	l.holder.Store(int64(p.id))
	showSync()
}

// Unlock serves the next ticket.
func (p *PE) Unlock(_, number int) {
	if p.w.several() {
		p.w.send(0, written(packetUnlock, 0, uint64(p.id), uint64(number)))
		return
	}
	l := p.w.lock(number)
	l.served.Swap(l.served.Load() + 1) // not Store: see publish
	p.wakeAll(&l.served)
}

// Notify sends a notice.
func (p *PE) Notify(to int) {
	if p.w.far(to) {
		p.w.send(to, written(packetNotice, 0, uint64(to)))
		return
	}
	p.w.pes[to].noticed()
}

// noticed counts a notice for p, of any sender, and wakes p. It orders nothing: what has changed
// is found out under a lock.
func (p *PE) noticed() {
	hideSync()
	p.notices.Add(1)
	if p.waiting.Load() == &p.notices {
		p.wakeFrom(&p.notices)
	}
	showSync()
}

// AwaitNotice waits for the next notice.
func (p *PE) AwaitNotice(site int, seen uint64) uint64 {
	got, _ := p.await(&p.notices, seen+1, site, transport.WaitNotice, -1)
	return got
}
