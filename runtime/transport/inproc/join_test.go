package inproc

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/spmdc/spmdc/runtime/transport"
)

// kind is how run makes PEs.
var kind = goroutines

const (
	goroutines = "goroutines"
	processes  = "processes" // as if each were one
	hosts      = "hosts"     // as if each were on a host of its own
	twoHosts   = "two hosts" // as if they were dealt out to two
	pairs      = "pairs"     // as if two and two were in a process
	apartPairs = "apart"     // the same, and each process on a host of its own
)

// fewer is a number of rounds. Processes that are played by threads of this one are slow to
// sleep and to wake.
func fewer(rounds int) int {
	switch kind {
	case goroutines:
		return rounds
	case processes:
		return rounds / 5
	}
	return rounds / 10
}

// run is Run, or what Join makes of as many worlds as there are PEs, which have nothing in
// common but memory and messages.
func run(n int, stuck func([]transport.Wait) error, body func(transport.Transport)) error {
	if kind == goroutines {
		return Run(n, stuck, body)
	}
	return together(n, func(m *Member) error { return m.Run(stuck, body) })
}

// together runs f for the processes of n PEs and returns the error of the one that has one.
func together(n int, f func(m *Member) error) error {
	host, process := make([]int, n), make([]int, n)
	for q := range n {
		process[q] = q
		switch kind {
		case hosts:
			host[q] = q
		case twoHosts:
			host[q] = (q + n) % min(2, n)
		case apartPairs:
			process[q], host[q] = q/2*2, q/2
		case pairs:
			process[q] = q / 2 * 2
		}
	}
	const part = 1 << 20
	size := BoardSize(n)
	boards, whole, place := make([]unsafe.Pointer, n), make([]Region, n), make([]int, n) // by host
	for h := range n {
		memory := make([]uint64, (size+(n+1)*part)/8) // in one piece, which Go does not look into
		boards[h] = unsafe.Pointer(&memory[0])
		whole[h] = Region{unsafe.Add(boards[h], size), n * part}
	}
	var members []*Member
	posts := newPosts(n)
	var running, delivering sync.WaitGroup
	for id := 0; id < n; {
		h := host[id]
		own := Region{unsafe.Add(whole[h].At, place[h]*part), part}
		place[h]++
		carrier := &courier{posts: posts, from: id}
		common := Common{
			Process: process, Room: NewArena(whole[h], own), Spin: n <= runtime.GOMAXPROCS(0), Alive: func(int) bool { return true },
			Courier: carrier, Host: host,
		}
		first := id
		for ; id < n && process[id] == first; id++ {
			common.Board = append(common.Board, boards[h])
			carrier.pes++
		}
		m := Join(first, common)
		members = append(members, m)
		for q := first; q < id; q++ {
			posts[q].pe, posts[q].member = q, m
			delivering.Go(posts[q].run)
		}
	}
	errs := make([]error, len(members))
	for i, m := range members {
		running.Go(func() { errs[i] = f(m) })
	}
	running.Wait()
	for _, p := range posts {
		p.end()
	}
	delivering.Wait()
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

// post is the messages on their way to a PE, by sender.
type post struct {
	mu    sync.Mutex
	come  *sync.Cond
	hand  sync.Mutex // held by who delivers
	from  [][][]byte
	count int
	ended bool

	pe     int
	member *Member // its process
}

func newPosts(n int) []*post {
	list := make([]*post, n)
	for q := range list {
		list[q] = &post{from: make([][][]byte, n)}
		list[q].come = sync.NewCond(&list[q].mu)
	}
	return list
}

// courier is that of the process that has PEs from PE from on.
type courier struct {
	posts []*post
	from  int
	pes   int
}

func (c *courier) Begin() {}

// Send keeps a message, or sends a copy of it.
func (c *courier) Send(to int, message []byte) (keeps bool) {
	p := c.posts[to]
	p.mu.Lock()
	defer p.mu.Unlock()
	if keeps = rand.IntN(2) == 0; !keeps {
		message = slices.Clone(message)
	}
	p.from[c.from] = append(p.from[c.from], message)
	p.count++
	p.come.Signal()
	return keeps
}

// Poll delivers a message to a PE of the process, unless somebody else delivers one.
func (c *courier) Poll() {
	p := c.posts[c.from+rand.IntN(c.pes)]
	if p.hand.TryLock() {
		defer p.hand.Unlock()
		p.deliver()
	}
}

func (c *courier) Attend() {}

// run delivers messages to PE to until the end.
func (p *post) run() {
	for {
		p.mu.Lock()
		for p.count == 0 && !p.ended {
			p.come.Wait()
		}
		over := p.count == 0
		p.mu.Unlock()
		if over {
			return
		}
		if rand.IntN(8) == 0 {
			runtime.Gosched()
		}
		p.hand.Lock()
		p.deliver()
		p.hand.Unlock()
	}
}

// deliver delivers a message if there is one. It lets those of different senders overtake each other.
func (p *post) deliver() {
	p.mu.Lock()
	if p.count == 0 {
		p.mu.Unlock()
		return
	}
	q := rand.IntN(len(p.from))
	for len(p.from[q]) == 0 {
		q = (q + 1) % len(p.from)
	}
	message := p.from[q][0]
	p.from[q] = p.from[q][1:]
	p.count--
	p.mu.Unlock()
	p.member.Receive(p.pe, message)
}

func (p *post) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	p.come.Signal()
}

