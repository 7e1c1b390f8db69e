// The library that spmdc mpi loads in front of MPI. It does nothing before MPI_Init.
//
// Barriers of all processes go to the engine (engine.go), which decides. What the engine has to know
// comes from the wrappers of MPI's functions, and from the protection of the pages of windows:
// the program's view of a window is a second mapping, in one arena, or where the program has the memory, which is closed when a barrier
// is executed. An access to what is closed opens it and counts as one to local shared memory. MPI itself uses
// the first mapping, which is always open.
#include "library.h"
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

__thread int spmdc_depth __attribute__((tls_model("initial-exec")));

int spmdc_on;         // between MPI_Init and MPI_Finalize
int rank, size;
MPI_Comm own;

void refuse(const char *format, ...) {
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

void *keep(size_t bytes) {
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

static int relearning; // what was needed may be learned again
static int timing;     // a log is wanted, which has the time in barriers

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
	close_windows();
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

static void begin(int level) {
	const char *engine = getenv("SPMDC_MPI_ENGINE"), *config = getenv("SPMDC_MPI_CONFIG");
	if (!engine || !config)
		return;
	spmdc_depth++;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &size);
	const char *p = getenv("SPMDC_MPI_PROTECT");
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
	find_detector(audit);
	start_votes(audit);
	char program[PATH_MAX + 32];
	const char *name = strrchr(exe, '/');
	snprintf(program, sizeof program, "%s %012lx", name ? name + 1 : exe, (unsigned long)(identity >> 16));
	char *error = engine_start(config, program, rank, size, vote, gather, &rules);
	if (error)
		refuse("%s", error);
	start_windows(!p || strcmp(p, "0"));
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
	end_windows();
	end_votes();
	PMPI_Comm_free(&own);
	spmdc_depth--;
}

void spmdc_begin(int level) { begin(level); }
void spmdc_end(void) { end(); }

int spmdc_barrier(MPI_Comm comm, void **frame) {
	return whole(comm) ? barrier(frame) : PMPI_Barrier(comm);
}
