package trace

import (
	"syscall"
	"unsafe"
)

// systemClock is CLOCK_MONOTONIC in nanoseconds.
func systemClock() int64 {
	const monotonic = 1
	var t syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, monotonic, uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		panic("clock_gettime: " + errno.Error())
	}
	return t.Nano()
}
