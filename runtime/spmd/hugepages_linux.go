package spmd

import (
	"syscall"
	"unsafe"
)

// inHugePages asks the system to hold memory in huge pages, of which there are fewer to
// find and to touch first, also the one in which it ends, with what else lies there. It is
// a wish: with an error all is as it was. It takes a microsecond, and Go's scheduler need not
// give the processor of this PE to another goroutine meanwhile.
func inHugePages(memory []byte) {
	const madviseHugePage = 14 // MADV_HUGEPAGE
	size := (len(memory) + hugePage - 1) / hugePage * hugePage
	_, _, _ = syscall.RawSyscall(syscall.SYS_MADVISE, uintptr(unsafe.Pointer(unsafe.SliceData(memory))), uintptr(size), madviseHugePage)
}
