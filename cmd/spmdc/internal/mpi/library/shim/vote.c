// How the processes agree about a barrier: by memory that they share on one host, else by MPI.
#include "library.h"
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

// A slot has what a process shows to the others.
struct slot {
	_Atomic uint64_t round;  // agreements that it has come to
	_Atomic uint64_t passed; // barriers that it has behind it
	int64_t words[2][WORDS]; // its votes, by round
	char rest[16];
} __attribute__((aligned(128)));

static struct slot **slot_of; // by rank; NULL if not all processes are on one host
static MPI_Win slot_win;
uint64_t seq;
static uint64_t rounds; // of agreements

// Where processes are on several hosts, each has these numbers in a window, which others get while they wait.
struct progress {
	int64_t round, passed; // as in slot
};
static struct progress *own_progress;
static MPI_Win progress_win;
static struct progress *seen;        // of all processes, when it was got last
static MPI_Request *getting;         // by process; MPI_REQUEST_NULL when it has come
static uint64_t asked;               // the round in which it was begun

double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static MPI_Request never = MPI_REQUEST_NULL; // a receive of what nobody sends: a test of it makes progress, and costs less than a probe

static void progress(void) {
	int is;
	PMPI_Test(&never, &is, MPI_STATUS_IGNORE);
}

static int crowded; // there are more processes on this host than processors

// pause_in lets others have the processor in the nth round of a wait. Where each process has one, that is for a process
// of somebody else, after which this one may wait for its turn although the others have come.
static void pause_in(unsigned n) {
	if (n % (crowded ? 2048 : 1 << 18) == 0)
		sched_yield();
}

// grace is how long a process that has passed a barrier in which others wait may take to come to
// an agreement, in which all see what has happened.
static const double grace = 2;

// absent reports whether a process has passed the barrier in which this one waits.
static int absent(void) {
	for (int q = 0; q < size; q++)
		if (slot_of[q]->round < rounds && slot_of[q]->passed > seq)
			return 1;
	return 0;
}

// note_progress makes what the own numbers are visible to others.
static void note_progress(void) {
	if (!own_progress)
		return;
	own_progress->round = rounds, own_progress->passed = seq;
	PMPI_Win_sync(progress_win);
}

// far_absent is absent where processes are on several hosts, as far as it is known: the numbers of a process come
// when that calls MPI. Each call uses what the one before it has begun to get.
static int far_absent(void) {
	int is = 0, came, pending = 0;
	for (int q = 0; q < size; q++) {
		PMPI_Test(&getting[q], &came, MPI_STATUS_IGNORE);
		pending |= !came;
		is |= came && asked == rounds && (uint64_t)seen[q].round < rounds && (uint64_t)seen[q].passed > seq;
	}
	if (!pending && !is) {
		asked = rounds;
		for (int q = 0; q < size; q++)
			PMPI_Rget(&seen[q], sizeof *seen, MPI_BYTE, q, 0, sizeof *seen, MPI_BYTE, progress_win, &getting[q]);
	}
	return is;
}

int vote(int64_t *words, double patience) {
	spmdc_depth++;
	int stalled = 0;
	uint64_t r = ++rounds;
	if (!slot_of) {
		MPI_Request request;
		int done = 0;
		int64_t sent[WORDS];
		memcpy(sent, words, sizeof sent);
		note_progress();
		PMPI_Iallreduce(sent, words, WORDS, MPI_INT64_T, MPI_MIN, own, &request);
		double begin = 0, next = grace / 4, since = 0;
		for (unsigned n = 1; !done && !stalled; n++) {
			PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
			if (n % 64 == 0)
				sched_yield();
			if (done || n % 256 != 0)
				continue;
			if (begin == 0)
				begin = now();
			double waited = now() - begin;
			if (patience > 0 && waited > patience || since > 0 && waited - since > grace)
				stalled = 1;
			else if (own_progress && since == 0 && waited > next) {
				next = 1.5 * waited;
				since = far_absent() ? waited : 0;
			}
		}
		spmdc_depth--;
		return stalled;
	}
	struct slot *mine = slot_of[rank];
	memcpy(mine->words[r & 1], words, WORDS * sizeof *words);
	atomic_store_explicit(&mine->round, r, memory_order_release);
	double since = 0;
	for (int q = 0; q < size && !stalled; q++) {
		for (unsigned n = 1; atomic_load_explicit(&slot_of[q]->round, memory_order_acquire) < r; n++) {
			if (n % 4 == 0) // others may need it for what they do with this one's windows
				progress();
			pause_in(n);
			if (n % 4096 == 0) {
				if (!absent())
					since = 0;
				else if (since == 0)
					since = now();
				else if (now() - since > grace) {
					stalled = 1;
					break;
				}
			}
		}
		if (stalled)
			break;
		for (int i = 0; i < WORDS; i++)
			if (slot_of[q]->words[r & 1][i] < words[i])
				words[i] = slot_of[q]->words[r & 1][i];
	}
	spmdc_depth--;
	return stalled;
}

