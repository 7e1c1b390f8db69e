// Package inproc carries the messages of PEs that share memory: a put is a copy
// into the consumer's memory followed by the store of an atomic flag. The PEs are
// goroutines of one process (Run), or of several that have memory in common at the
// same addresses (Join). PEs on other hosts are sent messages, which do there what a
// PE of that host would do (see network).
//
// Waiting has two stages. With no more PEs than processors a PE first spins on
// the flag, since parking a goroutine costs more than most waits; with more PEs
// than processors it parks at once, since what it waits for cannot happen while
// it holds the processor. A parked PE publishes the flag that it waits for, and
// whoever stores to that flag wakes it.
package inproc

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spmdc/spmdc/runtime/transport"
	"github.com/spmdc/spmdc/runtime/transport/agree"
)

const (
	// A flag is read leastSpin to spinLoads times before its reader parks (see
	// spin); after at most rarestProbe such spins in vain one is full.
	leastSpin   = 1 << 10
	rarestProbe = 256

	// pollLoads is how many loads take as long as a poll for messages of other hosts, and leastPolls how many
	// of these take longer than the reply to a message.
	pollLoads  = 1 << 10
	leastPolls = 64

	// A PE that polls gives its processor up so often, and looks at the time once in so many polls.
	turnPeriod   = 4 * time.Millisecond
	pollsPerLook = 16

	// settleLoads is how many times it is read before, where PEs spin, its reader has parked:
	// more than a microsecond (see publish).
	settleLoads = 1 << 11

	// watchPeriod is how often the watchdog looks for a deadlock, and grace
	// how long an aborted run waits for PEs that compute or read input.
	watchPeriod = 20 * time.Millisecond
	grace       = 250 * time.Millisecond
)

// World is what the PEs of a process have of a run; where there are several processes, what one PE has.
type World struct {
	*state
	n     int
	spin  int // most loads of a flag before parking; 0: park at once
	pes   []*PE
	stuck func([]transport.Wait) error
	room  Room     // of PEs of several processes; nil: all are goroutines of this one
	net   *network // nil: PEs send no messages
	id    int      // whose world it is, with net

	mu  sync.Mutex // guards err
	err error      // the first, if its PE met it
}

// state is what all PEs share. If they are processes it lies in memory that they have in
// common, as does all that it points to; zeroes are its beginning.
type state struct {
	late    atomic.Int64 // messages of PutLate under way
	failed  atomic.Bool
	rebound [2]atomic.Uint64 // how often the directories of even and of odd barriers were written
	locks   lockTable
	came    [2]lines          // of two PEs: the barriers that each has come to
	met     [mostRounds]lines // of several hosts, by round: the barriers that another has come to

	sent, received atomic.Uint64 // messages to and from other processes

	_       pad
	arrived atomic.Int64 // PEs in the current barrier
	_       pad
	passed  atomic.Uint64 // barriers passed
	_       pad
	voted   atomic.Int64 // PEs in the current round of an agreement, where they park at once
	_       pad
	polled  atomic.Uint64 // such rounds passed
	_       pad
	given   atomic.Uint64 // contributions to reductions so far, of all PEs but PE 0
	_       pad
	offered atomic.Uint64 // contributions to ReduceAll so far, of all PEs
	_       pad
	total   mail // the latest result of ReduceAll, see folded
	_       pad
	lenders atomic.Int64 // PEs that wait until others have taken broadcasts
	_       pad
	result  mail // of the latest reduction
	_       pad
	ring    [ringSize]mail // broadcasts, by number modulo ringSize
}

// lines is a count with two cache lines to itself, since processors fetch them in
// pairs.
type lines struct {
	count atomic.Uint64
	_     [120]byte
}

// pad keeps what different PEs write on different cache lines.
type pad [64]byte

// mail is a word with the number of the collective that it belongs to. The
// number is stored last and loaded first: it publishes the rest.
type mail struct {
	seq   atomic.Uint64
	word  uint64
	site  int
	value any    // of a reduction whose PEs are goroutines
	data  []byte // of a broadcast; of a reduction whose PEs are processes
}

