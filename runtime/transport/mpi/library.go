//go:build mpi

package mpi

/*
#cgo noescape library_send
#cgo nocallback library_send
#cgo nocallback library_come
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
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

static MPI_Comm apart; // has the large pieces: a receive is posted for all others

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
	if ((e = MPI_Comm_free(&near)) != MPI_SUCCESS)
		return e;
	return MPI_Comm_dup(MPI_COMM_WORLD, &apart);
}

static int library_gather(const void *own, int bytes, void *all) {
	return MPI_Allgather(own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

enum {
	tag_large = 1,  // the message says how many bytes a piece has that follows in apart
	tags = 2,       // times the tag of the piece
	small = 1 << 16 // the largest piece that is no large one
};

// sending is a piece that MPI still needs, and what goes ahead of a large one.
struct sending {
	MPI_Request requests[2];
	int count, bytes;
};

struct sent {
	int error;
	void *sending; // NULL if all is done, as it is with small pieces
};

// library_send begins to send a piece.
static struct sent library_send(uintptr_t piece, int bytes, int to, int tag) {
	struct sent s = {0};
	struct sending own = {{MPI_REQUEST_NULL, MPI_REQUEST_NULL}, 1, bytes}, *l = &own;
	int done = 0;
	if (bytes <= small) {
		s.error = MPI_Isend((void *)piece, bytes, MPI_BYTE, to, tag * tags, MPI_COMM_WORLD, own.requests);
		if (s.error == MPI_SUCCESS)
			s.error = MPI_Test(own.requests, &done, MPI_STATUS_IGNORE);
	} else {
		l = malloc(sizeof own);
		*l = own;
		l->count = 2;
		s.error = MPI_Isend(&l->bytes, 1, MPI_INT, to, tag * tags + tag_large, MPI_COMM_WORLD, l->requests);
		if (s.error == MPI_SUCCESS)
			s.error = MPI_Isend((void *)piece, bytes, MPI_BYTE, to, tag, apart, l->requests + 1);
	}
	if (s.error != MPI_SUCCESS || done)
		return s;
	if (l == &own) {
		l = malloc(sizeof own);
		*l = own;
	}
	s.sending = l;
	return s;
}

// library_sent frees what library_send has left when its piece has been sent.
static int library_sent(void *sending, int *done) {
	struct sending *l = sending;
	int e = MPI_Testall(l->count, l->requests, done, MPI_STATUSES_IGNORE);
	if (*done)
		free(l);
	return e;
}

static MPI_Request next; // the receive of the next small piece
static char *place;      // where it comes to
static int posted;

struct come {
	int error, bytes, from, tag; // bytes is -1 if nothing has come
	void *piece;                 // NULL: library_rest receives it
};

// library_come receives the next piece. A small one stays where it is until the next call. It looks more than
// once, since a call from Go costs nearly as much as that.
static struct come library_come(void) {
	struct come c = {.bytes = -1};
	MPI_Status status;
	int is = 0;
	if (!place) {
		place = aligned_alloc(64, small);
		c.error = MPI_Recv_init(place, small, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &next);
	}
	if (c.error == MPI_SUCCESS && !posted)
		c.error = MPI_Start(&next), posted = 1;
	for (int looks = 4; c.error == MPI_SUCCESS && !is && looks > 0; looks--)
		c.error = MPI_Test(&next, &is, &status);
	if (c.error != MPI_SUCCESS || !is)
		return c;
	posted = 0;
	c.from = status.MPI_SOURCE;
	c.tag = status.MPI_TAG / tags;
	if (status.MPI_TAG % tags == tag_large) {
		c.bytes = *(int *)place;
	} else {
		MPI_Get_count(&status, MPI_BYTE, &c.bytes);
		c.piece = place;
	}
	return c;
}

static int library_rest(void *piece, int bytes, int from, int tag) {
	return MPI_Recv(piece, bytes, MPI_BYTE, from, tag, apart, MPI_STATUS_IGNORE);
}

// library_exchange gives each process its number from this one, and gets theirs.
static int library_exchange(const long long *to, long long *from) {
	return MPI_Alltoall(to, 1, MPI_LONG_LONG, from, 1, MPI_LONG_LONG, MPI_COMM_WORLD);
}

static int library_end(void) {
	if (posted) {
		MPI_Cancel(&next);
		MPI_Wait(&next, MPI_STATUS_IGNORE);
	}
	if (place)
		MPI_Request_free(&next);
	MPI_Comm_free(&apart);
	return MPI_Finalize();
}
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
	piece []byte // pinned
	pin   runtime.Pinner
	state unsafe.Pointer
}

// send begins to send a piece, which stays as it is until it is sent. It returns nil if that is done.
func send(piece []byte, to, tag int) (*sending, error) {
	at := unsafe.SliceData(piece)
	// As a number, since a message has no pointers for which cgo would search it; Go moves what is on the heap at no time.
	s := C.library_send(C.uintptr_t(uintptr(unsafe.Pointer(at))), C.int(len(piece)), C.int(to), C.int(tag))
	if s.sending != nil {
		l := &sending{piece: piece, state: s.sending}
		l.pin.Pin(at)
		return l, nil
	}
	runtime.KeepAlive(piece)
	return nil, failure("send", s.error)
}

// sent reports whether the piece is on its way; then it is free.
func (s *sending) sent() (bool, error) {
	var done C.int
	err := failure("send", C.library_sent(s.state, &done))
	if done == 0 {
		return false, err
	}
	s.pin.Unpin()
	return true, err
}

// come is the next piece that has come, nil if there is none. One that is lent stays as it is until the next call.
func come() (piece []byte, lent bool, from, tag int, err error) {
	c := C.library_come()
	switch {
	case c.error != 0:
		return nil, false, 0, 0, failure("receive", c.error)
	case c.bytes < 0:
		return nil, false, 0, 0, nil
	case c.piece != nil:
		return unsafe.Slice((*byte)(c.piece), c.bytes), true, int(c.from), int(c.tag), nil
	}
	piece = make([]byte, c.bytes)
	err = failure("receive", C.library_rest(unsafe.Pointer(&piece[0]), c.bytes, c.from, c.tag))
	return piece, false, int(c.from), int(c.tag), err
}
