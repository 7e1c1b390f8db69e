package driver

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spmdc/spmdc/internal/bundle"
)

// Transport is what carries the messages of a program.
type Transport struct {
	// MPI is the C compiler of an MPI, whose mpirun starts the processes in which the PEs are;
	// empty: PEs are goroutines of one process.
	MPI string
}

// InProcess is the transport that needs no other program.
var InProcess Transport

// ParseTransport reads what --transport and --mpicc give. Where --mpicc is not given, CC may name
// the compiler.
func ParseTransport(name, mpicc string) (Transport, error) {
	switch name {
	case "", "inproc":
		if mpicc != "" {
			return InProcess, Usagef("add --transport=mpi", "--mpicc: programs for MPI alone are built with its compiler")
		}
		return InProcess, nil
	case "mpi":
	default:
		return InProcess, Usagef("choose inproc, the default, or mpi", "there is no transport %q", name)
	}
	if cc := os.Getenv("CC"); mpicc == "" && isCompiler(cc) {
		mpicc = cc
	} else if mpicc == "" {
		mpicc = "mpicc"
	}
	if !isCompiler(mpicc) {
		return InProcess, Usagef("name one as mpicc, mpicc.mpich or /opt/mpi/bin/mpicc", "--mpicc=%s: this is no C compiler of MPI", mpicc)
	}
	return Transport{mpicc}, nil
}

func isCompiler(name string) bool { return strings.HasPrefix(filepath.Base(name), "mpicc") }

// mpirun is what starts programs that the compiler has built: it has the same name but for this.
func (t Transport) mpirun() string {
	dir, name := filepath.Split(t.MPI)
	return dir + "mpirun" + strings.TrimPrefix(name, "mpicc")
}

// transportFile is the file of an emitted module that selects its transport.
const transportFile = "transport.go"

const mpiImport = `//go:build mpi

package main

import _ "` + bundle.Path + `/runtime/transport/mpi" // PEs are processes that mpirun starts
`

const installMPI = "install Open MPI (Debian packages openmpi-bin and libopenmpi-dev) or MPICH (mpich and libmpich-dev)"

// mpiCompiler is the C compiler wrapper of MPI, and what it depends on.
type mpiCompiler struct{ path, key string }

