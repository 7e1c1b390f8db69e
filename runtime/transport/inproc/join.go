package inproc

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/spmdc/spmdc/runtime/transport"
	"github.com/spmdc/spmdc/runtime/transport/agree"
)

// Room is memory that PEs which are processes have in common, each a part of its own, at
// the same addresses in all of them. What one of them has from Alloc all can use.
type Room interface {
	Alloc(bytes int) unsafe.Pointer // zeroed, on cache lines of its own
	Free(memory unsafe.Pointer)     // what Alloc has given to this process
	Holds(memory unsafe.Pointer) bool
}

// Common is how the processes of a run find each other.
type Common struct {
	// Process is, by PE, the first PE of its process, which has those that follow up to the next.
	Process []int
	// Board is for each PE of this process BoardSize(n) bytes, zero in the beginning, which are the
	// same for all PEs of its host.
	Board []unsafe.Pointer
	Room  Room
	Spin  bool // there is a processor for each PE
	// Alive reports whether the process of a PE on this host is there.
	Alive func(pe int) bool

	// Courier carries messages between PEs. Host is on which host each PE is, in any
	// numbers: PEs on different ones have no memory in common.
	Courier Courier
	Host    []int
}

// BoardSize is how many bytes of memory n PEs need to find each other.
func BoardSize(n int) int {
	return int(boardBehind(n) + unsafe.Sizeof(console{}))
}

// A board has the state, what others use of each PE, agreements, and the console.
func boardBehind(n int) uintptr {
	return (unsafe.Sizeof(state{}) + uintptr(n)*unsafe.Sizeof(public{}) + agree.Size(n) + lineBytes - 1) &^ (lineBytes - 1)
}

// Member is a process, which has one or more of the PEs of a run. Each of its PEs has a World: to it
// the others are all alike, whether they are in its process or in another one.
type Member struct {
	worlds  []*World // of its PEs
	first   int      // the first of them
	console *console
	alive   func(pe int) bool
	outside atomic.Bool // see Stopped
}

// Join makes this process the one whose first PE is given.
func Join(first int, common Common) *Member {
	n := len(common.Process)
	m := &Member{first: first, alive: common.Alive}
	for i, board := range common.Board {
		w := newWorld(first+i, board, common)
		m.worlds = append(m.worlds, w)
	}
	m.console = (*console)(unsafe.Add(common.Board[0], boardBehind(n)))
	if len(m.worlds) > 1 {
		for i := range m.worlds {
			wake := make(chan struct{}, 1)
			for _, w := range m.worlds {
				w.pes[first+i].wake = wake
			}
		}
	}
	return m
}

// newWorld is the run as PE id sees it.
func newWorld(id int, board unsafe.Pointer, common Common) *World {
	n := len(common.Process)
	w := &World{state: (*state)(board), n: n, room: common.Room}
	if common.Spin {
		w.spin = spinLoads
	}
	at := unsafe.Add(board, unsafe.Sizeof(state{}))
	exchange := unsafe.Add(at, uintptr(n)*unsafe.Sizeof(public{}))
	for q := range n {
		p := &PE{w: w, id: q, patience: w.spin, public: (*public)(unsafe.Add(at, uintptr(q)*unsafe.Sizeof(public{})))}
		w.pes = append(w.pes, p)
	}
	for q, first := range common.Process {
		if last := q == n-1 || common.Process[q+1] != first; q != first || !last {
			w.pes[q].bell = &w.pes[first].rung
		}
	}
	w.pes[id].unsettled = make([]bool, n)
	w.join(id, common.Host, common.Courier)
	w.pes[id].party = agree.On(exchange, n, id)
	return w
}

// own reports whether PE q is of this process.
func (m *Member) own(q int) bool { return q >= m.first && q < m.first+len(m.worlds) }

