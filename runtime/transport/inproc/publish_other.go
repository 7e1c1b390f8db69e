//go:build !amd64 || race

package inproc

import "sync/atomic"

// storeRelease stores value in flag behind all stores before it. An exchange, since it is
// ordered in all builds (see publish).
func storeRelease(flag *atomic.Uint64, value uint64) { flag.Swap(value) }
