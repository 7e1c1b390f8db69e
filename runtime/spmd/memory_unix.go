//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package spmd

import (
	"errors"
	"syscall"
)

// roomFor reports by its error that the system does not give so many bytes: they are
// taken as Go would take them, and given back.
func roomFor(size int) error {
	const slack = 64 << 20 // Go takes whole arenas of that size
	if size > 1<<47-slack {
		return errTooLarge
	}
	b, err := syscall.Mmap(-1, 0, size+slack, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return errors.New("the system does not give it")
	}
	return syscall.Munmap(b)
}