// attend wakes those PEs of this process that others want to wake, until end is closed. A process
// with one PE needs it not: there the PE itself sleeps until it is woken.
func (m *Member) attend(bell *atomic.Uint32, end chan struct{}) {
	for {
		select {
		case <-end:
			return
		default:
		}
		rung := bell.Load()
		for _, w := range m.worlds {
			if p := w.pes[w.id]; p.tokens.Swap(0) != 0 {
				p.wake <- struct{}{}
			}
		}
		sleepProcess(bell, rung)
	}
}

// Look ends the run if the process of another PE has ended before its time, and reports
// whether there is one.
func (m *Member) Look() (lost bool) {
	w := m.worlds[0]
	for q, p := range w.pes {
		if p.ended.Load() || m.own(q) || w.far(q) || m.alive(q) || p.ended.Load() {
			continue
		}
		e := &transport.Lost{PE: q, Site: -1}
		if p.waiting.Load() != nil {
			e.Site = int(p.site.Load())
		}
		w.fail(e)
		lost = true
	}
	return lost
}

// Site is where the first PE of this process that waits does so, -1 if none does.
func (m *Member) Site() int {
	for _, w := range m.worlds {
		if p := w.pes[w.id]; p.waiting.Load() != nil {
			return int(p.site.Load())
		}
	}
	return -1
}

// Fail ends the run with an error of what carries messages.
func (m *Member) Fail(err error) { m.worlds[0].fail(err) }

// Stopped ends the run of a process that is ended from outside.
func (m *Member) Stopped(err error) {
	m.outside.Store(true)
	m.Fail(err)
}

// lookPeriod is how often a process looks whether the others are there.
const lookPeriod = 100 * time.Millisecond

// look is Look now and then, until end is closed.
func (m *Member) look(end chan struct{}) {
	tick := time.NewTicker(lookPeriod)
	defer tick.Stop()
	for {
		select {
		case <-end:
			return
		case <-tick.C:
			m.Look()
		}
	}
}

// Run is the Run of all PEs for those of this process. Where the run has failed, it
// returns the error in the process that met it first, and transport.ErrElsewhere in others.
func (m *Member) Run(stuck func([]transport.Wait) error, body func(transport.Transport)) error {
	end := make(chan struct{})
	defer close(end)
	go m.look(end)
	if bell := m.worlds[0].pes[m.first].bell; bell != nil {
		go m.attend(bell, end)
	}
	errs := make([]error, len(m.worlds))
	var others sync.WaitGroup
	for i, w := range slices.Backward(m.worlds) {
		w.stuck = stuck
		run := func() { errs[i] = w.run(w.pes[w.id:w.id+1], body) }
		if i > 0 {
			others.Go(run)
		} else {
			run()
		}
	}
	done := make(chan struct{})
	go func() {
		others.Wait()
		close(done)
	}()
	for over := false; !over; {
		select {
		case <-done:
			over = true
		case <-time.After(watchPeriod):
			m.lookFar()
		}
	}
	var err error
	for _, e := range errs {
		if err == nil || errors.Is(err, transport.ErrElsewhere) && e != nil {
			err = e
		}
	}
	return err
}

// lookFar is the watchdog of PE 0 when that has returned, where PEs of other processes may wait
// for it.
func (m *Member) lookFar() {
	if w := m.worlds[0]; w.id == 0 && w.several() {
		w.look()
	}
}

// made is n zeroes for what PEs share.
func made[T any](w *World, n int) []T {
	if w.room == nil {
		return make([]T, n)
	}
	var element T
	return unsafe.Slice((*T)(w.room.Alloc(n*int(unsafe.Sizeof(element)))), n)
}

// Alloc is memory for buffers.
func (p *PE) Alloc(bytes int) unsafe.Pointer {
	if p.w.room == nil {
		return nil
	}
	return p.w.room.Alloc(bytes)
}

// Free takes back what Alloc has given.
func (p *PE) Free(memory unsafe.Pointer) {
	if p.w.room != nil && p.w.room.Holds(memory) {
		p.w.room.Free(memory)
	}
}

