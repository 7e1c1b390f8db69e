package mpi

import (
	"fmt"
	"strings"
)

// effect is what the library has to know of a function of MPI, besides its arguments.
type effect int

const (
	plain       effect = iota
	operation          // it begins an operation on the memory of a target
	flush              // operations on the target, or on all, end
	local              // they end as far as this process is concerned
	prepare            // it makes a persistent request
	start              // it starts persistent requests
	synchronous        // it ends when the receiver has begun
	file               // it accesses a file, which all processes may
)

// function is a function of MPI that gets a wrapper. Each character of arguments is one:
//
//	b buffer                   i int          a MPI_Aint      O MPI_Offset
//	p buffer, until completed  v const int *  x const MPI_Aint *
//	R target                   t MPI_Datatype T const MPI_Datatype *
//	S source                   o MPI_Op       c MPI_Comm      w MPI_Win    f MPI_File
//	q new request              r request      n number of requests, before Q requests
//	s MPI_Status *             j int *        m MPI_Message *
type function struct {
	name, arguments string
	effect          effect
	as              string // the function that does it, if it is another one
}

var cTypes = map[rune]string{
	'b': "const void *", 'p': "const void *", 'i': "int ", 'a': "MPI_Aint ", 'O': "MPI_Offset ", 'v': "const int *", 'x': "const MPI_Aint *", 'R': "int ", 'S': "int ",
	't': "MPI_Datatype ", 'T': "const MPI_Datatype *", 'o': "MPI_Op ", 'c': "MPI_Comm ", 'w': "MPI_Win ", 'f': "MPI_File ",
	'q': "MPI_Request *", 'r': "MPI_Request *", 'n': "int ", 'Q': "MPI_Request *", 's': "MPI_Status *", 'j': "int *", 'm': "MPI_Message *",
}

// functions are those with wrappers that are generated. A message that is sent in ready mode
// needs a receive that was posted before, maybe on the other side of a barrier: it is sent in standard mode.
var functions = func() (list []function) {
	add := func(e effect, arguments string, names ...string) {
		for _, name := range names {
			name, as, _ := strings.Cut(name, "=")
			list = append(list, function{name, arguments, e, as})
		}
	}
	add(operation, "bitRaitw", "Put", "Get")
	add(operation, "bitRaitwq", "Rput", "Rget")
	add(operation, "bitRaitow", "Accumulate")
	add(operation, "bitRaitowq", "Raccumulate")
	add(operation, "bitbitRaitow", "Get_accumulate")
	add(operation, "bitbitRaitowq", "Rget_accumulate")
	add(operation, "bbtRaow", "Fetch_and_op")
	add(operation, "bbbtRaw", "Compare_and_swap")
	add(flush, "Rw", "Win_flush", "Win_unlock")
	add(flush, "w", "Win_flush_all", "Win_unlock_all", "Win_complete")
	add(flush, "iw", "Win_fence")
	add(local, "Rw", "Win_flush_local")
	add(local, "w", "Win_flush_local_all")

	add(plain, "bitiic", "Send", "Bsend", "Rsend=Send")
	add(synchronous, "bitiic", "Ssend")
	add(plain, "pitiicq", "Isend", "Ibsend", "Irsend=Isend")
	add(synchronous, "pitiicq", "Issend")
	add(prepare, "bitiicq", "Send_init", "Bsend_init", "Ssend_init", "Rsend_init=Send_init")
	add(plain, "bitSics", "Recv")
	add(plain, "pitSicq", "Irecv")
	add(prepare, "bitSicq", "Recv_init")
	add(plain, "bitiibitSics", "Sendrecv")
	add(plain, "bitiiSics", "Sendrecv_replace")
	add(plain, "Sics", "Probe")
	add(plain, "Sicjs", "Iprobe")
	add(plain, "Sicms", "Mprobe")
	add(plain, "Sicjms", "Improbe")
	add(plain, "bitms", "Mrecv")
	add(plain, "pitmq", "Imrecv")
	add(start, "r", "Start")
	add(start, "nQ", "Startall")
	add(plain, "rs", "Wait")
	add(plain, "rjs", "Test")
	add(plain, "nQs", "Waitall")
	add(plain, "nQjs", "Waitany", "Testall")
	add(plain, "nQjjs", "Testany")

	collectives := func(arguments string, names ...string) {
		add(plain, arguments, names...)
		for _, name := range names {
			add(plain, strings.ReplaceAll(arguments, "b", "p")+"q", "I"+strings.ToLower(name[:1])+name[1:])
		}
	}
	collectives("bitic", "Bcast")
	collectives("bbitoic", "Reduce")
	collectives("bbitoc", "Allreduce", "Scan", "Exscan", "Reduce_scatter_block")
	collectives("bbvtoc", "Reduce_scatter")
	collectives("bitbitic", "Gather", "Scatter")
	collectives("bitbvvtic", "Gatherv")
	collectives("bvvtbitic", "Scatterv")
	collectives("bitbitc", "Allgather", "Alltoall", "Neighbor_allgather", "Neighbor_alltoall")
	collectives("bitbvvtc", "Allgatherv", "Neighbor_allgatherv")
	collectives("bvvtbvvtc", "Alltoallv", "Neighbor_alltoallv")
	collectives("bvvTbvvTc", "Alltoallw")
	collectives("bvxTbvxTc", "Neighbor_alltoallw")

	add(file, "fbits", "File_read", "File_read_all", "File_read_shared", "File_read_ordered", "File_write", "File_write_all", "File_write_shared", "File_write_ordered")
	add(file, "fObits", "File_read_at", "File_read_at_all", "File_write_at", "File_write_at_all")
	add(file, "fpitq", "File_iread", "File_iwrite", "File_iread_shared", "File_iwrite_shared")
	add(file, "fOpitq", "File_iread_at", "File_iwrite_at")
	add(file, "f", "File_sync")
	return list
}()

