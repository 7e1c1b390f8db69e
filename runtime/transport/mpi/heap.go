//go:build mpi

package mpi

import (
	"cmp"
	"slices"
	"sync"
	"unsafe"
)

// heap is the inproc.Room of a process that shares memory with no other one: memory of Go, which the race
// detector watches.
type heap struct {
	mu     sync.Mutex
	blocks [][]byte // in use, in the order of their addresses
}

const lineBytes = 64

// Alloc is zeroed memory, which begins with a cache line. The block stays in the list while it is in use, since what
// points to it lies in such blocks too, where the garbage collector sees no pointers.
func (h *heap) Alloc(bytes int) unsafe.Pointer {
	b := make([]byte, bytes+2*lineBytes)
	at := unsafe.Pointer(unsafe.SliceData(b))
	h.mu.Lock()
	defer h.mu.Unlock()
	i, _ := h.find(at)
	h.blocks = slices.Insert(h.blocks, i, b)
	return unsafe.Add(at, int(-uintptr(at)%lineBytes))
}

// Free gives the block in which p lies to the garbage collector.
func (h *heap) Free(p unsafe.Pointer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i, is := h.find(p); is {
		h.blocks = slices.Delete(h.blocks, i, i+1)
	}
}

// Holds reports whether p lies in a block.
func (h *heap) Holds(p unsafe.Pointer) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, is := h.find(p)
	return is
}

// find is the place of the block in which p lies, or where one that begins there belongs.
func (h *heap) find(p unsafe.Pointer) (int, bool) {
	return slices.BinarySearchFunc(h.blocks, uintptr(p), func(b []byte, p uintptr) int {
		begin := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
		if p-begin < uintptr(len(b)) {
			return 0
		}
		return cmp.Compare(begin, p)
	})
}
