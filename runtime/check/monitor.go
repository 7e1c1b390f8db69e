package check

import (
	"sync/atomic"
	"time"

	"github.com/spmdc/spmdc/runtime/transport"
	"github.com/spmdc/spmdc/runtime/transport/agree"
)

// Monitor is a Transport that checks what one PE does with another. With each
// message goes a header that says what the sender knows: a clock with one word
// for each PE, which counts its steps. A PE makes a step at each CO and each UO.
//
// All PEs execute the same communications in the same order. So step t is the
// same CO or UO on all PEs, and a PE that is at some UO knows what number it has
// on the others:
//
//	PE 0                              PE 1
//	C_1 put ──────────────────────►
//	CO_1 step 1                       CO_1 step 1
//	UO_1 step 2                       UO_1 step 2
//	CO_2 step 3  ◄──────────────────  C_2 put, with the clock (0, 2)
//	C_1 put: PE 1 has made 2 steps, so UO_1 is over there
//
// That is the test of invariant I4: what the clocks tell depends on the messages,
// not on which of them were fast.
type Monitor struct {
	transport.Transport // whose messages are checked

	ledger *Ledger
	id     int
	clock  []uint64 // the steps that PEs are known to have made
	at     point

	count   int // slots made
	all     []*Slot
	inboxes []*inbox
	slots   []*Slot // by buffer; nil: messages that the program does not see
	// sources, by buffer: the communication that gets from it. Its ready messages tell
	// that a PE is done with that.
	sources  map[transport.Buffer]*Slot
	meetings uint64
	shared   uint64 // broadcasts
	turns    []int  // of loops without index at depths from maxDepth on

	distant transport.Distant // nil: PEs have memory in common

	muted map[int]bool // sites whose data come without their clocks
	trace *trace

	strays []*Violation // puts that nothing orders, see Strays
	known  map[stray]*Violation
}

// Monitor makes the monitor of the PE behind t, which sees the run through it from
// then on. The data of the muted sites (numbers from 0), what reductions there bring,
// and messages that gets there are over, are delivered without what their senders know:
// a message is there, but does not count as a witness.
func (l *Ledger) Monitor(t transport.Transport, muted ...int) *Monitor {
	m := &Monitor{
		Transport: t, ledger: l, id: t.PE(), clock: make([]uint64, l.pes),
		muted: map[int]bool{}, known: map[stray]*Violation{}, sources: map[transport.Buffer]*Slot{},
	}
	if l.traced {
		m.trace = &trace{}
	}
	for _, site := range muted {
		m.muted[site] = true
	}
	l.mu.Lock()
	l.monitors[m.id] = m
	l.mu.Unlock()
	l.join(m)
	return m
}

// inbox is one PE's instance of a buffer, as messages come to it.
type inbox struct {
	transport.Memory
	owner  *Monitor
	number int // of the buffer
	slot   *Slot
	puts   []mailbox // by sender
	ready  []mailbox
}

// parcel is the source of a put under way.
type parcel struct {
	transport.Memory
	from  int
	epoch uint64
}

// opened is the source of a get: the memory behind an inbox.
type opened struct{ transport.Memory }

func (o opened) CopyFrom(src transport.Memory, m *transport.Move) {
	if in, ok := src.(*inbox); ok {
		src = in.Memory
	}
	o.Memory.CopyFrom(src, m)
}

// Register adds a buffer.
func (m *Monitor) Register(site int, mem transport.Memory) transport.Buffer {
	in := &inbox{Memory: mem, owner: m, number: len(m.inboxes), puts: m.mailboxes(), ready: m.mailboxes()}
	m.inboxes = append(m.inboxes, in)
	m.slots = append(m.slots, nil)
	return m.Transport.Register(site, in)
}

// Bind says that the puts of a slot go into a buffer; or in turn into several,
// one for each instance of the memory, that of epoch 0 first. It comes before Start.
func (m *Monitor) Bind(s *Slot, buffers ...transport.Buffer) {
	for _, b := range buffers {
		m.slots[b] = s
		in := m.inboxes[b]
		s.inboxes = append(s.inboxes, in)
		in.slot = s
		for p := range in.puts {
			in.puts[p].landed = made[atomic.Uint64](m.memory(), s.depth)
		}
	}
}

