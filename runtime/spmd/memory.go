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
		return exchanged[T](pe, n)
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
		return exchanged[T](pe, n)
	}
	skip := pe.stagger(n*size) / size
	skip += int(uint(-before*size)%line) / size
	all := exchanged[T](pe, n+skip+3*line/size)
	skip += int(-uintptr(unsafe.Pointer(unsafe.SliceData(all)))%line) / size
	return all[skip : skip+n : skip+n]
}

// exchanged is n zeroes that messages may be put into, or got from, also by PEs that are
// processes of their own: then it lasts until it is vacated.
func exchanged[T any](pe *PE, n int) []T {
	if n > 0 && bare[T]() {
		if p := pe.t.Alloc(n * int(unsafe.Sizeof(*new(T)))); p != nil {
			return unsafe.Slice((*T)(p), n)
		}
	}
	return Room[T](pe, n)
}

// vacate takes back what exchanged or allocate has given, which nothing refers to any more.
func vacate[T any](pe *PE, old []T) {
	if cap(old) > 0 {
		pe.t.Free(unsafe.Pointer(unsafe.SliceData(old)))
	}
}

// Room makes a slice of n elements, zeroed. To touch a page first takes long: where there
// are many, they are huge ones. A large slice begins with one; smaller ones share them, also
// those of several PEs.
func Room[T any](pe *PE, n int) []T {
	size := int(unsafe.Sizeof(*new(T)))
	switch bytes := n * size; {
	case bytes < shares || hugePage%size != 0:
	case bytes >= hugePage:
		all := make([]T, n+hugePage/size)
		before := int(-uintptr(unsafe.Pointer(unsafe.SliceData(all)))%hugePage) / size
		all = all[before : before+n : before+n]
		inHugePages(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(all))), bytes))
		return all
	case pe.shared != nil && bare[T]():
		if part := pe.shared.piece(bytes); part != nil {
			return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(part))), n)
		}
	}
	return make([]T, n)
}

// bare reports whether elements are plain numbers: memory that Go looks into for pointers
// is not shared with other memory.
func bare[T any]() bool {
	switch any(*new(T)).(type) {
	case float64, float32, int, int64, int32, int16, int8, uint64, uint8, complex64, complex128, bool:
		return true
	}
	return false
}

// piece is so many bytes, zeroed, of a huge page that others have parts of. It is nil until
// a quarter of one has been asked for: a huge page takes as long as about a hundred small ones.
func (s *shared) piece(bytes int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.small+bytes < hugePage/4 {
		s.small += bytes
		return nil
	}
	if bytes > len(s.page) {
		all := make([]byte, 2*hugePage)
		before := int(-uintptr(unsafe.Pointer(unsafe.SliceData(all))) % hugePage)
		s.page = all[before : before+hugePage]
		inHugePages(s.page)
	}
	part := s.page[:bytes:bytes]
	s.page = s.page[min(len(s.page), (bytes+line-1)/line*line):]
	return part
}

func kind(pe *PE) string {
	if pe.prog.Coarray {
		return "image"
	}
	return "PE"
}
