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

func newFlags(n int) flags {
	if n <= fewPEs {
		return flags{few: make([]atomic.Uint64, n*flagLine)}
	}
	return flags{chunks: make([]atomic.Pointer[[perChunk]atomic.Uint64], (n+perChunk-1)/perChunk)}
}

// at is the flag for PE q.
func (f *flags) at(q int) *atomic.Uint64 {
	if f.few != nil {
		return &f.few[q*flagLine]
	}
	return f.made(q)
}

func (f *flags) made(q int) *atomic.Uint64 {
	hideSync() // that a flag is there orders nothing
	at := &f.chunks[q/perChunk]
	chunk := at.Load()
	if chunk == nil {
		at.CompareAndSwap(nil, new([perChunk]atomic.Uint64))
		chunk = at.Load()
	}
	showSync()
	return &chunk[q%perChunk]
}
