//go:build !race

package inproc

import "sync/atomic"

// storeRelease stores value in flag behind all stores before it, in the order of the program:
// on amd64 any store does. It does not wait until others see it, as an exchange or one of
// Go's atomic stores does, which takes as long as the memory of another PE is away.
//
//go:noescape
func storeRelease(flag *atomic.Uint64, value uint64)
