// Barriers are called from frames whose size varies: by the length of an array, without frame pointer, and by recursion.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define BARE __attribute__((noinline, optimize("O2", "omit-frame-pointer", "no-optimize-sibling-calls")))

static volatile int used;

BARE static void meet(void) {
	MPI_Barrier(MPI_COMM_WORLD);
	used++;
}

__attribute__((noinline)) static void varied(int n) {
	char a[n];
	memset(a, n, n);
	used += a[n / 2];
	meet();
	used += a[n - 1];
}

BARE static void quiet(int n) {
	varied(n);
	used++;
}

BARE static void noisy(int n, double *own, MPI_Win win) {
	double one = 1;
	own[0] += 1;
	MPI_Put(&one, 1, MPI_DOUBLE, 0, 1, 1, MPI_DOUBLE, win);
	MPI_Win_flush(0, win);
	varied(n);
	used++;
}

BARE static void deep(int n) {
	if (n > 0)
		deep(n - 1);
	else
		varied(64);
	used++;
}

int main(int argc, char **argv) {
	int rank;
	double *own;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(2 * sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &win);
	own[0] = own[1] = 0;
	MPI_Win_lock_all(0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < 60; i++) {
		noisy(16 + i * 48 % 400, own, win); // as long as in quiet, and otherwise
		quiet(16 + i * 80 % 400);
		deep(i % 3);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	double sum = own[0] + (rank == 0 ? own[1] : 1);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Finalize();
	if (rank == 0)
		printf("%g\n", sum);
	return 0;
}
