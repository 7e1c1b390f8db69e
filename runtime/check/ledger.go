package check

import (
	"sync"
	"sync/atomic"
)

// Ledger is what the PEs of a run share: how far each has come with each
// communication.
type Ledger struct {
	pes  int
	mu   sync.Mutex
	rows [][]mark // by communication, in the order of construction; then by PE
}

// NewLedger makes the ledger of a run on so many PEs.
func NewLedger(pes int) *Ledger { return &Ledger{pes: pes} }

// mark is how far one PE is with one communication, in epochs. Others read it
// without waiting for it; the padding keeps PEs off each other's cache lines.
type mark struct {
	arrived atomic.Uint64 // the last epoch whose data have arrived (CO)
	over    atomic.Uint64 // the last epoch whose use is over (UO)
	_       [48]byte
}

// row is the marks of communication i.
func (l *Ledger) row(i int) []mark {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.rows) <= i {
		l.rows = append(l.rows, make([]mark, l.pes))
	}
	return l.rows[i]
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
