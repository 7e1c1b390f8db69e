/* Windows of shared memory: each process reads its neighbour's part by loads. */
#include <mpi.h>
#include <stdio.h>

static void quiet(void) { MPI_Barrier(MPI_COMM_WORLD); /* redundant */ }

int main(int argc, char **argv) {
	int rank, size, *mine, *first, unit;
	long sum = 0, all;
	MPI_Aint bytes;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
	MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < 200; i++) {
		*mine = rank + i;
		MPI_Win_sync(win);
		MPI_Barrier(MPI_COMM_WORLD); /* needed */
		MPI_Win_sync(win);
		sum += first[(rank + 1) % size] * (long)i;
		MPI_Barrier(MPI_COMM_WORLD); /* needed */
		quiet();
	}
	MPI_Win_unlock_all(win);
	MPI_Reduce(&sum, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%ld\n", all);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
