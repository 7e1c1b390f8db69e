/* No windows, no messages: process 0 writes a file which the others read behind a barrier; then they
   print one after another. Of four barriers two are needed by the file, and the others by the lines. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
	int rank, x, wrong = 0;
	char name[64];
	FILE *f;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(name, sizeof name, "/tmp/spmdc-files-%d", (int)getppid());
	for (int i = 0; i < 60; i++) {
		if (rank == 0) {
			usleep(200);
			f = fopen(name, "w");
			fprintf(f, "%d\n", i);
			fclose(f);
		}
		MPI_Barrier(MPI_COMM_WORLD);
		f = fopen(name, "r");
		if (!f || fscanf(f, "%d", &x) != 1 || x != i)
			wrong++;
		if (f)
			fclose(f);
		MPI_Barrier(MPI_COMM_WORLD);
		for (int p = 0; p < 2; p++) {
			if (rank == p && i % 10 == 0) {
				printf("%d %d\n", p, i);
				fflush(stdout);
				usleep(50000); /* mpirun passes on what it has */
			}
			MPI_Barrier(MPI_COMM_WORLD);
		}
	}
	if (rank == 0)
		remove(name);
	if (wrong)
		printf("%d wrong\n", wrong);
	MPI_Finalize();
	return 0;
}
