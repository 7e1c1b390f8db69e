// What the parts of the library share: shim.c with the contexts of barriers and what becomes of them,
// vote.c, accesses.c and windows.c. What begins with spmdc_ is for the generated wrappers too.
#include "shim.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef OPEN_MPI
// Processes without MPI load this library too.
#pragma weak ompi_mpi_comm_world
#pragma weak ompi_mpi_byte
#pragma weak ompi_mpi_int
#pragma weak ompi_mpi_int64_t
#pragma weak ompi_mpi_op_min
#pragma weak ompi_mpi_info_null
#pragma weak ompi_request_null
#pragma weak ompi_mpi_errors_return
#pragma weak ompi_mpi_errors_are_fatal
#endif

#pragma GCC visibility push(hidden)

#define WORDS 6             // elide.Words
#define NECESSARY INT32_MAX // as rankNecessary in package elide

// ---- shim.c ----

extern int rank, size;
extern MPI_Comm own; // a duplicate of the world

// refuse ends the run with an error.
__attribute__((noreturn, format(printf, 1, 2))) void refuse(const char *format, ...);

// keep gives memory for good, all zero. It does not come from the heap: many small pieces there that stay would slow down the program's.
void *keep(size_t bytes);

// ---- accesses.c ----

extern int counting;             // windows that are not watched and count
extern uint64_t unwatched;       // barriers behind which one counted
extern uint64_t elided;
extern int coarrays;             // the program is linked with OpenCoarrays
extern int sharing;              // the program maps memory that processes share without MPI
extern int busy;                 // requests whose buffer is in a window, or that receive from any source
extern int persistent;           // the same of persistent requests
void add_blind(MPI_Win win, int idle);
void unprotected(MPI_Win win, const void *base, size_t bytes); // notes memory of a window that is not watched by its pages
void forget_window(MPI_Win win);                               // all of a window that is freed, but its operations
void forget_operations(MPI_Win win);
void find_detector(int audit);                  // whether all processes have one
int in_piece(const char *first, size_t bytes);  // counts an access to memory that a detector watches, and reports whether it is one

// ---- windows.c ----

void start_windows(int protect); // with protect 0 nothing is closed
void close_windows(void);        // all views, so that the next access is seen
void end_windows(void);          // all views are mapped, and memory of the program is its own again

// ---- vote.c ----

// vote replaces the words by their minima over all processes. It is 1 if some process will not come:
// it has passed the barrier, or patience (in seconds, if above 0) has ended.
int vote(int64_t *words, double patience);
// gather gives the data of all processes, one behind the other, and how long each is.
void *gather(const void *data, int64_t length, int64_t *lengths);
extern uint64_t seq; // barriers that this process has passed
void passed(void);   // one more
double now(void);    // in seconds
void start_votes(int audit);
void end_votes(void);

#pragma GCC visibility pop
