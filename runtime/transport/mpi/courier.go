//go:build mpi

package mpi

import (
	"runtime"
	"sync"
	"time"
)

const (
	// A message is sent in pieces, since MPI counts bytes in 32 bits. Their tags say whether
	// there are more, and to which PE of the process they go.
	pieceBytes = 1 << 30
	tagMore    = 1
	tagPE      = 2 // times the number of the PE in its process

	smallBytes = 1 << 16 // a piece that is received at once

	// Where there is nothing to do the courier looks again at once so often, then after
	// ever longer times.
	eagerLooks   = 200
	shortestRest = 20 * time.Microsecond
	longestRest  = 500 * time.Microsecond
)

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
		places: at, deliver: deliver, failed: failed, sent: make([]int64, at.ranks),
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

// end returns when all messages have been sent.
func (c *courier) end() {
	if !c.begun {
		return
	}
	close(c.stop)
	<-c.gone
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
	parts := map[way][]byte{} // the pieces so far of a message
	var under []*sending
	idle := 0
	rest := time.NewTimer(0)
	for {
		done, ending := false, false
		select {
		case <-c.stop:
			ending = true
		default:
		}
		c.mu.Lock()
		out := c.out
		c.out = nil
		c.mu.Unlock()
		for _, x := range out {
			done = true
			if c.process(x.to) == c.rank {
				c.deliver(x.to, x.message)
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
			way := way{from, tag / tagPE}
			if sofar := parts[way]; sofar != nil {
				piece = append(sofar, piece...)
			}
			if tag&tagMore != 0 {
				parts[way] = piece
			} else {
				delete(parts, way)
				c.deliver(c.begin(c.rank)+way.tag, piece)
			}
		}
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

// dispatch begins to send a message.
func (c *courier) dispatch(x outgoing) (under []*sending, err error) {
	rank := c.process(x.to)
	for left := x.message; len(left) > 0; {
		piece, tag := left, (x.to-c.begin(rank))*tagPE
		if len(piece) > pieceBytes {
			piece, tag = piece[:pieceBytes], tag|tagMore
		}
		left = left[len(piece):]
		c.sent[rank]++
		s, err := send(piece, rank, tag)
		if err != nil {
			return under, err
		}
		under = append(under, s)
	}
	return under, nil
}
