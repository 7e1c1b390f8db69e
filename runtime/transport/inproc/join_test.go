package inproc

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/spmdc/spmdc/runtime/transport"
)

// apart is whether run makes PEs as if each were a process.
var apart bool

// fewer is a number of rounds. Processes that are played by threads of this one are slow to
// sleep and to wake.
func fewer(rounds int) int {
	if apart {
		return rounds / 5
	}
	return rounds
}

// run is Run, or what Join makes of as many worlds as there are PEs, which have nothing in
// common but memory.
func run(n int, stuck func([]transport.Wait) error, body func(transport.Transport)) error {
	if !apart {
		return Run(n, stuck, body)
	}
	return together(n, func(m *Member) error { return m.Run(stuck, body) })
}

// together runs f for n members and returns the error of the one that has one.
func together(n int, f func(m *Member) error) error {
	const part = 4 << 20
	board := BoardSize(n)
	memory := make([]uint64, (board+(n+1)*part)/8) // in one piece, which Go does not look into
	base := unsafe.Pointer(&memory[0])
	whole := Region{unsafe.Add(base, board), n * part}
	errs := make([]error, n)
	var running sync.WaitGroup
	for id := range n {
		running.Add(1)
		go func() {
			defer running.Done()
			own := Region{unsafe.Add(whole.At, id*part), part}
			errs[id] = f(Join(id, n, Common{Board: base, Room: NewArena(whole, own), Spin: n <= runtime.GOMAXPROCS(0), Alive: func(int) bool { return true }}))
		}()
	}
	running.Wait()
	err := errors.Join(errs...)
	if err == nil {
		return nil
	}
	for _, e := range errs {
		if e != nil && !errors.Is(e, transport.ErrElsewhere) {
			return e
		}
	}
	return fmt.Errorf("nobody has the reason: %w", err)
}

// bothKinds runs f with PEs of one process, and with processes.
func bothKinds(t *testing.T, f func(t *testing.T)) {
	defer func() { apart = false }()
	for _, apart = range []bool{false, true} {
		t.Run(fmt.Sprintf("apart=%v", apart), f)
	}
}

// ints is memory for a buffer.
func ints(pe transport.Transport, values ...int) *transport.Slice[int] {
	m := &transport.Slice[int]{Data: make([]int, len(values))}
	if p := pe.Alloc(8 * len(values)); p != nil {
		m.Data = unsafe.Slice((*int)(p), len(values))
	}
	copy(m.Data, values)
	return m
}

// TestPrivateMemory: a buffer whose memory other processes do not have ends the run.
func TestPrivateMemory(t *testing.T) {
	apart = true
	defer func() { apart = false }()
	err := run(2, stuck, func(pe transport.Transport) {
		pe.Register(7, &transport.Slice[string]{Data: make([]string, 3)})
		pe.Start()
	})
	var private *transport.Private
	if !errors.As(err, &private) || private.Site != 7 {
		t.Errorf("error %v", err)
	}
}

// TestConsole: PE 0 shows what others print whole, in the order in which they print, and in
// that which the program gives it.
func TestConsole(t *testing.T) {
	const n, rounds = 3, 40
	long := strings.Repeat("x", 3*consolePiece+5)
	var shown strings.Builder
	err := together(n, func(m *Member) error {
		show := func(text []byte, errors bool) {
			if errors {
				t.Error("printed to the error output")
			}
			shown.Write(text)
		}
		stop := make(chan struct{})
		stopped := make(chan struct{})
		if m.id == 0 {
			go func() {
				defer close(stopped)
				for {
					select {
					case <-stop:
						return
					default:
						m.Printed(show)
					}
				}
			}()
		}
		err := m.Run(stuck, func(pe transport.Transport) {
			for k := range rounds {
				if pe.PE() == 1+k%2 {
					m.Print(fmt.Appendf(nil, "%d %s\n", k, long), false)
				}
				pe.Barrier(0)
			}
		})
		idle := func() {}
		if m.id == 0 {
			close(stop)
			<-stopped
			idle = func() { m.Printed(show) }
		}
		left, all := m.Leave(fmt.Append(nil, m.id), idle)
		if !all || m.id == 0 && string(left[2]) != "2" {
			t.Errorf("PE %d: %q have left, all %v", m.id, left, all)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	var want strings.Builder
	for k := range rounds {
		fmt.Fprintf(&want, "%d %s\n", k, long)
	}
	if shown.String() != want.String() {
		t.Errorf("%d bytes are shown, not those %d that were printed", shown.Len(), want.Len())
	}
}

// TestArena: blocks do not overlap, begin on cache lines and with zeroes, and what is freed
// comes again.
func TestArena(t *testing.T) {
	memory := make([]uint64, 1<<17)
	region := Region{unsafe.Pointer(&memory[0]), 1 << 20}
	a := NewArena(region, region)
	first := a.Alloc(100)
	block := unsafe.Slice((*byte)(first), 100)
	for i := range block {
		block[i] = 1
	}
	second := a.Alloc(3000)
	if d := uintptr(second) - uintptr(first); d < 100 || uintptr(first)%lineBytes != 0 || uintptr(second)%lineBytes != 0 {
		t.Errorf("blocks at %v and %v", first, second)
	}
	a.Free(unsafe.Add(first, 40))
	a.Free(unsafe.Add(first, 40)) // once more does nothing
	if again := a.Alloc(90); again != first || block[17] != 0 {
		t.Errorf("freed at %v, again at %v, with %d in it", first, again, block[17])
	}
	if third := a.Alloc(90); third == first {
		t.Error("one block for two")
	}
	if outside := new(int); a.Holds(unsafe.Pointer(outside)) || !a.Holds(second) {
		t.Error("it does not know its own")
	}
	defer func() {
		if v := fmt.Sprint(recover()); !strings.Contains(v, "out of memory") {
			t.Errorf("panic %q", v)
		}
	}()
	a.Alloc(1 << 20)
}
