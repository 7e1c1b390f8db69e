package inproc

import (
	"slices"

	"github.com/spmdc/spmdc/runtime/transport"
)

// wave is how PE 0's host finds out that no PE of any host can move: when its own PEs stand
// still, it requests from all hosts the state of theirs, and the numbers of messages sent and received.
// If twice one after the other all stand still, nobody has moved in between, and as many
// messages have been received as were sent, then at the end of the first wave nobody could
// move, and no message was under way (Mattern's four counters).
type wave struct {
	number  uint64
	reports [][]uint64 // by host, of this wave; nil: it has not come
	last    [][]uint64 // of the wave before, if all stood still then
}

// Words of a report.
const (
	reportStands = iota // 1: none of them can move
	reportParks         // how often they have parked
	reportSent
	reportReceived
	reportWaits // from here on: of each, its PE, whether it has returned, kind, site, and on
	waitWords   = 5
)

// stands is a message that says how the PEs of this host are, for a wave.
func (w *World) stands(number uint64) []byte {
	words := append([]uint64{number, uint64(w.net.home)}, w.report()...)
	return written(packetStand, 0, words...)
}

func (w *World) report() []uint64 {
	r := make([]uint64, reportWaits)
	waits, sent, received := w.waits()
	if waits == nil {
		return r
	}
	r[reportStands], r[reportSent], r[reportReceived] = 1, sent, received
	for _, x := range waits {
		r[reportParks] += w.pes[x.PE].parks.Load()
		returned := uint64(0)
		if x.Returned {
			returned = 1
		}
		r = append(r, uint64(x.PE), returned, uint64(x.Kind), uint64(x.Site), uint64(x.On))
	}
	return r
}

// reported is the reply of a host.
func (x *network) reported(l *packet) {
	x.mu.Lock()
	defer x.mu.Unlock()
	number, host := l.next(), l.pe()
	if number == x.wave.number {
		x.wave.reports[host] = append([]uint64(nil), l.words...)
	}
}

// blockedFar is what each PE waits for if none can move on any host, else nil. The watchdog of
// PE 0 calls it now and then.
func (w *World) blockedFar() []transport.Wait {
	x := w.net
	own := w.report()
	x.mu.Lock()
	defer x.mu.Unlock()
	v := &x.wave
	for h := range v.reports {
		if h != x.home && v.reports[h] == nil {
			return nil // it will come
		}
	}
	if v.reports != nil {
		v.reports[x.home] = own
		if stand(v.reports) {
			if same(v.reports, v.last) {
				return waitsOf(v.reports, w.n)
			}
			v.last = v.reports
		} else {
			v.last = nil
		}
		v.reports = nil
	}
	if own[reportStands] == 0 {
		v.last = nil
		return nil
	}
	v.number++
	v.reports = make([][]uint64, len(x.heads))
	for h, q := range x.heads {
		if h != x.home {
			w.send(q, written(packetProbe, 0, v.number))
		}
	}
	return nil
}

// stand reports whether the PEs of all hosts stand still, and no message is under way unless
// somebody moved meanwhile.
func stand(reports [][]uint64) bool {
	sent, received := uint64(0), uint64(0)
	for _, r := range reports {
		if r[reportStands] == 0 {
			return false
		}
		sent += r[reportSent]
		received += r[reportReceived]
	}
	return sent == received
}

// same reports whether nobody has moved, and no message has been sent or received.
func same(a, b [][]uint64) bool {
	for h := range a {
		if b == nil || !slices.Equal(a[h][:reportWaits], b[h][:reportWaits]) {
			return false
		}
	}
	return true
}

// waitsOf is what reports say of the n PEs; nil if all have returned.
func waitsOf(reports [][]uint64, n int) []transport.Wait {
	waits := make([]transport.Wait, n)
	parked := false
	for _, r := range reports {
		for r = r[reportWaits:]; len(r) >= waitWords; r = r[waitWords:] {
			x := transport.Wait{PE: int(r[0]), Returned: r[1] != 0}
			if !x.Returned {
				x.Kind, x.Site, x.On = transport.WaitKind(r[2]), int(int64(r[3])), int(int64(r[4]))
				parked = true
			}
			waits[x.PE] = x
		}
	}
	if !parked {
		return nil
	}
	return waits
}
