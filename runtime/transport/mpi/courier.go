//go:build mpi

package mpi

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// A message is sent in pieces, since MPI counts bytes in 32 bits, and so that each piece shows that its sender
	// is there. Their tags say whether there are more, and to which PE of the process they go. A piece
	// without bytes is a heartbeat.
	pieceBytes = 16 << 20
	tagMore    = 1
	tagPE      = 2 // times the number of the PE in its process

	// Where nothing comes the courier polls again at once so often, then after ever longer
	// times.
	eagerLooks   = 200
	mostIdle     = eagerLooks + 10*16
	shortestRest = 20 * time.Microsecond
	longestRest  = 500 * time.Microsecond

	// Each time it wakes it takes the processor away from a PE, which delays the message that this one waits for. Where
	// PEs poll at least every pollPeriod in the mean its rests grow to this, each as long as those before it together: a
	// PE that begins to compute then serves others late by no longer than it has polled.
	polledRest = 16 * time.Millisecond
	pollPeriod = 50 * time.Microsecond

	// The first process of each host sends that of the next one a heartbeat in each period. A host of which
	// nothing has come in as many as silenceVariable says is lost; without it none is, since a garbage collection that
	// waits for a long loop keeps the courier too. Periods are counted, as time goes on where all processes are stopped.
	heartPeriod     = time.Second
	silenceVariable = "SPMD_SILENCE"

	// endLimit is how long a run that has failed waits until its last messages are sent: they may go to
	// a process that is no more.
	endLimit = 2 * time.Second
)

// silent is the error of a host of which nothing comes any more.
type silent struct{ rank int }

func (e *silent) Error() string { return fmt.Sprintf("nothing comes from process %d", e.rank) }

// courier carries messages by MPI. Any goroutine may send at any time: Send calls MPI at once, and delivers nothing,
// so that it may be called with locks held, and while a message is delivered. What has come is received and delivered by
// one goroutine at a time: a PE that waits (Poll), or the courier's own, which goes on polling while PEs compute or are
// parked. So a message never depends on somebody who is to be woken.
type courier struct {
	places
	first   int // PE of this process
	deliver func(to int, message []byte)
	failed  func(error)

	once  sync.Once
	begun bool

	calling sync.Mutex // guards MPI, and what follows; nobody delivers, or waits for another lock, with it
	over    bool       // MPI is not called any more
	under   []*sending // not known to have been sent
	sent    []int64    // pieces, to each process

	receiving sync.Mutex       // taken by TryLock alone; guards what follows
	parts     map[way][][]byte // the pieces so far of a message
	inbox     inbox
	got       int64 // pieces, from all

	polls  atomic.Uint64 // by PEs
	silent atomic.Int64  // periods since something came from the host before

	next, before int // the first processes of the next host, and of the one before; equal to rank: no heartbeats

	parked chan struct{} // a PE has parked
	stop   chan struct{} // closed when nothing will be sent any more
	gone   chan struct{} // closed when all has been sent
}

// way is what the pieces of a message have in common: the process that sends it, and the PE that it goes to.
type way struct{ from, pe int }

func newCourier(at places, deliver func(int, []byte), failed func(error)) *courier {
	return &courier{
		places: at, first: at.begin(at.rank), deliver: deliver, failed: failed, sent: make([]int64, at.ranks), next: at.rank, before: at.rank,
		parts: map[way][][]byte{}, inbox: inbox{deliver: deliver},
		parked: make(chan struct{}, 1), stop: make(chan struct{}), gone: make(chan struct{}),
	}
}

// Begin lets messages go: a process that sends and gets none leaves MPI alone.
func (c *courier) Begin() {
	c.once.Do(func() {
		c.begun = true
		go c.run()
	})
}