// results are the buffers that a function writes: all but those of which MPI only reads.
func constBuffer(f *function, index int) bool {
	read := map[string]int{"Put": 1, "Rput": 1, "Accumulate": 1, "Raccumulate": 1, "Get_accumulate": 1, "Rget_accumulate": 1, "Fetch_and_op": 1, "Compare_and_swap": 2}
	n, ok := read[f.name]
	name := strings.TrimPrefix(f.name, "I")
	switch {
	case ok:
	case strings.Contains(f.name, "end") && !strings.Contains(f.name, "recv_replace"), strings.Contains(f.name, "write"):
		n = 1
	case strings.Count(f.arguments, "b")+strings.Count(f.arguments, "p") == 2 && !strings.EqualFold(name, "bcast"):
		n = 1
	}
	return index < n
}

// wrappers is the C source of the wrappers, for C and Fortran separately: MPI's Fortran
// interface calls PMPI, so that a wrapper of the C function does not see its calls.
func wrappers() string {
	var b strings.Builder
	b.WriteString("#include \"shim.h\"\n")
	for i := range functions {
		functions[i].c(&b)
		functions[i].fortran(&b)
	}
	return b.String()
}

func (f *function) target() string {
	if f.as != "" {
		return f.as
	}
	return f.name
}

// body is the statements of a wrapper. value is argument k as C has it, call the call with buffers in their place.
func (f *function) body(b *strings.Builder, value func(kind rune, k int) string, waiting, waited string, call string) {
	if strings.ContainsAny(f.arguments, "bpq") {
		fmt.Fprintf(b, "\tint watched = 0, any = 0;\n\t(void)any;\n")
	}
	win, target := "", "-1"
	var after []string
	for k, kind := range f.arguments {
		switch kind {
		case 'b', 'p':
			fmt.Fprintf(b, "\tx%d = spmdc_buffer(x%d, &watched);\n", k, k)
		case 'w':
			win = value(kind, k)
		case 'R':
			target = value(kind, k)
		case 'S':
			result := ""
			if strings.Contains(f.arguments, "q") {
				result = "any = "
			}
			fmt.Fprintf(b, "\t%sspmdc_source(%s);\n", result, value(kind, k))
		case 'r', 'Q':
			n := "1"
			if kind == 'Q' {
				n = value('n', k-1)
			}
			fmt.Fprintf(b, "\tint n = %s;\n\tMPI_Request *old = %s(n, x%d);\n", n, waiting, k)
			after = append(after, fmt.Sprintf("%s(old, n, x%d);", waited, k))
		case 'q':
			if f.effect != prepare {
				after = append(after, fmt.Sprintf("spmdc_started(watched, any, %s);", value(kind, k)))
			}
		}
	}
	switch f.effect {
	case operation:
		fmt.Fprintf(b, "\tspmdc_operation(%s, %s);\n", win, target)
	case flush:
		fmt.Fprintf(b, "\tspmdc_flush(%s, %s, 1);\n", win, target)
	case local:
		fmt.Fprintf(b, "\tspmdc_flush(%s, %s, 0);\n", win, target)
	case prepare:
		b.WriteString("\tspmdc_prepared(watched, any);\n")
	case start:
		b.WriteString("\tspmdc_restarted();\n")
	case file, synchronous:
		b.WriteString("\tspmdc_mark(REMOTE);\n")
	}
	b.WriteString("\tspmdc_depth++;\n\t" + call + "\n\tspmdc_depth--;\n")
	for _, s := range after {
		b.WriteString("\t" + s + "\n")
	}
}

