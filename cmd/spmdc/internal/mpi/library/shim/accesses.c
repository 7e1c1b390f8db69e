// Accesses that make barriers needed: operations on windows and when they end, requests whose
// buffers are in windows, and windows whose memory is not watched.
#include "library.h"
#include <pthread.h>

_Atomic int spmdc_summary = PRIVATE;
const char *spmdc_changed;

// Windows whose memory is not watched: as long as one is there every barrier is executed. OpenCoarrays makes some that nobody
// uses. One of these counts from the first access by MPI on; if barriers were elided before that, what stood before them is
// not known.
static struct blind {
	MPI_Win win;
	int counts;
	uint64_t elided; // barriers before it was made
} *blinds;
static int nblinds, cblinds;
int counting;
int spmdc_unused;        // those that do not count yet
uint64_t unwatched;
uint64_t elided;

// add_blind notes such a window; idle is set where it may be one that nobody uses.
void add_blind(MPI_Win win, int idle) {
	if (nblinds == cblinds && !(blinds = realloc(blinds, (cblinds = 2 * cblinds + 16) * sizeof *blinds)))
		refuse("there is no memory left");
	blinds[nblinds++] = (struct blind){win, !idle, elided};
	counting += !idle, spmdc_unused += idle;
}

static void use_blind(MPI_Win win) {
	for (int i = 0; spmdc_unused && i < nblinds; i++)
		if (blinds[i].win == win && !blinds[i].counts) {
			blinds[i].counts = 1;
			counting++, spmdc_unused--;
			if (elided > blinds[i].elided) {
				fprintf(stderr, "spmdc: misspeculation: process %d accesses a window whose memory is not watched (MPI_Win_create or MPI_Win_attach), and %lu barriers were elided since it was made\n"
					"  make the window with MPI_Win_allocate, or leave its barriers alone: spmdc mpi audit\n", rank, (unsigned long)(elided - blinds[i].elided));
				PMPI_Abort(MPI_COMM_WORLD, 4);
			}
		}
}

// Where a program has a detector of accesses, that watches the memory of such windows.
static const char *detector; // its name
static int detecting;        // all processes have one, and nothing is elided in this run
static struct piece {
	const char *first, *last;
	MPI_Win win;
} *pieces; // never moved: they are read without a lock
static int npieces;
int spmdc_elsewhere; // pieces, and regions that are not in the arena
static const char *lowest, *highest; // of all pieces

#define PIECES (1 << 16)

void spmdc_detector(const char *name) { detector = name; }

int in_piece(const char *first, size_t bytes) {
	const char *last = first + (bytes ? bytes : 1);
	if (npieces == 0 || last <= lowest || first >= highest)
		return 0;
	for (int i = 0; i < npieces; i++)
		if (first < pieces[i].last && last > pieces[i].first) {
			spmdc_mark(LOCAL);
			return 1;
		}
	return 0;
}

void spmdc_access(const void *first, size_t bytes) {
	if (detecting && !spmdc_depth)
		in_piece(first, bytes);
}

int coarrays;

void unprotected(MPI_Win win, const void *base, size_t bytes) {
	if (!detecting) {
		add_blind(win, coarrays);
		return;
	}
	if (npieces == PIECES)
		refuse("there are more than %d windows of memory that only the detector watches", PIECES);
	const char *first = base, *last = first + bytes;
	pieces[npieces++] = (struct piece){first, last, win};
	spmdc_elsewhere++;
	lowest = npieces == 1 || first < lowest ? first : lowest;
	highest = npieces == 1 || last > highest ? last : highest;
}

// Memory that processes share without MPI is not watched: if the program maps some, no barrier is elided.
int sharing;

void spmdc_sharing(void) { sharing = 1; }

void forget_window(MPI_Win win) {
	for (int i = nblinds; i-- > 0;)
		if (blinds[i].win == win) {
			counting -= blinds[i].counts, spmdc_unused -= !blinds[i].counts;
			blinds[i] = blinds[--nblinds];
		}
	for (int i = npieces; i-- > 0;)
		if (pieces[i].win == win)
			pieces[i] = pieces[--npieces], spmdc_elsewhere--;
}

// Operations that have begun and whose end is not known: by window and target.
static struct spmdc_pending *pendings[256], *unused; // by window
struct spmdc_pending *spmdc_last;                   // found last
int spmdc_dirty; // targets with such operations, in all windows
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int spmdc_threads; // several of the program's call MPI at once

static void lock(void) {
	if (spmdc_threads)
		pthread_mutex_lock(&mutex);
}

static void unlock(void) {
	if (spmdc_threads)
		pthread_mutex_unlock(&mutex);
}

static struct spmdc_pending **bucket(MPI_Win win) {
	return &pendings[((uintptr_t)win * 0x9e3779b97f4a7c15ul) >> 56];
}

static struct spmdc_pending *pending_of(MPI_Win win) {
	if (spmdc_last && spmdc_last->win == win)
		return spmdc_last;
	for (struct spmdc_pending *p = *bucket(win); p; p = p->next)
		if (p->win == win)
			return spmdc_last = p;
	return NULL;
}

