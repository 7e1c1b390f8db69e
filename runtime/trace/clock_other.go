//go:build !amd64

package trace

// ticks is the time in units that rate converts.
func ticks() int64 { return monotonic() }
