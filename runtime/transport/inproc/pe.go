package inproc

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/spmdc/spmdc/runtime/transport"
	"github.com/spmdc/spmdc/runtime/transport/agree"
)

// PE is one PE's view of the world; it implements transport.Transport.
type PE struct {
	w *World
	*public
	id      int
	buffers []buffer       // incoming; other PEs use it after Start
	wake    chan struct{}  // nil: the PE is in another process, or alone in this one, see tokens
	bell    *atomic.Uint32 // of its process, which has others; nil: it has the PE alone

	// Private to the goroutine of the PE.
	barriers   uint64
	rounds     uint64 // of agreements, where PEs park at once
	reductions uint64
	pooled     uint64 // calls of ReduceAll
	broadcasts uint64
	party      *agree.Party     // its end of agreements
	credit     uint64           // broadcasts that all PEs are known to have taken
	patience   int              // loads of a flag before parking, at present
	vain       int              // spins in vain since the last full one, see spin
	probeAfter int              // how many of these come before the next full one
	outdated   int              // directories that lack what its buffers are now
	mirrored   [2]uint64        // see mirror
	lent       [ringSize][]byte // of PEs that are processes: what it has put into mails
	given      [2][]byte        // the same, into pool

	// Of a PE that sends messages to other processes, see network.
	polls     uint
	turned    time.Time // when it last gave up its processor, see poll
	spare     []byte    // see blank
	unsettled []bool    // by PE: it has put there what may be under way
	flushes   uint64
	requested uint64 // sections
	reply     []byte // the section asked for last
	grants    uint64 // of locks
	noted     func(from int, note []byte)
}

// public is what other PEs use of a PE. If they are processes it lies where state does.
type public struct {
	// What the PE waits for. waiting is nil while it runs.
	_        pad
	waiting  atomic.Pointer[atomic.Uint64]
	parks    atomic.Uint64
	want     atomic.Uint64
	site     atomic.Int64
	kind     atomic.Uint32
	on       atomic.Int64
	notices  atomic.Uint64
	until    atomic.Int64 // a PE, plus 1, whose end ends the wait too
	finished atomic.Bool
	returned atomic.Bool
	stalled  atomic.Bool
	tokens   atomic.Uint32 // what wakes a PE from another process
	rung     atomic.Uint32 // the bell of a process, at its first PE: how often it has rung

	brought     []byte      // to Gather
	directories [2][]entry  // of the buffers of a PE that is a process, see announce
	ended       atomic.Bool // the process has nothing more to do
	last        []byte      // what it leaves, see End

	// What has come for it from other processes.
	replied atomic.Uint64 // sections
	flushed atomic.Uint64
	granted atomic.Uint64 // locks

	_     pad
	gift  mail    // contribution to the latest reduction
	pool  [2]mail // contributions to the latest two of ReduceAll
	_     pad
	taken atomic.Uint64 // broadcasts taken, in multiples of creditEvery
	_     pad
}

var _ transport.Transport = (*PE)(nil)

// buffer is one PE's instance of a registered buffer.
type buffer struct {
	site     int
	memory   transport.Memory
	arrival  flags              // by producer
	ready    flags              // by consumer
	receiver transport.Receiver // memory, if it is one
	private  bool               // its elements have pointers, which other processes cannot follow
}

// PE is the id of this PE, from 0.
func (p *PE) PE() int { return p.id }

// N is the number of PEs.
func (p *PE) N() int { return p.w.n }

// Register adds this PE's instance of a symmetric buffer.
func (p *PE) Register(site int, m transport.Memory) transport.Buffer {
	buf := buffer{site: site, arrival: p.w.newFlags(), ready: p.w.newFlags(), private: p.w.room != nil && m.Pointers()}
	p.holds(&buf, m)
	p.buffers = append(p.buffers, buf)
	return transport.Buffer(len(p.buffers) - 1)
}

// Rebind replaces this PE's memory of b.
func (p *PE) Rebind(b transport.Buffer, m transport.Memory) {
	p.holds(&p.buffers[b], m)
	p.outdated = 2
}

