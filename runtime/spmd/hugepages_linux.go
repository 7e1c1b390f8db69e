package spmd

import (
	"syscall"
	"unsafe"
)

// inHugePages asks the system to hold memory in huge pages, of which there are fewer to
// find and to touch first, also the one in which it ends, with what else lies there. It is
// a wish: with an error all is as it was.
func inHugePages(memory []byte) {
	const madviseHugePage = 14 // MADV_HUGEPAGE
	size := (len(memory) + hugePage - 1) / hugePage * hugePage
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(unsafe.Pointer(unsafe.SliceData(memory))), uintptr(size), madviseHugePage)
}
