// A value is put from process 0 to process 1 with a flag for which that waits, and back, by MPI's one-sided
// communication. It prints µs one way, and the last value.
#include <mpi.h>
#include <stdio.h>

static struct {
	double value;
	volatile long flag;
} *mine, sent;

static MPI_Win win;

// put puts the value, and behind it the flag, which might overtake it without the first flush.
static void put(int to, double value, long flag) {
	sent.value = value, sent.flag = flag;
	MPI_Put(&sent.value, 1, MPI_DOUBLE, to, 0, 1, MPI_DOUBLE, win);
	MPI_Win_flush(to, win);
	MPI_Accumulate((void *)&sent.flag, 1, MPI_LONG, to, sizeof(double), 1, MPI_LONG, MPI_REPLACE, win);
	MPI_Win_flush(to, win);
}

static void await(long flag) {
	while (mine->flag < flag) {
		int is;
		MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is, MPI_STATUS_IGNORE); // MPI makes progress in calls alone
		MPI_Win_sync(win);
	}
}

int main(int argc, char **argv) {
	enum { trips = 20000 };
	int rank;
	double x = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(sizeof *mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
	mine->flag = 0;
	MPI_Win_lock_all(0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	double begin = MPI_Wtime();
	for (long i = 1; i <= trips; i++) {
		if (rank == 0) {
			put(1, x, i);
			await(i);
			x = mine->value;
		} else {
			await(i);
			put(0, mine->value + 1, i);
		}
	}
	if (rank == 0)
		printf("%.4f %.0f\n", (MPI_Wtime() - begin) / trips / 2 * 1e6, x);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Finalize();
}
