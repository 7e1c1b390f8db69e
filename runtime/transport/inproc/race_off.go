//go:build !race

package inproc

// See race_on.go: without the race detector there is nothing to hide.
func hideSync() {}
func showSync() {}

// spinLoads is how many times a flag is read before its reader parks, on a
// machine that has a processor for each PE. Much shorter spins were no better
// than none on fine-grained programs.
const spinLoads = 1 << 20