// Send sends a message, and keeps it while MPI needs it.
func (c *courier) Send(to int, message []byte) (keeps bool) {
	rank := c.process(to)
	c.calling.Lock()
	keeps, err := c.dispatch(rank, (to-c.begin(rank))*tagPE, message)
	c.calling.Unlock()
	if err != nil {
		c.failed(err)
	}
	return keeps
}

// dispatch begins to send the pieces of a message.
func (c *courier) dispatch(rank, tag int, message []byte) (keeps bool, err error) {
	for {
		piece, more := message, 0
		if len(piece) > pieceBytes {
			piece, more = piece[:pieceBytes], tagMore
		}
		if c.over {
			return keeps, nil
		}
		c.sent[rank]++
		s, err := send(piece, rank, tag|more)
		if err != nil {
			c.over = true
			return true, err
		}
		if s != nil {
			c.under, keeps = append(c.under, s), true
		}
		if message = message[len(piece):]; len(message) == 0 {
			return keeps, nil
		}
	}
}

// Poll delivers what has come, for a PE that waits for it.
func (c *courier) Poll() {
	if watched { // the order in which PEs poll would hide races
		return
	}
	c.polls.Add(1)
	if looked, _ := c.receive(); !looked {
		yield() // who is at it may wait for this processor
	}
}

// Attend makes the courier poll eagerly.
func (c *courier) Attend() {
	select {
	case c.parked <- struct{}{}:
	default:
	}
}

// receive delivers what has come, unless another goroutine does, and reports whether it has done anything.
func (c *courier) receive() (looked, done bool) {
	if !c.receiving.TryLock() {
		return false, false
	}
	c.calling.Lock()
	piece, lent, from, tag, done, err := c.progress()
	c.calling.Unlock()
	if piece != nil {
		c.got++
		if from == c.before {
			c.silent.Store(0)
		}
		if len(piece) > 0 {
			c.arrived(piece, lent, from, tag)
		}
	}
	done = c.inbox.look() || done
	c.receiving.Unlock()
	if err != nil {
		c.failed(err)
	}
	return true, done
}

// arrived takes a piece of a message, and delivers the message if it is the last one.
func (c *courier) arrived(piece []byte, lent bool, from, tag int) {
	to := c.first + tag/tagPE
	if len(c.parts) == 0 && tag&tagMore == 0 {
		if lent && c.inbox.large != nil {
			piece = slices.Clone(piece)
		}
		c.inbox.put(incoming{to: to, message: piece})
		return
	}
	if lent {
		piece = slices.Clone(piece)
	}
	way := way{from, to}
	pieces := append(c.parts[way], piece)
	if tag&tagMore != 0 {
		c.parts[way] = pieces
		return
	}
	delete(c.parts, way)
	if len(pieces) == 1 {
		c.inbox.put(incoming{to: to, message: piece})
	} else {
		c.inbox.put(incoming{to: to, pieces: pieces})
	}
}

// progress finds out what has been sent, and receives a piece if one has come.
func (c *courier) progress() (piece []byte, lent bool, from, tag int, done bool, err error) {
	if c.over {
		return
	}
	for len(c.under) > 0 && err == nil {
		var is bool
		if is, err = c.under[0].sent(); !is {
			break
		}
		c.under, done = c.under[1:], true
	}
	if err == nil {
		piece, lent, from, tag, err = come()
	}
	c.over = err != nil
	return piece, lent, from, tag, done || piece != nil, err
}

// beat makes the process one that sends heartbeats, and expects some, if it is the first of its host. heads are the
// first processes of all hosts.
func (c *courier) beat(heads []int) {
	if i := slices.Index(heads, c.rank); i >= 0 {
		c.next, c.before = heads[(i+1)%len(heads)], heads[(i+len(heads)-1)%len(heads)]
	}
}

// heartbeat sends a heartbeat, and finds out whether some have come.
func (c *courier) heartbeat(limit int64) {
	if c.next == c.rank || c.silent.Load() > limit {
		return
	}
	c.calling.Lock()
	_, err := c.dispatch(c.next, 0, nil)
	c.calling.Unlock()
	if err == nil && c.silent.Add(1) > limit {
		err = &silent{c.before}
	}
	if err != nil {
		c.failed(err)
	}
}

