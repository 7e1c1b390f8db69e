package check

import (
	"encoding/binary"
	"math"
	"sync/atomic"

	"github.com/spmdc/spmdc/runtime/transport"
)

// Where PEs have no memory in common, nobody sees the marks and mailboxes of others. A header
// is sent ahead of its message, as a note, and put into the mailbox where it comes; those of
// collective operations are exchanged before the operation. How far another PE
// really is cannot be seen at once: the sender of a put reports what it had no clock for, and the
// receiver, when the put lands, what is in use there.

// reach finds out whether messages go between PEs. Then all of them are far from each other.
func (m *Monitor) reach() (far bool) {
	d, ok := m.Transport.(transport.Distant)
	for q := range m.clock {
		far = far || ok && d.Far(q)
	}
	if far {
		m.distant = d
		d.Noted(m.noted)
	}
	return far
}

// mark is the mark of another PE.
func (m *Monitor) mark(a *atomic.Uint64) uint64 {
	if m.distant != nil {
		return math.MaxUint64 // no clock of it is here
	}
	return load(a)
}

// Words of a note, ahead of the header.
const (
	noteBuffer = iota
	noteReady  // 1: the header goes with a ready message
	noteEpoch
	noteDepth
	noteWords
)

// header is where a header is written that goes with a message to PE to, about buffer b.
// Behind it, it is sent by attach.
func (m *Monitor) header(b transport.Buffer, to int, ready bool, depth int, epoch uint64) *header {
	if m.distant != nil {
		h := newHeader(nil, len(m.clock))
		return &h
	}
	in := m.ledger.monitors[to].inboxes[b]
	box := &in.puts[m.id]
	if ready {
		box = &in.ready[m.id]
	}
	return box.blank(m.memory(), len(m.clock), depth, epoch)
}

// attach sends a header to a far PE.
func (m *Monitor) attach(h *header, b transport.Buffer, to int, ready bool, depth int, epoch uint64) {
	if m.distant == nil {
		return
	}
	var words [noteWords]uint64
	words[noteBuffer], words[noteEpoch], words[noteDepth] = uint64(b), epoch, uint64(depth)
	if ready {
		words[noteReady] = 1
	}
	var note []byte
	for _, w := range words {
		note = binary.NativeEndian.AppendUint64(note, w)
	}
	m.distant.Attach(to, h.packed(note))
}

// noted takes a header into its mailbox. Whoever carries it calls it.
func (m *Monitor) noted(from int, note []byte) {
	word := func(i int) uint64 { return binary.NativeEndian.Uint64(note[8*i:]) }
	in := m.inboxes[word(noteBuffer)]
	box := &in.puts[from]
	if word(noteReady) != 0 {
		box = &in.ready[from]
	}
	box.blank(nil, len(m.clock), int(word(noteDepth)), word(noteEpoch)).unpack(note[8*noteWords:])
}

// packed adds a header to b.
func (l *header) packed(b []byte) []byte {
	b = binary.NativeEndian.AppendUint64(b, l.epoch.Load())
	for i := range l.head {
		b = binary.NativeEndian.AppendUint64(b, l.head[i].Load())
	}
	for q := range l.clock {
		b = binary.NativeEndian.AppendUint64(b, l.clock[q].Load())
	}
	return b
}

// unpack fills a header with a packed one.
func (l *header) unpack(b []byte) {
	word := func() uint64 {
		w := binary.NativeEndian.Uint64(b)
		b = b[8:]
		return w
	}
	epoch := word()
	l.epoch.Store(0)
	for i := range l.head {
		l.head[i].Store(word())
	}
	for q := range l.clock {
		l.clock[q].Store(word())
	}
	l.epoch.Store(epoch)
}

// gather exchanges the headers of all PEs, where each has its own only.
func (m *Monitor) gather(list []header) {
	if m.distant == nil {
		return
	}
	all, err := m.Transport.Gather(-1, list[m.id].packed(nil))
	if err != nil {
		m.Abort(err)
	}
	for q := range list {
		if q != m.id {
			list[q].unpack(all[q])
		}
	}
}

// Land is a put of a far PE that lands (transport.Receiver).
func (in *inbox) Land(from int, epoch uint64, src transport.Memory, m *transport.Move) {
	if m.Count() > 0 { // else the message of before a checkpoint is raised again
		in.CopyFrom(&parcel{src, from, epoch}, m)
	}
}
