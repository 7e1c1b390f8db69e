// Files and output are memory that processes share, too: what a process writes before a barrier
// may be meant for another one, or for the order of lines. So it counts as an access. What was read before a barrier may be
// written by another process behind it: who writes waits first until all processes have come to the barriers that were elided before.
// Reading alone changes nothing, and needs neither. What MPI does with files of its own is none of that.
// The system does not open what is closed of a window: it gets the buffer by MPI's mapping.
#include "shim.h"
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <spawn.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define REAL(type, name, params) \
	static type (*real) params; \
	if (!real) \
		real = (type (*) params)dlsym(RTLD_NEXT, name)

// news reports whether there is something to do when a file is changed: who calls is found out by the way up the stack.
static int news(void) {
	return (spmdc_ahead || atomic_load_explicit(&spmdc_summary, memory_order_relaxed) > LOCAL) && spmdc_active();
}

// changes notes that a file may be changed, before a function does that.
static void changes(const char *function) {
	if (!news() || spmdc_inside())
		return;
	if (spmdc_summary > LOCAL)
		spmdc_changed = function;
	spmdc_mark(LOCAL);
	if (spmdc_ahead)
		spmdc_catch_up();
}

static void writes(int fd, const char *function) {
	struct stat st;
	if (news() && (fd == 1 || fd == 2 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))))
		changes(function);
}

static void flushes(FILE *f, const char *function) {
	if (!f || __fwriting(f))
		changes(function);
}

// A mode that begins with r neither makes a file nor empties it.
static void opens(const char *mode, const char *function) {
	if (*mode != 'r')
		changes(function);
}

static void *buffer(const void *p) {
	int watched;
	return spmdc_active() ? spmdc_buffer(p, &watched) : (void *)p;
}

ssize_t read(int fd, void *p, size_t n) {
	REAL(ssize_t, "read", (int, void *, size_t));
	return real(fd, buffer(p), n);
}

ssize_t write(int fd, const void *p, size_t n) {
	REAL(ssize_t, "write", (int, const void *, size_t));
	writes(fd, "write");
	return real(fd, buffer(p), n);
}

#define AT(name, qualifier, offset, before) \
	ssize_t name(int fd, qualifier void *p, size_t n, offset at) { \
		REAL(ssize_t, #name, (int, qualifier void *, size_t, offset)); \
		before; \
		return real(fd, buffer(p), n, at); \
	}
AT(pread, , off_t, )
AT(pread64, , off64_t, )
AT(pwrite, const, off_t, writes(fd, "pwrite"))
AT(pwrite64, const, off64_t, writes(fd, "pwrite64"))

// A list of buffers, as MPI has them.
#define LIST(name, before) \
	ssize_t name(int fd, const struct iovec *list, int n) { \
		REAL(ssize_t, #name, (int, const struct iovec *, int)); \
		before; \
		if (n < 0 || n > IOV_MAX) \
			return real(fd, list, n); \
		struct iovec as[n + 1]; \
		for (int i = 0; i < n; i++) \
			as[i] = (struct iovec){buffer(list[i].iov_base), list[i].iov_len}; \
		return real(fd, as, n); \
	}
LIST(readv, )
LIST(writev, writes(fd, "writev"))

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
	return real(buffer(p), size, n, f);
}

// What is written goes to the file when it is flushed, or when there is much of it.
size_t fwrite(const void *p, size_t size, size_t n, FILE *f) {
	REAL(size_t, "fwrite", (const void *, size_t, size_t, FILE *));
	changes("fwrite");
	return real(buffer(p), size, n, f);
}

#define NAMED(type, name, params, args, before) \
	type name params { \
		REAL(type, #name, params); \
		before; \
		return real args; \
	}
NAMED(int, fflush, (FILE *f), (f), flushes(f, "fflush"))
NAMED(int, fclose, (FILE *f), (f), flushes(f, "fclose"))
NAMED(FILE *, fopen, (const char *path, const char *mode), (path, mode), opens(mode, "fopen"))
NAMED(FILE *, fopen64, (const char *path, const char *mode), (path, mode), opens(mode, "fopen64"))
NAMED(FILE *, freopen, (const char *path, const char *mode, FILE *f), (path, mode, f), changes("freopen"))
NAMED(FILE *, freopen64, (const char *path, const char *mode, FILE *f), (path, mode, f), changes("freopen64"))
NAMED(int, rename, (const char *old, const char *new), (old, new), changes("rename"))
NAMED(int, unlink, (const char *path), (path), changes("unlink"))
NAMED(int, remove, (const char *path), (path), changes("remove"))
NAMED(int, mkdir, (const char *path, mode_t mode), (path, mode), changes("mkdir"))
NAMED(int, rmdir, (const char *path), (path), changes("rmdir"))
NAMED(int, truncate, (const char *path, off_t n), (path, n), changes("truncate"))
NAMED(int, ftruncate, (int fd, off_t n), (fd, n), changes("ftruncate"))
NAMED(int, ftruncate64, (int fd, off64_t n), (fd, n), changes("ftruncate64"))
NAMED(int, creat, (const char *path, mode_t mode), (path, mode), changes("creat"))

// Other processes that are started may change files.
NAMED(int, system, (const char *command), (command), changes("system"))
NAMED(FILE *, popen, (const char *command, const char *mode), (command, mode), changes("popen"))
NAMED(int, pclose, (FILE *f), (f), changes("pclose"))
NAMED(pid_t, fork, (void), (), changes("fork"))
NAMED(pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options), changes("waitpid"))
NAMED(pid_t, wait, (int *status), (status), changes("wait"))
NAMED(int, posix_spawn, (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const argv[], char *const env[]),
	(pid, path, actions, attributes, argv, env), changes("posix_spawn"))
NAMED(int, posix_spawnp, (pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const argv[], char *const env[]),
	(pid, file, actions, attributes, argv, env), changes("posix_spawnp"))

#define OPEN(name) \
	int name(const char *path, int flags, ...) { \
		va_list args; \
		va_start(args, flags); \
		mode_t mode = va_arg(args, mode_t); \
		va_end(args); \
		REAL(int, #name, (const char *, int, mode_t)); \
		if (flags & (O_CREAT | O_TRUNC)) \
			changes(#name); \
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