// behind reports whether a process has passed fewer barriers than this one.
static int behind(void) {
	int is = 0;
	if (slot_of) {
		for (int q = 0; q < size; q++)
			is |= atomic_load_explicit(&slot_of[q]->passed, memory_order_acquire) < seq;
		return is;
	}
	PMPI_Waitall(size, getting, MPI_STATUSES_IGNORE);
	for (int q = 0; q < size; q++)
		PMPI_Rget(&seen[q], sizeof *seen, MPI_BYTE, q, 0, sizeof *seen, MPI_BYTE, progress_win, &getting[q]);
	PMPI_Waitall(size, getting, MPI_STATUSES_IGNORE);
	for (int q = 0; q < size; q++)
		is |= (uint64_t)seen[q].passed < seq;
	return is;
}

int spmdc_ahead;
static int child; // of a process of the run, which is none itself

static void in_child(void) { child = 1; }

// spmdc_catch_up waits until all processes have come to the barriers that this one has behind it. It would wait for them there if
// they were not elided.
void spmdc_catch_up(void) {
	if (child)
		return;
	spmdc_depth++;
	for (unsigned n = 1; behind(); n++) {
		if (n % 4 == 0)
			progress();
		pause_in(n);
	}
	spmdc_ahead = 0;
	spmdc_depth--;
}

void *gather(const void *data, int64_t length, int64_t *lengths) {
	spmdc_depth++;
	int n = length, *counts = malloc(2 * size * sizeof *counts), *begins = counts + size, total = 0;
	PMPI_Allgather(&n, 1, MPI_INT, counts, 1, MPI_INT, own);
	for (int q = 0; q < size; q++) {
		begins[q] = total;
		lengths[q] = counts[q];
		total += counts[q];
	}
	void *all = malloc(total ? total : 1);
	PMPI_Allgatherv(data, n, MPI_BYTE, all, counts, begins, MPI_BYTE, own);
	free(counts);
	spmdc_depth--;
	return all;
}

void passed(void) {
	seq++;
	if (slot_of)
		atomic_store_explicit(&slot_of[rank]->passed, seq, memory_order_release);
	else
		note_progress();
}

static void share_slots(MPI_Comm near) {
	struct slot *mine;
	PMPI_Win_allocate_shared(sizeof *mine * 2, 1, MPI_INFO_NULL, near, &mine, &slot_win);
	slot_of = calloc(size, sizeof *slot_of);
	for (int q = 0; q < size; q++) {
		MPI_Aint bytes;
		int unit;
		void *at;
		PMPI_Win_shared_query(slot_win, q, &bytes, &unit, &at);
		slot_of[q] = (struct slot *)(((uintptr_t)at + 127) & -(uintptr_t)128);
	}
	memset(slot_of[rank], 0, sizeof *mine);
	PMPI_Barrier(own);
}

// share_progress makes the window of progress, and reports whether all processes have it.
static int share_progress(void) {
	struct progress *mine;
	PMPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
	int made = PMPI_Win_allocate(sizeof *mine, 1, MPI_INFO_NULL, own, &mine, &progress_win) == MPI_SUCCESS, all;
	PMPI_Comm_set_errhandler(own, MPI_ERRORS_ARE_FATAL);
	PMPI_Allreduce(&made, &all, 1, MPI_INT, MPI_MIN, own);
	if (!all)
		return 0;
	seen = calloc(size, sizeof *seen);
	getting = malloc(size * sizeof *getting);
	if (!seen || !getting)
		refuse("there is no memory left");
	for (int q = 0; q < size; q++)
		getting[q] = MPI_REQUEST_NULL;
	PMPI_Win_lock_all(0, progress_win);
	own_progress = mine;
	note_progress();
	PMPI_Barrier(own);
	return 1;
}

void start_votes(int audit) {
	MPI_Comm near;
	int nearby;
	PMPI_Comm_split_type(own, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
	PMPI_Comm_size(near, &nearby);
	crowded = nearby > sysconf(_SC_NPROCESSORS_ONLN);
	int one = nearby == size && !getenv("SPMDC_MPI_APART"), all;
	PMPI_Allreduce(&one, &all, 1, MPI_INT, MPI_MIN, own);
	if (all)
		share_slots(near);
	else if (!share_progress() && !audit) // one could wait for ever where another has gone past a barrier
		refuse("MPI cannot make a window that processes of several hosts access: no barrier can be elided\n  choose another component for one-sided communication (Open MPI: --mca osc ^ucx); spmdc mpi audit reports on such a run");
	PMPI_Comm_free(&near);
	PMPI_Irecv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 0, own, &never);
	pthread_atfork(NULL, NULL, in_child);
}

void end_votes(void) {
	if (slot_of)
		PMPI_Win_free(&slot_win);
	else if (own_progress) {
		PMPI_Waitall(size, getting, MPI_STATUSES_IGNORE);
		PMPI_Win_unlock_all(progress_win);
		PMPI_Win_free(&progress_win);
	}
	PMPI_Cancel(&never);
	PMPI_Wait(&never, MPI_STATUS_IGNORE);
}
