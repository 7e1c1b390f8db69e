/* A detector for spmdc mpi train and audit, of what compilers make for ThreadSanitizer: a call for each
   access to memory. The program is compiled with -fsanitize=thread, and linked with this file in place of
   that library, without -fsanitize=thread:

     mpicc -g -fsanitize=thread -c prog.c
     mpicc prog.o detector.c -o prog

   The interface is two functions, which the library of spmdc mpi has, and nobody else:

     spmdc_detector(name)       the program has a detector, before MPI_Init
     spmdc_access(first, bytes) the program accesses memory

   What libraries access that were compiled otherwise is not seen, but for memcpy, memmove and memset, which are here. */
#include <stddef.h>
#include <stdint.h>

void spmdc_detector(const char *name) __attribute__((weak));
void spmdc_access(const void *first, size_t bytes) __attribute__((weak));

void __tsan_init(void) {
	if (spmdc_detector)
		spmdc_detector("the detector of ThreadSanitizer's calls");
}

static void accessed(const void *p, size_t bytes) {
	if (spmdc_access)
		spmdc_access(p, bytes);
}

void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}

#define ACCESS(n) \
	void __tsan_read##n(void *p) { accessed(p, n); } \
	void __tsan_write##n(void *p) { accessed(p, n); } \
	void __tsan_unaligned_read##n(void *p) { accessed(p, n); } \
	void __tsan_unaligned_write##n(void *p) { accessed(p, n); } \
	void __tsan_volatile_read##n(void *p) { accessed(p, n); } \
	void __tsan_volatile_write##n(void *p) { accessed(p, n); }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

void __tsan_read_range(void *p, size_t bytes) { accessed(p, bytes); }
void __tsan_write_range(void *p, size_t bytes) { accessed(p, bytes); }
void __tsan_vptr_read(void *p) { accessed(p, sizeof(void *)); }
void __tsan_vptr_update(void *p, void *value) { (void)value, accessed(p, sizeof(void *)); }

#define FETCH(n, op) \
	uint##n##_t __tsan_atomic##n##_fetch_##op(volatile uint##n##_t *p, uint##n##_t v, int order) { \
		(void)order, accessed((void *)p, n / 8); \
		return __atomic_fetch_##op(p, v, __ATOMIC_SEQ_CST); \
	}
#define ATOMIC(n) \
	uint##n##_t __tsan_atomic##n##_load(const volatile uint##n##_t *p, int order) { \
		(void)order, accessed((void *)p, n / 8); \
		return __atomic_load_n(p, __ATOMIC_SEQ_CST); \
	} \
	void __tsan_atomic##n##_store(volatile uint##n##_t *p, uint##n##_t v, int order) { \
		(void)order, accessed((void *)p, n / 8); \
		__atomic_store_n(p, v, __ATOMIC_SEQ_CST); \
	} \
	uint##n##_t __tsan_atomic##n##_exchange(volatile uint##n##_t *p, uint##n##_t v, int order) { \
		(void)order, accessed((void *)p, n / 8); \
		return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); \
	} \
	int __tsan_atomic##n##_compare_exchange_strong(volatile uint##n##_t *p, uint##n##_t *old, uint##n##_t v, int order, int failed) { \
		(void)order, (void)failed, accessed((void *)p, n / 8), accessed(old, n / 8); \
		return __atomic_compare_exchange_n(p, old, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
	} \
	int __tsan_atomic##n##_compare_exchange_weak(volatile uint##n##_t *p, uint##n##_t *old, uint##n##_t v, int order, int failed) { \
		return __tsan_atomic##n##_compare_exchange_strong(p, old, v, order, failed); \
	} \
	FETCH(n, add) FETCH(n, sub) FETCH(n, and) FETCH(n, or) FETCH(n, xor) FETCH(n, nand)
ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)

void __tsan_atomic_thread_fence(int order) { (void)order, __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int order) { (void)order; }

void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
	void *start = to;
	accessed(to, bytes), accessed(from, bytes);
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
	return start;
}

void *memmove(void *to, const void *from, size_t bytes) {
	if ((uintptr_t)to - (uintptr_t)from >= bytes)
		return memcpy(to, from, bytes);
	accessed(to, bytes), accessed(from, bytes);
	char *t = (char *)to + bytes - 1;
	const char *f = (const char *)from + bytes - 1;
	__asm__ volatile("std; rep movsb; cld" : "+D"(t), "+S"(f), "+c"(bytes) : : "memory");
	return to;
}

void *memset(void *to, int value, size_t bytes) {
	void *start = to;
	accessed(to, bytes);
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
	return start;
}
