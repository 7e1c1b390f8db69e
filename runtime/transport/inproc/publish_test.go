package inproc

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spmdc/spmdc/runtime/transport"
)

// TestLostWakeUp: a PE that has parked is woken although the one that stored its flag has not
// seen that it waits.
func TestLostWakeUp(t *testing.T) {
	var flag atomic.Uint64
	ended := make(chan error, 1)
	go func() {
		ended <- Run(2, stuck, func(x transport.Transport) {
			p := x.(*PE)
			if p.id == 0 {
				p.park(&flag, 7, 3, transport.WaitArrival, 1)
				return
			}
			for p.w.pes[0].waiting.Load() != &flag {
				runtime.Gosched()
			}
			time.Sleep(watchPeriod / 4) // it no longer looks at the flag
			flag.Store(7)
		})
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("a PE sleeps although what it waits for has come")
	}
}

// TestStoreRelease: whoever sees the flag sees what was stored before it, and flags come to
// their readers without an exchange.
func TestStoreRelease(t *testing.T) {
	const rounds = 20_000
	var data [2][rounds + 1]uint64
	var flags [2]struct {
		atomic.Uint64
		_ [128]byte
	}
	done := make(chan int)
	for id := range 2 {
		go func() {
			bad := 0
			for k := uint64(1); k <= rounds; k++ {
				data[id][k] = k
				storeRelease(&flags[id].Uint64, k)
				for flags[1-id].Load() < k {
					runtime.Gosched()
				}
				if data[1-id][k] != k {
					bad++
				}
			}
			done <- bad
		}()
	}
	if bad := <-done + <-done; bad > 0 {
		t.Errorf("%d times the flag came before the data", bad)
	}
}
