package check

import (
	"sync"
	"sync/atomic"
)

// Ledger is what the PEs of a run share: how far each has come with each
// communication, and the headers that go with messages.
type Ledger struct {
	pes      int
	mu       sync.Mutex
	rows     [][]*mark // by communication, in the order of construction; then by PE
	monitors []*Monitor
	traced   bool
	apart    bool // PEs are processes that have memory in common: the others' monitors show what they share

	*board
	broken atomic.Bool               // somebody has found a fault of the transport
	fault  atomic.Pointer[Violation] // the first such
}

// board is the headers of what all PEs take part in.
type board struct {
	meetings [2][]header           // barriers and reductions, by number modulo 2; then by PE
	headers  [broadcastRing]header // broadcasts, by number modulo
}

// broadcastRing is by how many broadcasts a PE may be ahead of others, at least.
const broadcastRing = 128

// NewLedger makes the ledger of a run on so many PEs.
func NewLedger(pes int) *Ledger {
	return &Ledger{pes: pes, monitors: make([]*Monitor, pes), board: newBoard(nil, pes)}
}

func newBoard(in memory, pes int) *board {
	b := &made[board](in, 1)[0]
	for i := range b.meetings {
		b.meetings[i] = made[header](in, pes)
		for p := range pes {
			b.meetings[i][p] = newHeader(in, pes)
		}
	}
	for i := range b.headers {
		b.headers[i] = newHeader(in, pes)
	}
	return b
}

// mark is how far one PE is with one communication, in epochs. Others read it
// without waiting for it; the padding keeps PEs off each other's cache lines.
type mark struct {
	arrived atomic.Uint64 // the last epoch whose data have arrived (CO)
	over    atomic.Uint64 // the last epoch whose use is over (UO)
	_       [48]byte
}

// row is the marks of communication i.
func (l *Ledger) row(i int) []*mark {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.rows) <= i {
		row, marks := make([]*mark, l.pes), make([]mark, l.pes)
		for p := range row {
			row[p] = &marks[p]
		}
		l.rows = append(l.rows, row)
	}
	return l.rows[i]
}

// report keeps the first fault of the transport that anybody finds. It is found
// where a message lands, by whoever carries it, which need not be a PE; PEs look
// for it when they come by.
func (l *Ledger) report(v *Violation) {
	l.fault.CompareAndSwap(nil, v)
	l.broken.Store(true)
}

// load reads a mark, unseen by the race detector: the check must not order PEs
// that the program does not order.
func load(m *atomic.Uint64) uint64 {
	hideSync()
	v := m.Load()
	showSync()
	return v
}

// store sets a mark, unseen by the race detector.
func store(m *atomic.Uint64, v uint64) {
	hideSync()
	m.Store(v)
	showSync()
}
