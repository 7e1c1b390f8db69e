package spmd

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"unsafe"
)

// large is how many bytes an array has at least for which it is found out beforehand
// whether there is room: Go ends a process that has none with a dump, which cannot be
// caught.
const large = 64 << 20

var errTooLarge = errors.New("no machine has that much")

// allocating lets one PE at a time find out, and take, what room there is.
var allocating sync.Mutex

// allocate makes a slice of n elements for what a name stands for, zeroed. It begins where
// stagger says, so many elements before the beginning of a cache line, and shares no line
// with others. Where the system gives no memory for it, that is the error of the run.
//
// The PE that owns the elements is the first to touch them: what Go has from the system is
// zero already.
func allocate[T any](pe *PE, name string, n, before int) []T {
	var element T
	size := int(unsafe.Sizeof(element))
	if size == 0 || n*size < line && n <= line {
		return room[T](pe, n)
	}
	if n > large/size {
		allocating.Lock()
		defer allocating.Unlock()
		need := float64(n) * float64(size)
		err := errTooLarge
		if n <= (math.MaxInt-page-line)/size {
			err = roomFor(n * size)
		}
		if err != nil {
			pe.t.Abort(&Error{File: pe.prog.File, PE: pe.id, Images: pe.prog.Coarray,
				Msg:  fmt.Sprintf("out of memory: %s needs %.1f GB on this %s: %v", name, need/1e9, kind(pe), err),
				Hint: "make the arrays smaller; ulimit -v shows whether the shell sets a limit"})
		}
	}
	if line%size != 0 {
		return room[T](pe, n)
	}
	skip := pe.stagger(n*size) / size
	skip += int(uint(-before*size)%line) / size
	all := room[T](pe, n+skip+3*line/size)
	base := unsafe.Pointer(unsafe.SliceData(all))
	if n*size >= huge {
		inHugePages(unsafe.Slice((*byte)(base), len(all)*size))
	}
	skip += int(-uintptr(base)%line) / size
	return all[skip : skip+n : skip+n]
}

// room is n zeroes that messages may be put into, or got from.
func room[T any](pe *PE, n int) []T {
	var element T
	if _, text := any(element).(string); text || n <= 0 {
		return make([]T, n) // a string has a pointer
	}
	if p := pe.t.Alloc(n * int(unsafe.Sizeof(element))); p != nil {
		return unsafe.Slice((*T)(p), n)
	}
	return make([]T, n)
}

// vacate takes back what room or allocate has given, which nothing refers to any more.
func vacate[T any](pe *PE, old []T) {
	if cap(old) > 0 {
		pe.t.Free(unsafe.Pointer(unsafe.SliceData(old)))
	}
}

func kind(pe *PE) string {
	if pe.prog.Coarray {
		return "image"
	}
	return "PE"
}
