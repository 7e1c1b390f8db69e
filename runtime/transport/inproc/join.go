package inproc

import (
	"fmt"
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
	Board unsafe.Pointer // the same BoardSize(n) bytes for all, zero in the beginning
	Room  Room
	Spin  bool // there is a processor for each
	// Alive reports whether the process of a PE on this host is there.
	Alive func(pe int) bool

	// Courier carries messages between the processes. Host is on which host each PE is, in any
	// numbers: PEs on different ones have no memory in common.
	Courier Courier
	Host    []int
}

// BoardSize is how many bytes of memory n processes need to find each other.
func BoardSize(n int) int {
	return int(boardBehind(n) + unsafe.Sizeof(console{}))
}

// A board has the state, what others use of each PE, agreements, and the console.
func boardBehind(n int) uintptr {
	return (unsafe.Sizeof(state{}) + uintptr(n)*unsafe.Sizeof(public{}) + agree.Size(n) + lineBytes - 1) &^ (lineBytes - 1)
}

// Member is one of n PEs, each of which is a process.
type Member struct {
	w       *World
	id      int
	console *console
	alive   func(pe int) bool
}

// Join makes this process PE id of n.
func Join(id, n int, common Common) *Member {
	w := &World{state: (*state)(common.Board), n: n, room: common.Room}
	if common.Spin {
		w.spin = spinLoads
	}
	at := unsafe.Add(common.Board, unsafe.Sizeof(state{}))
	exchange := unsafe.Add(at, uintptr(n)*unsafe.Sizeof(public{}))
	for q := range n {
		p := &PE{w: w, id: q, patience: w.spin, public: (*public)(unsafe.Add(at, uintptr(q)*unsafe.Sizeof(public{})))}
		w.pes = append(w.pes, p)
	}
	w.pes[id].unsettled = make([]bool, n)
	w.join(id, common.Host, common.Courier)
	w.pes[id].party = agree.On(exchange, n, id)
	return &Member{w: w, id: id, console: (*console)(unsafe.Add(common.Board, boardBehind(n))), alive: common.Alive}
}

// Look ends the run if the process of another PE has ended before its time, and reports
// whether there is one.
func (m *Member) Look() (lost bool) {
	for q, p := range m.w.pes {
		if p.ended.Load() || q == m.id || m.w.far(q) || m.alive(q) || p.ended.Load() {
			continue
		}
		e := &transport.Lost{PE: q, Site: -1}
		if p.waiting.Load() != nil {
			e.Site = int(p.site.Load())
		}
		m.w.fail(e)
		lost = true
	}
	return lost
}

// Fail ends the run with an error of what carries messages.
func (m *Member) Fail(err error) { m.w.fail(err) }

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

// Run is the Run of all PEs for the one of this process. Where the run has failed, it
// returns the error on the PE that met it first, and transport.ErrElsewhere on others.
func (m *Member) Run(stuck func([]transport.Wait) error, body func(transport.Transport)) error {
	m.w.stuck = stuck
	end := make(chan struct{})
	defer close(end)
	go m.look(end)
	return m.w.run(m.w.pes[m.id:m.id+1], body)
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

// mine is the memory of a buffer. If its elements have pointers it is of this process alone, and
// they go in messages; else all use it.
func (p *PE) mine(b *buffer, m transport.Memory) transport.Memory {
	w := p.w
	switch {
	case b.private:
		w.net.courier.Begin()
	case w.room != nil && m.Len() > 0 && !w.room.Holds(unsafe.Pointer(unsafe.SliceData(m.Bytes()))):
		p.Abort(fmt.Errorf("internal error: a buffer of PE %d lies in memory that is not of Alloc", p.id))
	}
	return m
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
