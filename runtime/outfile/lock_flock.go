//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package outfile

import (
	"errors"
	"os"
	"syscall"
)

// closesFirst: an open file can be renamed here, and keeps its lock until it is.
const closesFirst = false

// Lock locks f until it is closed, as it is when the process ends in any way. It
// reports false if another process has the lock; a file system without locks has
// nobody who could.
func Lock(f *os.File) bool {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return !errors.Is(err, syscall.EWOULDBLOCK)
}