// Start waits until all PEs have registered their buffers, and checks that they
// registered the same ones.
func (p *PE) Start() {
	p.outdated = 2
	p.Barrier(-1)
	if !p.sameBuffers() {
		p.Abort(fmt.Errorf("internal error: PE %d and PE 0 registered different buffers", p.id))
	}
	// Nobody may add a buffer while another PE still compares.
	p.Barrier(-1)
}

// sameBuffers reports whether PE 0 has registered the same buffers.
func (p *PE) sameBuffers() bool {
	if p.w.several() {
		return p.sameBuffersFar()
	}
	same := func(a, b buffer) bool { return a.site == b.site }
	return slices.EqualFunc(p.w.pes[0].buffers, p.buffers, same)
}

// Put copies into the instance of b on PE to and sets the arrival flag there.
func (p *PE) Put(site int, b transport.Buffer, to int, epoch uint64, src transport.Memory, m *transport.Move) {
	if p.apart(b, to) {
		p.put(to, []transport.Part{{Slot: transport.Slot{Buffer: b, Epoch: epoch}, Src: src, Move: m}})
		return
	}
	c := p.w.pes[to]
	buf := &c.buffers[b]
	buf.memory.CopyFrom(src, m)
	c.raise(buf.arrival.at(p.w, p.id), epoch)
}

// PutAll copies all parts, then sets the arrival flags on PE to of those that have one.
func (p *PE) PutAll(site, to int, parts []transport.Part) {
	for i := range parts {
		if p.apart(parts[i].Buffer, to) {
			p.put(to, parts)
			return
		}
	}
	c := p.w.pes[to]
	for i := range parts {
		c.buffers[parts[i].Buffer].memory.CopyFrom(parts[i].Src, parts[i].Move)
	}
	for i := range parts {
		if !parts[i].NoFlag {
			c.raise(c.buffers[parts[i].Buffer].arrival.at(p.w, p.id), parts[i].Epoch)
		}
	}
}

// Get copies from the instance of b on PE from.
func (p *PE) Get(site int, b transport.Buffer, from int, dst transport.Memory, m *transport.Move) {
	if p.apart(b, from) {
		p.get(site, b, from, dst, m)
		return
	}
	dst.CopyFrom(p.w.pes[from].buffers[b].memory, m)
}

// Ready sends a ready message to the producer to, which may put instance epoch of b here.
func (p *PE) Ready(site int, b transport.Buffer, to int, epoch uint64) {
	if p.w.far(to) {
		p.ready(to, transport.Slot{Buffer: b, Epoch: epoch})
		return
	}
	c := p.w.pes[to]
	c.raise(c.buffers[b].ready.at(p.w, p.id), epoch)
}

// ReadyAll sends a ready message to the producer to, which may put all slots here.
func (p *PE) ReadyAll(site, to int, slots []transport.Slot) {
	if p.w.far(to) {
		p.ready(to, slots...)
		return
	}
	for _, s := range slots {
		p.Ready(site, s.Buffer, to, s.Epoch)
	}
}

// AwaitReady waits for the ready message of consumer from.
func (p *PE) AwaitReady(site int, b transport.Buffer, from int, epoch uint64) bool {
	got, waited := p.await(p.buffers[b].ready.at(p.w, from), epoch, site, transport.WaitReady, from)
	if got != epoch {
		p.overrun(b, "ready message", from, epoch, got)
	}
	return waited
}

// AwaitReadyOrEnd waits for the ready message of consumer from, or its end.
func (p *PE) AwaitReadyOrEnd(site int, b transport.Buffer, from int, epoch uint64) (ended bool) {
	flag := p.buffers[b].ready.at(p.w, from)
	if !reached(flag.Load(), epoch) {
		p.until.Store(int64(from) + 1)
		p.park(flag, epoch, site, transport.WaitReady, from)
		p.until.Store(0)
	}
	got := flag.Load()
	switch {
	case reached(got, epoch) && got != epoch:
		p.overrun(b, "ready message", from, epoch, got)
	case !reached(got, epoch) && p.w.failed.Load():
		panic(transport.Unwind{})
	}
	return !reached(got, epoch)
}

