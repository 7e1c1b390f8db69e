/* A window of the program's own memory, which is not watched: no barrier is elided as long as it is
   there; those before and behind are. A detector watches it, and finds those redundant before which it is not accessed. */
#include <mpi.h>
#include <stdio.h>

static void quiet(void) { MPI_Barrier(MPI_COMM_WORLD); }

int main(int argc, char **argv) {
	int rank, size, x = 0, sum = 0;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < 50; i++)
		quiet(); /* redundant */
	MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	for (int i = 0; i < 50; i++) {
		MPI_Win_lock(MPI_LOCK_SHARED, (rank + 1) % size, 0, win);
		MPI_Put(&i, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
		MPI_Win_unlock((rank + 1) % size, win);
		MPI_Barrier(MPI_COMM_WORLD); /* needed */
		sum += x;
		MPI_Barrier(MPI_COMM_WORLD); /* needed */
	}
	for (int i = 0; i < 50; i++)
		MPI_Barrier(MPI_COMM_WORLD); /* redundant: nobody accesses x */
	MPI_Win_free(&win);
	if (rank == 0)
		printf("%d\n", sum);
	MPI_Finalize();
	return 0;
}
