package inproc

import (
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

const (
	futexWait = 0
	futexWake = 1

	// longestSleep is after which time a process looks again, whatever the others say: they
	// may have been killed.
	longestSleep = 100 * time.Millisecond
)

// sleepProcess returns when another process has made word other than value and wakes this
// one, or earlier.
func sleepProcess(word *atomic.Uint32, value uint32) {
	limit := syscall.NsecToTimespec(int64(longestSleep))
	syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(value), uintptr(unsafe.Pointer(&limit)), 0, 0)
}

// wakeProcess wakes the process that sleeps on word.
func wakeProcess(word *atomic.Uint32) {
	syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake, 1, 0, 0, 0)
}