void spmdc_begin_operation(MPI_Win win, int target) {
	spmdc_mark(REMOTE);
	if (target < 0) // MPI_PROC_NULL
		return;
	lock();
	use_blind(win);
	struct spmdc_pending *p = pending_of(win);
	if (!p) {
		MPI_Group group;
		int n = 0;
		PMPI_Win_get_group(win, &group);
		PMPI_Group_size(group, &n);
		PMPI_Group_free(&group);
		struct spmdc_pending **u = &unused;
		while (*u && (*u)->count != n)
			u = &(*u)->next;
		if ((p = *u))
			*u = p->next;
		else
			p = keep(sizeof *p + n), p->count = n;
		p->win = win, p->next = *bucket(win), *bucket(win) = p;
	}
	if (target < p->count && !p->dirty[target])
		p->dirty[target] = 1, p->open++, spmdc_dirty++;
	unlock();
}

void spmdc_end_operations(MPI_Win win, int target, int clears) {
	lock();
	struct spmdc_pending *p = pending_of(win);
	if (p && p->open)
		for (int i = target < 0 ? 0 : target; i < p->count && (target < 0 || i == target); i++)
			if (p->dirty[i]) {
				spmdc_mark(REMOTE);
				if (clears)
					p->dirty[i] = 0, p->open--, spmdc_dirty--;
			}
	unlock();
}

void forget_operations(MPI_Win win) {
	spmdc_flush(win, -1, 1);
	lock();
	for (struct spmdc_pending **p = bucket(win); *p; p = &(*p)->next)
		if ((*p)->win == win) {
			struct spmdc_pending *old = *p;
			*p = old->next;
			old->next = unused, unused = old; // nothing of it is dirty
			break;
		}
	spmdc_last = NULL;
	unlock();
}

// Without the barrier a receive from any source could take a message of later.
int spmdc_source(int source) {
	if (!spmdc_on || source != MPI_ANY_SOURCE)
		return 0;
	spmdc_mark(REMOTE);
	return 1;
}

// Requests whose buffer is in a window, and receives from any source, which count when they are
// begun and when they are completed. MPI may access the buffer at any time until then.
static struct request {
	MPI_Request request;
	int watched;
} *requests;
int busy;
static int nrequests, crequests;

void spmdc_started(int watched, int any, MPI_Request request) {
	if (!spmdc_on || !(watched || any))
		return;
	lock();
	if (nrequests == crequests && !(requests = realloc(requests, (crequests = 2 * crequests + 16) * sizeof *requests)))
		refuse("there is no memory left");
	requests[nrequests++] = (struct request){request, watched};
	busy += watched;
	unlock();
}

MPI_Request *spmdc_waiting(int n, const MPI_Request *list) {
	if (!nrequests || n <= 0)
		return NULL;
	MPI_Request *old = malloc(n * sizeof *old);
	if (!old)
		refuse("there is no memory left");
	return memcpy(old, list, n * sizeof *old);
}

MPI_Request *spmdc_waiting_fortran(int n, const MPI_Fint *list) {
	if (!nrequests || n <= 0)
		return NULL;
	MPI_Request *old = malloc(n * sizeof *old);
	if (!old)
		refuse("there is no memory left");
	for (int i = 0; i < n; i++)
		old[i] = PMPI_Request_f2c(list[i]);
	return old;
}

static void completed(MPI_Request request) {
	lock();
	for (int k = 0; k < nrequests; k++)
		if (requests[k].request == request) {
			busy -= requests[k].watched;
			requests[k] = requests[--nrequests];
			spmdc_mark(REMOTE);
			break;
		}
	unlock();
}

void spmdc_waited(MPI_Request *old, int n, const MPI_Request *list) {
	for (int i = 0; old && i < n; i++)
		if (list[i] != old[i])
			completed(old[i]);
	free(old);
}

void spmdc_waited_fortran(MPI_Request *old, int n, const MPI_Fint *list) {
	for (int i = 0; old && i < n; i++)
		if (PMPI_Request_f2c(list[i]) != old[i])
			completed(old[i]);
	free(old);
}

// The same for persistent requests, which may be started at any time from then on.
int persistent;
static int persistent_any;

void spmdc_prepared(int watched, int any) {
	persistent |= spmdc_on && watched;
	persistent_any |= spmdc_on && any;
}

void spmdc_restarted(void) {
	if (persistent || persistent_any)
		spmdc_mark(REMOTE);
}

void find_detector(int audit) {
	// Nobody knows whether a detector sees what libraries do: it is for runs in which nothing is elided.
	int wanted = audit && detector;
	PMPI_Allreduce(&wanted, &detecting, 1, MPI_INT, MPI_MIN, own);
	if (detecting && !(pieces = calloc(PIECES, sizeof *pieces)))
		refuse("there is no memory left");
	if (detecting && rank == 0)
		fprintf(stderr, "spmdc: %s watches windows of memory of the program\n", detector);
}
