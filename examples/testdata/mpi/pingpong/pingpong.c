// A value goes from process 0 to process 1 and back. It prints µs one way, and the last value.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
	enum { trips = 20000 };
	int rank;
	double x = 0, begin = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	for (int i = 0; i < trips; i++) {
		if (rank == 0) {
			MPI_Send(&x, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
			MPI_Recv(&x, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		} else {
			MPI_Recv(&x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			x += 1;
			MPI_Send(&x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
		}
	}
	if (rank == 0)
		printf("%.4f %.0f\n", (MPI_Wtime() - begin) / trips / 2 * 1e6, x);
	MPI_Finalize();
}