// Start ends registration.
func (m *Monitor) Start() {
	m.trace.slots(m.all)
	m.introduce()
	m.Transport.Start()
}

// Sites lists the sites that have slots.
func (m *Monitor) Sites() (sites []int) {
	for _, s := range m.all {
		sites = append(sites, s.Site)
	}
	return sites
}

// Rebind replaces the memory of a buffer.
func (m *Monitor) Rebind(b transport.Buffer, mem transport.Memory) {
	m.inboxes[b].Memory = mem
	m.Transport.Rebind(b, m.inboxes[b])
}

// Get copies from another PE.
func (m *Monitor) Get(site int, b transport.Buffer, from int, dst transport.Memory, move *transport.Move) {
	m.Transport.Get(site, b, from, opened{dst}, move)
}

// step counts a step and makes it part of the path.
func (m *Monitor) step(site, kind int) {
	m.clock[m.id]++
	m.pass(site, kind)
}

// pass makes a node part of the path.
func (m *Monitor) pass(site, kind int) { m.at.path = mix(mix(m.at.path, uint64(site+1)), uint64(kind)) }

// Kinds of nodes on the path of a PE.
const (
	passBegin = iota + 1
	passArrived
	passOver
	passMeeting
	passShared
)

// mix adds a word to a digest.
func mix(sum, word uint64) uint64 {
	sum ^= word + 0x9e3779b97f4a7c15 + sum<<6 + sum>>2
	sum = (sum ^ sum>>30) * 0xbf58476d1ce4e5b9
	return sum ^ sum>>27
}

// Loop says that the PE starts an iteration of the loop at a depth, 0 for the
// outermost, with the given index.
func (m *Monitor) Loop(depth, index int) {
	if depth < maxDepth {
		m.at.index[depth] = uint64(index)
		m.at.depth = depth + 1
	}
	m.turns = m.turns[:min(len(m.turns), max(0, depth-maxDepth+1))]
	m.at.path = mix(m.at.path, uint64(index))
	m.trace.loop(depth, index)
}

// Turn is Loop for a loop without index, whose iterations are counted.
func (m *Monitor) Turn(depth int) {
	next := 1
	if k := depth - maxDepth; k >= 0 {
		for len(m.turns) <= k {
			m.turns = append(m.turns, 0)
		}
		m.turns[k]++
		next = m.turns[k]
	} else if m.at.depth > depth {
		next = int(m.at.index[depth]) + 1
	}
	m.Loop(depth, next)
}

// Leave says that the PE is behind the loop at a depth.
func (m *Monitor) Leave(depth int) {
	m.at.depth = min(m.at.depth, depth)
	clear(m.at.index[m.at.depth:])
	m.turns = m.turns[:min(len(m.turns), max(0, depth-maxDepth))]
}

// send writes the header of a put.
func (m *Monitor) send(b transport.Buffer, to int, epoch uint64, src transport.Memory, move *transport.Move) transport.Memory {
	s := m.slots[b]
	if s == nil {
		return &parcel{src, m.id, 0}
	}
	if epoch != s.count {
		m.fail(&Violation{Kind: Miscounted, Put: s, Use: s, From: m.id, To: to, Epoch: epoch, UseEpoch: s.count})
	}
	h := m.header(b, to, false, s.depth, epoch)
	h.write(epoch, s.begun, m.clock, m.muted[s.Site], src.Digest(move, false), move)
	m.attach(h, b, to, false, s.depth, epoch)
	m.trace.put(s.Site, epoch, to, move)
	return &parcel{src, m.id, epoch}
}

// Put sends data.
func (m *Monitor) Put(site int, b transport.Buffer, to int, epoch uint64, src transport.Memory, move *transport.Move) {
	m.Transport.Put(site, b, to, epoch, m.send(b, to, epoch, src, move), move)
	m.look()
}

// PutAll sends data of several slots.
func (m *Monitor) PutAll(site, to int, parts []transport.Part) {
	m.trace.together(len(parts))
	for i := range parts {
		x := &parts[i]
		x.Src = m.send(x.Buffer, to, x.Epoch, x.Src, x.Move)
	}
	m.Transport.PutAll(site, to, parts)
	m.look()
}

// Stall stops the PE (see transport.Slow).
func (m *Monitor) Stall(limit time.Duration) {
	if slow, ok := m.Transport.(transport.Slow); ok {
		slow.Stall(limit)
	} else {
		time.Sleep(limit)
	}
}

