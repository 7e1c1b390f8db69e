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

// allocate makes a slice of n elements for what a name stands for. Where the system
// gives no memory for it, that is the error of the run.
func allocate[T any](pe *PE, name string, n int) []T {
	var element T
	size := int(unsafe.Sizeof(element))
	if n <= large/max(1, size) {
		return make([]T, n)
	}
	allocating.Lock()
	defer allocating.Unlock()
	need := float64(n) * float64(size)
	err := errTooLarge
	if n <= math.MaxInt/size {
		err = roomFor(n * size)
	}
	if err != nil {
		pe.t.Abort(&Error{File: pe.prog.File, PE: pe.id, Images: pe.prog.Coarray,
			Msg:  fmt.Sprintf("out of memory: %s needs %.1f GB on this %s: %v", name, need/1e9, kind(pe), err),
			Hint: "make the arrays smaller; ulimit -v shows whether the shell sets a limit"})
	}
	return make([]T, n)
}

func kind(pe *PE) string {
	if pe.prog.Coarray {
		return "image"
	}
	return "PE"
}
