// Files and output are memory that processes share, too: what a process does with them before a barrier
// may be meant for another one, or for the order of lines. What MPI does with files of its own is none of that.
// The system does not open what is closed of a window: it gets the buffer by MPI's mapping.
#include "shim.h"
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(type, name, params) \
	static type (*real) params; \
	if (!real) \
		real = (type (*) params)dlsym(RTLD_NEXT, name)

// news reports whether an access would change the summary: who calls is found out by the way up the stack.
static int news(void) { return spmdc_active() && atomic_load_explicit(&spmdc_summary, memory_order_relaxed) > LOCAL; }

static void file(void) {
	if (news() && !spmdc_inside())
		spmdc_mark(LOCAL);
}

static void descriptor(int fd) {
	struct stat st;
	if (news() && (fd == 1 || fd == 2 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))) && !spmdc_inside())
		spmdc_mark(LOCAL);
}

static void *buffer(const void *p) {
	int watched;
	return spmdc_active() ? spmdc_buffer(p, &watched) : (void *)p;
}

ssize_t read(int fd, void *p, size_t n) {
	REAL(ssize_t, "read", (int, void *, size_t));
	descriptor(fd);
	return real(fd, buffer(p), n);
}

ssize_t write(int fd, const void *p, size_t n) {
	REAL(ssize_t, "write", (int, const void *, size_t));
	descriptor(fd);
	return real(fd, buffer(p), n);
}

#define AT(name, qualifier, offset) \
	ssize_t name(int fd, qualifier void *p, size_t n, offset at) { \
		REAL(ssize_t, #name, (int, qualifier void *, size_t, offset)); \
		descriptor(fd); \
		return real(fd, buffer(p), n, at); \
	}
AT(pread, , off_t)
AT(pread64, , off64_t)
AT(pwrite, const, off_t)
AT(pwrite64, const, off64_t)

// A list of buffers, as MPI has them.
#define LIST(name) \
	ssize_t name(int fd, const struct iovec *list, int n) { \
		REAL(ssize_t, #name, (int, const struct iovec *, int)); \
		descriptor(fd); \
		if (n < 0 || n > IOV_MAX) \
			return real(fd, list, n); \
		struct iovec as[n + 1]; \
		for (int i = 0; i < n; i++) \
			as[i] = (struct iovec){buffer(list[i].iov_base), list[i].iov_len}; \
		return real(fd, as, n); \
	}
LIST(readv)
LIST(writev)

#define SOCKET(name, qualifier, more, args) \
	ssize_t name(int fd, qualifier void *p, size_t n, int flags more) { \
		REAL(ssize_t, #name, (int, qualifier void *, size_t, int more)); \
		return real(fd, buffer(p), n, flags args); \
	}
#define TO , const struct sockaddr *to, socklen_t length
#define FROM , struct sockaddr *restrict to, socklen_t *restrict length
#define BOTH , to, length
SOCKET(send, const, , )
SOCKET(recv, , , )
SOCKET(sendto, const, TO, BOTH)
SOCKET(recvfrom, , FROM, BOTH)

size_t fread(void *p, size_t size, size_t n, FILE *f) {
	REAL(size_t, "fread", (void *, size_t, size_t, FILE *));
	file();
	return real(buffer(p), size, n, f);
}

// What is written goes to the file when it is flushed, or when there is much of it.
size_t fwrite(const void *p, size_t size, size_t n, FILE *f) {
	REAL(size_t, "fwrite", (const void *, size_t, size_t, FILE *));
	file();
	return real(buffer(p), size, n, f);
}

#define NAMED(type, name, params, args) \
	type name params { \
		REAL(type, #name, params); \
		file(); \
		return real args; \
	}
NAMED(int, fflush, (FILE *f), (f))
NAMED(int, fclose, (FILE *f), (f))
NAMED(FILE *, fopen, (const char *path, const char *mode), (path, mode))
NAMED(FILE *, fopen64, (const char *path, const char *mode), (path, mode))
NAMED(int, rename, (const char *old, const char *new), (old, new))
NAMED(int, unlink, (const char *path), (path))
NAMED(int, remove, (const char *path), (path))
NAMED(int, mkdir, (const char *path, mode_t mode), (path, mode))
NAMED(int, rmdir, (const char *path), (path))
NAMED(int, truncate, (const char *path, off_t n), (path, n))
NAMED(int, ftruncate, (int fd, off_t n), (fd, n))
NAMED(int, ftruncate64, (int fd, off64_t n), (fd, n))
NAMED(int, creat, (const char *path, mode_t mode), (path, mode))

#define OPEN(name) \
	int name(const char *path, int flags, ...) { \
		va_list args; \
		va_start(args, flags); \
		mode_t mode = va_arg(args, mode_t); \
		va_end(args); \
		REAL(int, #name, (const char *, int, mode_t)); \
		file(); \
		return real(path, flags, mode); \
	}
OPEN(open)
OPEN(open64)

// Threads of MPI's own map memory too.
static void shared(void) {
	if (!spmdc_depth && gettid() == getpid() && !spmdc_inside())
		spmdc_sharing();
}

// An anonymous mapping is shared with children only. Allocators map memory before symbols can be looked for.
#define MAP(name, offset) \
	void *name(void *at, size_t length, int protection, int flags, int fd, offset from) { \
		if (flags & MAP_SHARED && protection & PROT_WRITE && !(flags & MAP_ANONYMOUS)) \
			shared(); \
		return (void *)syscall(SYS_mmap, at, length, protection, flags, fd, from); \
	}
MAP(mmap, off_t)
MAP(mmap64, off64_t)

void *shmat(int id, const void *at, int flags) {
	REAL(void *, "shmat", (int, const void *, int));
	shared();
	return real(id, at, flags);
}
