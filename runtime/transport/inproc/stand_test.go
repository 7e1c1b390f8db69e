package inproc

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spmdc/spmdc/runtime/transport"
)

const long = time.Minute

// A PE that stalls goes on when the others wait, have returned or stall too, and
// not while one of them computes.
func TestStall(t *testing.T) {
	everyPolicy(t, func(t *testing.T) {
		var computed atomic.Bool
		err := Run(4, stuck, func(tr transport.Transport) {
			pe := tr.(*PE)
			word := &transport.Slice[int]{Data: make([]int, 1)}
			b := pe.Register(0, word)
			pe.Start()
			switch pe.PE() {
			case 0, 1: // both are last
				pe.Stall(long)
				if !computed.Load() {
					t.Error("a stall ended while a PE could move")
				}
				if pe.PE() == 0 {
					pe.Put(0, b, 2, 1, word, &transport.Move{})
				}
			case 2:
				pe.Await(0, b, 0, 1)
			case 3:
				// Longer than the watchdog's period: a stall is no deadlock.
				time.Sleep(3 * watchPeriod)
				computed.Store(true)
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// The limit ends a stall, and so does the failure of another PE.
func TestStallEnds(t *testing.T) {
	failure := errors.New("failure of PE 1")
	for _, limit := range []time.Duration{time.Millisecond, long} {
		stop := make(chan struct{})
		err := Run(2, stuck, func(pe transport.Transport) {
			if pe.PE() == 0 {
				pe.(*PE).Stall(limit)
				close(stop)
				return
			}
			if limit == long {
				pe.Abort(failure)
			}
			<-stop // waits where the transport cannot see it
		})
		if want := map[bool]error{true: failure}[limit == long]; err != want {
			t.Errorf("limit %v: %v, want %v", limit, err, want)
		}
	}
}

// A late message arrives when all stand still, with the contents of its own copy;
// until then nobody is stuck, and after it a real deadlock is still found.
func TestPutLate(t *testing.T) {
	everyPolicy(t, func(t *testing.T) {
		for _, hopeless := range []bool{false, true} {
			err := Run(3, stuck, func(tr transport.Transport) {
				pe := tr.(*PE)
				word := &transport.Slice[int]{Data: make([]int, 1)}
				b := pe.Register(0, word)
				pe.Start()
				switch pe.PE() {
				case 0:
					pe.PutLate(0, b, 1, 1, &transport.Slice[int]{Data: []int{7}}, &transport.Move{}, long)
				case 1:
					pe.Await(0, b, 0, 1)
					if word.Data[0] != 7 {
						t.Errorf("%d arrived, want 7", word.Data[0])
					}
					if hopeless {
						pe.Await(0, b, 0, 2)
					}
				case 2:
					pe.Put(0, b, 0, 1, word, &transport.Move{})
				}
			})
			if hopeless != (err != nil && strings.HasPrefix(err.Error(), "stuck")) {
				t.Errorf("hopeless %v: %v", hopeless, err)
			}
		}
	})
}
