package spmd

import "syscall"

// inHugePages asks the system to hold memory in huge pages, of which there are fewer to
// find and to touch first. It is a wish: with an error all is as it was.
func inHugePages(memory []byte) {
	const madviseHugePage = 14 // MADV_HUGEPAGE
	_ = syscall.Madvise(memory, madviseHugePage)
}
