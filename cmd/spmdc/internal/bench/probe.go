package bench

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spmdc/spmdc/internal/rounds"
)

// flag is a counter in cache lines of its own.
type flag struct {
	_ [128]byte
	n atomic.Uint32
	_ [124]byte
}

// ended is the last value of a flag.
const ended = ^uint32(0)

// OneWay is how long a written word takes, in seconds, until a thread on another processor
// has read it: the median of series of round trips between two threads, halved. It
// depends on which processors the system gives to the two, and changes while a machine
// runs. It is 0 where there is one processor.
func OneWay() float64 {
	if runtime.GOMAXPROCS(0) < 2 {
		return 0
	}
	const trips, enough, most = 500, 41, 100 * time.Millisecond
	var there, back flag
	var other sync.WaitGroup
	other.Go(func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for k := uint32(1); wait(&there, k); k++ {
			back.n.Store(k)
		}
	})
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var times []float64
	begin := time.Now()
	for k := uint32(0); len(times) < enough && (k == 0 || time.Since(begin) < most); {
		start, n := time.Now(), 0
		for n < trips {
			k++
			there.n.Store(k)
			wait(&back, k)
			if n++; n%16 == 0 && time.Since(begin) > most {
				break // the two share a processor
			}
		}
		times = append(times, time.Since(start).Seconds()/float64(2*n))
	}
	there.n.Store(ended)
	other.Wait()
	return rounds.Quantile(times, 0.5)
}

// wait spins until f is k, and reports whether that came before its end. Where threads share a
// processor it lets others run.
func wait(f *flag, k uint32) bool {
	for n := 0; ; n++ {
		switch f.n.Load() {
		case k:
			return true
		case ended:
			return false
		}
		if n > 20000 {
			time.Sleep(time.Microsecond)
		}
	}
}
