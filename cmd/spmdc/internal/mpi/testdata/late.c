/* Barriers that are redundant until round 40, when process 0 alone (argument broken, end, context
   or receive) does what makes them needed: a misspeculation of each kind. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void quiet(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void other(void) { MPI_Barrier(MPI_COMM_WORLD); }

int main(int argc, char **argv) {
	int rank, size, *mine;
	const char *kind = argv[1];
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
	for (int i = 0; i < 60; i++) {
		if (i == 40 && rank == 0 && strcmp(kind, "context"))
			*mine = i;
		if (i == 40 && rank == 0 && !strcmp(kind, "context"))
			other();
		else
			quiet();
		if (i == 40 && !strcmp(kind, "end"))
			break;
		if (i == 40 && !strcmp(kind, "receive")) {
			int x = i; /* process 0 sends when it has passed the barrier */
			if (rank == 0)
				for (int q = 1; q < size; q++)
					MPI_Send(&x, 1, MPI_INT, q, 0, MPI_COMM_WORLD);
			else
				MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
		if (i == 45 && strcmp(kind, "receive"))
			*mine = i; /* an executed barrier follows */
	}
	if (strcmp(kind, "end"))
		MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
