// The memory of windows, as the program sees it and as MPI does. The program's view of a window is a
// second mapping, which is closed when a barrier is executed; an access to what is closed opens it, and counts.
#include "library.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

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

void close_windows(void) {
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
	close_windows(); // none of its pages is noted as open any more
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

// ---- windows ----

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
	forget_operations(was);
	int e = PMPI_Win_free(win);
	if (e == MPI_SUCCESS) {
		unwatch(was);
		forget_window(was);
	}
	spmdc_depth--;
	return e;
}

void start_windows(int protect) {
	page = sysconf(_SC_PAGESIZE);
	protecting = protect;
	install();
}

void end_windows(void) {
	for (int i = 0; i < nregions; i++)
		if (!regions[i].free)
			show(&regions[i]);
	for (int i = 0; i < nplaced; i++)
		if (!placed[i].free)
			replace(&placed[i]);
}
