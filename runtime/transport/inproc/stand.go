package inproc

import (
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/spmdc/spmdc/runtime/transport"
)

// A stalled PE looks whether the others stand still as often as it can for
// stallEager, most often they are soon, and then every stallPeriod.
const (
	stallEager  = 50 * time.Microsecond
	stallPeriod = 100 * time.Microsecond
)

// look is what one sees of a PE that does not run: how often it has parked, and
// on what.
type look struct {
	parks uint64
	flag  *atomic.Uint64
}

// standing returns a look at every PE if none can move, else nil: each is
// parked, has returned or, if stalled is set, is stalled (these have no flag in
// their look).
//
// Only a PE that runs can make another one runnable. Each PE that parks counts
// it before it publishes the flag, so a PE whose count and flag are the same in
// two looks was parked all the time between them. If that holds for all of them
// and no flag had its value in between, nobody runs and nobody will.
func (w *World) standing(stalled bool) []look {
	looks := make([]look, w.n)
	for i, p := range w.pes {
		if w.far(i) || p.returned.Load() || stalled && p.stalled.Load() {
			continue
		}
		looks[i] = look{p.parks.Load(), p.waiting.Load()}
		if looks[i].flag == nil {
			return nil
		}
	}
	for i, p := range w.pes {
		if looks[i].flag != nil && (reached(looks[i].flag.Load(), p.want.Load()) || p.over()) {
			return nil
		}
	}
	for i, p := range w.pes {
		if looks[i].flag != nil && (p.parks.Load() != looks[i].parks || p.waiting.Load() != looks[i].flag) {
			return nil
		}
	}
	return looks
}

// blocked returns what each PE waits for if none can move, else nil.
func (w *World) blocked() []transport.Wait {
	waits, sent, received := w.waits()
	if sent == received && slices.ContainsFunc(waits, func(x transport.Wait) bool { return !x.Returned }) {
		return waits
	}
	return nil // all have returned, or a message is under way
}

// waits returns what each PE of this host waits for if none of them can move, else nil; and how
// many messages to other processes they have sent and received by then.
func (w *World) waits() (waits []transport.Wait, sent, received uint64) {
	if w.late.Load() > 0 {
		return nil, 0, 0 // a message will arrive, and did not arrive before the looks
	}
	sent, received = w.sent.Load(), w.received.Load()
	// None has moved since, so that what they say about their waits holds.
	for i, l := range w.standing(false) {
		switch p := w.pes[i]; {
		case w.far(i):
		case l.flag == nil:
			waits = append(waits, transport.Wait{PE: i, Returned: true})
		default:
			waits = append(waits, transport.Wait{PE: i, Kind: transport.WaitKind(p.kind.Load()), Site: int(p.site.Load()), On: int(p.on.Load())})
		}
	}
	if sent != w.sent.Load() || received != w.received.Load() {
		return nil, 0, 0
	}
	return waits, sent, received
}

// Stall stops the PE until the others stand still (transport.Slow).
func (p *PE) Stall(limit time.Duration) {
	hideSync()
	p.stalled.Store(true)
	p.w.awaitStand(limit)
	p.stalled.Store(false)
	failed := p.w.failed.Load()
	showSync()
	if failed {
		panic(transport.Unwind{})
	}
}

// PutLate is a put that arrives when all stand still (transport.Slow).
func (p *PE) PutLate(site int, b transport.Buffer, to int, epoch uint64, src transport.Memory, m *transport.Move, limit time.Duration) {
	p.w.late.Add(1)
	move := *m
	go func() {
		p.w.awaitStand(limit)
		p.Put(site, b, to, epoch, src, &move)
		p.w.late.Add(-1)
	}()
}

// awaitStand returns when no PE but the stalled ones can move, when limit has
// passed, or when the run has failed.
func (w *World) awaitStand(limit time.Duration) {
	start := time.Now()
	for !w.failed.Load() && w.standing(true) == nil {
		switch spent := time.Since(start); {
		case spent >= limit:
			return
		case spent < stallEager:
			runtime.Gosched()
		default:
			time.Sleep(stallPeriod)
		}
	}
}
