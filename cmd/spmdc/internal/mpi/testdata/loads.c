/* Each process stores into its window, late on process 0, and its neighbours get that behind a barrier. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
	int rank, size, *mine, got, wrong = 0, all;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
	for (int i = 1; i <= 60; i++) {
		if (rank == 0)
			usleep(2000);
		*mine = i;
		MPI_Barrier(MPI_COMM_WORLD); /* needed */
		MPI_Win_lock(MPI_LOCK_SHARED, (rank + 1) % size, 0, win);
		MPI_Get(&got, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
		MPI_Win_unlock((rank + 1) % size, win);
		wrong += got != i;
		MPI_Barrier(MPI_COMM_WORLD); /* needed */
	}
	MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d wrong\n", all);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