// compiler is that of the transport; nil in process.
func (t Transport) compiler() (*mpiCompiler, error) {
	if t == InProcess {
		return nil, nil
	}
	path, err := exec.LookPath(t.MPI)
	if err != nil {
		return nil, Usagef(installMPI, "there is no %s, which building for MPI needs", t.MPI)
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

// unbound lets the PEs of a process run on all processors, while Open MPI gives it one.
var unbound = []string{"OMPI_MCA_hwloc_base_binding_policy=none", "PRTE_MCA_hwloc_default_binding_policy=none"}

// keepRunning lets MPICH leave it to the processes to end, and to say why, when one has been
// killed.
var keepRunning = []string{"-disable-auto-cleanup"}

// Launch is how a program for MPI is started.
type Launch struct {
	Transport
	Each int      // so many PEs share a process, or one less
	More []string // further arguments of mpirun
}

// Flags are the flags of the command line that say so.
func (l Launch) Flags() (flags []string) {
	if l.Transport == InProcess {
		return nil
	}
	flags = []string{"--transport=mpi"}
	if l.MPI != "mpicc" {
		flags = append(flags, "--mpicc="+l.MPI)
	}
	if l.Each > 0 {
		flags = append(flags, fmt.Sprintf("--pes-per-rank=%d", l.Each))
	}
	if len(l.More) > 0 {
		flags = append(flags, "--mpirun-args='"+strings.Join(l.More, " ")+"'")
	}
	return flags
}

// Command is the command that starts a program on n PEs: its name, its arguments and what it adds
// to the environment. The arguments of the program name the number of PEs too.
func (l Launch) Command(program string, n int, args []string) (name string, all, env []string, err error) {
	if name, err = exec.LookPath(l.mpirun()); err != nil {
		return "", nil, nil, Usagef(installMPI, "there is no %s, which starts programs for MPI", l.mpirun())
	}
	more := l.More
	if version, _ := exec.Command(name, "--version").Output(); strings.Contains(string(version), "HYDRA") {
		more = slices.Concat(keepRunning, more)
	}
	each := max(1, l.Each)
	settings := mpiSettings
	if each > 1 {
		settings = slices.Concat(settings, unbound)
	}
	for _, v := range settings {
		key, _, _ := strings.Cut(v, "=")
		if _, is := os.LookupEnv(key); !is {
			env = append(env, v)
		}
	}
	return name, slices.Concat(more, []string{"-n", strconv.Itoa((n + each - 1) / each), program}, args), env, nil
}

// endingVariable names the file in which a program for MPI says how its run ended.
const endingVariable = "SPMD_ENDING"

// StartMPI is Start of mpirun. What the program wrote of its end counts more than what mpirun makes of
// it, which has lost errors and exit statuses. Where a process was ended by a signal before it could
// join the others, so that nobody has said why the run ended, it says so.
func StartMPI(mpirun string, args []string, stdio Stdio) (int, error) {
	end, err := startMPI(mpirun, args, stdio)
	return end.status, err
}

// SuperviseMPI is Supervise of mpirun. The program is started again whenever it has not come to its end or to
// a STOP: the statuses of mpiruns do not say whether it has.
func SuperviseMPI(mpirun string, args []string, stdio Stdio, times int, again func(shown int64) ([]string, error), note io.Writer) (int, error) {
	return supervise(args, stdio, times, again, note, func(args []string, stdio Stdio) (int, string, error) {
		end, err := startMPI(mpirun, args, stdio)
		if end.finished {
			return end.status, "", err
		}
		return end.status, "has failed", err
	})
}

func startMPI(mpirun string, args []string, stdio Stdio) (ending, error) {
	file, setting, err := NewEnding()
	if err != nil {
		return ending{}, err
	}
	defer file.Close()
	said := &counted{w: stdio.Err}
	note := stdio.Err
	stdio.Err = said
	stdio.Env = append(slices.Clip(stdio.Env), setting)
	var out withoutNotice
	hydra := slices.Contains(args, keepRunning[0])
	if hydra {
		out.w = stdio.Out
		defer out.end()
		stdio.Out = &out
	}
	stdio.Watch = watchMPI
	begin := time.Now()
	end, err := start(mpirun, args, stdio)
	if err != nil || end.status != 0 {
		removeSegments(begin)
	}
	if err != nil {
		return end, err
	}
	end, text := file.corrected(end, said.n == 0, args)
	if hydra && said.n == 0 && text == "" && end.status == 128+int(syscall.SIGPIPE) && !out.cut {
		text = "spmdc: mpirun has lost a process that it started, which may have been ended by a signal\n"
	}
	fmt.Fprint(note, text)
	return end, nil
}

// Ending is the file in which a program for MPI says how its run ended.
type Ending struct{ file *os.File }

// NewEnding makes such a file; setting is what the environment of mpirun has more.
func NewEnding() (e *Ending, setting string, err error) {
	file, err := os.CreateTemp("", "spmdc-ending-*")
	if err != nil {
		return nil, "", err
	}
	return &Ending{file}, endingVariable + "=" + file.Name(), nil
}

// Close removes the file.
func (e *Ending) Close() {
	e.file.Close()
	os.Remove(e.file.Name())
}

// Corrected is the exit status of a program that mpirun has started with args, where mpirun's is status, and what is missing
// on the standard error output, which is empty so far if silent is set.
func (e *Ending) Corrected(status int, silent bool, args []string) (int, string) {
	end, text := e.corrected(ending{status: status}, silent, args)
	return end.status, text
}

func (e *Ending) corrected(end ending, silent bool, args []string) (ending, string) {
	own, err := io.ReadAll(e.file)
	if first, text, is := strings.Cut(string(own), "\n"); err == nil && is {
		first, failed := strings.CutSuffix(first, " failed")
		status, _ := strconv.Atoi(first)
		end.finished = end.finished || !failed
		switch {
		case end.status == 0:
			end.status = status
			end.finished = !failed
		case status == 0 && silent:
			text += fmt.Sprintf("spmdc: mpirun ended with status %d, but the program without an error\n  set OMPI_MCA_orte_execute_quiet=0 for what Open MPI has to say\n", end.status)
		}
		if !silent {
			text = ""
		}
		return end, text
	}
	if !silent {
		return end, ""
	}
	if sig := syscall.Signal(end.status - 128); foreign[sig] {
		return end, fmt.Sprintf("spmdc: a process was ended by a signal (%v) before the program began\n", sig)
	} else if sig := syscall.Signal(end.status); foreign[sig] && slices.Contains(args, keepRunning[0]) {
		// MPICH gives the number of the signal, and kills the others within some hundredths of a second.
		return end, fmt.Sprintf("spmdc: mpirun ended with status %d: a process may have been ended by a signal (%v)\n", end.status, sig)
	} else if end.status > 0 && end.status < 128 {
		return end, fmt.Sprintf("spmdc: mpirun ended with status %d, and the program has not said why\n", end.status)
	}
	return end, ""
}

// withoutNotice leaves out what MPICH's mpirun writes on the standard output, behind that of the program, when a
// process was ended by a signal.
type withoutNotice struct {
	w    io.Writer
	held []byte // may be the beginning of the notice
	over bool   // that has come
	cut  bool   // nobody reads the output any more
}

const notice = "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: "

func (f *withoutNotice) Write(b []byte) (int, error) {
	if f.over || f.w == nil {
		return len(b), nil
	}
	f.held = append(f.held, b...)
	text := string(f.held)
	at := strings.Index(text, notice)
	if f.over = at >= 0; !f.over {
		for at = max(0, len(text)-len(notice)+1); !strings.HasPrefix(notice, text[at:]); at++ {
		}
	}
	_, err := f.w.Write(f.held[:at])
	f.held = f.held[at:]
	f.cut = f.cut || err != nil
	return len(b), err
}

// end writes what is no notice.
func (f *withoutNotice) end() {
	if !f.over && f.w != nil {
		_, _ = f.w.Write(f.held)
	}
}

// mpirunGrace is for how many looks in a row mpirun may stay behind the processes that it has started,
// mpirunLook how long it is to the next: looks are counted, since time goes on where all processes are
// stopped.
const mpirunGrace = 40

var mpirunLook = 250 * time.Millisecond

// watchMPI kills mpirun if all that it has started has ended, and it does not: where a process is killed,
// that of Open MPI 4.1 may wait for a lock of its own for ever.
func watchMPI(mpirun *os.Process, ended <-chan struct{}) {
	tick := time.NewTicker(mpirunLook)
	defer tick.Stop()
	ends := 0 // in how many looks all had ended
	for began := false; ; {
		select {
		case <-ended:
			return
		case <-tick.C:
		}
		some, alive := children(mpirun.Pid)
		began = began || alive
		switch {
		case alive || !began && !some:
			ends = 0
		case ends < mpirunGrace:
			ends++
		default:
			_ = mpirun.Kill()
			return
		}
	}
}

// children reports whether a process has some that have not been waited for, and whether some of
// them run. Where that cannot be found out they do.
func children(pid int) (some, alive bool) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if len(lists) == 0 {
		return true, true
	}
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			return true, true
		}
		for child := range strings.FieldsSeq(string(text)) {
			stat, err := os.ReadFile("/proc/" + child + "/stat")
			_, state, _ := strings.Cut(string(stat), ") ")
			some = true
			alive = alive || err == nil && !strings.HasPrefix(state, "Z")
		}
	}
	return some, alive
}

// removeSegments removes the shared memory that Open MPI 4.1, MPICH 4.0 and UCX leave behind at times when a process
// has been killed, most of it while it starts. The names do not say whose it is: what has been made since
// begin, and nobody uses, goes.
func removeSegments(begin time.Time) {
	for _, of := range []string{"vader_segment.*", "mpich_shar_tmp*", "ucx_shm_posix_*"} {
		files, _ := filepath.Glob("/dev/shm/" + of)
		for _, f := range files {
			if st, err := os.Stat(f); err == nil && st.ModTime().After(begin) && !used(f) {
				_ = os.Remove(f)
			}
		}
	}
}

// used reports whether a process has a file in its memory.
func used(file string) bool {
	lists, _ := filepath.Glob("/proc/[0-9]*/maps")
	return slices.ContainsFunc(lists, func(list string) bool {
		text, _ := os.ReadFile(list)
		return strings.Contains(string(text), " "+file+"\n")
	})
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
