//go:build mpi

package mpi

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"unsafe"

	"github.com/spmdc/spmdc/runtime/transport"
	"github.com/spmdc/spmdc/runtime/transport/inproc"
)

func init() { transport.Machine = &machine{} }

// machine is the processes that mpirun has started.
type machine struct {
	*inproc.Member
	file    *os.File // this process's part of the memory
	courier *courier
	several bool // there are processes on other hosts
	all     bool // all processes have left
}

// apartVariable is the variable of the environment that makes each process one on a host of
// its own, for tests.
const apartVariable = "SPMD_PROCESSES_APART"

// about is what each process says of itself, to all.
type about struct {
	PID, FD    int64
	Host       int64 // the lowest PE on the same one
	Bytes      int64
	Program    [sha256.Size]byte
	Processors [128]byte
	Fault      [256]byte // why it cannot take part; empty if it can
}

// Join is the beginning of the process.
func (m *machine) Join(alike bool) (pe, n int, err error) {
	pe, n, host, near, err := start()
	if err != nil {
		return pe, n, err
	}
	m.all = true
	if os.Getenv(apartVariable) != "" || alike && near < n {
		host = pe
	}
	own := &about{PID: int64(os.Getpid()), Host: int64(host), Processors: processors()}
	fault := m.prepare(own, n)
	all, err := exchange(own, n, fault)
	if err != nil {
		return pe, n, err
	}
	common, fault := m.mapped(pe, all)
	if _, err = exchange(own, n, fault); err != nil {
		return pe, n, err
	}
	m.file.Close() // it is mapped
	common.Alive = func(q int) bool { return running(int(all[q].PID)) }
	m.courier = newCourier(func(message []byte) { m.Receive(message) }, func(err error) { m.Fail(err) })
	common.Courier = m.courier
	m.Member = inproc.Join(pe, n, common)
	m.several = slices.ContainsFunc(common.Host, func(h int) bool { return h != host })
	if m.several {
		m.courier.Begin()
	}
	go m.terminated()
	return pe, n, nil
}

// terminated ends the process on SIGTERM. Where mpirun sends it because another process has
// ended, which is then the error of the run, there is a while left to say so.
func (m *machine) terminated() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	<-signals
	if m.Look() {
		<-signals
	} else if m.several {
		m.Fail(errors.New("the run was ended from outside, or a process on another host has ended"))
		<-signals
	}
	signal.Reset(syscall.SIGTERM)
	_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
}

// prepare makes this process's part of the memory.
func (m *machine) prepare(own *about, n int) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	f, err := os.Open(program)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	own.Program = [sha256.Size]byte(h.Sum(nil))
	size, err := partBytes(n)
	if err != nil {
		return err
	}
	if m.file, err = newFile(size); err != nil {
		return err
	}
	own.Bytes, own.FD = int64(size), int64(m.file.Fd())
	return nil
}

// exchange gathers own of all processes, with a fault if there is one, on all of them. The error is the same on all of them: the fault of the first that has one.
func exchange(own *about, n int, fault error) ([]about, error) {
	if fault != nil {
		copy(own.Fault[:len(own.Fault)-1], fault.Error())
	}
	b, err := gather(unsafe.Slice((*byte)(unsafe.Pointer(own)), unsafe.Sizeof(*own)), n)
	if err != nil {
		return nil, err
	}
	all := unsafe.Slice((*about)(unsafe.Pointer(&b[0])), n)
	for q := range all {
		if text, _, _ := bytes.Cut(all[q].Fault[:], []byte{0}); len(text) > 0 {
			return nil, fmt.Errorf("PE %d cannot share memory with the other processes: %s", q, text)
		}
		if all[q].Program != all[0].Program {
			return nil, fmt.Errorf("PE %d runs another program than PE 0\n  start the same file in all processes", q)
		}
	}
	return all, nil
}

// mapped is the memory of all processes on this host.
func (m *machine) mapped(pe int, all []about) (common inproc.Common, err error) {
	size := int(all[pe].Bytes)
	board := inproc.BoardSize(len(all))
	var whole, own inproc.Region
	union := [128]byte{}
	n := 0 // on this host
	for q := range all {
		common.Host = append(common.Host, int(all[q].Host))
		if all[q].Host != all[pe].Host {
			continue
		}
		if int(all[q].Bytes) != size || size < 2*board {
			return common, errors.New("there are too many processes")
		}
		part, err := mapPart(n, size, int(all[q].PID), int(all[q].FD))
		if err != nil {
			return common, err
		}
		if n++; n == 1 {
			whole = part
			common.Board = part.At
			part = inproc.Region{At: unsafe.Add(part.At, board), Bytes: part.Bytes - board}
		}
		if q == pe {
			own = part
		}
		for i, b := range all[q].Processors {
			union[i] |= b
		}
	}
	whole.Bytes = n * size
	processors := 0
	for _, b := range union {
		processors += bits.OnesCount8(b)
	}
	common.Room, common.Spin = inproc.NewArena(whole, own), n <= processors
	return common, nil
}

// Leave is the end of the run of this process.
func (m *machine) Leave(last []byte, idle func()) (left [][]byte) {
	left, m.all = m.Member.Leave(last, idle)
	return left
}

// End is the end of the process. Where others never come to theirs, whoever started them
// ends them.
func (m *machine) End() {
	if m.courier != nil {
		m.courier.end()
	}
	if m.all {
		end()
	}
}