// Run runs body on n PEs and returns the error that ended the run, or nil.
// When every PE that has not returned waits, so that nothing can move, the run
// is aborted with the error that stuck makes of the waits.
//
// After an abort Run does not wait for PEs that neither wait nor return (one
// may be blocked reading a terminal); it leaves them behind.
func Run(n int, stuck func([]transport.Wait) error, body func(transport.Transport)) error {
	w := &World{state: new(state), n: n, stuck: stuck}
	procs := runtime.GOMAXPROCS(0)
	if n <= procs {
		w.spin = spinLoads
	}
	for id, party := range agree.NewExchange(n) {
		w.pes = append(w.pes, &PE{w: w, public: new(public), id: id, party: party, wake: make(chan struct{}, 1), patience: w.spin})
	}
	return w.run(w.pes, body)
}

// run runs body on those PEs that are goroutines of this process.
func (w *World) run(pes []*PE, body func(transport.Transport)) error {
	finished := make(chan struct{})
	var running atomic.Int64
	running.Store(int64(len(pes)))
	// The goroutine that is made last goes on on the thread of this one, at once: PE 0, which
	// reads and writes.
	for _, p := range slices.Backward(pes) {
		go func() {
			defer func() {
				if running.Add(-1) == 0 {
					close(finished)
				}
			}()
			defer p.leave()
			body(p)
		}()
	}
	w.watch(finished)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && w.failed.Load() {
		return transport.ErrElsewhere
	}
	return w.err
}

// leave ends a PE. A panic that body did not handle ends the run.
func (p *PE) leave() {
	if v := recover(); v != nil {
		if _, ok := v.(transport.Unwind); !ok {
			p.w.fail(fmt.Errorf("PE %d: %v", p.id, v))
		}
	}
	p.Finish()
	hideSync()
	p.returned.Store(true)
	showSync()
}

// watch returns when the run has finished, or a while after it has failed.
func (w *World) watch(finished chan struct{}) {
	tick := time.NewTicker(watchPeriod)
	defer tick.Stop()
	var failedAt time.Time
	for {
		select {
		case <-finished:
			return
		case now := <-tick.C:
			switch {
			case !w.failed.Load():
				w.look()
			case failedAt.IsZero():
				failedAt = now
			case now.Sub(failedAt) > grace:
				return
			}
		}
	}
}

// look ends the run if no PE can move.
func (w *World) look() {
	if w.failed.Load() {
		return
	}
	w.rouse()
	if waits := w.seen(); waits != nil {
		w.fail(w.stuck(waits))
	}
}

// rouse wakes PEs that are parked although what they wait for has come (see publish). It may
// wake one that waits for something else by now, which then looks and parks again.
func (w *World) rouse() {
	hideSync()
	for _, p := range w.pes {
		if flag := p.waiting.Load(); flag != nil && (reached(flag.Load(), p.want.Load()) || p.over()) {
			p.wakeFrom(flag)
		}
	}
	showSync()
}

// seen is what each PE waits for if the watchdog of this process finds that none can move.
func (w *World) seen() []transport.Wait {
	switch {
	case !w.several():
		return w.blocked()
	case w.id == 0:
		return w.blockedFar()
	}
	return nil
}

// fail records the first error and wakes every waiting PE.
func (w *World) fail(err error) {
	w.mu.Lock()
	hideSync()
	first := !w.failed.Swap(true) // not Store: see publish
	showSync()
	if first {
		w.err = err
	}
	w.mu.Unlock()
	if first && w.several() {
		w.spread(written(packetFailed, 0))
	}
	w.wakeFailed()
}

// wakeFailed wakes every PE that waits, since the run has failed.
func (w *World) wakeFailed() {
	hideSync()
	for _, p := range w.pes {
		if f := p.waiting.Load(); f != nil {
			p.wakeFrom(f)
		}
	}
	showSync()
}
