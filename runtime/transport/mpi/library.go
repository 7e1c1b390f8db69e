//go:build mpi

package mpi

/*
#cgo noescape library_come
#cgo nocallback library_come
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

// What the program needs of MPI. Each function returns 0, or an error class of MPI.

// on_signal_stack makes signal handlers run on the stack that Go provides. MPICH's handler of SIGUSR1,
// which calls Go's, would otherwise run on the small stack of a goroutine.
static void on_signal_stack(void) {
	for (int s = 1; s < NSIG; s++) {
		struct sigaction act;
		if (sigaction(s, NULL, &act) || act.sa_handler == SIG_DFL || act.sa_handler == SIG_IGN || (act.sa_flags & SA_ONSTACK))
			continue;
		act.sa_flags |= SA_ONSTACK;
		sigaction(s, &act, NULL);
	}
}

static int library_start(int *rank, int *size, int *host) {
	int level, e;
	MPI_Comm near;
	if ((e = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level)) != MPI_SUCCESS)
		return e;
	on_signal_stack();
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, rank);
	MPI_Comm_size(MPI_COMM_WORLD, size);
	if (level < MPI_THREAD_SERIALIZED)
		return MPI_Finalize(), -1;
	e = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
	if (e != MPI_SUCCESS)
		return e;
	if ((e = MPI_Allreduce(rank, host, 1, MPI_INT, MPI_MIN, near)) != MPI_SUCCESS)
		return e;
	return MPI_Comm_free(&near);
}

static int library_gather(const void *own, int bytes, void *all) {
	return MPI_Allgather(own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

// library_send begins to send a piece; *request is NULL if that is done at once, as that of small pieces is.
static int library_send(const void *piece, int bytes, int to, int tag, void **request) {
	MPI_Request r;
	int done = 0, e = MPI_Isend(piece, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, &r);
	*request = NULL;
	if (e != MPI_SUCCESS || (e = MPI_Test(&r, &done, MPI_STATUS_IGNORE)) != MPI_SUCCESS || done)
		return e;
	*request = malloc(sizeof r);
	*(MPI_Request *)*request = r;
	return MPI_SUCCESS;
}

// library_sent frees a request when its piece has been sent.
static int library_sent(void *request, int *done) {
	int e = MPI_Test(request, done, MPI_STATUS_IGNORE);
	if (*done)
		free(request);
	return e;
}

static MPI_Message message;

// library_come receives a piece into small, which has room for so many bytes. If it is larger
// it says so, and library_rest receives it. It probes more than once, since a call from Go costs nearly as much as that.
static int library_come(void *small, int room, int *bytes, int *from, int *tag) {
	MPI_Status status;
	int is = 0, e = MPI_SUCCESS;
	*bytes = -1;
	for (int probes = 4; e == MPI_SUCCESS && !is && probes > 0; probes--)
		e = MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is, &message, &status);
	if (e != MPI_SUCCESS || !is)
		return e;
	MPI_Get_count(&status, MPI_BYTE, bytes);
	*from = status.MPI_SOURCE;
	*tag = status.MPI_TAG;
	if (*bytes > room)
		return MPI_SUCCESS;
	return MPI_Mrecv(small, *bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
}

static int library_rest(void *piece, int bytes) {
	return MPI_Mrecv(piece, bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
}

// library_exchange gives each process its number from this one, and gets theirs.
static int library_exchange(const long long *to, long long *from) {
	return MPI_Alltoall(to, 1, MPI_LONG_LONG, from, 1, MPI_LONG_LONG, MPI_COMM_WORLD);
}

static int library_end(void) { return MPI_Finalize(); }
*/
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"unsafe"
)

// calls is what one thread executes that begins MPI and ends it.
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

// start begins MPI: rank of size processes, host the lowest of those on the same host.
func start() (rank, size, host int, err error) {
	go talk()
	call(func() {
		var r, s, h C.int
		switch e := C.library_start(&r, &s, &h); {
		case e < 0:
			err = errors.New("this MPI does not allow a process to have several threads\n  use another MPI, or one that is built with them")
		case e > 0:
			err = fmt.Errorf("MPI does not start: its error class is %d", e)
		}
		rank, size, host = int(r), int(s), int(h)
	})
	// What another MPI has started is each time the only process there is.
	of, place := launched("SIZE"), launched("RANK")
	if n, _ := strconv.Atoi(of); err == nil && size == 1 && n > 1 {
		end()
		rank, _ = strconv.Atoi(place)
		err = errors.New("the program is built for another MPI than that whose mpirun has started it\n  use the mpirun that belongs to the mpicc with which it was built")
	}
	return rank, size, host, err
}

// launched is what Open MPI, or MPICH and those like it, give processes in the environment.
func launched(what string) string {
	return cmp.Or(os.Getenv("OMPI_COMM_WORLD_"+what), os.Getenv("PMI_"+what))
}

// gather gives what each process has as own, which has the same length on all.
func gather(own []byte, size int) (all []byte, err error) {
	all = make([]byte, size*len(own))
	call(func() {
		err = failure("gather what the processes have", C.library_gather(unsafe.Pointer(&own[0]), C.int(len(own)), unsafe.Pointer(&all[0])))
	})
	return all, err
}

func failure(what string, class C.int) error {
	if class == 0 {
		return nil
	}
	return fmt.Errorf("MPI cannot %s: its error class is %d", what, class)
}

// exchange gives number q of to to process q, and returns those that this process gets.
func exchange(to []int64) ([]int64, error) {
	from := make([]int64, len(to))
	err := failure("exchange numbers", C.library_exchange((*C.longlong)(unsafe.Pointer(&to[0])), (*C.longlong)(unsafe.Pointer(&from[0]))))
	return from, err
}

// end leaves MPI when all processes do.
func end() { call(func() { C.library_end() }) }

// yield lets other threads have the processor that wait for it.
func yield() { C.sched_yield() }

// What the courier calls, one goroutine at a time.

// sending is a piece of a message under way.
type sending struct {
	piece   []byte // pinned
	pin     runtime.Pinner
	request unsafe.Pointer
}

// send begins to send a piece, which stays as it is until it is sent. It returns nil if that is done.
func send(piece []byte, to, tag int) (*sending, error) {
	var request unsafe.Pointer
	at := unsafe.SliceData(piece)
	err := failure("send", C.library_send(unsafe.Pointer(at), C.int(len(piece)), C.int(to), C.int(tag), &request))
	if request == nil {
		return nil, err
	}
	s := &sending{piece: piece, request: request}
	s.pin.Pin(at) // now, since most pieces need none; Go moves what is on the heap at no time
	return s, err
}

// sent reports whether the piece is on its way; then it is free.
func (s *sending) sent() (bool, error) {
	var done C.int
	err := failure("send", C.library_sent(s.request, &done))
	if done == 0 {
		return false, err
	}
	s.pin.Unpin()
	return true, err
}

// come is the next piece that has come, nil if there is none. small is memory for it if it fits.
func come(small []byte) (piece []byte, from, tag int, err error) {
	var bytes, f, t C.int
	err = failure("receive", C.library_come(unsafe.Pointer(&small[0]), C.int(len(small)), &bytes, &f, &t))
	switch {
	case err != nil || bytes < 0:
		return nil, 0, 0, err
	case int(bytes) <= len(small):
		piece = append(make([]byte, 0, bytes), small[:bytes]...)
	default:
		piece = make([]byte, bytes)
		err = failure("receive", C.library_rest(unsafe.Pointer(&piece[0]), bytes))
	}
	return piece, int(f), int(t), err
}
