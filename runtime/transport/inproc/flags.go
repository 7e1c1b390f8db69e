package inproc

import "sync/atomic"

const (
	// fewPEs is up to how many PEs there is a flag for each pair from the beginning, on a
	// cache line of its own.
	fewPEs   = 16
	flagLine = 8  // words of a cache line
	perChunk = 16 // flags that are made together, of more PEs
)

// flags is a flag of a buffer for each PE. Of many PEs most pairs never send each other
// anything: their flags are made when they are asked for first, by either side.
type flags struct {
	few    []atomic.Uint64
	chunks []atomic.Pointer[[perChunk]atomic.Uint64]
}

func (w *World) newFlags() flags {
	n := w.n
	if n <= fewPEs {
		return flags{few: made[atomic.Uint64](w, n*flagLine)}
	}
	return flags{chunks: made[atomic.Pointer[[perChunk]atomic.Uint64]](w, (n+perChunk-1)/perChunk)}
}

// at is the flag for PE q.
func (f *flags) at(w *World, q int) *atomic.Uint64 {
	if f.few != nil {
		return &f.few[q*flagLine]
	}
	return f.made(w, q)
}

func (f *flags) made(w *World, q int) *atomic.Uint64 {
	hideSync() // that a flag is there orders nothing
	at := &f.chunks[q/perChunk]
	chunk := at.Load()
	if chunk == nil {
		showSync() // but who takes memory from a room, of the goroutines of a process, has its lock
		fresh := &made[[perChunk]atomic.Uint64](w, 1)[0]
		hideSync()
		at.CompareAndSwap(nil, fresh)
		chunk = at.Load()
	}
	showSync()
	return &chunk[q%perChunk]
}
