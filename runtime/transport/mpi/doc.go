// Package mpi runs the PEs of a program in processes that mpirun has started, one or more in
// each, on one host or on several. A program is on it that imports it:
//
//	import _ "github.com/spmdc/spmdc/runtime/transport/mpi"
//
// and is built with the tag mpi and, for cgo, the compiler mpicc. Without the tag the
// import has no effect.
//
// MPI starts the processes, numbers them, and carries the address of the memory of each to
// all others. From then on those of one host need no call of it: each has a part of its address space
// mapped by all, at the same addresses, so that puts, flags, barriers and reductions are
// those of package inproc. The parts are as large as the machine's memory, and cost what is
// used of them. They are files without names, which end with the processes. A window of
// MPI (MPI_Win_allocate_shared) would have one size, chosen before anything is known of the
// program, would count against /dev/shm, and would lie elsewhere in each process.
//
// Between hosts the messages of inproc go through MPI (see courier).
//
// All calls of MPI are made from functions in library.go: at the beginning and at the end of a run on one
// thread, in between on any, but one at a time.
package mpi
