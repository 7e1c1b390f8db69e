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

// OneWay is how long a written word takes, in seconds, until a thread on another processor
// has read it: the median of series of round trips between two threads, halved. It
// depends on which processors the system gives to the two, and changes while a machine
// runs. It is 0 where there is one processor.
func OneWay() float64 {
	if runtime.GOMAXPROCS(0) < 2 {
		return 0
	}
	const series, trips = 21, 2000
	var there, back flag
	var other sync.WaitGroup
	other.Go(func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for k := uint32(1); k <= series*trips; k++ {
			wait(&there, k)
			back.n.Store(k)
		}
	})
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var times []float64
	k := uint32(0)
	for range series {
		start := time.Now()
		for range trips {
			k++
			there.n.Store(k)
			wait(&back, k)
		}
		times = append(times, time.Since(start).Seconds()/(2*trips))
	}
	other.Wait()
	return rounds.Quantile(times, 0.5)
}

// wait spins until f is k. Where threads share a processor it lets others run.
func wait(f *flag, k uint32) {
	for n := 0; f.n.Load() != k; n++ {
		if n > 10000 {
			runtime.Gosched()
		}
	}
}
