//go:build !linux

package inproc

import (
	"sync/atomic"
	"time"
)

// sleepProcess returns a little later: another process may have made word other than value.
func sleepProcess(*atomic.Uint32, uint32) { time.Sleep(50 * time.Microsecond) }

func wakeProcess(*atomic.Uint32) {}
