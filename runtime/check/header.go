package check

import (
	"sync/atomic"

	"github.com/spmdc/spmdc/runtime/transport"
)

// header is the vector clock header of a message, which goes beside it: who sent it from which point of
// the program, and what the sender knew then. It is words that are read and
// written one by one, unseen by the race detector: a header must not order PEs
// that its message does not order.
//
// Its clock has one word for each PE q: how many of its steps (see Monitor) the
// sender knows q to have made.
type header struct {
	epoch atomic.Uint64 // stored last: it shows that the header is there
	head  *[headerHead]atomic.Uint64
	clock []atomic.Uint64
}

// The words of the head.
const (
	headerSite  = iota // from where it was sent, plus 1
	headerPath         // a digest of all that the sender has come by
	headerMuted        // 1: the clock does not count
	headerSum          // a digest of the elements
	headerDepth        // number of loops around
	headerIndex        // of them: up to maxDepth words
	headerMove  = headerIndex + maxDepth
	headerHead  = headerMove + 2 + 2*transport.MaxRank
)

// maxDepth is how many loop indices a header holds, from the outermost on.
const maxDepth = 8

func newHeader(in memory, pes int) header {
	return header{head: &made[[headerHead]atomic.Uint64](in, 1)[0], clock: made[atomic.Uint64](in, pes)}
}

// point is a place in the execution of a program: where, what came before, and
// the indices of the loops around.
type point struct {
	site  int
	path  uint64
	index [maxDepth]uint64
	depth int
}

// write fills the header.
func (l *header) write(epoch uint64, at point, clock []uint64, muted bool, sum uint64, m *transport.Move) {
	hideSync()
	l.epoch.Store(0)
	h := l.head
	h[headerSite].Store(uint64(at.site + 1))
	h[headerPath].Store(at.path)
	h[headerSum].Store(sum)
	h[headerDepth].Store(uint64(at.depth))
	for i := range at.index {
		h[headerIndex+i].Store(at.index[i])
	}
	h[headerMuted].Store(0)
	if muted {
		h[headerMuted].Store(1)
	}
	if m != nil {
		h[headerMove].Store(uint64(m.Dst))
		h[headerMove+1].Store(uint64(m.Rank))
		for d := range m.Rank {
			h[headerMove+2+d].Store(uint64(m.N[d]))
			h[headerMove+2+transport.MaxRank+d].Store(uint64(m.DstStride[d]))
		}
	}
	for q := range clock {
		l.clock[q].Store(clock[q])
	}
	l.epoch.Store(epoch)
	showSync()
}

// has reports whether the header is that of the epoch.
func (l *header) has(epoch uint64) bool { return load(&l.epoch) == epoch }

// at is where the header was sent from.
func (l *header) at() point {
	hideSync()
	h := l.head
	p := point{site: int(h[headerSite].Load()) - 1, path: h[headerPath].Load(), depth: int(h[headerDepth].Load())}
	for i := range p.index {
		p.index[i] = h[headerIndex+i].Load()
	}
	showSync()
	return p
}

// joinTo adds what the sender knew to clock.
func (l *header) joinTo(clock []uint64) {
	hideSync()
	if l.head[headerMuted].Load() == 0 {
		for q := range clock {
			clock[q] = max(clock[q], l.clock[q].Load())
		}
	}
	showSync()
}

// section is what the message has filled: its place at the receiver, and the
// digest of the elements that the sender had.
func (l *header) section() (m transport.Move, sum uint64) {
	hideSync()
	h := l.head
	m.Dst, m.Rank = int(h[headerMove].Load()), int(h[headerMove+1].Load())
	for d := range m.Rank {
		m.N[d] = int(h[headerMove+2+d].Load())
		m.DstStride[d] = int(h[headerMove+2+transport.MaxRank+d].Load())
	}
	sum = h[headerSum].Load()
	showSync()
	return m, sum
}

// mailbox is the headers that go with the messages of one PE into one buffer of
// another. A program that is right has at most as many under way as the buffer
// has slots.
type mailbox struct {
	ring   atomic.Pointer[[]header]
	landed []atomic.Uint64 // of puts, by slot: the last epoch that has come
}

// blank is a header to be written for an epoch; only one PE writes into a mailbox.
func (b *mailbox) blank(in memory, pes, depth int, epoch uint64) *header {
	hideSync()
	ring := b.ring.Load()
	if ring == nil {
		showSync() // PEs of one process take memory from a room under its lock
		ring = &made[[]header](in, 1)[0]
		*ring = made[header](in, 2*depth+2)
		for i := range *ring {
			(*ring)[i] = newHeader(in, pes)
		}
		hideSync()
		b.ring.Store(ring)
	}
	showSync()
	return &(*ring)[epoch%uint64(len(*ring))]
}

// read is the header of an epoch, nil if there is none.
func (b *mailbox) read(epoch uint64) *header {
	hideSync()
	ring := b.ring.Load()
	showSync()
	if ring == nil {
		return nil
	}
	l := &(*ring)[epoch%uint64(len(*ring))]
	if !l.has(epoch) {
		return nil
	}
	return l
}
