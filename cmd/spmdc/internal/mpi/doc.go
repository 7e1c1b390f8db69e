// Package mpi elides barriers of MPI programs that nobody changes: it builds a library that is
// loaded in front of MPI (library/shim) and the engine of runtime/elide (library/engine), and starts
// programs with them. docs/barrier-elision.md says what the library sees and how.
package mpi
