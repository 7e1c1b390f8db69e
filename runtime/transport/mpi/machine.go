//go:build mpi

package mpi

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/spmdc/spmdc/runtime/transport"
	"github.com/spmdc/spmdc/runtime/transport/inproc"
)

func init() { transport.Machine = &machine{} }

// machine is the processes that mpirun has started.
type machine struct {
	*inproc.Member
	places
	host    int      // the lowest rank on the same one
	file    *os.File // this process's part of the memory
	courier *courier
	several bool // there are processes on other hosts
	all     bool // all processes have left
	joined  atomic.Bool
}

// apartVariable is the variable of the environment that makes each process one on a host of
// its own, for tests.
const apartVariable = "SPMD_PROCESSES_APART"

// places is where PEs are: in blocks, which differ by one at most.
type places struct{ pes, rank, ranks int }

// begin is the first PE of a process, or of those behind it.
func (l *places) begin(rank int) int { return rank * l.pes / l.ranks }

// process is that of a PE.
func (l *places) process(pe int) int { return ((pe+1)*l.ranks - 1) / l.pes }

// about is what each process says of itself, to all.
type about struct {
	PEs        int64 // of the run; 0: the process cannot take part
	PID, FD    int64
	Host       int64 // the lowest process on the same one
	Bytes      int64
	Program    [sha256.Size]byte
	Processors [128]byte
	Fault      [256]byte // why it cannot take part; empty if it can
}

// Begin starts MPI.
func (m *machine) Begin() (rank, ranks int, err error) {
	go m.terminated()
	m.rank, m.ranks, m.host, err = start()
	m.all = err == nil
	if watched || os.Getenv(apartVariable) != "" {
		m.host = m.rank
	}
	return m.rank, m.ranks, err
}

// Join makes this process one of a run.
func (m *machine) Join(n int, alike bool) (first, count int, err error) {
	m.pes = n
	own := &about{PEs: int64(n), PID: int64(os.Getpid()), Host: int64(m.host), Processors: processors()}
	fault := m.prepare(own)
	all, err := m.exchange(own, fault)
	if err != nil || n == 0 {
		return 0, 0, err
	}
	m.several = slices.ContainsFunc(all, func(a about) bool { return a.Host != own.Host })
	place := m.mapped
	if watched {
		place = m.unshared
	}
	common, fault := place(all, alike && m.several)
	if _, err = m.exchange(own, fault); err != nil {
		return 0, 0, err
	}
	if m.file != nil {
		m.file.Close() // it is mapped
	}
	common.Alive = func(q int) bool { return running(int(all[m.process(q)].PID)) }
	m.courier = newCourier(m.places, func(to int, message []byte) { m.Receive(to, message) }, m.broken)
	common.Courier = m.courier
	first = m.begin(m.rank)
	m.Member = inproc.Join(first, common)
	if m.several {
		// A PE that sleeps in the system keeps its place among those that run for a while: the courier has one more.
		runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), len(common.Board)+1))
		var heads []int
		for _, a := range all {
			if !slices.Contains(heads, int(a.Host)) {
				heads = append(heads, int(a.Host))
			}
		}
		m.courier.beat(heads)
		m.courier.Begin()
	}
	m.joined.Store(true)
	return first, len(common.Board), nil
}

// broken ends the run with an error of the courier.
func (m *machine) broken(err error) {
	if of := (*silent)(nil); errors.As(err, &of) {
		m.Stopped(&transport.Lost{PE: m.begin(of.rank), Site: m.Site(), Far: true})
		return
	}
	m.Fail(err)
}

// excuse ends the run with an error and reports whether there is one.
func (m *machine) excuse() bool {
	lost := m.Look()
	for begin := time.Now(); !lost && time.Since(begin) < vanishLimit; lost = m.Look() {
		time.Sleep(vanishLimit / 20)
	}
	if !lost && m.several {
		m.Stopped(errors.New("the run was ended from outside, or a process on another host has ended"))
	}
	return lost || m.several
}

// vanishLimit is how long a process takes to vanish, at most.
const vanishLimit = 200 * time.Millisecond

// terminated ends the process on SIGTERM. Where mpirun sends it because another process has
// ended, which is then the error of the run, there is a while left to say so. MPICH's sends
// SIGUSR1 for that, with -disable-auto-cleanup, once for each process that ends; it may come while the
// other one is still about to vanish.
func (m *machine) terminated() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGUSR1)
	<-signals
	if m.joined.Load() && m.excuse() {
		for <-signals != syscall.SIGTERM {
		}
	}
	signal.Reset(syscall.SIGTERM, syscall.SIGUSR1)
	_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
}