// Near reports whether PE q is on this host.
func (p *PE) Near(q int) bool { return !p.w.far(q) }

// Ended reports whether PE q has finished.
func (p *PE) Ended(q int) bool { return p.w.pes[q].finished.Load() }

// Finish says that this PE has come to the end of the program.
func (p *PE) Finish() {
	hideSync()
	defer showSync()
	p.finished.Store(true)
	for _, q := range p.w.pes {
		if flag := q.waiting.Load(); flag != nil && q.until.Load() == int64(p.id)+1 {
			q.wakeFrom(flag)
		}
	}
}

// over reports whether the PE has finished whose end ends the wait.
func (p *PE) over() bool {
	q := p.until.Load()
	return q > 0 && p.w.pes[q-1].finished.Load()
}

// Await waits for the put of producer from.
func (p *PE) Await(site int, b transport.Buffer, from int, epoch uint64) bool {
	got, waited := p.await(p.buffers[b].arrival.at(p.w, from), epoch, site, transport.WaitArrival, from)
	if got != epoch {
		p.overrun(b, "put", from, epoch, got)
	}
	return waited
}

func (p *PE) overrun(b transport.Buffer, what string, from int, want, got uint64) {
	p.Abort(&transport.Overrun{PE: p.id, Site: p.buffers[b].site, What: what, From: from, Want: want, Got: got})
}

// raise stores epoch in a flag that p alone waits for, and wakes p.
func (p *PE) raise(flag *atomic.Uint64, epoch uint64) {
	p.w.publish(flag, epoch)
	hideSync()
	if p.waiting.Load() == flag {
		p.wakeFrom(flag)
	}
	showSync()
}

// publish stores value in a flag for which PEs may wait, ahead of a look at who does.
//
// The storer stores the flag, then loads waiting; the waiter stores waiting, then loads the
// flag. No wake-up is lost only if neither load overtakes the store before it. Where PEs park
// at once an exchange sees to that: it is ordered in all builds, while under the race detector
// Go's atomics are weaker (a store is a release, a load an acquire), and inside hideSync
// nothing else orders them.
//
// Where PEs spin, a waiter is nearly never parked, and an exchange would wait each time until
// the message itself has got to the other processor. So there the store is only ordered behind
// those before it, and the load may overtake it, by the time that a store takes to be seen. The
// waiter makes up for that: having said that it waits it looks at the flag for longer than that
// (see settled); and should it take longer still, the watchdog wakes it (see rouse).
func (w *World) publish(flag *atomic.Uint64, value uint64) {
	if w.spin > 0 {
		storeRelease(flag, value)
	} else {
		flag.Swap(value)
	}
}

// wakeFrom wakes p if it still waits for flag. Exactly one of those who race to
// wake a PE, itself included, takes the flag away; if that is not the PE it
// sends one token, for which the PE then waits.
func (p *PE) wakeFrom(flag *atomic.Uint64) {
	if p.waiting.CompareAndSwap(flag, nil) {
		p.awaken()
	}
}

// awaken wakes a PE that parks in rest.
func (p *PE) awaken() {
	if p.wake != nil {
		p.wake <- struct{}{}
		return
	}
	p.tokens.Add(1)
	if p.bell == nil {
		wakeProcess(&p.tokens)
		return
	}
	p.bell.Add(1)
	wakeProcess(p.bell)
}

// rest parks until somebody sends.
func (p *PE) rest() {
	if p.wake != nil {
		<-p.wake
		return
	}
	for p.tokens.Load() == 0 {
		sleepProcess(&p.tokens, 0)
	}
	p.tokens.Add(^uint32(0))
}

// reached reports whether a flag of value got has come to want. All flags only
// grow, some beyond 2⁶⁴ (those of agreements); none is ever 2⁶³ away from what is
// waited for.
func reached(got, want uint64) bool { return int64(got-want) >= 0 }