func (f *function) c(b *strings.Builder) {
	var params, args []string
	buffers := 0
	for k, kind := range f.arguments {
		t := cTypes[kind]
		if kind == 'b' || kind == 'p' {
			if !constBuffer(f, buffers) {
				t = "void *"
			}
			buffers++
		}
		if kind == 's' && f.name == "Waitall" || f.name == "Testall" && kind == 's' {
			t = "MPI_Status *"
		}
		params = append(params, fmt.Sprintf("%sx%d", t, k))
		args = append(args, fmt.Sprintf("x%d", k))
	}
	list := strings.Join(args, ", ")
	fmt.Fprintf(b, "\nint MPI_%s(%s) {\n\tif (!spmdc_active())\n\t\treturn PMPI_%s(%s);\n", f.name, strings.Join(params, ", "), f.target(), list)
	f.body(b, func(kind rune, k int) string {
		if kind == 'q' {
			return fmt.Sprintf("*x%d", k)
		}
		return fmt.Sprintf("x%d", k)
	}, "spmdc_waiting", "spmdc_waited", fmt.Sprintf("int e = PMPI_%s(%s);", f.target(), list))
	b.WriteString("\treturn e;\n}\n")
}

func (f *function) fortran(b *strings.Builder) {
	var params, args, types []string
	for k := range f.arguments {
		params = append(params, fmt.Sprintf("void *x%d", k))
		args = append(args, fmt.Sprintf("x%d", k))
		types = append(types, "void *")
	}
	params, args, types = append(params, "void *error"), append(args, "error"), append(types, "void *")
	list := strings.Join(args, ", ")
	name := "mpi_" + strings.ToLower(f.name)
	fmt.Fprintf(b, "\nvoid %s_(%s) {\n\tstatic void (*real)(%s);\n\tif (!real)\n\t\treal = spmdc_fortran(\"pmpi_%s_\");\n", name, strings.Join(params, ", "), strings.Join(types, ", "), strings.ToLower(f.target()))
	fmt.Fprintf(b, "\tif (!spmdc_active()) {\n\t\treal(%s);\n\t\treturn;\n\t}\n", list)
	f.body(b, func(kind rune, k int) string {
		switch kind {
		case 'w':
			return fmt.Sprintf("PMPI_Win_f2c(*(MPI_Fint *)x%d)", k)
		case 'q':
			return fmt.Sprintf("PMPI_Request_f2c(*(MPI_Fint *)x%d)", k)
		}
		return fmt.Sprintf("*(MPI_Fint *)x%d", k)
	}, "spmdc_waiting_fortran", "spmdc_waited_fortran", fmt.Sprintf("real(%s);", list))
	b.WriteString("}\n")
	aliases(b, strings.ToLower(f.name), strings.Join(params, ", "))
}

// aliases are the other names of a Fortran function: as other compilers have it, and the one by
// which Open MPI's module mpi_f08 calls it.
func aliases(b *strings.Builder, name, params string) {
	for _, other := range []string{"mpi_" + name, "mpi_" + name + "__", "MPI_" + strings.ToUpper(name), "ompi_" + name + "_f"} {
		fmt.Fprintf(b, "void %s(%s) __attribute__((alias(\"mpi_%s_\")));\n", other, params, name)
	}
}
