//go:build mpi

package mpi

/*
#include <mpi.h>

// What the program needs of MPI. Each function returns 0, or an error class of MPI.

static int library_start(int *rank, int *size, int *near) {
	int level, e;
	MPI_Comm host;
	if ((e = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level)) != MPI_SUCCESS)
		return e;
	if (level < MPI_THREAD_FUNNELED)
		return -1;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, rank);
	MPI_Comm_size(MPI_COMM_WORLD, size);
	e = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
	if (e != MPI_SUCCESS)
		return e;
	MPI_Comm_size(host, near);
	return MPI_Comm_free(&host);
}

static int library_gather(const void *own, int bytes, void *all) {
	return MPI_Allgather(own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static int library_end(void) { return MPI_Finalize(); }
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"
)

// calls is what the goroutine that talks to MPI executes, one after another.
var calls = make(chan func())

func talk() {
	runtime.LockOSThread()
	for f := range calls {
		f()
	}
}

// call executes f on the thread of MPI.
func call(f func()) {
	done := make(chan struct{})
	calls <- func() { f(); close(done) }
	<-done
}

// start begins MPI: rank of size processes, of which near are on this host.
func start() (rank, size, near int, err error) {
	go talk()
	call(func() {
		var r, s, n C.int
		switch e := C.library_start(&r, &s, &n); {
		case e < 0:
			err = errors.New("this MPI does not allow a process to have several threads\n  use another MPI, or one that is built with them")
		case e > 0:
			err = fmt.Errorf("MPI does not start: its error class is %d", e)
		}
		rank, size, near = int(r), int(s), int(n)
	})
	return rank, size, near, err
}

// gather gives what each process has as own, which has the same length on all.
func gather(own []byte, size int) (all []byte, err error) {
	all = make([]byte, size*len(own))
	call(func() {
		if e := C.library_gather(unsafe.Pointer(&own[0]), C.int(len(own)), unsafe.Pointer(&all[0])); e != 0 {
			err = fmt.Errorf("MPI cannot gather what the processes have: its error class is %d", e)
		}
	})
	return all, err
}

// end leaves MPI when all processes do.
func end() { call(func() { C.library_end() }) }
