// The library that spmdc mpi loads in front of MPI. It does nothing before MPI_Init.
//
// Barriers of all processes go to the engine (engine.go), which decides. What the engine has to know
// comes from the wrappers of MPI's functions, and from the protection of the pages of windows:
// the program's view of a window is a second mapping, in one arena, or where the program has the memory, which is closed when a barrier
// is executed. An access to what is closed opens it and counts as one to local shared memory. MPI itself uses
// the first mapping, which is always open.
#include "shim.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

#define WORDS 6             // elide.Words
#define NECESSARY INT32_MAX // as rankNecessary in package elide

__thread int spmdc_depth __attribute__((tls_model("initial-exec")));

int spmdc_on;         // between MPI_Init and MPI_Finalize
static int rank, size;
static MPI_Comm own;  // a duplicate of the world

__attribute__((noreturn, format(printf, 1, 2))) static void refuse(const char *format, ...) {
	va_list args;
	va_start(args, format);
	if (rank == 0) {
		fprintf(stderr, "spmdc: ");
		vfprintf(stderr, format, args);
		fputc('\n', stderr);
	}
	va_end(args);
	int is = 0;
	PMPI_Initialized(&is);
	if (is)
		PMPI_Abort(MPI_COMM_WORLD, 2);
	_exit(2);
}

void *spmdc_fortran(const char *name) {
	void *f = dlsym(RTLD_DEFAULT, name);
	if (!f)
		refuse("this MPI has no %s: its Fortran interface is not supported", name);
	return f;
}

