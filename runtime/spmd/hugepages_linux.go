package spmd

import (
	"syscall"
	"unsafe"
)

// inHugePages asks the system to hold memory in huge pages, of which there are fewer to
// find and to touch first: also the one in which it begins, and the one in which it ends,
// with what else lies there. It is a wish: with an error all is as it was.
func inHugePages(memory []byte) {
	const madviseHugePage = 14 // MADV_HUGEPAGE
	const size = 2 << 20
	base := unsafe.Pointer(unsafe.SliceData(memory))
	before := uintptr(base) % size
	after := -(uintptr(base) + uintptr(len(memory))) % size
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(base)-before, before+uintptr(len(memory))+after, madviseHugePage)
}
