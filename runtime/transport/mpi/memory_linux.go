//go:build mpi

package mpi

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"github.com/spmdc/spmdc/runtime/transport/inproc"
)

const (
	// The addresses at which all processes have their memory: far from where Go and C
	// libraries have theirs.
	firstAddress = 0x4400_0000_0000
	addresses    = 16 << 40 // bytes, for all processes together

	mapNoReserve      = 0x4000   // MAP_NORESERVE
	mapFixedNoReplace = 0x100000 // MAP_FIXED_NOREPLACE, Linux 4.17
	memfdCloseOnExec  = 1
	madviseCollapse   = 25 // MADV_COLLAPSE, Linux 6.1

	hugePage = 2 << 20
)

// partBytes is how much memory each of n processes can have: all of the machine's, which
// costs nothing until it is used.
func partBytes(n int) (int, error) {
	var info syscall.Sysinfo_t
	if err := syscall.Sysinfo(&info); err != nil {
		return 0, err
	}
	const unit = 1 << 30
	bytes := (int(info.Totalram)*int(info.Unit) + unit - 1) / unit * unit
	return min(bytes, addresses/n/unit*unit), nil
}

// newFile makes a file without a name, in memory, of so many bytes.
func newFile(bytes int) (*os.File, error) {
	number, known := map[string]uintptr{"amd64": 319, "arm64": 279, "riscv64": 279, "loong64": 279, "ppc64le": 360, "s390x": 350}[runtime.GOARCH]
	if !known {
		return nil, errors.New("processes do not share memory on " + runtime.GOARCH)
	}
	name := []byte("spmd\x00")
	fd, _, errno := syscall.Syscall(number, uintptr(unsafe.Pointer(&name[0])), memfdCloseOnExec, 0)
	if errno != 0 {
		return nil, fmt.Errorf("memfd_create: %w", errno)
	}
	f := os.NewFile(fd, "shared memory")
	if err := f.Truncate(int64(bytes)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// mapPart maps the file that process pid has as fd, which is part number i.
func mapPart(i, bytes, pid, fd int) (inproc.Region, error) {
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/%d", pid, fd), os.O_RDWR, 0)
	if err != nil {
		return inproc.Region{}, err
	}
	defer f.Close()
	at := uintptr(firstAddress + i*bytes)
	got, _, errno := syscall.Syscall6(syscall.SYS_MMAP, at, uintptr(bytes), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_SHARED|mapNoReserve|mapFixedNoReplace, f.Fd(), 0)
	switch {
	case errno != 0:
		return inproc.Region{}, fmt.Errorf("mmap of %d GB: %w (ulimit -v shows whether the shell sets a limit)", bytes>>30, errno)
	case got != at: // an old Linux took the address for a wish
		return inproc.Region{}, errors.New("mmap: the address is not free")
	}
	return inproc.Region{At: *(*unsafe.Pointer)(unsafe.Pointer(&got)), Bytes: bytes}, nil
}

// inHugePages gives memory, which begins with a huge page, huge ones, also the one in which it ends. It is
// a wish: with an error all is as it was. To take them when they are touched (MADV_HUGEPAGE) an
// administrator must have allowed it for shared memory; to collapse small ones needs no permit,
// but there must be one in each.
func inHugePages(at unsafe.Pointer, bytes int) {
	for i := 0; i < bytes; i += hugePage {
		*(*byte)(unsafe.Add(at, i)) = 0
	}
	size := (bytes + hugePage - 1) / hugePage * hugePage
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(at), uintptr(size), madviseCollapse)
}

// running reports whether a process is there, and not about to vanish.
func running(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	// 4711 (its name) S 1 ...
	_, state, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

// processors is the set of processors that this process may run on.
func processors() (set [128]byte) {
	syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(set), uintptr(unsafe.Pointer(&set)))
	return set
}
