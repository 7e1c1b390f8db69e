package inproc

import (
	"sync"
	"sync/atomic"

	"github.com/spmdc/spmdc/runtime/transport"
)

// lock gives the right of way by tickets: serving is the number of the ticket
// whose holder has it.
type lock struct {
	tickets atomic.Uint64
	_       pad
	serving atomic.Uint64
	holder  atomic.Int64 // for reports
}

// lockTable holds the locks by number. It grows when a PE comes to one first.
type lockTable struct {
	mu   sync.Mutex
	list []*lock
}

func (t *lockTable) get(n int) *lock {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.list) <= n {
		l := &lock{}
		l.serving.Store(1)
		t.list = append(t.list, l)
	}
	return t.list[n]
}

var _ transport.Locker = (*PE)(nil)

// Lock takes a ticket and waits until it is served.
func (p *PE) Lock(site, number int) {
	l := p.w.locks.get(number)
	hideSync()
	ticket, holder := l.tickets.Add(1), int(l.holder.Load())
	showSync()
	p.await(&l.serving, ticket, site, transport.WaitLock, holder)
	hideSync()
	l.holder.Store(int64(p.id))
	showSync()
}

// Unlock serves the next ticket.
func (p *PE) Unlock(_, number int) {
	l := p.w.locks.get(number)
	l.serving.Swap(l.serving.Load() + 1) // not Store: see publish
	p.wakeAll(&l.serving)
}