// lend is data where other PEs can read it, until takeBack; keep is a copy that stays of
// what another one has lent. Goroutines of one process need neither.
func (w *World) lend(data []byte) []byte {
	if w.room == nil {
		return data
	}
	if len(data) == 0 {
		return nil
	}
	lent := unsafe.Slice((*byte)(w.room.Alloc(len(data))), len(data))
	copy(lent, data)
	return lent
}

func (w *World) takeBack(lent []byte) {
	if w.room != nil && len(lent) > 0 {
		w.room.Free(unsafe.Pointer(unsafe.SliceData(lent)))
	}
}

func (w *World) keep(lent []byte) []byte {
	if w.room == nil {
		return lent
	}
	return append([]byte(nil), lent...)
}

// relend is lend into a place, whose former content nobody uses any more.
func (w *World) relend(place *[]byte, data []byte) []byte {
	w.takeBack(*place)
	*place = w.lend(data)
	return *place
}

// bring puts what PE p contributes to ReduceAll number k where others can read it. Before
// that happens again in the same place, all have read it.
func (p *PE) bring(k uint64, data []byte) {
	lent := &p.given[k%2]
	if cap(*lent) < len(data) {
		p.w.takeBack((*lent)[:cap(*lent)])
		*lent = p.w.lend(make([]byte, len(data)+len(data)/4))
	}
	*lent = (*lent)[:len(data)]
	copy(*lent, data)
	p.pool[k%2].data = *lent
}

// entry is what other processes must know of a buffer.
type entry struct {
	site           int
	memory         []byte
	arrival, ready flags
}

// holds gives a buffer its memory. If its elements have pointers it is of this process alone, and
// they go in messages; else all use it.
func (p *PE) holds(b *buffer, m transport.Memory) {
	w := p.w
	switch {
	case b.private:
		w.net.courier.Begin()
	case w.room != nil && m.Len() > 0 && !w.room.Holds(unsafe.Pointer(unsafe.SliceData(m.Bytes()))):
		p.Abort(fmt.Errorf("internal error: a buffer of PE %d lies in memory that is not of Alloc", p.id))
	}
	b.memory = m
	b.receiver, _ = m.(transport.Receiver)
}

// announce publishes the buffers of p for other processes, before p arrives at a barrier, if
// they are not as they were two barriers ago. Processes that have passed a barrier read the
// directories of its parity. One that goes ahead, and has new buffers at the next barrier,
// writes the others: it comes to the barrier after that when all have read these.
func (p *PE) announce() {
	if p.outdated == 0 {
		return
	}
	p.outdated--
	directory := &p.directories[p.barriers%2]
	if len(*directory) != len(p.buffers) {
		*directory = made[entry](p.w, len(p.buffers))
	}
	for b := range p.buffers {
		buf := &p.buffers[b]
		e := entry{buf.site, nil, buf.arrival, buf.ready}
		if !buf.private {
			e.memory = buf.memory.Bytes()
		}
		(*directory)[b] = e
	}
	p.w.rebound[p.barriers%2].Add(1)
}

// mirror reads, behind a barrier, where the buffers of other processes are, if some have got
// other memory since p did so last.
func (p *PE) mirror() {
	parity := p.barriers % 2
	now := p.w.rebound[parity].Load()
	if now == p.mirrored[parity] {
		return
	}
	p.mirrored[parity] = now
	for _, q := range p.w.pes {
		if q == p || p.w.far(q.id) {
			continue
		}
		q.buffers = q.buffers[:0]
		for b, e := range q.directories[parity] {
			m := transport.Memory(&transport.Slice[byte]{})
			if b < len(p.buffers) { // else Start finds that the buffers are not the same
				m = p.buffers[b].memory.At(q.id, e.memory)
			}
			q.buffers = append(q.buffers, buffer{site: e.site, memory: m, arrival: e.arrival, ready: e.ready})
		}
	}
}
