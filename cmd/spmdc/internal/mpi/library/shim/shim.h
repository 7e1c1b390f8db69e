// What the generated wrappers (wrap.c) use of the library (shim.c).
#define _GNU_SOURCE
#include <mpi.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden) // they are called without a detour, millions of times

// spmdc_depth is how many wrapped calls are under way in this thread: MPI calls itself.
extern __thread int spmdc_depth __attribute__((tls_model("initial-exec")));

enum { REMOTE, LOCAL, PRIVATE }; // as elide.Access
extern _Atomic int spmdc_summary; // since the last executed barrier

static inline void spmdc_mark(int access) {
	int old = atomic_load_explicit(&spmdc_summary, memory_order_relaxed);
	while (access < old && !atomic_compare_exchange_weak(&spmdc_summary, &old, access))
		;
}

// spmdc_active reports whether a call is the program's own, between MPI_Init and MPI_Finalize.
extern int spmdc_on;
static inline int spmdc_active(void) { return spmdc_on && spmdc_depth == 0; }

// spmdc_inside reports whether MPI itself calls, even by a function that has no wrapper.
int spmdc_inside(void);

// spmdc_buffer is the address by which MPI reaches a buffer of the program; it sets watched if that
// is in a window, and then counts the access.
extern char *spmdc_arena, *spmdc_top; // windows are there,
extern int spmdc_elsewhere;           // or in so many other places
void *spmdc_window_buffer(const void *p, int *watched);
static inline void *spmdc_buffer(const void *p, int *watched) {
	if (spmdc_elsewhere == 0 && ((char *)p < spmdc_arena || (char *)p >= spmdc_top))
		return (void *)p;
	return spmdc_window_buffer(p, watched);
}

// spmdc_pending is the operations on a window that have begun and whose end is not known.
struct spmdc_pending {
	MPI_Win win;
	struct spmdc_pending *next;
	int count;    // of targets
	int open;     // of them dirty
	char dirty[]; // by target
};
extern struct spmdc_pending *spmdc_last;
extern int spmdc_dirty, spmdc_unused, spmdc_threads;

// An operation on the memory of a target begins.
void spmdc_begin_operation(MPI_Win win, int target);
static inline void spmdc_operation(MPI_Win win, int target) {
	struct spmdc_pending *p = spmdc_last;
	if (p && p->win == win && target >= 0 && target < p->count && p->dirty[target] && spmdc_unused == 0 && !spmdc_threads)
		spmdc_mark(REMOTE);
	else
		spmdc_begin_operation(win, target);
}

// Those on a target end, or on all if it is below 0.
void spmdc_end_operations(MPI_Win win, int target, int clears);
static inline void spmdc_flush(MPI_Win win, int target, int clears) {
	if (spmdc_dirty && (clears || spmdc_summary != REMOTE))
		spmdc_end_operations(win, target, clears);
}

// spmdc_source notes from where a message is received or looked for, and reports whether that is from any.
int spmdc_source(int source);

// A request has been started, or prepared to be started again and again, whose buffer is watched or
// which receives from any source. Requests are waited for: those that are completed then are no more
// what they were before.
void spmdc_started(int watched, int any, MPI_Request request);
void spmdc_prepared(int watched, int any);
void spmdc_restarted(void);
MPI_Request *spmdc_waiting(int n, const MPI_Request *list);
MPI_Request *spmdc_waiting_fortran(int n, const MPI_Fint *list);
void spmdc_waited(MPI_Request *old, int n, const MPI_Request *list);
void spmdc_waited_fortran(MPI_Request *old, int n, const MPI_Fint *list);

// spmdc_changed is the function that changed a file, if that was the first access since the last executed barrier.
extern const char *spmdc_changed;

// Barriers were elided that other processes may not have come to yet.
extern int spmdc_ahead;
void spmdc_catch_up(void);

void spmdc_sharing(void);    // the program maps memory that it shares without MPI
void spmdc_identify(void);   // MPI is about to be initialised
void spmdc_begin(int level); // MPI has been initialised with that level of threads
void spmdc_end(void);        // MPI is about to be finalised
int spmdc_barrier(MPI_Comm comm, void **frame); // frame is the wrapper's frame address

int spmdc_win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win);
int spmdc_win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win);
char *spmdc_view(MPI_Win win, char *p); // the program's pointer to what MPI has at p
int spmdc_win_shared_query(MPI_Win win, int target, MPI_Aint *bytes, int *unit, void *base);
int spmdc_win_get_attr(MPI_Win win, int key, void *value, int *flag);
int spmdc_win_create(void *base, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win);
int spmdc_win_attach(MPI_Win win, void *base, MPI_Aint bytes);
int spmdc_win_free(MPI_Win *win);

void *spmdc_fortran(const char *name); // the function of MPI's Fortran interface

#pragma GCC visibility pop
