/* Windows of memory that the program has: of what malloc has mapped, twice, and of a static array of
   whole pages, which are watched; and of a variable on the stack, which is not, so that barriers are
   executed as long as that window is there, before its first use too. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 100000

static double pages[1024] __attribute__((aligned(4096)));

static void quiet(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void put(double v, int to, MPI_Aint at, MPI_Win win) {
	MPI_Win_lock(MPI_LOCK_SHARED, to, 0, win);
	MPI_Put(&v, 1, MPI_DOUBLE, to, at, 1, MPI_DOUBLE, win);
	MPI_Win_unlock(to, win);
}

int main(int argc, char **argv) {
	int rank, size, x = 0, flag;
	double sum = 0, *own = malloc(N * sizeof *own), *base, all;
	FILE *f;
	MPI_Win win, half, still, stack;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int next = (rank + 1) % size;
	for (int i = 0; i < N; i++)
		own[i] = i + rank;
	for (int i = 0; i < 1024; i++)
		pages[i] = i;
	for (int i = 0; i < 50; i++)
		quiet(); /* redundant */
	MPI_Win_create(own, N * sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_create(own + N / 2, N / 2 * sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &half);
	MPI_Win_create(pages, sizeof pages, sizeof *pages, MPI_INFO_NULL, MPI_COMM_WORLD, &still);
	MPI_Win_get_attr(half, MPI_WIN_BASE, &base, &flag);
	if (!flag || base != own + N / 2)
		printf("the base of a window is another one\n");
	for (int i = 0; i < 50; i++)
		quiet(); /* redundant */
	for (int i = 0; i < 50; i++) {
		put(i, next, 1000 * i, win);
		put(2 * i, next, 1000 * i, half);
		MPI_Barrier(MPI_COMM_WORLD); /* needed */
		sum += own[1000 * i] + base[1000 * i] + pages[i];
		pages[i]++;
		MPI_Barrier(MPI_COMM_WORLD); /* needed: the own memory of a window was accessed */
	}
	/* the system writes into the window, and reads from it */
	if ((f = tmpfile())) {
		fwrite(own, sizeof *own, N, f);
		rewind(f);
		memset(own, 0, N * sizeof *own);
		MPI_Barrier(MPI_COMM_WORLD); /* needed */
		if (fread(own, sizeof *own, N, f) != N)
			printf("the file has another length\n");
		fclose(f);
	}
	MPI_Barrier(MPI_COMM_WORLD); /* needed */
	for (int i = 0; i < 50; i++)
		MPI_Barrier(MPI_COMM_WORLD); /* redundant */
	MPI_Win_free(&win);
	for (int i = 0; i < 50; i++)
		sum += own[1000 * i] + base[i];
	MPI_Barrier(MPI_COMM_WORLD); /* needed */
	put(7, next, 3, half);
	MPI_Barrier(MPI_COMM_WORLD); /* needed */
	sum += base[3];
	MPI_Win_free(&half);
	MPI_Win_free(&still);
	for (int i = 0; i < N; i++)
		sum += own[i] + pages[i % 1024];
	free(own);
	MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &stack);
	for (int i = 0; i < 50; i++)
		quiet(); /* executed */
	for (int i = 0; i < 50; i++) {
		MPI_Win_lock(MPI_LOCK_SHARED, next, 0, stack);
		MPI_Put(&i, 1, MPI_INT, next, 0, 1, MPI_INT, stack);
		MPI_Win_unlock(next, stack);
		MPI_Barrier(MPI_COMM_WORLD); /* needed */
		sum += x;
		MPI_Barrier(MPI_COMM_WORLD); /* needed */
	}
	MPI_Win_free(&stack);
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%.0f\n", all);
	MPI_Finalize();
	return 0;
}
