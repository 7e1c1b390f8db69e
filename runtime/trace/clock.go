package trace

import "time"

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

func readClock() clock { return clock{ticks(), time.Now()} }

// rate is how many nanoseconds a tick took between c and now.
func (c clock) rate() float64 {
	now := readClock()
	if now.ticks <= c.ticks {
		return 1
	}
	return float64(now.time.Sub(c.time)) / float64(now.ticks-c.ticks)
}
