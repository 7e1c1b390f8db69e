package check

import (
	"sync/atomic"

	"github.com/spmdc/spmdc/runtime/transport"
)

// letter is what goes with a message, beside it: who sent it from which point of
// the program, and what the sender knew then. It is words that are read and
// written one by one, unseen by the race detector: a letter must not order PEs
// that its message does not order.
//
// Its clock has one word for each PE q: how many of its steps (see Monitor) the
// sender knows q to have made.
type letter struct {
	epoch atomic.Uint64 // stored last: it tells that the letter is there
	head  *[letterHead]atomic.Uint64
	clock []atomic.Uint64
}

// The words of the head.
const (
	letterSite  = iota // from where it was sent, plus 1
	letterPath         // a digest of all that the sender has come by
	letterMuted        // 1: the clock does not count
	letterSum          // a digest of the elements
	letterDepth        // number of loops around
	letterIndex        // of them: up to maxDepth words
	letterMove  = letterIndex + maxDepth
	letterHead  = letterMove + 2 + 2*transport.MaxRank
)

// maxDepth is how many loop indices a letter holds, from the outermost on.
const maxDepth = 8

func newWords(n int) []atomic.Uint64 { return make([]atomic.Uint64, n) }

func newLetter(pes int) letter {
	return letter{head: new([letterHead]atomic.Uint64), clock: make([]atomic.Uint64, pes)}
}

// point is a place in the execution of a program: where, what came before, and
// the indices of the loops around.
type point struct {
	site  int
	path  uint64
	index [maxDepth]uint64
	depth int
}

// write fills the letter.
func (l *letter) write(epoch uint64, at point, clock []uint64, muted bool, sum uint64, m *transport.Move) {
	hideSync()
	l.epoch.Store(0)
	h := l.head
	h[letterSite].Store(uint64(at.site + 1))
	h[letterPath].Store(at.path)
	h[letterSum].Store(sum)
	h[letterDepth].Store(uint64(at.depth))
	for i := range at.index {
		h[letterIndex+i].Store(at.index[i])
	}
	h[letterMuted].Store(0)
	if muted {
		h[letterMuted].Store(1)
	}
	if m != nil {
		h[letterMove].Store(uint64(m.Dst))
		h[letterMove+1].Store(uint64(m.Rank))
		for d := range m.Rank {
			h[letterMove+2+d].Store(uint64(m.N[d]))
			h[letterMove+2+transport.MaxRank+d].Store(uint64(m.DstStride[d]))
		}
	}
	for q := range clock {
		l.clock[q].Store(clock[q])
	}
	l.epoch.Store(epoch)
	showSync()
}

// has reports whether the letter is that of the epoch.
func (l *letter) has(epoch uint64) bool { return load(&l.epoch) == epoch }

// at is where the letter was sent from.
func (l *letter) at() point {
	hideSync()
	h := l.head
	p := point{site: int(h[letterSite].Load()) - 1, path: h[letterPath].Load(), depth: int(h[letterDepth].Load())}
	for i := range p.index {
		p.index[i] = h[letterIndex+i].Load()
	}
	showSync()
	return p
}

// teach adds what the sender knew to clock.
func (l *letter) teach(clock []uint64) {
	hideSync()
	if l.head[letterMuted].Load() == 0 {
		for q := range clock {
			clock[q] = max(clock[q], l.clock[q].Load())
		}
	}
	showSync()
}

// section is what the message has filled: its place at the receiver, and the
// digest of the elements that the sender had.
func (l *letter) section() (m transport.Move, sum uint64) {
	hideSync()
	h := l.head
	m.Dst, m.Rank = int(h[letterMove].Load()), int(h[letterMove+1].Load())
	for d := range m.Rank {
		m.N[d] = int(h[letterMove+2+d].Load())
		m.DstStride[d] = int(h[letterMove+2+transport.MaxRank+d].Load())
	}
	sum = h[letterSum].Load()
	showSync()
	return m, sum
}

// mailbox is the letters that go with the messages of one PE into one buffer of
// another. A program that is right has at most as many under way as the buffer
// has slots.
type mailbox struct {
	ring   atomic.Pointer[[]letter]
	landed []atomic.Uint64 // of puts, by slot: the last epoch that has come
}

// blank is a letter to be written for an epoch; only one PE writes into a mailbox.
func (b *mailbox) blank(pes, depth int, epoch uint64) *letter {
	hideSync()
	ring := b.ring.Load()
	if ring == nil {
		list := make([]letter, 2*depth+2)
		for i := range list {
			list[i] = newLetter(pes)
		}
		ring = &list
		b.ring.Store(ring)
	}
	showSync()
	return &(*ring)[epoch%uint64(len(*ring))]
}

// read is the letter of an epoch, nil if there is none.
func (b *mailbox) read(epoch uint64) *letter {
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