// PutLate is a Put that arrives late, if the transport can do so: if not it does
// nothing and reports false.
func (m *Monitor) PutLate(site int, b transport.Buffer, to int, epoch uint64, src transport.Memory, move *transport.Move, limit time.Duration) bool {
	slow, ok := m.Transport.(transport.Slow)
	if ok {
		slow.PutLate(site, b, to, epoch, m.send(b, to, epoch, src, move), move, limit)
	}
	return ok
}

// CopyFrom is a put that lands. It is called by whoever carries the message.
func (in *inbox) CopyFrom(src transport.Memory, m *transport.Move) {
	p, ok := src.(*parcel)
	if !ok {
		in.Memory.CopyFrom(src, m)
		return
	}
	if s := in.slot; s != nil {
		hideSync()
		landed := &in.puts[p.from].landed[p.epoch%uint64(s.depth)]
		last := landed.Swap(max(p.epoch, landed.Load()))
		arrived, over := s.row[in.owner.id].arrived.Load(), s.row[in.owner.id].over.Load()
		showSync()
		v := &Violation{Put: s, Use: s, From: p.from, To: in.owner.id, Epoch: p.epoch, UseEpoch: last, OverEpoch: over}
		switch {
		case last == p.epoch:
			v.Kind = Twice
		case last > p.epoch:
			v.Kind = Overtaken
		case last > arrived:
			v.Kind = Unseen
		case last > over:
			v.Kind = InUse
		default:
			v = nil
		}
		if v != nil {
			in.owner.ledger.report(v)
			return // what is there stays, so that the fault is the one that is reported
		}
	}
	in.Memory.CopyFrom(p.Memory, m)
}

// Ready sends a ready message.
func (m *Monitor) Ready(site int, b transport.Buffer, to int, epoch uint64) {
	m.declare(b, to, epoch)
	m.Transport.Ready(site, b, to, epoch)
}

// ReadyAll sends a ready message for several slots.
func (m *Monitor) ReadyAll(site, to int, slots []transport.Slot) {
	m.trace.together(len(slots))
	for _, s := range slots {
		m.declare(s.Buffer, to, s.Epoch)
	}
	m.Transport.ReadyAll(site, to, slots)
}

func (m *Monitor) declare(b transport.Buffer, to int, epoch uint64) {
	s, what, muted := m.slots[b], byte('r'), false
	if s == nil {
		s, what = m.sources[b], 'd'
	}
	if s == nil {
		return
	}
	if what == 'd' {
		muted = m.muted[s.Site]
	}
	h := m.header(b, to, true, s.depth, epoch)
	h.write(epoch, s.begun, m.clock, muted, 0, nil)
	m.attach(h, b, to, true, s.depth, epoch)
	m.trace.message(what, s.Site, epoch, to)
}

// AwaitReady receives a ready message.
func (m *Monitor) AwaitReady(site int, b transport.Buffer, from int, epoch uint64) bool {
	waited := m.Transport.AwaitReady(site, b, from, epoch)
	s, what := m.slots[b], byte('w')
	if s == nil {
		s, what = m.sources[b], 'e'
	}
	if s != nil {
		m.receive(s, &m.inboxes[b].ready[from], from, epoch)
		m.trace.message(what, s.Site, epoch, from)
	}
	return waited
}

// Await receives data.
func (m *Monitor) Await(site int, b transport.Buffer, from int, epoch uint64) bool {
	waited := m.Transport.Await(site, b, from, epoch)
	if s := m.slots[b]; s != nil {
		s.received = append(s.received, from)
		m.receive(s, &m.inboxes[b].puts[from], from, epoch)
		m.trace.message('g', s.Site, epoch, from)
	}
	return waited
}

// receive takes a header out of a mailbox.
func (m *Monitor) receive(s *Slot, box *mailbox, from int, epoch uint64) {
	m.look()
	l := box.read(epoch)
	if l == nil {
		m.fail(&Violation{Kind: Unsent, Put: s, Use: s, From: from, To: m.id, Epoch: epoch})
	}
	if at := l.at(); epoch != s.count || at != s.begun {
		m.diverged(from, at, s.begun)
	}
	l.joinTo(m.clock)
}