// everyKind runs f with PEs of each kind.
func everyKind(t *testing.T, f func(t *testing.T)) {
	defer func() { kind = goroutines }()
	for _, kind = range []string{goroutines, processes, hosts, twoHosts, pairs, apartPairs} {
		t.Run(kind, f)
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

// TestTexts: elements with pointers go to other processes as copies.
func TestTexts(t *testing.T) {
	everyKind(t, func(t *testing.T) {
		const n = 3
		err := run(n, stuck, func(pe transport.Transport) {
			in := &transport.Slice[string]{Data: make([]string, 4)}
			b := pe.Register(7, in)
			pe.Start()
			right, left := (pe.PE()+1)%n, (pe.PE()+n-1)%n
			for e := range uint64(20) {
				out := &transport.Slice[string]{Data: []string{fmt.Sprint("from ", pe.PE()), "", strings.Repeat("ä", int(e))}}
				move := transport.Move{}
				move.Loop(2, 2, 3)
				pe.Put(7, b, right, e+1, out, &move)
				pe.Await(7, b, left, e+1)
				want := []string{fmt.Sprint("from ", left), "", "", strings.Repeat("ä", int(e))}
				if !slices.Equal(in.Data, want) {
					t.Errorf("PE %d has %q", pe.PE(), in.Data)
				}
				pe.Barrier(7)
				got := &transport.Slice[string]{Data: make([]string, 3)}
				move = transport.Move{Src: 3, Dst: 1}
				pe.Get(7, b, right, got, &move)
				if want := []string{"", strings.Repeat("ä", int(e)), ""}; !slices.Equal(got.Data, want) {
					t.Errorf("PE %d gets %q", pe.PE(), got.Data)
				}
				pe.Barrier(7)
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestComplete: when a put is complete another PE, to which a third one has sent a message since, finds
// it, although nobody awaits it.
func TestComplete(t *testing.T) {
	everyKind(t, func(t *testing.T) {
		const n = 3
		err := run(n, stuck, func(pe transport.Transport) {
			in := ints(pe, 0)
			b, met := pe.Register(0, in), pe.Register(1, &transport.Slice[int]{})
			pe.Start()
			for e := uint64(1); e <= uint64(fewer(200)); e++ {
				switch pe.PE() {
				case 0:
					pe.Put(0, b, 2, e, &transport.Slice[int]{Data: []int{int(e)}}, &transport.Move{})
					pe.Complete(0, -1)
					pe.Ready(0, met, 1, e)
				case 1:
					pe.AwaitReady(0, met, 0, e)
					pe.Ready(0, met, 2, e)
				case 2:
					pe.AwaitReady(0, met, 1, e)
					if in.Data[0] != int(e) {
						t.Errorf("round %d: %d", e, in.Data[0])
					}
				}
				pe.Barrier(0)
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestCompleteBut: a PE to which a put may be under way still has it before what comes behind it, and another PE
// has what was put there when a third one has been told of it.
func TestCompleteBut(t *testing.T) {
	everyKind(t, func(t *testing.T) {
		const n = 3
		err := run(n, stuck, func(pe transport.Transport) {
			in := ints(pe, 0)
			b, met := pe.Register(0, in), pe.Register(1, &transport.Slice[int]{})
			pe.Start()
			for e := uint64(1); e <= uint64(fewer(200)); e++ {
				switch pe.PE() {
				case 0:
					for _, to := range []int{1, 2} {
						pe.Put(0, b, to, e, &transport.Slice[int]{Data: []int{int(e) * to}}, &transport.Move{})
					}
					pe.Complete(0, 2)
					pe.Ready(0, met, 2, e)
				case 1:
					pe.AwaitReady(0, met, 2, e)
				case 2:
					pe.AwaitReady(0, met, 0, e)
				}
				if pe.PE() > 0 && in.Data[0] != int(e)*pe.PE() {
					t.Errorf("PE %d, round %d: %d", pe.PE(), e, in.Data[0])
				}
				if pe.PE() == 2 {
					pe.Ready(0, met, 1, e)
				}
				pe.Barrier(0)
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestLocks: one PE at a time has a lock, and sees what those before it have put.
func TestLocks(t *testing.T) {
	everyKind(t, func(t *testing.T) {
		const n = 4
		rounds := fewer(200)
		err := run(n, stuck, func(pe transport.Transport) {
			in := ints(pe, 0)
			b := pe.Register(0, in)
			pe.Start()
			one := &transport.Slice[int]{Data: make([]int, 1)}
			lock := pe.(transport.Locker)
			for range rounds {
				lock.Lock(0, 3)
				if pe.PE() == 0 {
					in.Data[0]++
				} else {
					pe.Get(0, b, 0, one, &transport.Move{})
					one.Data[0]++
					pe.Put(0, b, 0, 1, one, &transport.Move{})
					pe.Complete(0, -1)
				}
				lock.Unlock(0, 3)
			}
			pe.Barrier(0)
			if pe.PE() == 0 && in.Data[0] != n*rounds {
				t.Errorf("%d, want %d", in.Data[0], n*rounds)
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestConsole: PE 0 shows what others print whole, in the order in which they print, and in
// that which the program gives it.
func TestConsole(t *testing.T) {
	everyKind(t, func(t *testing.T) {
		if kind != goroutines {
			printing(t)
		}
	})
}

func printing(t *testing.T) {
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
		if m.first == 0 {
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
		if m.first == 0 {
			close(stop)
			<-stopped
			idle = func() { m.Printed(show) }
		}
		left, all := m.Leave(fmt.Append(nil, m.first), idle)
		if !all || m.first == 0 && string(left[2]) != "2" {
			t.Errorf("PE %d: %q have left, all %v", m.first, left, all)
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