// end returns when all messages have been sent. Of a run that has failed some may never be.
func (c *courier) end(failed bool) {
	if !c.begun {
		return
	}
	close(c.stop)
	var late <-chan time.Time
	if failed {
		late = time.After(endLimit)
	}
	select {
	case <-c.gone:
	case <-late:
	}
}

// drain receives what was still under way to this process when nobody needed it any more, which some
// libraries under MPI report at their end. All processes call it, behind end.
func (c *courier) drain() error {
	coming, err := exchange(c.sent)
	left := -c.got
	for _, n := range coming {
		left += n
	}
	for left > 0 && err == nil {
		var piece []byte
		if piece, _, _, _, err = come(); piece != nil {
			left--
		}
	}
	return err
}

// run polls until the end: eagerly for a while when a message has come or a PE has parked, ever more rarely
// while nothing comes, and not at all while PEs poll, which it finds out ever more rarely.
func (c *courier) run() {
	defer close(c.gone)
	limit, _ := strconv.ParseInt(os.Getenv(silenceVariable), 10, 64)
	if limit <= 0 {
		limit = math.MaxInt64
	}
	heart := time.NewTicker(heartPeriod)
	defer heart.Stop()
	rest := time.NewTimer(0)
	idle, polls, stop, ending := 0, uint64(0), c.stop, false
	longest, began := longestRest, time.Now()
	for {
		select {
		case <-heart.C:
			c.heartbeat(limit)
		default:
		}
		if now := c.polls.Load(); now != polls {
			longest = min(2*longest, polledRest)
			if time.Duration(now-polls)*pollPeriod < time.Since(began) {
				longest = longestRest
			}
			polls, idle = now, mostIdle
		} else if _, done := c.receive(); done {
			idle = 0
			continue
		} else if ending && c.finished() {
			return
		} else {
			longest = longestRest
		}
		if idle++; idle < eagerLooks {
			runtime.Gosched()
			continue
		}
		began = time.Now()
		rest.Reset(min(longest, shortestRest<<min(10, (idle-eagerLooks)/16)))
		select {
		case <-c.parked:
			polls, idle = c.polls.Load(), 0
		case <-stop:
			stop, ending = nil, true
		case <-rest.C:
		}
	}
}

// finished reports whether all has been sent, and ends the calls of MPI then.
func (c *courier) finished() bool {
	c.calling.Lock()
	defer c.calling.Unlock()
	c.over = c.over || len(c.under) == 0
	return c.over
}

// incoming is a message to a PE of this process.
type incoming struct {
	to      int
	message []byte
	pieces  [][]byte // in place of the message, if there are several
}

// inbox delivers messages in the order in which they have come. A large one is delivered by a goroutine of its own, so that
// the courier is not silent meanwhile, and others wait until it is done.
type inbox struct {
	deliver func(to int, message []byte)
	waiting []incoming
	large   chan struct{} // closed when the large one is delivered; nil: there is none
}

func (b *inbox) put(m incoming) {
	switch {
	case b.large != nil:
		b.waiting = append(b.waiting, m)
	case m.pieces != nil:
		over := make(chan struct{})
		b.large = over
		go func() {
			b.deliver(m.to, slices.Concat(m.pieces...))
			close(over)
		}()
	default:
		b.deliver(m.to, m.message)
	}
}

// look delivers what has waited if the large message is done, and reports whether it is.
func (b *inbox) look() bool {
	if b.large == nil {
		return false
	}
	select {
	case <-b.large:
	default:
		return false
	}
	waiting := b.waiting
	b.large, b.waiting = nil, nil
	for _, m := range waiting {
		b.put(m)
	}
	return true
}
