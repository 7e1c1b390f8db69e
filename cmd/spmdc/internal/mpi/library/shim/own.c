// The wrappers that are written by hand, for C and Fortran.
#include "shim.h"

// NAMES are the other names of a Fortran function (see wrap.go).
#define NAMES(lower, upper, args) \
	void mpi_##lower args __attribute__((alias("mpi_" #lower "_"))); \
	void mpi_##lower##__ args __attribute__((alias("mpi_" #lower "_"))); \
	void MPI_##upper args __attribute__((alias("mpi_" #lower "_"))); \
	void ompi_##lower##_f args __attribute__((alias("mpi_" #lower "_")));

int MPI_Init(int *argc, char ***argv) {
	spmdc_depth++;
	spmdc_identify();
	int e = PMPI_Init(argc, argv);
	if (--spmdc_depth == 0 && e == MPI_SUCCESS)
		spmdc_begin(MPI_THREAD_SINGLE);
	return e;
}

void mpi_init_(MPI_Fint *error) {
	spmdc_depth++;
	spmdc_identify();
	((void (*)(MPI_Fint *))spmdc_fortran("pmpi_init_"))(error);
	if (--spmdc_depth == 0 && *error == MPI_SUCCESS)
		spmdc_begin(MPI_THREAD_SINGLE);
}
NAMES(init, INIT, (MPI_Fint *))

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
	spmdc_depth++;
	spmdc_identify();
	int e = PMPI_Init_thread(argc, argv, required, provided);
	if (--spmdc_depth == 0 && e == MPI_SUCCESS)
		spmdc_begin(required);
	return e;
}

void mpi_init_thread_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error) {
	spmdc_depth++;
	spmdc_identify();
	((void (*)(MPI_Fint *, MPI_Fint *, MPI_Fint *))spmdc_fortran("pmpi_init_thread_"))(required, provided, error);
	if (--spmdc_depth == 0 && *error == MPI_SUCCESS)
		spmdc_begin(*required);
}
NAMES(init_thread, INIT_THREAD, (MPI_Fint *, MPI_Fint *, MPI_Fint *))

int MPI_Finalize(void) {
	if (spmdc_active())
		spmdc_end();
	return PMPI_Finalize();
}

void mpi_finalize_(MPI_Fint *error) {
	if (spmdc_active())
		spmdc_end();
	((void (*)(MPI_Fint *))spmdc_fortran("pmpi_finalize_"))(error);
}
NAMES(finalize, FINALIZE, (MPI_Fint *))

int MPI_Barrier(MPI_Comm comm) {
	if (!spmdc_active())
		return PMPI_Barrier(comm);
	int e = spmdc_barrier(comm, __builtin_frame_address(0));
	__asm__ volatile("" ::: "memory"); // a jump instead of the call would give up the frame
	return e;
}

void mpi_barrier_(MPI_Fint *comm, MPI_Fint *error) {
	MPI_Comm c = PMPI_Comm_f2c(*comm);
	*error = spmdc_active() ? spmdc_barrier(c, __builtin_frame_address(0)) : PMPI_Barrier(c);
}
NAMES(barrier, BARRIER, (MPI_Fint *, MPI_Fint *))

int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win) {
	return spmdc_active() ? spmdc_win_allocate(bytes, unit, info, comm, base, win) : PMPI_Win_allocate(bytes, unit, info, comm, base, win);
}

int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win) {
	return spmdc_active() ? spmdc_win_allocate_shared(bytes, unit, info, comm, base, win) : PMPI_Win_allocate_shared(bytes, unit, info, comm, base, win);
}

// allocate is both of them for Fortran.
static void allocate(int (*f)(MPI_Aint, int, MPI_Info, MPI_Comm, void *, MPI_Win *), MPI_Aint *bytes, MPI_Fint *unit, MPI_Fint *info, MPI_Fint *comm, void *base, MPI_Fint *win, MPI_Fint *error) {
	MPI_Win w;
	*error = f(*bytes, *unit, PMPI_Info_f2c(*info), PMPI_Comm_f2c(*comm), base, &w);
	if (*error == MPI_SUCCESS)
		*win = PMPI_Win_c2f(w);
}

#define ALLOCATE(lower, upper, f) \
	void mpi_##lower##_(MPI_Aint *bytes, MPI_Fint *unit, MPI_Fint *info, MPI_Fint *comm, void *base, MPI_Fint *win, MPI_Fint *error) { allocate(f, bytes, unit, info, comm, base, win, error); } \
	NAMES(lower, upper, (MPI_Aint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, void *, MPI_Fint *, MPI_Fint *))
