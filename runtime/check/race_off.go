//go:build !race

package check

// See race_on.go: without the race detector there is nothing to hide.
func hideSync() {}
func showSync() {}
