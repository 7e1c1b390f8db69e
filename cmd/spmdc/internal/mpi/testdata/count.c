/* Counts barriers of communicators that have as many processes as the world. */
#include <mpi.h>
#include <stdio.h>

static int barriers;

int MPI_Barrier(MPI_Comm comm) {
	int n, all;
	PMPI_Comm_size(comm, &n);
	PMPI_Comm_size(MPI_COMM_WORLD, &all);
	barriers += n == all;
	return PMPI_Barrier(comm);
}

int MPI_Finalize(void) {
	fprintf(stderr, "barriers of the world %d\n", barriers);
	return PMPI_Finalize();
}