// diverged ends the run because two PEs met that came by different ways.
func (m *Monitor) diverged(other int, theirs, ours point) {
	m.Abort(&Divergence{PE: m.id, Other: other, Site: ours.site, OtherSite: theirs.site, Index: ours.indices(), OtherIndex: theirs.indices()})
}

func (p *point) indices() []int {
	var list []int
	for i := range p.depth {
		list = append(list, int(p.index[i]))
	}
	return list
}

// look ends the run if somebody has found a fault of the transport.
func (m *Monitor) look() {
	hideSync()
	broken := m.ledger.broken.Load()
	showSync()
	if broken {
		m.Abort(m.ledger.fault.Load())
	}
}

// fail ends the run with a violation.
func (m *Monitor) fail(v *Violation) {
	v.Index = v.Put.begun.indices()
	m.Abort(v)
}

// meet is a collective operation in which all PEs learn what all know.
func (m *Monitor) meet(site int, do func()) {
	m.at.site = site
	m.pass(site, passMeeting)
	m.meetings++
	list := m.ledger.meetings[m.meetings%2]
	list[m.id].write(m.meetings, m.at, m.clock, m.muted[site], 0, nil)
	m.trace.collective(site)
	if m.distant != nil {
		m.gather(list)
		m.sameMeeting(list)
		do()
	} else {
		do()
		m.sameMeeting(list)
	}
	for q := range list {
		if q != m.id {
			list[q].joinTo(m.clock)
		}
	}
	m.look()
}

// sameMeeting ends the run if PEs have met that came by different ways.
func (m *Monitor) sameMeeting(list []header) {
	for q := range list {
		if at := list[q].at(); q != m.id && (!list[q].has(m.meetings) || at != m.at) {
			m.diverged(q, at, m.at)
		}
	}
}

// Barrier is one of all PEs.
func (m *Monitor) Barrier(site int) { m.meet(site, func() { m.Transport.Barrier(site) }) }

// Agree is a barrier in which PEs may turn out to stand at different places: their
// ways are not compared, the engine does that.
func (m *Monitor) Agree(site int, v *[agree.Words]int64, patience time.Duration) error {
	m.meetings++
	list := m.ledger.meetings[m.meetings%2]
	list[m.id].write(m.meetings, m.at, m.clock, m.muted[site], 0, nil)
	if site >= 0 { // not at the beginning or end of the program
		m.trace.collective(site)
	}
	m.gather(list)
	err := m.Transport.Agree(site, v, patience)
	for q := range list {
		if q != m.id && list[q].has(m.meetings) {
			list[q].joinTo(m.clock)
		}
	}
	m.look()
	return err
}

// Reduce combines a word of every PE.
func (m *Monitor) Reduce(site int, word uint64, combine func(acc, word uint64) uint64) (result uint64) {
	m.meet(site, func() { result = m.Transport.Reduce(site, word, combine) })
	return result
}

// ReduceAll lets f take what each PE contributes.
func (m *Monitor) ReduceAll(site int, own transport.Memory, f transport.Folder) {
	m.meet(site, func() { m.Transport.ReduceAll(site, own, f) })
}

// share is a collective operation in which all learn what root knows.
func (m *Monitor) share(site, root int, do func()) {
	m.at.site = site
	m.pass(site, passShared)
	m.shared++
	l := &m.ledger.headers[m.shared%broadcastRing]
	if m.id == root {
		l.write(m.shared, m.at, m.clock, m.muted[site], 0, nil)
	}
	m.trace.broadcast(site, root)
	if m.distant != nil {
		var own []byte
		if m.id == root {
			own = l.packed(nil)
		}
		if theirs := m.Transport.Share(-1, root, own); m.id != root {
			l.unpack(theirs)
		}
	}
	do()
	if m.id != root {
		if at := l.at(); !l.has(m.shared) || at != m.at {
			m.diverged(root, at, m.at)
		}
		l.joinTo(m.clock)
	}
}

// Broadcast gives the word of root to all.
func (m *Monitor) Broadcast(site, root int, word uint64) (result uint64) {
	m.share(site, root, func() { result = m.Transport.Broadcast(site, root, word) })
	return result
}

// Share gives the bytes of root to all.
func (m *Monitor) Share(site, root int, data []byte) (result []byte) {
	m.share(site, root, func() { result = m.Transport.Share(site, root, data) })
	return result
}
