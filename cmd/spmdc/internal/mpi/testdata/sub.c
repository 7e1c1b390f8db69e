/* Barriers of sub-communicators only, and messages; no windows. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
	int rank, size, x, sum = 0;
	MPI_Comm half;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	for (int i = 0; i < 50; i++) {
		x = rank + i;
		MPI_Sendrecv_replace(&x, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Barrier(half);
		sum += x * i;
	}
	int all;
	MPI_Reduce(&sum, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d\n", all);
	MPI_Finalize();
	return 0;
}
