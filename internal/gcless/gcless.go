// Package gcless lets a process that imports it collect garbage less often: programs
// that live for seconds and need little memory, as a compiler and its tests, would
// otherwise collect for a third of their time. Who sets GOGC decides.
package gcless

import (
	"os"
	"runtime/debug"
)

// percent is by how much the heap may grow over what is in use: 5 times of it in all.
const percent = 400

func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
