package trace

import (
	"time"

	"github.com/spmdc/spmdc/runtime/trace/tracefile"
	"github.com/spmdc/spmdc/runtime/transport"
	"github.com/spmdc/spmdc/runtime/transport/agree"
)

// A Recorder passes on what goes through the transport, and measures it.

// Put is one message.
func (r *Recorder) Put(site int, b transport.Buffer, to int, epoch uint64, src transport.Memory, m *transport.Move) {
	began := ticks()
	r.Transport.Put(site, b, to, epoch, src, m)
	r.did(Put, site, began, message{to, b, epoch, r.bytes(src, m)})
}

// PutAll is one message, of several parts.
func (r *Recorder) PutAll(site, to int, parts []transport.Part) {
	began := ticks()
	r.Transport.PutAll(site, to, parts)
	if len(parts) == 0 {
		r.did(Put, site, began, message{peer: to})
		return
	}
	// What has no flag of its own goes with the part before.
	var whole message
	first := true
	for i := range parts {
		p := &parts[i]
		if i > 0 && !p.NoFlag {
			r.parts(Put, site, began, whole, first)
			first = false
			whole = message{}
		}
		if i == 0 || !p.NoFlag {
			whole = message{to, p.Buffer, p.Epoch, 0}
		}
		whole.bytes += r.bytes(p.Src, p.Move)
	}
	r.parts(Put, site, began, whole, first)
}

func (r *Recorder) Get(site int, b transport.Buffer, from int, dst transport.Memory, m *transport.Move) {
	began := ticks()
	r.Transport.Get(site, b, from, dst, m)
	r.met(Get, site, began, message{peer: from, buffer: b, bytes: r.bytes(dst, m)})
}

func (r *Recorder) Ready(site int, b transport.Buffer, to int, epoch uint64) {
	began := ticks()
	r.Transport.Ready(site, b, to, epoch)
	r.did(Ready, site, began, message{to, b, epoch, 0})
}

func (r *Recorder) ReadyAll(site, to int, slots []transport.Slot) {
	began := ticks()
	r.Transport.ReadyAll(site, to, slots)
	for i, s := range slots {
		r.parts(Ready, site, began, message{to, s.Buffer, s.Epoch, 0}, i == 0)
	}
}

// parts keeps a message, which began at a time, or a further part of it.
func (r *Recorder) parts(a Activity, site int, began int64, m message, first bool) {
	switch {
	case first:
		r.did(a, site, began, m)
	case a == Put:
		r.part(tracefile.PutPart, site, m)
	default:
		r.part(tracefile.ReadyPart, site, m)
	}
}

// bytes is how many bytes a section of src has.
func (r *Recorder) bytes(src transport.Memory, m *transport.Move) int {
	return m.Count() * src.ElemSize()
}

func (r *Recorder) AwaitReady(site int, b transport.Buffer, from int, epoch uint64) bool {
	began := ticks()
	waited := r.Transport.AwaitReady(site, b, from, epoch)
	r.did(WaitReady, site, began, message{from, b, epoch, 0})
	return waited
}

func (r *Recorder) Await(site int, b transport.Buffer, from int, epoch uint64) bool {
	began := ticks()
	waited := r.Transport.Await(site, b, from, epoch)
	r.did(Arrival, site, began, message{from, b, epoch, 0})
	return waited
}

func (r *Recorder) Reduce(site int, word uint64, combine func(acc, word uint64) uint64) uint64 {
	began := ticks()
	word = r.Transport.Reduce(site, word, combine)
	r.met(Reduction, site, began, message{peer: -1})
	r.agree()
	return word
}

func (r *Recorder) ReduceAll(site int, own transport.Memory, f transport.Folder) {
	began := ticks()
	r.Transport.ReduceAll(site, own, f)
	r.met(Reduction, site, began, message{peer: -1})
	r.agree()
}

func (r *Recorder) Broadcast(site, root int, word uint64) uint64 {
	began := ticks()
	word = r.Transport.Broadcast(site, root, word)
	r.met(Broadcast, site, began, message{peer: root})
	return word
}

func (r *Recorder) Share(site, root int, data []byte) []byte {
	began := ticks()
	data = r.Transport.Share(site, root, data)
	r.met(Broadcast, site, began, message{peer: root})
	return data
}

func (r *Recorder) Barrier(site int) {
	began := ticks()
	r.Transport.Barrier(site)
	r.met(Barrier, site, began, message{peer: -1})
	r.agree()
}

// Elided is a barrier that was left out: it takes no time.
func (r *Recorder) Elided(site int) {
	sum := &r.acts[r.index(Elided, site)]
	if r.events != nil {
		r.keep(depths, event{kind: tracefile.Elided, id: int32(site), began: ticks(), number: uint64(sum.Count), peer: -1})
	}
	sum.add(0, 0)
	r.sums[Elided].add(0, 0)
}

// Agree is a barrier, and Gather another.
func (r *Recorder) Agree(site int, v *[agree.Words]int64, patience time.Duration) error {
	began := ticks()
	err := r.Transport.Agree(site, v, patience)
	r.met(Barrier, site, began, message{peer: -1})
	return err
}

func (r *Recorder) Gather(site int, data []byte) ([][]byte, error) {
	began := ticks()
	all, err := r.Transport.Gather(site, data)
	r.met(Barrier, site, began, message{peer: -1})
	return all, err
}

// locking is a recorder of a transport that has locks.
type locking struct {
	*Recorder
	locks transport.Locker
}

func (l *locking) Lock(site, lock int) {
	began := ticks()
	l.locks.Lock(site, lock)
	l.met(Lock, site, began, message{peer: -1})
}

func (l *locking) Unlock(site, lock int) { l.locks.Unlock(site, lock) }

func (l *locking) AwaitReadyOrEnd(site int, b transport.Buffer, from int, epoch uint64) bool {
	began := ticks()
	ended := l.locks.AwaitReadyOrEnd(site, b, from, epoch)
	l.met(Lock, site, began, message{peer: from})
	return ended
}

func (l *locking) Near(pe int) bool { return l.locks.Near(pe) }

func (l *locking) Finish() { l.locks.Finish() }

func (l *locking) Ended(pe int) bool { return l.locks.Ended(pe) }

func (l *locking) Notify(to int) { l.locks.Notify(to) }

func (l *locking) AwaitNotice(site int, seen uint64) uint64 {
	began := ticks()
	n := l.locks.AwaitNotice(site, seen)
	l.met(Lock, site, began, message{peer: -1})
	return n
}
