/* No windows. In each round process 0 receives one message from any source, and only a barrier
   keeps the message of the next round out. The barriers of quiet are redundant. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static void quiet(void) {
	MPI_Barrier(MPI_COMM_WORLD); /* redundant */
	MPI_Barrier(MPI_COMM_WORLD); /* redundant */
}

int main(int argc, char **argv) {
	int rank, size, x, wrong = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < 60; i++) {
		if (rank == 1 + i % (size - 1)) {
			usleep(500);
			MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		}
		if (rank == 0) {
			MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			wrong += x != i;
		}
		MPI_Barrier(MPI_COMM_WORLD); /* needed */
		quiet();
	}
	if (rank == 0)
		printf("%d wrong\n", wrong);
	MPI_Finalize();
	return 0;
}