// keep gives memory for good, all zero. It does not come from the heap: many small pieces there that stay would slow down the program's.
static void *keep(size_t bytes) {
	static atomic_flag busy = ATOMIC_FLAG_INIT;
	static char *at;
	static size_t left;
	bytes = (bytes + 15) & -(size_t)16;
	while (atomic_flag_test_and_set(&busy))
		;
	if (bytes > left) {
		left = bytes > 1 << 20 ? bytes : 1 << 20;
		at = mmap(NULL, left, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (at == MAP_FAILED)
			refuse("there is no memory left");
	}
	void *p = at;
	at += bytes, left -= bytes;
	atomic_flag_clear(&busy);
	return p;
}

// ---- accesses ----

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
static int counting;       // of them
int spmdc_unused;        // those that do not count yet
static uint64_t unwatched; // barriers behind which one counted
static uint64_t elided;

// add_blind notes such a window; idle is set where it may be one that nobody uses.
static void add_blind(MPI_Win win, int idle) {
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

static int in_piece(const char *first, size_t bytes) {
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

static int coarrays; // the program is linked with OpenCoarrays

// unprotected notes memory of a window that is not watched by its pages.
static void unprotected(MPI_Win win, const void *base, size_t bytes) {
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
static int sharing;

void spmdc_sharing(void) { sharing = 1; }

static void remove_blind(MPI_Win win) {
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

static void forget(MPI_Win win) {
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
static int nrequests, crequests, busy; // busy of them have a buffer in a window

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
static int persistent, persistent_any;

void spmdc_prepared(int watched, int any) {
	persistent |= spmdc_on && watched;
	persistent_any |= spmdc_on && any;
}

void spmdc_restarted(void) {
	if (persistent || persistent_any)
		spmdc_mark(REMOTE);
}

// ---- the arena ----

#define ARENA (1ul << 42)
#define REGIONS (1 << 18)

char *spmdc_arena, *spmdc_top; // what is used of it ends at spmdc_top
static size_t page;
static int protecting = 1;

// Memory of the program's own that it makes a window of stays where it is: the view is there, and has no place in the arena.
static struct region {
	char *view;  // the program's; whole pages
	char *mpi;   // the same pages for MPI
	size_t length;
	MPI_Win win;
	char *base;  // the program's pointer to its own part
	int shared;  // it has memory of other processes
	int owned;   // the memory is the library's
	int shown;   // the view is mapped, from the first access on
	int kept;    // instead there is the view of the window that had the place before, which is closed
	int free;
	int stays;   // it is memory of the program's own
	int windows; // of that memory
} *regions; // without gaps, and never moved: signal handlers read them
static int nregions;

#define PLACED (1 << 12)
static struct region placed[PLACED]; // those that are not in the arena; not in order, and never moved
static int nplaced;                  // with those that are free

static struct region *region_at(const void *p) {
	if ((char *)p < spmdc_arena || (char *)p >= spmdc_top) {
		for (int i = 0; i < nplaced; i++)
			if (!placed[i].free && (char *)p >= placed[i].view && (char *)p < placed[i].view + placed[i].length)
				return &placed[i];
		return NULL;
	}
	int low = 0, high = nregions;
	while (high - low > 1) {
		int mid = (low + high) / 2;
		if (regions[mid].view <= (char *)p)
			low = mid;
		else
			high = mid;
	}
	return regions[low].free ? NULL : &regions[low];
}

// Views of freed windows may stay until the next window gets their place, so that only one call takes them away: as
// long as they are closed, and few, as they keep memory.
#define KEPT (4 << 20)

static size_t kept; // bytes of them

static void lose(struct region *r) {
	if (r->kept)
		kept -= r->length;
	r->kept = 0;
}

// show maps a view. Of length 0, mremap maps shared pages a second time. That of the C library may be UCX's, which loses the address.
static void show(struct region *r) {
	if (syscall(SYS_mremap, r->mpi, 0, r->length, MREMAP_MAYMOVE | MREMAP_FIXED, r->view) == -1) {
		fprintf(stderr, "spmdc: process %d cannot map the memory of a window twice: %s\n  Linux allows so many mappings: sysctl vm.max_map_count\n", rank, strerror(errno));
		PMPI_Abort(MPI_COMM_WORLD, 2);
	}
	lose(r);
	r->shown = 1;
}

// can_show reports whether memory is of a kind that show can map: without a place for the second mapping there is no memory for it.
static int can_show(char *first, size_t length) {
	return syscall(SYS_mremap, first, 0, length, 0) == -1 && errno == ENOMEM;
}

// What is open of the arena. The first access maps a view, which is quick while it has no pages. Of a view that is mapped one
// opens a few pages, each further one twice as many: opening and closing cost time for each page, 5 µs for one and 12 for 64.
#define FEW 64

static struct range {
	char *first;
	size_t length;
} ranges[256];
static atomic_int nranges;
static atomic_flag opening = ATOMIC_FLAG_INIT;

static void close_ranges(void) {
	for (int i = 0; i < nranges; i++)
		mprotect(ranges[i].first, ranges[i].length, PROT_NONE);
	nranges = 0;
}

// accessed opens what is around p, if that is in a window.
static int accessed(char *p) {
	struct region *r = region_at(p);
	if (!r)
		return 0;
	spmdc_mark(r->shared ? REMOTE : LOCAL);
	while (atomic_flag_test_and_set(&opening))
		;
	if (nranges == sizeof ranges / sizeof *ranges) // there is no room to note another one
		close_ranges();
	int n = nranges++;
	size_t chunk = r->shown && n < 20 ? FEW * page << n : r->length;
	char *first = r->view + (p - r->view) / chunk * chunk;
	size_t length = r->view + r->length - first;
	ranges[n] = (struct range){first, length < chunk ? length : chunk};
	if (r->shown)
		mprotect(first, ranges[n].length, PROT_READ | PROT_WRITE);
	else
		show(r);
	atomic_flag_clear(&opening);
	return 1;
}

static void close_arena(void) {
	if (nranges == 0)
		return;
	while (atomic_flag_test_and_set(&opening))
		;
	close_ranges();
	atomic_flag_clear(&opening);
}

// reserve is a range of the arena for so many bytes.
static struct region *reserve(size_t length) {
	for (int i = 0; i < nregions; i++)
		if (regions[i].free && regions[i].length == length) {
			regions[i].free = 0;
			return &regions[i];
		}
	if (!spmdc_arena) {
		spmdc_arena = mmap(NULL, ARENA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (spmdc_arena == MAP_FAILED)
			refuse("there are no addresses for windows: raise the limit of virtual memory (ulimit -v)");
		spmdc_top = spmdc_arena;
		regions = mmap(NULL, REGIONS * sizeof *regions, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (regions == MAP_FAILED)
			refuse("there is no memory left");
	}
	if (nregions == REGIONS)
		refuse("there are more than %d windows", REGIONS);
	if (length > (size_t)(spmdc_arena + ARENA - spmdc_top))
		refuse("windows need more than %lu TB of addresses", ARENA >> 40);
	regions[nregions] = (struct region){.view = spmdc_top, .length = length};
	spmdc_top += length;
	return &regions[nregions++];
}

// watch gives the program a view of memory that it shares with MPI, which has [p, p+bytes).
// It is NULL if the memory is not of a kind that can be mapped twice.
static char *watch(char *p, size_t bytes, MPI_Win win, int shared) {
	char *first = (char *)((uintptr_t)p & -page);
	size_t length = ((p + bytes - first) + page - 1) & -page;
	if (!can_show(first, length))
		return NULL;
	struct region *r = reserve(length);
	r->mpi = first, r->win = win, r->shared = shared, r->owned = 0;
	r->base = r->view + (p - first);
	if (!protecting)
		show(r);
	return r->base;
}

// own_pages reports whether the pages that have [base, base+bytes) have nothing else, and are the process's alone: what is
// closed must not be where the system writes for somebody else. Memory that malloc has mapped for one object has two words of
// the C library before it: what is before in the mapping, which is nothing, and the length with the flag of such memory.
static int own_pages(char *base, size_t bytes, char **first, size_t *length) {
	*first = base, *length = bytes;
	if ((uintptr_t)base % page == 2 * sizeof(size_t)) {
		size_t *words = (size_t *)base - 2, n = words[1] & ~(size_t)7;
		if (words[0] != 0 || (words[1] & 7) != 2 || n % page != 0 || n < bytes + 2 * sizeof(size_t))
			return 0;
		*first = (char *)words, *length = n;
	}
	if (bytes == 0 || (uintptr_t)*first % page != 0 || *length % page != 0)
		return 0;
	// A private mapping cannot be mapped a second time.
	for (char *p = *first; p < *first + *length; p += page)
		if (region_at(p))
			return 0;
	return syscall(SYS_mremap, *first, 0, *length, 0) == -1 && errno == EINVAL;
}

// place makes pages of the program's memory shared ones, which MPI has at another address.
static struct region *place(char *first, size_t length) {
	int i = 0;
	while (i < nplaced && !placed[i].free)
		i++;
	int fd = i < PLACED ? memfd_create("spmdc window", MFD_CLOEXEC) : -1;
	if (fd < 0)
		return NULL;
	char *p = ftruncate(fd, length) ? MAP_FAILED : mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return NULL;
	memcpy(p, first, length);
	placed[i] = (struct region){.view = first, .mpi = p, .length = length, .stays = 1};
	if (i == nplaced)
		nplaced++;
	spmdc_elsewhere++;
	if (mmap(first, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
		refuse("the memory of a window cannot be protected: %s", strerror(errno));
	if (!protecting)
		show(&placed[i]);
	return &placed[i];
}

// replace makes the pages the process's alone again.
static void replace(struct region *r) {
	char *p = mmap(NULL, r->length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		refuse("there is no memory left");
	close_arena(); // none of its pages is noted as open any more
	memcpy(p, r->mpi, r->length);
	if (syscall(SYS_mremap, p, r->length, r->length, MREMAP_MAYMOVE | MREMAP_FIXED, r->view) == -1)
		refuse("the memory of a window cannot be given back: %s", strerror(errno));
	munmap(r->mpi, r->length);
	r->free = 1;
	spmdc_elsewhere--;
}

static int is_open(const struct region *r) {
	for (int i = 0; i < nranges; i++)
		if (ranges[i].first >= r->view && ranges[i].first < r->view + r->length)
			return 1;
	return 0;
}

// hide takes a view away, or leaves it closed.
static void hide(struct region *r) {
	if (r->shown && protecting && kept + r->length <= KEPT && !is_open(r)) {
		r->kept = 1;
		kept += r->length;
	} else if (r->shown)
		mmap(r->view, r->length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	r->shown = 0;
}

// Windows of memory of the program's own: of one piece there may be several.
static struct use {
	MPI_Win win;
	struct region *region;
} *uses;
static int nuses, cuses;

static void use(MPI_Win win, struct region *r) {
	if (nuses == cuses && !(uses = realloc(uses, (cuses = 2 * cuses + 16) * sizeof *uses)))
		refuse("there is no memory left");
	uses[nuses++] = (struct use){win, r};
	r->windows++;
}

static void unwatch(MPI_Win win) {
	for (int i = nuses; i-- > 0;)
		if (uses[i].win == win) {
			struct region *r = uses[i].region;
			uses[i] = uses[--nuses];
			if (--r->windows == 0 && r->stays)
				replace(r);
		}
	for (int i = 0; i < nregions; i++)
		if (!regions[i].free && regions[i].win == win) {
			hide(&regions[i]);
			if (regions[i].owned)
				munmap(regions[i].mpi, regions[i].length);
			regions[i].free = 1;
		}
}

void *spmdc_window_buffer(const void *p, int *watched) {
	struct region *r = region_at(p);
	if (!r) {
		*watched |= in_piece(p, 1);
		return (void *)p;
	}
	spmdc_mark(r->shared ? REMOTE : LOCAL);
	*watched = 1;
	return r->mpi + ((char *)p - r->view);
}

// ---- signals ----

static struct sigaction next[2]; // who gets SIGSEGV and SIGBUS that are not ours
static int (*real_sigaction)(int, const struct sigaction *, struct sigaction *);

static void fault(int sig, siginfo_t *info, void *context) {
	char *p = info->si_addr;
	int saved = errno;
	if (sig == SIGSEGV && accessed(p)) {
		errno = saved;
		return;
	}
	struct sigaction *n = &next[sig == SIGBUS];
	if (n->sa_flags & SA_SIGINFO)
		n->sa_sigaction(sig, info, context);
	else if (n->sa_handler == SIG_DFL) {
		struct sigaction d = {.sa_handler = SIG_DFL};
		real_sigaction(sig, &d, NULL); // the instruction fails again, without us
	} else if (n->sa_handler != SIG_IGN)
		n->sa_handler(sig);
}

static void find_sigaction(void) {
	if (!real_sigaction)
		real_sigaction = dlsym(RTLD_NEXT, "sigaction");
}

static void install(void) {
	find_sigaction();
	struct sigaction a = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	sigemptyset(&a.sa_mask);
	real_sigaction(SIGSEGV, &a, &next[0]);
}

int sigaction(int sig, const struct sigaction *new, struct sigaction *old) {
	find_sigaction();
	if (!spmdc_on || sig != SIGSEGV)
		return real_sigaction(sig, new, old);
	struct sigaction was = next[0];
	if (new)
		next[0] = *new;
	if (old)
		*old = was;
	return 0;
}

typedef void (*handler)(int);

handler signal(int sig, handler h) {
	struct sigaction a = {.sa_handler = h, .sa_flags = SA_RESTART}, old;
	sigemptyset(&a.sa_mask);
	return sigaction(sig, &a, &old) ? SIG_ERR : old.sa_handler;
}

// ---- the engine ----

// What is remaining of a context that is met first: by the calls at its inner end.
static struct rules {
	struct rule {
		uint64_t hash;
		int32_t remaining; // NECESSARY wins
	} *list; // by hash
	int n;
	int32_t otherwise;
} rules;

static char *(*engine_start)(const char *config, const char *program, int rank, int size, int (*vote)(int64_t *, double), void *(*gather)(const void *, int64_t, int64_t *), struct rules *);
static void (*engine_call)(uint64_t site, const char *label, const char *procedure, const char *file);
static int (*engine_places)(const uint64_t *contexts, int n);
static void (*engine_arrive)(int place, int summary, int64_t *words);
static int32_t (*engine_conclude)(int place, int64_t *words, int stalled, double seconds);

// What becomes of a barrier is decided here, but where some or all processes break consensus, or contexts are learned
// again: a call of the engine wakes threads of Go's. It gets barriers and what is new of contexts many at a
// time, and comes to the same.
static struct passed {
	int32_t place;
	int32_t before; // the global summary, or -1 if it was elided
	int32_t rank;   // the greatest of what was remaining
	int32_t apart;  // processes met from different contexts
	double seconds; // in it
} list[4096];
static int npassed;
static void (*engine_passed)(const struct passed *list, int n);

// Contexts that the engine does not have yet: the number of their calls, and their sites, the outermost first.
static uint64_t new_contexts[4096];
static unsigned nnew_contexts;
static struct new_call {
	uint64_t site;
	char *label, *procedure, *file;
} new_calls[256];
static int nnew_calls;
static int nplaces, nplaces_passed; // of all contexts, and of those that the engine has

static void flush_contexts(void) {
	for (int i = 0; i < nnew_calls; i++) {
		struct new_call *c = &new_calls[i];
		engine_call(c->site, c->label, c->procedure, c->file);
		free(c->label), free(c->procedure), free(c->file);
	}
	for (unsigned i = 0; i < nnew_contexts; i += 1 + new_contexts[i])
		nplaces_passed++;
	if (nnew_contexts && engine_places(new_contexts, nnew_contexts) != nplaces_passed)
		refuse("the engine has another number of contexts");
	nnew_calls = nnew_contexts = 0;
}

static int compare_rules(const void *a, const void *b) {
	uint64_t x = ((struct rule *)a)->hash, y = ((struct rule *)b)->hash;
	return (x > y) - (x < y);
}

static uint64_t hash_step(uint64_t hash, uint64_t next) {
	hash = (hash ^ next) * 0xd6e8feb86659fd93;
	return hash ^ hash >> 32;
}
static int (*engine_finish)(int summary);

// A slot has what a process shows to the others.
struct slot {
	_Atomic uint64_t round;  // agreements that it has come to
	_Atomic uint64_t passed; // barriers that it has behind it
	int64_t words[2][WORDS]; // its votes, by round
	char rest[16];
} __attribute__((aligned(128)));

static struct slot **slot_of; // by rank; NULL if not all processes are on one host
static MPI_Win slot_win;
static uint64_t rounds, seq;

// Where processes are on several hosts, each has these numbers in a window, which others get while they wait.
struct progress {
	int64_t round, passed; // as in slot
};
static struct progress *own_progress;
static MPI_Win progress_win;
static struct progress *seen;        // of all processes, when it was got last
static MPI_Request *getting;         // by process; MPI_REQUEST_NULL when it has come
static uint64_t asked;               // the round in which it was begun

static int relearning; // what was needed may be learned again
static int timing;     // a log is wanted, which has the time in barriers

static double now(void) {
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

// vote replaces the words by their minima over all processes. It is 1 if some process will not come:
// it has passed the barrier, or patience (in seconds, if above 0) has ended.
static int vote(int64_t *words, double patience) {
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

// gather gives the data of all processes, one behind the other, and how long each is.
static void *gather(const void *data, int64_t length, int64_t *lengths) {
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

#define FNV 0xcbf29ce484222325

// fnv is FNV-1a, which begins with FNV.
static uint64_t fnv(uint64_t h, const void *p, size_t n) {
	for (const unsigned char *b = p; n--; b++)
		h = (h ^ *b) * 0x100000001b3;
	return h;
}

// identify adds a loaded module to the identity of the program: its build id, or its name and segments.
static int identify(struct dl_phdr_info *m, size_t unused, void *hash) {
	uint64_t *h = hash;
	const char *name = strrchr(m->dlpi_name, '/');
	name = name ? name + 1 : m->dlpi_name;
	if (strstr(name, "linux-vdso") || strstr(name, "libspmdc"))
		return 0;
	for (int i = 0; i < m->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &m->dlpi_phdr[i];
		if (p->p_type != PT_NOTE)
			continue;
		const char *at = (char *)m->dlpi_addr + p->p_vaddr, *end = at + p->p_memsz;
		while (at + sizeof(ElfW(Nhdr)) <= end) {
			const ElfW(Nhdr) *note = (void *)at;
			const char *desc = at + sizeof *note + ((note->n_namesz + 3) & -4);
			if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(at + sizeof *note, "GNU", 4)) {
				*h = fnv(*h, desc, note->n_descsz);
				return 0;
			}
			at = desc + ((note->n_descsz + 3) & -4);
		}
	}
	*h = fnv(*h, name, strlen(name));
	for (int i = 0; i < m->dlpi_phnum; i++)
		*h = fnv(*h, &m->dlpi_phdr[i].p_memsz, sizeof m->dlpi_phdr[i].p_memsz);
	return 0;
}

static uint64_t identity;

// MPI_Init loads modules of MPI, which depend on the machine.
void spmdc_identify(void) {
	identity = FNV;
	dl_iterate_phdr(identify, &identity);
}

// ---- contexts ----

#define DEPTH 256

// Of libunwind.h.
enum { UNW_FP = 6, UNW_SP = 7, UNW_IP = 16, UNW_MEMORY = 1 };
struct save_loc {
	int type;
	uintptr_t addr;
	char extra[64];
};
static int (*unwind)(void **, int); // unw_backtrace
static int (*unw_getcontext)(ucontext_t *), (*unw_init)(uint64_t *, ucontext_t *), (*unw_step)(uint64_t *);
static int (*unw_reg)(uint64_t *, int, uintptr_t *), (*unw_loc)(uint64_t *, int, struct save_loc *);

static void find_unwind(void) {
	if (unwind)
		return;
	void *u = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	if (!u || !(unwind = dlsym(u, "unw_backtrace")))
		refuse("there is no libunwind.so.8\n  install Debian package libunwind8");
	unw_getcontext = dlsym(u, "_Ux86_64_getcontext");
	unw_init = dlsym(u, "_ULx86_64_init_local");
	unw_reg = dlsym(u, "_ULx86_64_get_reg");
	unw_loc = dlsym(u, "_ULx86_64_get_save_loc");
	unw_step = unw_getcontext && unw_init && unw_reg && unw_loc ? dlsym(u, "_ULx86_64_step") : NULL;
}

// code is where the instructions of a load module are.
struct code {
	const char *first, *last;
};

static int inside(const struct code *c, const void *p) { return (const char *)p >= c->first && (const char *)p < c->last; }

// find_code looks for the code in which c->first is.
static int find_code(struct dl_phdr_info *m, size_t unused, void *c) {
	const char *wanted = ((struct code *)c)->first;
	for (int i = 0; i < m->dlpi_phnum; i++) {
		const char *first = (char *)m->dlpi_addr + m->dlpi_phdr[i].p_vaddr, *last = first + m->dlpi_phdr[i].p_memsz;
		if (m->dlpi_phdr[i].p_type == PT_LOAD && wanted >= first && wanted < last) {
			*(struct code *)c = (struct code){first, last};
			return 1;
		}
	}
	return 0;
}

static struct code code_of(const void *p) {
	struct code c = {p, p};
	dl_iterate_phdr(find_code, &c);
	return c;
}

static struct code mpi_code; // of MPI's library

int spmdc_inside(void) {
	if (spmdc_depth)
		return 1;
	if (!mpi_code.first) {
		void *f = dlsym(RTLD_DEFAULT, "PMPI_Init");
		if (!f)
			return 0;
		mpi_code = code_of(f);
	}
	find_unwind();
	void *frames[DEPTH];
	int n = unwind(frames, DEPTH);
	for (int i = 0; i < n; i++)
		if (inside(&mpi_code, frames[i]))
			return 1;
	return 0;
}

struct entry {
	int place;
	int32_t remaining; // private executions until it is elided; 0: it is; NECESSARY: never
	uint64_t context; // its hash, the same on all processes
	struct entry *next; // the one that came behind it last
	struct trail *trail;
};

static struct key {
	uint64_t hash; // of the addresses of a context, or of its calls
	struct entry *entry;
} *entries;
static unsigned nentries, centries = 1024;

static char exe[PATH_MAX];
static void *exe_base;
static struct code libc_code;

static void *base_of(const void *p) {
	Dl_info info;
	return dladdr(p, &info) ? info.dli_fbase : NULL;
}

// Calls, by where they return to.
static struct call {
	void *ret;
	uint64_t site;
	char known; // to the engine, by that site
	// Where the frame of a call ends follows from the instruction to which it returns, and there is the next return
	// address: what the unwinder has found of some calls leads up the stack without it. Where sizes of frames vary the
	// way ends in no known context, and the unwinder goes it again.
	struct layout {
		char seen, outermost;
		char by_sp, by_fp;        // as long as the end is always the same,
		int32_t from_sp, from_fp; // relative to the stack pointer and the frame pointer in it
		int32_t fp_at;            // where the frame pointer of the caller is, relative to the end; 0: in its register
	} layout;
} *calls;
static unsigned ncalls, ccalls = 1024;

static struct call *find_call(void *ret) {
	for (unsigned i = (uintptr_t)ret * 0x9e3779b97f4a7c15 >> 32;; i++) {
		struct call *c = &calls[i & (ccalls - 1)];
		if (!c->ret || c->ret == ret)
			return c;
	}
}

// call_of finds a call, or begins an entry for it. Entries stay where they are until the next one begins.
static struct call *call_of(void *ret) {
	if (!calls)
		calls = keep(ccalls * sizeof *calls);
	struct call *c = find_call(ret);
	if (c->ret)
		return c;
	if (2 * ++ncalls > ccalls) {
		struct call *old = calls;
		unsigned count = ccalls;
		calls = keep((ccalls *= 2) * sizeof *calls);
		for (unsigned i = 0; i < count; i++)
			if (old[i].ret)
				*find_call(old[i].ret) = old[i];
		c = find_call(ret);
	}
	c->ret = ret;
	return c;
}

static char *copy(const char *s) {
	char *c = strdup(s);
	if (!c)
		refuse("there is no memory left");
	return c;
}

// site_of is the call by its load module and the offset in it. What is for reports and plans goes to the engine: that as
// text, the procedure in which the call is as far as known, and the file of the module.
static uint64_t site_of(void *ret) {
	struct call *c = call_of(ret);
	if (c->known)
		return c->site;
	Dl_info info = {0};
	dladdr((char *)ret - 1, &info);
	const char *file = info.dli_fbase == exe_base ? exe : info.dli_fname ? info.dli_fname : "?";
	const char *name = strrchr(file, '/');
	if (nnew_calls == sizeof new_calls / sizeof *new_calls)
		flush_contexts();
	struct new_call *new = &new_calls[nnew_calls];
	if (asprintf(&new->label, "%s+%#lx", name ? name + 1 : file, (unsigned long)((char *)ret - (char *)info.dli_fbase)) < 0)
		refuse("there is no memory left");
	new->procedure = copy(info.dli_sname ? info.dli_sname : ""), new->file = copy(file);
	new->site = c->site = fnv(FNV, new->label, strlen(new->label));
	c->known = 1;
	nnew_calls++;
	return c->site;
}

static struct key *find(uint64_t hash) {
	for (unsigned i = hash;; i++) {
		struct key *k = &entries[i & (centries - 1)];
		if (!k->entry || k->hash == hash)
			return k;
	}
}

static void enter(uint64_t hash, struct entry *e) {
	if (2 * ++nentries > centries) {
		struct key *old = entries;
		unsigned count = centries;
		entries = keep((centries *= 2) * sizeof *entries);
		for (unsigned i = 0; i < count; i++)
			if (old[i].entry)
				*find(old[i].hash) = old[i];
	}
	*find(hash) = (struct key){hash, e};
}

static uint64_t hash_of(void **frames, int n) {
	uint64_t hash = 0x9e3779b97f4a7c15;
	for (int i = 0; i < n; i++)
		hash = hash_step(hash, (uintptr_t)frames[i]);
	return hash;
}

// meet is the entry of the barriers in the context of these frames, the innermost first.
static struct entry *meet(void **frames, int n) {
	// What calls main is no call of the program.
	uintptr_t entry = getauxval(AT_ENTRY);
	if (n > 1 && (uintptr_t)frames[n - 1] - entry < 64) {
		n--;
		while (n > 1 && inside(&libc_code, (char *)frames[n - 1] - 1))
			n--;
	}
	uint64_t sites[DEPTH], hash = 0;
	int32_t ruled = -1;
	for (int i = 0; i <= n; i++) {
		uint64_t site = i < n ? site_of(frames[i]) : 0; // 0: where the program starts
		hash = hash_step(hash, site);
		if (i < n)
			sites[n - 1 - i] = site;
		struct rule key = {.hash = hash}, *r = rules.n ? bsearch(&key, rules.list, rules.n, sizeof key, compare_rules) : NULL;
		if (r && r->remaining > ruled)
			ruled = r->remaining;
	}
	struct entry *e = find(hash)->entry;
	if (e)
		return e;
	e = keep(sizeof *e);
	e->place = ++nplaces, e->remaining = ruled < 0 ? rules.otherwise : ruled, e->context = hash;
	enter(hash, e);
	if (nnew_contexts + 1 + n > sizeof new_contexts / sizeof *new_contexts)
		flush_contexts();
	new_contexts[nnew_contexts++] = n;
	memcpy(&new_contexts[nnew_contexts], sites, n * sizeof *sites);
	nnew_contexts += n;
	return e;
}

// entry_of is where the barrier is that is called from these frames.
static struct entry *entry_of(void **frames, int n) {
	uint64_t hash = hash_of(frames, n);
	struct entry *e = find(hash)->entry;
	if (!e)
		enter(hash, e = meet(frames, n));
	return e;
}

// A trail is where the return addresses of a context were on the stack. While layouts stay as they are, walk finds
// the same where they are there again.
struct trail {
	void **frame; // of the wrapper
	unsigned layouts;
	int n, room;
	struct {
		void *ret;
		ptrdiff_t at; // from the frame
	} steps[];
};

static unsigned layouts; // that were found to vary

static int leads(const struct trail *t, void **frame) {
	if (!t || t->frame != frame || t->layouts != layouts)
		return 0;
	for (int i = 0; i < t->n; i++)
		if (frame[t->steps[i].at] != t->steps[i].ret)
			return 0;
	return 1;
}

static uintptr_t stack_end; // the end of the outermost frame that was seen

// walk finds the return addresses from a wrapper's frame on, and where they are; it is 0 where it does not come to the end.
// fixed is 0 where that depends on frame pointers too.
static int walk(void **frame, void **frames, ptrdiff_t *at, int *fixed) {
	uintptr_t sp = (uintptr_t)(frame + 2), fp = (uintptr_t)frame[0], ip = (uintptr_t)frame[1];
	*fixed = 1, at[0] = 1;
	for (int n = 0; calls && n < DEPTH;) {
		struct layout *l = &find_call((void *)ip)->layout;
		frames[n++] = (void *)ip;
		if (l->outermost)
			return n;
		if (!l->by_sp && !l->by_fp)
			return 0;
		uintptr_t end = l->by_sp ? sp + l->from_sp : fp + l->from_fp;
		if (end <= sp || end > stack_end || end % sizeof end)
			return 0;
		*fixed &= l->by_sp;
		if (n < DEPTH)
			at[n] = (void **)end - 1 - frame;
		if (l->fp_at)
			fp = *(uintptr_t *)(end + l->fp_at);
		ip = ((uintptr_t *)end)[-1];
		sp = end;
	}
	return 0;
}

static void note_layout(void *ret, struct layout new) {
	struct layout *l = &call_of(ret)->layout;
	if (!l->seen) {
		*l = new;
		return;
	}
	struct layout old = *l;
	l->by_sp &= new.by_sp && l->from_sp == new.from_sp && l->fp_at == new.fp_at;
	l->by_fp &= new.by_fp && l->from_fp == new.from_fp && l->fp_at == new.fp_at;
	layouts += l->by_sp != old.by_sp;
}

// note_layouts goes up the stack from a wrapper's frame.
static void note_layouts(void **frame) {
	ucontext_t context;
	uint64_t cursor[256];
	if (!unw_step || unw_getcontext(&context) || unw_init(cursor, &context) < 0)
		return;
	uintptr_t ip = 0, sp = 0, fp = 0;
	for (int n = 0; n < 2 * DEPTH; n++) {
		uintptr_t last_ip = ip, last_sp = sp, last_fp = fp;
		struct save_loc loc = {0};
		int more = unw_step(cursor);
		if (more < 0 || more > 0 && (unw_reg(cursor, UNW_IP, &ip) || unw_reg(cursor, UNW_SP, &sp) || unw_reg(cursor, UNW_FP, &fp) || unw_loc(cursor, UNW_FP, &loc)))
			return;
		if (last_sp < (uintptr_t)(frame + 2)) // in the library
			continue;
		struct layout l = {.seen = 1, .outermost = more == 0};
		if (more) {
			l.from_sp = sp - last_sp, l.from_fp = sp - last_fp;
			int usual = ((uintptr_t *)sp)[-1] == ip;
			l.by_sp = usual && sp - last_sp == l.from_sp, l.by_fp = usual && sp - last_fp == l.from_fp;
			l.fp_at = loc.type == UNW_MEMORY && loc.addr >= last_sp && loc.addr < sp ? loc.addr - sp : 0;
			stack_end = sp > stack_end ? sp : stack_end;
		}
		note_layout((void *)last_ip, l);
		if (!more)
			return;
	}
}

static void remember(struct entry *e, void **frame, void **frames, const ptrdiff_t *at, int n) {
	int room = e->trail ? e->trail->room : 0;
	if (n > room)
		e->trail = keep(sizeof *e->trail + n * sizeof *e->trail->steps), room = n;
	*e->trail = (struct trail){frame, layouts, n, room};
	for (int i = 0; i < n; i++)
		e->trail->steps[i].ret = frames[i], e->trail->steps[i].at = at[i];
}

static struct entry *search(void **frame) {
	void *frames[DEPTH];
	ptrdiff_t at[DEPTH];
	int fixed, walked = walk(frame, frames, at, &fixed), first = 0;
	uint64_t hash = hash_of(frames, walked);
	struct entry *e = find(hash)->entry;
	if (e && walked) {
		if (fixed && !spmdc_threads)
			remember(e, frame, frames, at, walked);
		return e;
	}
	int n = unwind(frames, DEPTH);
	while (first < n && frames[first] != frame[1])
		first++;
	if (first == n) // the unwinder has not come out of this library
		frames[0] = frame[1], first = 0, n = 1;
	if (n - first != walked || hash_of(frames + first, walked) != hash)
		note_layouts(frame);
	return entry_of(frames + first, n - first);
}

// context is where the barrier is whose wrapper has this frame.
static struct entry *context(void **frame) {
	static struct entry none, *last = &none;
	struct entry *e = last->next;
	if (!e || !leads(e->trail, frame))
		e = last->next = search(frame);
	return last = e;
}

static void flush_passed(void) {
	flush_contexts();
	if (npassed)
		engine_passed(list, npassed);
	npassed = 0;
}

static void pass(struct entry *e, int before, int32_t most, int apart, double seconds) {
	list[npassed++] = (struct passed){e->place, before, most, apart, seconds};
	if (npassed == sizeof list / sizeof *list)
		flush_passed();
}

static void passed(void) {
	seq++;
	if (slot_of)
		atomic_store_explicit(&slot_of[rank]->passed, seq, memory_order_release);
	else
		note_progress();
}

// whole reports whether a communicator has all processes.
static int whole(MPI_Comm comm) {
	int n = 0, inter = 0;
	if (PMPI_Comm_size(comm, &n) != MPI_SUCCESS || n != size)
		return 0;
	PMPI_Comm_test_inter(comm, &inter);
	return !inter;
}

static int barrier(void **frame) {
	spmdc_depth++;
	struct entry *e = context(frame);
	unwatched += counting > 0;
	if (spmdc_dirty || counting || busy || persistent || sharing)
		spmdc_mark(REMOTE);
	if (e->remaining == 0 && spmdc_summary == PRIVATE) {
		pass(e, -1, 0, 0, 0);
		elided++;
		passed();
		spmdc_ahead = 1;
		spmdc_depth--;
		return MPI_SUCCESS;
	}
	close_arena();
	int own_summary = atomic_exchange(&spmdc_summary, PRIVATE);
	int plain = e->remaining == NECESSARY || e->remaining > 0 && !relearning;
	// As Vote.set in package elide.
	int64_t words[WORDS] = {own_summary, e->context, ~e->context, seq + 1, ~(seq + 1), ~(int64_t)e->remaining};
	if (!plain) {
		flush_passed();
		engine_arrive(e->place, own_summary, words);
		words[1] = e->context, words[2] = ~e->context;
	}
	double begin = timing ? now() : 0;
	int stalled = vote(words, 0);
	double seconds = timing ? now() - begin : 0;
	int64_t most = ~words[5];
	if (plain && !stalled && words[3] == ~words[4] && most <= NECESSARY && words[0] <= PRIVATE) {
		int apart = words[1] != ~words[2];
		pass(e, words[0], most, apart, seconds);
		// As machine.learn in package elide.
		e->remaining = !apart && most < NECESSARY && words[0] == PRIVATE ? most - 1 : NECESSARY;
	} else {
		if (plain) { // others break consensus, or will not come
			int64_t unused[WORDS];
			flush_passed();
			engine_arrive(e->place, own_summary, unused);
		}
		e->remaining = engine_conclude(e->place, words, stalled, seconds);
		if (e->remaining < 0 && spmdc_changed && own_summary == LOCAL)
			fprintf(stderr, "  process %d began with a change of a file (%s), which counts like an access to its own shared memory\n", rank, spmdc_changed);
		if (e->remaining < 0)
			PMPI_Abort(MPI_COMM_WORLD, 4);
	}
	passed();
	spmdc_ahead = 0;
	spmdc_changed = NULL;
	spmdc_depth--;
	return MPI_SUCCESS;
}

// ---- MPI ----

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

static void begin(int level) {
	const char *engine = getenv("SPMDC_MPI_ENGINE"), *config = getenv("SPMDC_MPI_CONFIG");
	if (!engine || !config)
		return;
	spmdc_depth++;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &size);
	page = sysconf(_SC_PAGESIZE);
	const char *p = getenv("SPMDC_MPI_PROTECT");
	protecting = !p || strcmp(p, "0");
	relearning = strstr(config, "\"relearn\":0,") == NULL;
	coarrays = strstr(config, "\"coarrays\":true") != NULL;
	timing = strstr(config, "\"log\":\"\"") == NULL;
	int audit = strstr(config, "\"mode\":\"audit\"") != NULL;
	spmdc_threads = level == MPI_THREAD_MULTIPLE;
	if (spmdc_threads && !audit)
		refuse("the program wants MPI_THREAD_MULTIPLE: barriers cannot be elided while several threads call MPI\n  spmdc mpi audit reports on such a program");
	find_unwind();
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	exe[n > 0 ? n : 0] = 0;
	exe_base = base_of((void *)getauxval(AT_ENTRY));
	libc_code = code_of((void *)(uintptr_t)&getauxval); // a function that has no wrapper here
	void *lib = dlopen(engine, RTLD_NOW | RTLD_LOCAL);
	if (!lib)
		refuse("the engine cannot be loaded: %s", dlerror());
	engine_start = dlsym(lib, "engine_start");
	engine_call = dlsym(lib, "engine_call");
	engine_places = dlsym(lib, "engine_places");
	engine_arrive = dlsym(lib, "engine_arrive");
	engine_conclude = dlsym(lib, "engine_conclude");
	engine_passed = dlsym(lib, "engine_passed");
	engine_finish = dlsym(lib, "engine_finish");
	entries = keep(centries * sizeof *entries);
	PMPI_Comm_dup(MPI_COMM_WORLD, &own);
	// Nobody knows whether a detector sees what libraries do: it is for runs in which nothing is elided.
	int wanted = audit && detector;
	PMPI_Allreduce(&wanted, &detecting, 1, MPI_INT, MPI_MIN, own);
	if (detecting && !(pieces = calloc(PIECES, sizeof *pieces)))
		refuse("there is no memory left");
	if (detecting && rank == 0)
		fprintf(stderr, "spmdc: %s watches windows of memory of the program\n", detector);
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
	char program[PATH_MAX + 32];
	const char *name = strrchr(exe, '/');
	snprintf(program, sizeof program, "%s %012lx", name ? name + 1 : exe, (unsigned long)(identity >> 16));
	PMPI_Irecv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 0, own, &never);
	char *error = engine_start(config, program, rank, size, vote, gather, &rules);
	if (error)
		refuse("%s", error);
	install();
	pthread_atfork(NULL, NULL, in_child);
	spmdc_on = 1;
	spmdc_depth--;
}

static void end(void) {
	if (!spmdc_on)
		return;
	spmdc_depth++;
	flush_passed();
	if (sharing && rank == 0)
		fprintf(stderr, "spmdc: the program maps memory that processes share without MPI, which is not watched: no barrier was elided behind that\n");
	if (unwatched && rank == 0)
		fprintf(stderr, "spmdc: %lu barriers were executed because a window was there whose memory is not watched\n"
			"  make it with MPI_Win_allocate instead of MPI_Win_create or MPI_Win_attach\n", (unsigned long)unwatched);
	if (engine_finish(atomic_exchange(&spmdc_summary, PRIVATE)) < 0)
		PMPI_Abort(MPI_COMM_WORLD, 4);
	spmdc_on = 0;
	for (int i = 0; i < nregions; i++)
		if (!regions[i].free)
			show(&regions[i]);
	for (int i = 0; i < nplaced; i++)
		if (!placed[i].free)
			replace(&placed[i]);
	if (slot_of)
		PMPI_Win_free(&slot_win);
	else if (own_progress) {
		PMPI_Waitall(size, getting, MPI_STATUSES_IGNORE);
		PMPI_Win_unlock_all(progress_win);
		PMPI_Win_free(&progress_win);
	}
	PMPI_Cancel(&never);
	PMPI_Wait(&never, MPI_STATUS_IGNORE);
	PMPI_Comm_free(&own);
	spmdc_depth--;
}

void spmdc_begin(int level) { begin(level); }
void spmdc_end(void) { end(); }

int spmdc_barrier(MPI_Comm comm, void **frame) {
	return whole(comm) ? barrier(frame) : PMPI_Barrier(comm);
}

// own_memory makes a window of memory that the library has, mapped twice.
static int own_memory(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, char **base, MPI_Win *win) {
	size_t length = ((size_t)bytes + page - 1) & -page;
	char *p = NULL, *view = NULL;
	if (length) {
		int fd = memfd_create("spmdc window", MFD_CLOEXEC);
		if (fd < 0 || ftruncate(fd, length) || (p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == MAP_FAILED)
			refuse("there is no memory for a window of %ld bytes: %s", (long)bytes, strerror(errno));
		close(fd);
	}
	int e = PMPI_Win_create(p, bytes, unit, info, comm, win);
	if (e == MPI_SUCCESS && length) {
		if (!(view = watch(p, bytes, *win, 0)))
			refuse("the memory of a window cannot be mapped twice: %s", strerror(errno));
		region_at(view)->owned = 1;
	}
	*base = view;
	return e;
}

// alone reports whether a communicator has one process: nobody else reaches its windows, which are not watched.
static int alone(MPI_Comm comm) {
	int n = 0;
	return PMPI_Comm_size(comm, &n) == MPI_SUCCESS && n == 1;
}

int spmdc_win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win) {
	spmdc_depth++;
	char **p = base;
	int e = PMPI_Win_allocate(bytes, unit, info, comm, base, win);
	if (e == MPI_SUCCESS && !alone(comm)) {
		char *view = bytes ? watch(*p, bytes, *win, 0) : *p;
		int watched = bytes == 0 || view, all;
		PMPI_Allreduce(&watched, &all, 1, MPI_INT, MPI_MIN, comm);
		if (all)
			*p = view;
		else {
			unwatch(*win);
			PMPI_Win_free(win);
			e = own_memory(bytes, unit, info, comm, p, win);
		}
	}
	spmdc_depth--;
	return e;
}

int spmdc_win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win) {
	spmdc_depth++;
	char **p = base;
	int e = PMPI_Win_allocate_shared(bytes, unit, info, comm, base, win);
	if (e == MPI_SUCCESS && !alone(comm)) {
		// The program may go from one process's memory to another's.
		char *low = NULL, *high = NULL, *view;
		int n;
		PMPI_Comm_size(comm, &n);
		for (int q = 0; q < n; q++) {
			MPI_Aint length;
			int u;
			char *at;
			PMPI_Win_shared_query(*win, q, &length, &u, &at);
			if (length == 0)
				continue;
			low = low && low < at ? low : at;
			high = high && high > at + length ? high : at + length;
		}
		if (low && (view = watch(low, high - low, *win, 1)))
			*p = bytes ? view + (*p - low) : *p;
		else if (low)
			add_blind(*win, 0);
	}
	spmdc_depth--;
	return e;
}

// spmdc_view is the program's pointer to what MPI has at p in a window.
char *spmdc_view(MPI_Win win, char *p) {
	for (int i = 0; i < nregions; i++) {
		struct region *r = &regions[i];
		if (!r->free && r->win == win && p >= r->mpi && p < r->mpi + r->length)
			return r->view + (p - r->mpi);
	}
	for (int i = 0; i < nuses; i++) {
		struct region *r = uses[i].region;
		if (uses[i].win == win && p >= r->mpi && p < r->mpi + r->length)
			return r->view + (p - r->mpi);
	}
	return p;
}

int spmdc_win_shared_query(MPI_Win win, int target, MPI_Aint *bytes, int *unit, void *base) {
	int e = PMPI_Win_shared_query(win, target, bytes, unit, base);
	if (e == MPI_SUCCESS)
		*(char **)base = spmdc_view(win, *(char **)base);
	return e;
}

int spmdc_win_get_attr(MPI_Win win, int key, void *value, int *flag) {
	int e = PMPI_Win_get_attr(win, key, value, flag);
	if (e == MPI_SUCCESS && *flag && key == MPI_WIN_BASE)
		*(char **)value = spmdc_view(win, *(char **)value);
	return e;
}

int spmdc_win_create(void *base, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win) {
	spmdc_depth++;
	char *first, *mpi = base;
	size_t length;
	struct region *r = NULL;
	if (!alone(comm)) {
		if (!(r = region_at(base)) && own_pages(base, bytes, &first, &length))
			r = place(first, length);
		if (r && (char *)base + bytes > r->view + r->length)
			refuse("a window has memory that another one has in part");
		if (r)
			mpi = r->mpi + ((char *)base - r->view);
	}
	int e = PMPI_Win_create(mpi, bytes, unit, info, comm, win);
	if (e != MPI_SUCCESS && r && r->windows == 0 && r->stays)
		replace(r);
	if (e == MPI_SUCCESS && !alone(comm)) {
		if (r)
			use(*win, r);
		int watched = bytes == 0 || r, all;
		PMPI_Allreduce(&watched, &all, 1, MPI_INT, MPI_MIN, comm);
		if (!all)
			unprotected(*win, base, bytes);
	}
	spmdc_depth--;
	return e;
}

int spmdc_win_attach(MPI_Win win, void *base, MPI_Aint bytes) {
	int e = PMPI_Win_attach(win, base, bytes);
	if (e == MPI_SUCCESS)
		unprotected(win, base, bytes);
	return e;
}

int spmdc_win_free(MPI_Win *win) {
	spmdc_depth++;
	MPI_Win was = *win;
	forget(was);
	int e = PMPI_Win_free(win);
	if (e == MPI_SUCCESS) {
		unwatch(was);
		remove_blind(was);
	}
	spmdc_depth--;
	return e;
}
