//go:build !linux

package spmd

// inHugePages does nothing: the system decides.
func inHugePages([]byte) {}