// prepare makes this process's part of the memory.
func (m *machine) prepare(own *about) error {
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
	if watched {
		return nil
	}
	size, err := partBytes(m.ranks)
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
func (m *machine) exchange(own *about, fault error) ([]about, error) {
	if fault != nil {
		copy(own.Fault[:len(own.Fault)-1], fault.Error())
	}
	b, err := gather(unsafe.Slice((*byte)(unsafe.Pointer(own)), unsafe.Sizeof(*own)), m.ranks)
	if err != nil {
		return nil, err
	}
	all := unsafe.Slice((*about)(unsafe.Pointer(&b[0])), m.ranks)
	for q := range all {
		if text, _, _ := bytes.Cut(all[q].Fault[:], []byte{0}); len(text) > 0 {
			return nil, fmt.Errorf("process %d cannot share memory with the other processes: %s", q, text)
		}
		if all[q].Program != all[0].Program {
			return nil, fmt.Errorf("process %d runs another program than process 0\n  start the same file in all processes", q)
		}
		if all[q].PEs != all[0].PEs {
			return nil, fmt.Errorf("process %d has got other arguments than process 0\n  start all processes with the same arguments", q)
		}
	}
	return all, nil
}

// unshared is the memory of a process that is the only one of its host. PEs that are not alone use the same board.
func (m *machine) unshared(all []about, alone bool) (common inproc.Common, err error) {
	memory := &heap{}
	board := func() unsafe.Pointer { return memory.Alloc(inproc.BoardSize(m.pes)) }
	var shared unsafe.Pointer
	for q := range all {
		first, end := m.begin(q), m.begin(q+1)
		for i := first; i < end; i++ {
			host := first
			if alone {
				host = i
			}
			common.Host = append(common.Host, host)
			common.Process = append(common.Process, first)
			if q == m.rank && (alone || i == first) {
				shared = board()
			}
			if q == m.rank {
				common.Board = append(common.Board, shared)
			}
		}
	}
	common.Room = memory
	return common, nil
}

// mapped is the memory of all processes on this host. Each has boards for its PEs ahead of the rest;
// PEs that are not alone use the first of their host.
func (m *machine) mapped(all []about, alone bool) (common inproc.Common, err error) {
	self := &all[m.rank]
	size := int(self.Bytes)
	board := inproc.BoardSize(m.pes)
	var whole, own inproc.Region
	union := [128]byte{}
	n, near := 0, 0 // processes, and PEs on this host
	for q := range all {
		first := m.begin(q)
		count := m.begin(q+1) - first
		for i := range count {
			host := m.begin(int(all[q].Host))
			if alone {
				host = first + i
			}
			common.Host = append(common.Host, host)
			common.Process = append(common.Process, first)
		}
		if all[q].Host != self.Host {
			continue
		}
		if int(all[q].Bytes) != size || size < 2*count*board {
			return common, errors.New("there are too many processes")
		}
		part, err := mapPart(n, size, int(all[q].PID), int(all[q].FD))
		if err != nil {
			return common, err
		}
		if n == 0 {
			whole = part
		}
		if q == m.rank {
			own = inproc.Region{At: unsafe.Add(part.At, count*board), Bytes: part.Bytes - count*board}
			for i := range count {
				at := whole.At
				if alone {
					at = unsafe.Add(part.At, i*board)
				}
				common.Board = append(common.Board, at)
			}
		}
		n, near = n+1, near+count
		for i, b := range all[q].Processors {
			union[i] |= b
		}
	}
	whole.Bytes = n * size
	processors := 0
	for _, b := range union {
		processors += bits.OnesCount8(b)
	}
	common.Room, common.Spin = room{inproc.NewArena(whole, own)}, near <= processors
	return common, nil
}

// Leave is the end of the run of this process.
func (m *machine) Leave(last []byte, idle func()) (left [][]byte) {
	left, m.all = m.Member.Leave(last, idle)
	return left
}

// Text and Value use JSON.
func (m *machine) Text(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func (m *machine) Value(text string, v any) {
	if err := json.Unmarshal([]byte(text), v); err != nil {
		panic(err)
	}
}

// End is the end of the process. Where others never come to theirs, whoever started them
// ends them.
func (m *machine) End() {
	if m.courier != nil {
		m.courier.end(!m.all)
	}
	if m.all {
		if m.several {
			call(func() { _ = m.courier.drain() }) // the run is over, whatever comes
		}
		end()
		return
	}
	// Open MPI leaves its shared memory behind at times when a process has been killed.
	if job, err := strconv.ParseUint(os.Getenv("OMPI_MCA_ess_base_jobid"), 10, 32); err == nil {
		files, _ := filepath.Glob(fmt.Sprintf("/dev/shm/vader_segment.*.%x.*", job))
		for _, f := range files {
			_ = os.Remove(f)
		}
	}
}

// room is an Arena whose large blocks lie in huge pages, as arrays of a single process do.
type room struct{ *inproc.Arena }

func (r room) Alloc(bytes int) unsafe.Pointer {
	at := r.Arena.Alloc(bytes)
	if bytes >= hugePage {
		inHugePages(at, bytes)
	}
	return at
}
