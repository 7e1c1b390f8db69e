package trace

import (
	"math"
	"time"
)

// The clock of events is the counter of the processor where that has one rate: a read
// takes a quarter of what the system's clock takes, which is read at the beginning and at the end.
// All processes of a host have the same clock.

var (
	start = time.Now()
	base  = systemClock() // when start was
)

func monotonic() int64 { return base + int64(time.Since(start)) }

// clock relates ticks to the time of the system.
type clock struct {
	ticks int64
	time  time.Time
}

// readClock reads both clocks several times, and returns the reads that were closest to each other: in
// between another thread may be executed, and in a short run that would make the rate wrong by more than clocks are.
func readClock() (c clock) {
	closest := int64(math.MaxInt64)
	for range 8 {
		before, now, behind := ticks(), time.Now(), ticks()
		if d := behind - before; d >= 0 && d < closest {
			closest, c = d, clock{before + d/2, now}
		}
	}
	return c
}

// rate is how many nanoseconds a tick took between c and now.
func (c clock) rate() float64 {
	now := readClock()
	if now.ticks <= c.ticks {
		return 1
	}
	return float64(now.time.Sub(c.time)) / float64(now.ticks-c.ticks)
}
