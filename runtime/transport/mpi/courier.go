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
	"time"
)

const (
	// A message is sent in pieces, since MPI counts bytes in 32 bits, and so that each piece shows that its sender
	// is there. Their tags say whether there are more, and to which PE of the process they go. A piece
	// without bytes is a heartbeat.
	pieceBytes = 16 << 20
	tagMore    = 1
	tagPE      = 2 // times the number of the PE in its process

	smallBytes = 1 << 16 // a piece that is received at once

	// Where there is nothing to do the courier looks again at once so often, then after
	// ever longer times.
	eagerLooks   = 200
	shortestRest = 20 * time.Microsecond
	longestRest  = 500 * time.Microsecond

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

// courier carries messages by MPI. A goroutine of its own has the thread of MPI: it sends what
// others have given it, receives, and hands over what has come, also while PEs compute.
type courier struct {
	places
	deliver func(to int, message []byte)
	failed  func(error)

	once  sync.Once
	begun bool
	sent  []int64 // pieces, to each process
	got   int64   // pieces, from all

	next, before int // the first processes of the next host, and of the one before; equal to rank: no heartbeats

	mu   sync.Mutex
	out  []outgoing
	some chan struct{} // there is something in out
	stop chan struct{} // closed when nothing will be sent any more
	gone chan struct{} // closed when all has been sent
}

type outgoing struct {
	to      int
	message []byte
}

func newCourier(at places, deliver func(int, []byte), failed func(error)) *courier {
	return &courier{
		places: at, deliver: deliver, failed: failed, sent: make([]int64, at.ranks), next: at.rank, before: at.rank,
		some: make(chan struct{}, 1), stop: make(chan struct{}), gone: make(chan struct{}),
	}
}

// Begin lets messages go: a process that sends and gets none leaves MPI alone.
func (c *courier) Begin() {
	c.once.Do(func() {
		c.begun = true
		calls <- c.run
	})
}

// Send takes a message.
func (c *courier) Send(to int, message []byte) {
	c.mu.Lock()
	c.out = append(c.out, outgoing{to, message})
	c.mu.Unlock()
	select {
	case c.some <- struct{}{}:
	default:
	}
}

// beat makes the process one that sends heartbeats, and expects some, if it is the first of its host. heads are the
// first processes of all hosts.
func (c *courier) beat(heads []int) {
	if i := slices.Index(heads, c.rank); i >= 0 {
		c.next, c.before = heads[(i+1)%len(heads)], heads[(i+len(heads)-1)%len(heads)]
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
	for small := make([]byte, smallBytes); left > 0 && err == nil; {
		var piece []byte
		if piece, _, _, err = come(small); piece != nil {
			left--
		}
	}
	return err
}

// run carries messages until the end, on the thread of MPI.
func (c *courier) run() {
	defer close(c.gone)
	small := make([]byte, smallBytes)
	type way struct{ from, tag int }
	parts := map[way][][]byte{} // the pieces so far of a message
	inbox := &inbox{deliver: c.deliver}
	var under []*sending
	idle := 0
	rest := time.NewTimer(0)
	heart := time.NewTicker(heartPeriod)
	defer heart.Stop()
	quiet := 0 // periods since something came from the host before
	limit, _ := strconv.Atoi(os.Getenv(silenceVariable))
	if limit <= 0 {
		limit = math.MaxInt
	}
	for {
		done, ending := false, false
		select {
		case <-c.stop:
			ending = true
		case <-heart.C:
			if c.next == c.rank || quiet > limit {
				break
			}
			s, err := c.piece(nil, c.next, 0)
			if err != nil {
				c.failed(err)
			}
			under = append(under, s)
			if quiet++; quiet > limit {
				c.failed(&silent{c.before})
			}
		default:
		}
		c.mu.Lock()
		out := c.out
		c.out = nil
		c.mu.Unlock()
		for _, x := range out {
			done = true
			if c.process(x.to) == c.rank {
				inbox.put(incoming{x.to, [][]byte{x.message}})
				continue
			}
			begun, err := c.dispatch(x)
			if err != nil {
				c.failed(err)
			}
			under = append(under, begun...)
		}
		for len(under) > 0 {
			is, err := under[0].sent()
			if err != nil {
				c.failed(err)
				return
			}
			if !is {
				break
			}
			under, done = under[1:], true
		}
		piece, from, tag, err := come(small)
		if err != nil {
			c.failed(err)
			return
		}
		if piece != nil {
			done = true
			c.got++
			if from == c.before {
				quiet = 0
			}
		}
		if len(piece) > 0 {
			way := way{from, tag / tagPE}
			pieces := append(parts[way], piece)
			if tag&tagMore != 0 {
				parts[way] = pieces
			} else {
				delete(parts, way)
				inbox.put(incoming{c.begin(c.rank) + way.tag, pieces})
			}
		}
		done = inbox.look() || done
		switch {
		case done:
			idle = 0
			continue
		case ending && len(under) == 0:
			return
		}
		if idle++; idle < eagerLooks {
			runtime.Gosched()
			continue
		}
		rest.Reset(min(longestRest, shortestRest<<min(10, (idle-eagerLooks)/16)))
		select {
		case <-c.some:
			idle = 0
		case <-rest.C:
		}
	}
}

// incoming is the pieces of a message to a PE of this process.
type incoming struct {
	to     int
	pieces [][]byte
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
	case len(m.pieces) > 1 || len(m.pieces[0]) > pieceBytes:
		over := make(chan struct{})
		b.large = over
		go func() {
			b.deliver(m.to, slices.Concat(m.pieces...))
			close(over)
		}()
	default:
		b.deliver(m.to, m.pieces[0])
	}
}

// look delivers what has waited if the large message is done, and reports whether it is.
func (b *inbox) look() bool {
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

// dispatch begins to send a message.
func (c *courier) dispatch(x outgoing) (under []*sending, err error) {
	rank := c.process(x.to)
	for left := x.message; len(left) > 0; {
		piece, tag := left, (x.to-c.begin(rank))*tagPE
		if len(piece) > pieceBytes {
			piece, tag = piece[:pieceBytes], tag|tagMore
		}
		left = left[len(piece):]
		s, err := c.piece(piece, rank, tag)
		if err != nil {
			return under, err
		}
		under = append(under, s)
	}
	return under, nil
}

// piece begins to send a piece to a process.
func (c *courier) piece(piece []byte, rank, tag int) (*sending, error) {
	c.sent[rank]++
	return send(piece, rank, tag)
}