ALLOCATE(win_allocate, WIN_ALLOCATE, MPI_Win_allocate)
ALLOCATE(win_allocate_cptr, WIN_ALLOCATE_CPTR, MPI_Win_allocate)
ALLOCATE(win_allocate_shared, WIN_ALLOCATE_SHARED, MPI_Win_allocate_shared)
ALLOCATE(win_allocate_shared_cptr, WIN_ALLOCATE_SHARED_CPTR, MPI_Win_allocate_shared)

int MPI_Win_shared_query(MPI_Win win, int target, MPI_Aint *bytes, int *unit, void *base) {
	return spmdc_active() ? spmdc_win_shared_query(win, target, bytes, unit, base) : PMPI_Win_shared_query(win, target, bytes, unit, base);
}

#define QUERY(lower, upper) \
	void mpi_##lower##_(MPI_Fint *win, MPI_Fint *target, MPI_Aint *bytes, MPI_Fint *unit, void *base, MPI_Fint *error) { *error = MPI_Win_shared_query(PMPI_Win_f2c(*win), *target, bytes, unit, base); } \
	NAMES(lower, upper, (MPI_Fint *, MPI_Fint *, MPI_Aint *, MPI_Fint *, void *, MPI_Fint *))
QUERY(win_shared_query, WIN_SHARED_QUERY)
QUERY(win_shared_query_cptr, WIN_SHARED_QUERY_CPTR)

int MPI_Win_get_attr(MPI_Win win, int key, void *value, int *flag) {
	return spmdc_active() ? spmdc_win_get_attr(win, key, value, flag) : PMPI_Win_get_attr(win, key, value, flag);
}

void mpi_win_get_attr_(MPI_Fint *win, MPI_Fint *key, MPI_Aint *value, MPI_Fint *flag, MPI_Fint *error) {
	((void (*)(MPI_Fint *, MPI_Fint *, MPI_Aint *, MPI_Fint *, MPI_Fint *))spmdc_fortran("pmpi_win_get_attr_"))(win, key, value, flag, error);
	if (*error == MPI_SUCCESS && *flag && *key == MPI_WIN_BASE && spmdc_active())
		*value = (MPI_Aint)spmdc_view(PMPI_Win_f2c(*win), (char *)*value);
}
NAMES(win_get_attr, WIN_GET_ATTR, (MPI_Fint *, MPI_Fint *, MPI_Aint *, MPI_Fint *, MPI_Fint *))

int MPI_Win_create(void *base, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win) {
	return spmdc_active() ? spmdc_win_create(base, bytes, unit, info, comm, win) : PMPI_Win_create(base, bytes, unit, info, comm, win);
}

void mpi_win_create_(void *base, MPI_Aint *bytes, MPI_Fint *unit, MPI_Fint *info, MPI_Fint *comm, MPI_Fint *win, MPI_Fint *error) {
	MPI_Win w;
	*error = MPI_Win_create(base, *bytes, *unit, PMPI_Info_f2c(*info), PMPI_Comm_f2c(*comm), &w);
	if (*error == MPI_SUCCESS)
		*win = PMPI_Win_c2f(w);
}
NAMES(win_create, WIN_CREATE, (void *, MPI_Aint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *))

int MPI_Win_attach(MPI_Win win, void *base, MPI_Aint bytes) {
	return spmdc_active() ? spmdc_win_attach(win, base, bytes) : PMPI_Win_attach(win, base, bytes);
}

void mpi_win_attach_(MPI_Fint *win, void *base, MPI_Aint *bytes, MPI_Fint *error) {
	*error = MPI_Win_attach(PMPI_Win_f2c(*win), base, *bytes);
}
NAMES(win_attach, WIN_ATTACH, (MPI_Fint *, void *, MPI_Aint *, MPI_Fint *))

int MPI_Win_free(MPI_Win *win) {
	return spmdc_active() ? spmdc_win_free(win) : PMPI_Win_free(win);
}

void mpi_win_free_(MPI_Fint *win, MPI_Fint *error) {
	MPI_Win w = PMPI_Win_f2c(*win);
	*error = MPI_Win_free(&w);
	*win = PMPI_Win_c2f(w);
}
NAMES(win_free, WIN_FREE, (MPI_Fint *, MPI_Fint *))
