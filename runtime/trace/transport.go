package trace

import (
	"time"

	"github.com/spmdc/spmdc/runtime/transport"
	"github.com/spmdc/spmdc/runtime/transport/agree"
)

// A Recorder passes on what goes through the transport, and measures it.

// Put is one message.
func (r *Recorder) Put(site int, b transport.Buffer, to int, epoch uint64, src transport.Memory, m *transport.Move) {
	began := ticks()
	r.Transport.Put(site, b, to, epoch, src, m)
	r.did(Put, site, began)
}

// PutAll is one message, of several parts.
func (r *Recorder) PutAll(site, to int, parts []transport.Part) {
	began := ticks()
	r.Transport.PutAll(site, to, parts)
	r.did(Put, site, began)
}

func (r *Recorder) Get(site int, b transport.Buffer, from int, dst transport.Memory, m *transport.Move) {
	began := ticks()
	r.Transport.Get(site, b, from, dst, m)
	r.did(Get, site, began)
}

func (r *Recorder) Ready(site int, b transport.Buffer, to int, epoch uint64) {
	began := ticks()
	r.Transport.Ready(site, b, to, epoch)
	r.did(Ready, site, began)
}

func (r *Recorder) ReadyAll(site, to int, slots []transport.Slot) {
	began := ticks()
	r.Transport.ReadyAll(site, to, slots)
	r.did(Ready, site, began)
}

func (r *Recorder) AwaitReady(site int, b transport.Buffer, from int, epoch uint64) bool {
	began := ticks()
	waited := r.Transport.AwaitReady(site, b, from, epoch)
	r.did(WaitReady, site, began)
	return waited
}

func (r *Recorder) Await(site int, b transport.Buffer, from int, epoch uint64) bool {
	began := ticks()
	waited := r.Transport.Await(site, b, from, epoch)
	r.did(Arrival, site, began)
	return waited
}

func (r *Recorder) Reduce(site int, word uint64, combine func(acc, word uint64) uint64) uint64 {
	began := ticks()
	word = r.Transport.Reduce(site, word, combine)
	r.did(Reduction, site, began)
	return word
}

func (r *Recorder) ReduceAll(site int, own transport.Memory, f transport.Folder) {
	began := ticks()
	r.Transport.ReduceAll(site, own, f)
	r.did(Reduction, site, began)
}

func (r *Recorder) Broadcast(site, root int, word uint64) uint64 {
	began := ticks()
	word = r.Transport.Broadcast(site, root, word)
	r.did(Broadcast, site, began)
	return word
}

func (r *Recorder) Share(site, root int, data []byte) []byte {
	began := ticks()
	data = r.Transport.Share(site, root, data)
	r.did(Broadcast, site, began)
	return data
}

func (r *Recorder) Barrier(site int) {
	began := ticks()
	r.Transport.Barrier(site)
	r.did(Barrier, site, began)
}

// Agree is a barrier, and Gather another.
func (r *Recorder) Agree(site int, v *[agree.Words]int64, patience time.Duration) error {
	began := ticks()
	err := r.Transport.Agree(site, v, patience)
	r.did(Barrier, site, began)
	return err
}

func (r *Recorder) Gather(site int, data []byte) ([][]byte, error) {
	began := ticks()
	all, err := r.Transport.Gather(site, data)
	r.did(Barrier, site, began)
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
	l.did(Lock, site, began)
}

func (l *locking) Unlock(site, lock int) { l.locks.Unlock(site, lock) }
