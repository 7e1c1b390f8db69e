//go:build mpi && race

package mpi

// The race detector watches memory of Go alone. So each process is as if on a host of its own: what comes from
// others is written by its courier's goroutine, which the detector sees too.
const watched = true
