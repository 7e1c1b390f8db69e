package spmd

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
)

// firstCollection is about how many bytes are allocated before Go collects for the first
// time what nobody uses any more. By itself it would do that from 4 MB on, which arrays are
// as soon as there are any: it takes milliseconds, and finds nothing.
const firstCollection = 128 << 20

// collectLater defers the first collection. From then on Go decides, as it would without,
// unless who runs the program has decided already.
func collectLater() {
	const usual, from = 100, 4 << 20 // percent of what is in use; bytes at that
	if os.Getenv("GOGC") != "" || debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return
	}
	debug.SetGCPercent(usual * (firstCollection / from))
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}
