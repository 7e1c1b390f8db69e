/* Between the making of a window of the program's own memory and its first use there are barriers, and some of them
   are needed: nobody sees how the processes fill their parts. */
#include <mpi.h>
#include <stdio.h>

static void quiet(void) { MPI_Barrier(MPI_COMM_WORLD); }

int main(int argc, char **argv) {
	int rank, size, wrong = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < 20; i++)
		quiet(); /* redundant */
	for (int round = 0; round < 20; round++) {
		int x = -1, got = -1;
		MPI_Win win;
		MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
		if (rank == 0) /* the others come to the barrier before */
			for (volatile int wait = 0; wait < 100000; wait++)
				;
		x = 100 * round + rank;
		quiet(); /* needed */
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_unlock(0, win);
		wrong += got != 100 * round;
		MPI_Barrier(MPI_COMM_WORLD); /* needed */
		MPI_Win_free(&win);
	}
	if (rank == 0)
		printf("%d wrong\n", wrong);
	MPI_Finalize();
	return 0;
}
