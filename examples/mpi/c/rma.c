/* Each process writes to its right neighbour's window, with a barrier on either side; a library
   synchronises once more on entry, which is redundant. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double *mine;
static MPI_Win win;

static void library_entry(void) { MPI_Barrier(MPI_COMM_WORLD); }

static double exchange(int rank, int size, int step) {
	double value = rank + 100.0 * step;
	MPI_Win_lock(MPI_LOCK_SHARED, (rank + 1) % size, 0, win);
	MPI_Put(&value, 1, MPI_DOUBLE, (rank + 1) % size, 0, 1, MPI_DOUBLE, win);
	MPI_Win_unlock((rank + 1) % size, win);
	MPI_Barrier(MPI_COMM_WORLD); /* needed: the neighbour has put */
	double got = mine[0];
	MPI_Barrier(MPI_COMM_WORLD); /* needed: the neighbour will put again */
	return got;
}

int main(int argc, char **argv) {
	int rank, size;
	double sum = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Win_allocate(sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
	for (int step = 0; step < 200; step++) {
		library_entry(); /* redundant */
		sum += exchange(rank, size, step);
	}
	double total;
	MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%.1f\n", total);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
