package driver

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Transport is what carries the messages of a program.
type Transport string

const (
	InProcess Transport = ""    // PEs are goroutines of one process
	MPI       Transport = "mpi" // PEs are processes that mpirun starts
)

// ParseTransport reads what --transport gives.
func ParseTransport(name string) (Transport, error) {
	switch name {
	case "", "inproc":
		return InProcess, nil
	case "mpi":
		return MPI, nil
	}
	return "", Usagef("choose inproc, the default, or mpi", "there is no transport %q", name)
}

// transportFile is the file of an emitted module that selects its transport.
const transportFile = "transport.go"

const mpiImport = `//go:build mpi

package main

import _ "` + modulePath + `/runtime/transport/mpi" // PEs are processes that mpirun starts
`

const installMPI = "install Open MPI (Debian packages openmpi-bin and libopenmpi-dev) or MPICH (mpich and libmpich-dev)"

// mpiCompiler is the C compiler wrapper of MPI, and what it depends on.
type mpiCompiler struct{ path, key string }

func findMPI() (*mpiCompiler, error) {
	path, err := exec.LookPath("mpicc")
	if err != nil {
		return nil, Usagef(installMPI, "there is no mpicc on PATH, which building for MPI needs")
	}
	shown, err := exec.Command(path, "-show").Output() // Open MPI and MPICH both know it
	if err != nil {
		return nil, Usagef(installMPI, "%s does not work: %v", path, err)
	}
	return &mpiCompiler{path, string(shown)}, nil
}

// build has the arguments and the environment by which the go command builds for MPI.
func (m *mpiCompiler) build() (flags, env []string) {
	return []string{"-tags=mpi"}, []string{"CGO_ENABLED=1", "CC=" + m.path}
}

// mpiSettings let Open MPI start more processes than there are processors, as the
// in-process transport does, and say nothing of its own about a program's exit status. A
// user's own settings count.
var mpiSettings = []string{"OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_MCA_orte_execute_quiet=1", "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe"}

// MPIRun is the command that starts a program for MPI on n PEs: its name, its arguments
// and what it adds to the environment. more are arguments of mpirun.
func MPIRun(program string, n int, more, args []string) (name string, all, env []string, err error) {
	if name, err = exec.LookPath("mpirun"); err != nil {
		return "", nil, nil, Usagef(installMPI, "there is no mpirun on PATH, which starts programs for MPI")
	}
	for _, v := range mpiSettings {
		key, _, _ := strings.Cut(v, "=")
		if _, is := os.LookupEnv(key); !is {
			env = append(env, v)
		}
	}
	return name, slices.Concat(more, []string{"-n", strconv.Itoa(n), program}, args), env, nil
}

// StartMPI is Start of mpirun. Where a process was ended by a signal before it could join the
// others, so that nobody has said why the run ended, it says so.
func StartMPI(mpirun string, args []string, stdio Stdio) (int, error) {
	said := &counted{w: stdio.Err}
	note := stdio.Err
	stdio.Err = said
	status, err := Start(mpirun, args, stdio)
	if sig := syscall.Signal(status - 128); err == nil && foreign[sig] && said.n == 0 {
		fmt.Fprintf(note, "spmdc: a process was ended by a signal (%v) before the program began\n", sig)
	}
	return status, err
}

// mpiFailure is the error of a build for MPI that the C compiler or its linker has refused;
// nil if the text does not look like that.
func mpiFailure(text string) error {
	for _, mark := range []string{"mpi.h", "cgo", "C compiler", "lmpi", "mpicc"} {
		if strings.Contains(text, mark) {
			return Usagef(installMPI+", and a C compiler (gcc)", "the program cannot be built for MPI: %s", firstLines(text, 3))
		}
	}
	return nil
}