// await waits until flag has reached want and returns its value; waited says
// whether that took more than one look.
func (p *PE) await(flag *atomic.Uint64, want uint64, site int, kind transport.WaitKind, on int) (got uint64, waited bool) {
	if got = flag.Load(); reached(got, want) {
		return got, false
	}
	if p.w.spin > 0 && p.spin(flag, want, on) {
		return flag.Load(), true
	}
	p.park(flag, want, site, kind, on)
	// This load, unlike those in park, is one that the race detector sees: it
	// is the one that orders this PE after the store.
	if got = flag.Load(); !reached(got, want) {
		panic(transport.Unwind{})
	}
	return got, true
}

// spin reads flag until it is at least want, or until patience ends.
//
// On a machine that has a processor for each PE spinning pays even for long: to be woken
// takes a hundred times as long as a message, and happens on another processor as a rule.
// When other programs take processors away, what this PE waits for may not even
// be running, and each spin is a waste. So patience shrinks when a spin was in
// vain, down to almost nothing, and grows to a multiple of what a successful one
// took; now and then a full spin finds out whether the machine is free again: soon after
// a disturbance, and ever more rarely while full spins are in vain too.
//
// What another host sends the PE fetches itself, so that no other thread has to run, and to wake it:
// on is the PE that sends, or -1 for any.
func (p *PE) spin(flag *atomic.Uint64, want uint64, on int) bool {
	far := p.w.several() && (on < 0 || p.w.far(on))
	least := leastSpin
	if far {
		least = leastPolls * pollLoads
	}
	limit := max(p.patience, least)
	if p.vain >= p.probeAfter {
		limit = p.w.spin
	}
	for i := 0; i < limit; i++ {
		if far {
			p.poll()
			i += pollLoads - 1
		}
		if reached(flag.Load(), want) {
			if i > p.patience {
				p.vain, p.probeAfter = 0, p.probeAfter/2
			}
			p.patience = max(p.patience, min(4*i, p.w.spin))
			return true
		}
		if i&1023 == 1023 && p.w.failed.Load() {
			panic(transport.Unwind{})
		}
	}
	p.vain++
	if limit == p.w.spin {
		p.vain, p.probeAfter = 0, min(max(1, 2*p.probeAfter), rarestProbe)
	}
	p.patience = max(p.patience/4, least)
	return false
}

// poll delivers what has come from other hosts. Now and then the PE gives its processor up, ahead of Go's preemption of what has
// run for ten milliseconds: that takes a signal, and Go's monitor wakes thousands of times a second behind it.
func (p *PE) poll() {
	p.polls++
	if p.polls%pollsPerLook == 0 {
		if now := time.Now(); now.Sub(p.turned) > turnPeriod {
			runtime.Gosched()
			p.turned = now
		}
	}
	p.w.net.courier.Poll()
}

// park blocks until flag is at least want or the run has failed.
func (p *PE) park(flag *atomic.Uint64, want uint64, site int, kind transport.WaitKind, on int) {
	hideSync()
	p.want.Store(want)
	p.site.Store(int64(site))
	p.kind.Store(uint32(kind))
	p.on.Store(int64(on))
	if p.w.net != nil {
		p.w.net.courier.Attend()
	}
	for !reached(flag.Load(), want) && !p.w.failed.Load() && !p.over() {
		p.parks.Add(1)
		p.waiting.Swap(flag) // not Store: see publish
		// The storer looks at waiting after its store, this PE at the flag
		// after publishing waiting: one of the two sees the other.
		if p.settled(flag, want) || p.w.failed.Load() || p.over() {
			if p.waiting.CompareAndSwap(flag, nil) {
				break
			}
		}
		p.rest()
	}
	showSync()
}

// settled reports whether flag has reached want, after a look, or as many as take longer than
// stores of others take to be seen (see publish).
func (p *PE) settled(flag *atomic.Uint64, want uint64) bool {
	looks := 1
	if p.w.spin > 0 {
		looks = settleLoads
	}
	for range looks {
		if reached(flag.Load(), want) {
			return true
		}
	}
	return false
}

// Abort ends the run with err and unwinds.
func (p *PE) Abort(err error) {
	p.w.fail(err)
	panic(transport.Unwind{})
}

// Aborted reports whether the run has failed.
func (p *PE) Aborted() bool { return p.w.failed.Load() }
