//go:build mpi && !race

package mpi

// See race_on.go.
const watched = false
