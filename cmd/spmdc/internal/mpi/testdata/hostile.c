/* What may upset a library that watches memory: handlers of the program for SIGSEGV, children, threads, libraries that are
   loaded later, windows that are freed and made again, accesses behind the end of one. Build with mpicc -ldl -lpthread. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf out;
static volatile int caught;

static void handler(int sig) {
	caught++;
	siglongjmp(out, 1);
}

static void *fill(void *p) {
	for (int i = 0; i < 1000; i++)
		((int *)p)[i] = 7;
	return NULL;
}

int main(int argc, char **argv) {
	int rank, size, bad = 0, all;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	struct sigaction a = {.sa_handler = handler}, old;
	sigemptyset(&a.sa_mask);
	sigaction(SIGSEGV, &a, &old);
	int (*barrier)(MPI_Comm) = (int (*)(MPI_Comm))dlsym(dlopen(NULL, RTLD_NOW), "MPI_Barrier");
	for (int i = 0; i < 40; i++) {
		int *mine, n = 1000 + i % 3 * 5000, got = -1;
		MPI_Win win;
		MPI_Win_allocate(n * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
		for (int k = 0; k < n; k++)
			bad += mine[k] != mine[k]; /* each page */
		memset(mine, 0, n * sizeof(int));
		for (int k = 0; k < n; k += 500)
			mine[k] = i + rank;
		barrier(MPI_COMM_WORLD); /* needed */
		MPI_Win_lock(MPI_LOCK_SHARED, (rank + 1) % size, 0, win);
		MPI_Get(&got, 1, MPI_INT, (rank + 1) % size, n / 500 * 500 - 500, 1, MPI_INT, win);
		MPI_Win_unlock((rank + 1) % size, win);
		bad += got != i + (rank + 1) % size;
		MPI_Barrier(MPI_COMM_WORLD); /* needed */
		if (i % 10 == 0) {
			pid_t child = fork(); /* it has a view of its own */
			if (child == 0)
				_exit(mine[500] == i + rank ? 0 : 1);
			int status;
			waitpid(child, &status, 0);
			bad += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
		}
		barrier(MPI_COMM_WORLD); /* needed in each tenth round */
		pthread_t t;
		pthread_create(&t, NULL, fill, mine);
		pthread_join(t, NULL);
		MPI_Barrier(MPI_COMM_WORLD); /* needed: a thread has filled it */
		MPI_Win_lock(MPI_LOCK_SHARED, (rank + 1) % size, 0, win);
		MPI_Get(&got, 1, MPI_INT, (rank + 1) % size, 999, 1, MPI_INT, win);
		MPI_Win_unlock((rank + 1) % size, win);
		bad += got != 7;
		MPI_Barrier(MPI_COMM_WORLD); /* needed */
		MPI_Win_free(&win);
		if (sigsetjmp(out, 1) == 0)
			*(volatile int *)16 = 1; /* the program's own handler gets that */
		MPI_Barrier(MPI_COMM_WORLD); /* redundant */
	}
	bad += caught != 40;
	int *left;
	MPI_Win never_freed;
	MPI_Win_allocate(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &left, &never_freed);
	left[0] = 1;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Reduce(&bad, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d wrong\n", all);
	MPI_Win_free(&never_freed);
	MPI_Finalize();
	return 0;
}
