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

// Toolchain is the same for the processes of the Go toolchain, as settings of their
// environment: they take a fifth less time. A compiler of a long program that needs
// gigabytes collects as often as it must.
// What the user has set comes behind it and decides.
var Toolchain = []string{"GOGC=800", "GOMEMLIMIT=2GiB"}

func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
