package inproc

import (
	"fmt"
	"math/bits"
	"sort"
	"sync"
	"unsafe"
)

const (
	// A cache line, and what large blocks begin at: a huge page.
	lineBytes = 64
	hugeBytes = 2 << 20
)

// Arena is the Room of a process: it gives out its part of the memory that processes have
// in common.
type Arena struct {
	whole Region // of all processes

	mu     sync.Mutex
	own    Region                   // what is left of its own part
	free   map[int][]unsafe.Pointer // by size
	blocks []block                  // in the order of their addresses
}

// block is a piece of the memory that has been given out once.
type block struct {
	at    unsafe.Pointer
	bytes int
	used  bool
}

// Region is so many bytes of memory.
type Region struct {
	At    unsafe.Pointer
	Bytes int
}

// NewArena gives out own, which is zero, and a part of the whole.
func NewArena(whole, own Region) *Arena {
	return &Arena{whole: whole, own: own, free: map[int][]unsafe.Pointer{}}
}

// Alloc is zeroed memory on cache lines of its own. Sizes are rounded up a little, so that
// what has been freed can be used for what is about as large.
func (a *Arena) Alloc(n int) unsafe.Pointer {
	n = roundedSize(n)
	a.mu.Lock()
	defer a.mu.Unlock()
	if list := a.free[n]; len(list) > 0 {
		p := list[len(list)-1]
		a.free[n] = list[:len(list)-1]
		a.find(p).used = true
		clear(unsafe.Slice((*byte)(p), n))
		return p
	}
	align := lineBytes
	if n >= hugeBytes {
		align = hugeBytes
	}
	skip := int(-uintptr(a.own.At) % uintptr(align))
	if n < 0 || n > a.own.Bytes-skip {
		panic(fmt.Sprintf("out of memory: %d bytes are left of what this process shares with others, and %d are needed", a.own.Bytes, n))
	}
	p := unsafe.Add(a.own.At, skip)
	a.own.At, a.own.Bytes = unsafe.Add(p, n), a.own.Bytes-skip-n
	a.blocks = append(a.blocks, block{p, n, true})
	return p
}

// roundedSize is a size of a block for n bytes: a multiple of a cache line, with four
// significant bits at most.
func roundedSize(n int) int {
	unit := lineBytes
	if b := bits.Len(uint(max(n, 1))); b > 10 {
		unit = 1 << (b - 4)
	}
	return (max(n, 1) + unit - 1) / unit * unit
}

// Free takes back what Alloc has given, of which p is somewhere in it.
func (a *Arena) Free(p unsafe.Pointer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if b := a.find(p); b != nil && b.used {
		b.used = false
		a.free[b.bytes] = append(a.free[b.bytes], b.at)
	}
}

// find is the block that p lies in, nil for another process's.
func (a *Arena) find(p unsafe.Pointer) *block {
	i := sort.Search(len(a.blocks), func(i int) bool { return uintptr(a.blocks[i].at) > uintptr(p) }) - 1
	if i < 0 || uintptr(p)-uintptr(a.blocks[i].at) >= uintptr(a.blocks[i].bytes) {
		return nil
	}
	return &a.blocks[i]
}

// Holds reports whether all processes have the memory.
func (a *Arena) Holds(p unsafe.Pointer) bool {
	off := uintptr(p) - uintptr(a.whole.At)
	return off < uintptr(a.whole.Bytes)
}
