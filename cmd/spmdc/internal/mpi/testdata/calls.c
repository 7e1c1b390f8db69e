// Buffers of system calls in a window, and windows of communicators with one process. Build with mpicc.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

int main(int argc, char **argv) {
	int rank, size, ends[2], bad = 0;
	char *mine;
	double *alone, sum = 0, all;
	MPI_Comm self;
	MPI_Win win, window_of_one;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &self);
	MPI_Win_allocate(sizeof *alone, sizeof *alone, MPI_INFO_NULL, self, &alone, &window_of_one);
	MPI_Win_allocate_shared(40000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
	memset(mine, rank + 1, 40000);
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	*alone = 0;
	for (int i = 0; i < 40; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		struct iovec from[2] = {{mine + 100, 50}, {mine + 9000, 50}}, to = {mine + 20000, 100};
		bad += writev(ends[0], from, 2) != 100;
		MPI_Barrier(MPI_COMM_WORLD);
		bad += readv(ends[1], &to, 1) != 100;
		MPI_Barrier(MPI_COMM_WORLD);
		bad += send(ends[0], mine + 300, 20, 0) != 20;
		MPI_Barrier(MPI_COMM_WORLD);
		bad += recv(ends[1], mine + 30000, 20, 0) != 20;
		sum += mine[20050] + mine[30010];
		MPI_Barrier(MPI_COMM_WORLD);
		*alone += i;
		MPI_Barrier(MPI_COMM_WORLD); // redundant
	}
	sum += *alone + 1e6 * bad;
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%g of %d\n", all, size);
	MPI_Win_free(&win);
	MPI_Win_free(&window_of_one);
	MPI_Finalize();
	return 0;
}
