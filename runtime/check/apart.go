package check

import (
	"encoding/binary"
	"unsafe"

	"github.com/spmdc/spmdc/runtime/transport"
)

// Where PEs are processes, what they look at of each other lies in memory that all of them
// have at the same addresses: the board, the marks of slots, and the mailboxes of buffers with
// the headers in them. Each process has a monitor of its own PE, and of each other one a
// monitor that has nothing but its mailboxes.

// memory is where things lie that other PEs look at: nil for that of the process.
type memory interface {
	Alloc(bytes int) unsafe.Pointer
}

// made is n zeroes in a memory.
func made[T any](in memory, n int) []T {
	if in == nil || n == 0 {
		return make([]T, n)
	}
	return unsafe.Slice((*T)(in.Alloc(n*int(unsafe.Sizeof(*new(T))))), n)
}

// memory is where this PE's things lie.
func (m *Monitor) memory() memory {
	if m.ledger.apart {
		return m.Transport
	}
	return nil
}

func (m *Monitor) mailboxes() []mailbox { return made[mailbox](m.memory(), len(m.clock)) }

// join makes the ledger that of a run of processes, if there is one: all have the board
// of PE 0.
func (l *Ledger) join(m *Monitor) {
	if m.reach() || m.Transport.Alloc(1) == nil {
		return
	}
	l.apart = true
	for q := range l.monitors {
		if q != m.id {
			l.monitors[q] = &Monitor{ledger: l, id: q}
		}
	}
	var at []byte
	if m.id == 0 {
		l.board = newBoard(m.Transport, l.pes)
		at = appendAddress(nil, l.board)
	}
	l.board = (*board)(address(m.Transport.Share(-1, 0, at)))
}

// introduce publishes where the marks and mailboxes of each process are. All have registered
// the same buffers, or Start will find that they have not.
func (m *Monitor) introduce() {
	if !m.ledger.apart {
		return
	}
	var own []byte
	for _, s := range m.all {
		own = appendAddress(own, s.row[m.id])
	}
	for _, in := range m.inboxes {
		own = appendAddress(appendAddress(own, &in.puts[0]), &in.ready[0])
	}
	all, err := m.Transport.Gather(-1, own)
	if err != nil {
		m.Abort(err)
	}
	for q, list := range all {
		if q == m.id || len(list) != len(own) {
			continue
		}
		for _, s := range m.all {
			s.row[q] = (*mark)(address(list))
			list = list[addressBytes:]
		}
		for i, in := range m.inboxes {
			puts, ready := (*mailbox)(address(list)), (*mailbox)(address(list[addressBytes:]))
			list = list[2*addressBytes:]
			other := m.ledger.monitors[q]
			other.inboxes = append(other.inboxes, &inbox{
				Memory: in.Memory, owner: other, number: i, slot: in.slot,
				puts: unsafe.Slice(puts, len(m.clock)), ready: unsafe.Slice(ready, len(m.clock)),
			})
		}
	}
}

const addressBytes = 8

func appendAddress[T any](b []byte, p *T) []byte {
	return binary.NativeEndian.AppendUint64(b, uint64(uintptr(unsafe.Pointer(p))))
}

func address(b []byte) unsafe.Pointer {
	at := uintptr(binary.NativeEndian.Uint64(b))
	return *(*unsafe.Pointer)(unsafe.Pointer(&at))
}

// At is the inbox of PE pe for the same buffer, whose memory is b.
func (in *inbox) At(pe int, b []byte) transport.Memory {
	other := in.owner.ledger.monitors[pe].inboxes[in.number]
	other.Memory = in.Memory.At(pe, b)
	return other
}
