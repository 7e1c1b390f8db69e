package mpi

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/barriers"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/hosts"
	"github.com/spmdc/spmdc/runtime/elide"
)

const examples = "../../../../../examples/mpi/" // from testdata

// needs skips a test that runs programs under the engine, which is built as a shared library, with
// a standard library of its own, where not all is to be tried.
func needs(t *testing.T) {
	t.Helper()
	effort.Full(t, "it builds the engine, and runs processes")
	effort.Tool(t, "mpicc", "libopenmpi-dev")
	oversubscribed(t)
}

// oversubscribed lets Open MPI start more processes than there are processors, which then wait
// without keeping others from running, as root too.
func oversubscribed(t *testing.T) {
	for _, v := range []string{"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"} {
		t.Setenv(v, "1")
	}
}

// built compiles a program of testdata.
func built(t *testing.T, compiler string, args ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "prog")
	cmd := exec.Command(compiler, append(args, "-g", "-O0", "-o", out)...)
	cmd.Dir = "testdata"
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, text)
	}
	return out
}

// cache is the user's: building the engine takes long.
func cache(t *testing.T) *driver.Cache {
	t.Helper()
	c, err := driver.OpenCache()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// unwatched is what a command prints without the library.
func unwatched(t *testing.T, command ...string) string {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", command, err, stderr.String())
	}
	return string(out)
}

// ran is a run with the library that must end.
func ran(t *testing.T, o Options, command ...string) (log *elide.Log, out, said string, status int, err error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	defer stop()
	var stdout, stderr bytes.Buffer
	done := make(chan struct{})
	go func() {
		log, status, err = Run(command, o, cache(t), func(string) {}, driver.Stdio{Out: &stdout, Err: &stderr})
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		t.Fatalf("%v hangs: %s", command, stderr.String())
	}
	return log, stdout.String(), stderr.String(), status, err
}

// Programs print what they print without the library, and barriers are elided where they order nothing.
func TestPrograms(t *testing.T) {
	needs(t)
	for _, c := range []struct {
		name     string
		compiler []string
		tool     string // Debian package of the compiler
		barriers uint64
		elided   uint64
		needed   uint64 // executed and not redundant, at least
		mpirun   string // "": that of Open MPI
		apart    bool   // the processes agree as if they were on several hosts
	}{
		{"rma.c", []string{"mpicc", examples + "c/rma.c"}, "", 600, 190, 400, "", false},
		{"rma.f90", []string{"mpifort", "-cpp", examples + "fortran/rma.f90"}, "libopenmpi-dev gfortran", 401, 180, 200, "", false},
		{"rma.f90 with mpi_f08", []string{"mpifort", "-cpp", "-DF08", examples + "fortran/rma.f90"}, "libopenmpi-dev gfortran", 401, 180, 200, "", false},
		{"ring.f90", []string{"caf", examples + "coarray/ring.f90"}, "libcoarrays-openmpi-dev libopenmpi-dev", 243, 100, 120, "", false},
		{"sub.c", []string{"mpicc", "sub.c"}, "", 0, 0, 0, "", false},
		{"anysource.c", []string{"mpicc", "anysource.c"}, "", 180, 100, 60, "", false},
		{"shared.c", []string{"mpicc", "shared.c"}, "", 600, 190, 399, "", false},
		{"loads.c", []string{"mpicc", "loads.c"}, "", 120, 0, 120, "", false},
		{"hostile.c", []string{"mpicc", "hostile.c", "-ldl", "-lpthread"}, "", 241, 30, 165, "", false},
		{"files.c", []string{"mpicc", "files.c"}, "", 240, 50, 72, "", false},
		{"several hosts, files.c", []string{"mpicc", "files.c"}, "", 240, 50, 72, "", true},
		{"calls.c", []string{"mpicc", "calls.c"}, "", 240, 30, 161, "", false},
		{"create.c", []string{"mpicc", "create.c"}, "", 200, 40, 150, "", false},
		{"own.c", []string{"mpicc", "own.c"}, "", 404, 120, 254, "", false},
		{"several hosts, own.c", []string{"mpicc", "own.c"}, "", 404, 120, 254, "", true},
		// Without the library, too, Debian's MPICH 4.0.2 loses what process 0 puts by MPI_Put: not rma.c and create.c.
		{"stack.c", []string{"mpicc", "stack.c"}, "", 182, 80, 61, "", false},
		{"several hosts, rma.c", []string{"mpicc", examples + "c/rma.c"}, "", 600, 190, 400, "", true},
		{"several hosts, shared.c", []string{"mpicc", "shared.c"}, "", 600, 190, 399, "", true},
		{"several hosts, MPICH, rma.f90", []string{"mpifort.mpich", "-cpp", examples + "fortran/rma.f90"}, "libmpich-dev gfortran", 401, 180, 200, "mpirun.mpich", true},
		{"MPICH, rma.f90", []string{"mpifort.mpich", "-cpp", examples + "fortran/rma.f90"}, "libmpich-dev gfortran", 401, 180, 200, "mpirun.mpich", false},
		{"MPICH, sub.c", []string{"mpicc.mpich", "sub.c"}, "libmpich-dev", 0, 0, 0, "mpirun.mpich", false},
		{"MPICH, anysource.c", []string{"mpicc.mpich", "anysource.c"}, "libmpich-dev", 180, 100, 60, "mpirun.mpich", false},
		{"MPICH, shared.c", []string{"mpicc.mpich", "shared.c"}, "libmpich-dev", 600, 190, 399, "mpirun.mpich", false},
		{"MPICH, loads.c", []string{"mpicc.mpich", "loads.c"}, "libmpich-dev", 120, 0, 120, "mpirun.mpich", false},
		{"MPICH, calls.c", []string{"mpicc.mpich", "calls.c"}, "libmpich-dev", 240, 30, 161, "mpirun.mpich", false},
		{"MPICH, files.c", []string{"mpicc.mpich", "files.c"}, "libmpich-dev", 240, 50, 72, "mpirun.mpich", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.tool != "" {
				effort.Tool(t, c.compiler[0], c.tool)
			}
			if c.apart {
				t.Setenv("SPMDC_MPI_APART", "1")
			}
			prog := built(t, c.compiler[0], c.compiler[1:]...)
			for _, n := range []string{"2", "3"} {
				command := []string{cmp.Or(c.mpirun, "mpirun"), "-n", n, prog}
				want := unwatched(t, command...)
				log, out, said, status, err := ran(t, Options{Mode: elide.Online}, command...)
				if err != nil || status != 0 || out != want {
					t.Fatalf("-n %s: status %d, %v\n%s%s\nwant\n%s", n, status, err, out, said, want)
				}
				var sum elide.Counts
				for i := range log.Contexts {
					sum.Add(&log.Contexts[i].Counts)
					if strings.HasPrefix(log.Contexts[i].Path[0], "libc.so") {
						t.Errorf("-n %s: a context begins before main: %v", n, log.Contexts[i].Path)
					}
				}
				if sum.Barriers != c.barriers || sum.Elided() != c.elided || sum.Barriers-sum.Redundant < c.needed {
					t.Errorf("-n %s: %+v, want %d barriers, %d elided, %d needed", n, sum, c.barriers, c.elided, c.needed)
				}
			}
		})
	}
}

// A plan of a training run elides nothing that the program needs: it ends as without the library.
func TestTraining(t *testing.T) {
	needs(t)
	for _, c := range []struct {
		source string
		elided uint64
	}{
		{examples + "c/rma.c", 200},
		{"create.c", 50},
		{"own.c", 150},
		{"loads.c", 0},
	} {
		command := []string{"mpirun", "-n", "2", built(t, "mpicc", c.source)}
		log, want, said, status, err := ran(t, Options{Mode: elide.Audit}, command...)
		if err != nil || status != 0 {
			t.Fatalf("%s: status %d, %v\n%s", c.source, status, err, said)
		}
		plan := barriers.Classify(log)
		for i := range plan.Entries {
			plan.Entries[i].Verdict = elide.Elide
		}
		file := filepath.Join(t.TempDir(), "plan")
		if err := plan.WriteFile(file); err != nil {
			t.Fatal(err)
		}
		log, out, said, status, err := ran(t, Options{Mode: elide.ByPlan, Plan: file}, command...)
		if err != nil || status != 0 || out != want {
			t.Fatalf("%s: status %d, %v\n%s%s\nwant\n%s", c.source, status, err, out, said, want)
		}
		var sum elide.Counts
		for i := range log.Contexts {
			sum.Add(&log.Contexts[i].Counts)
		}
		if sum.Elided() != c.elided {
			t.Errorf("%s: %d barriers elided, want %d", c.source, sum.Elided(), c.elided)
		}
	}
}

// A detector in the program watches memory that no page protection can: what was needed for want of knowledge is
// redundant. Where barriers are elided it does not count.
func TestDetector(t *testing.T) {
	needs(t)
	object := filepath.Join(t.TempDir(), "prog.o")
	for _, c := range []struct {
		compiler, source    string
		barriers, redundant uint64
	}{
		{"mpicc", "create.c", 200, 100},
		{"mpicc", "loads.c", 120, 0},
	} {
		if out, err := exec.Command(c.compiler, "-g", "-O1", "-fsanitize=thread", "-c", filepath.Join("testdata", c.source), "-o", object).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		command := []string{"mpirun", "-n", "2", built(t, "mpicc", object, examples+"tsan/detector.c")}
		want := unwatched(t, command...)
		for _, mode := range []elide.Mode{elide.Audit, elide.Online} {
			log, out, said, status, err := ran(t, Options{Mode: mode}, command...)
			if err != nil || status != 0 || out != want || strings.Contains(said, "ThreadSanitizer") != (mode == elide.Audit) {
				t.Fatalf("%s, %v: status %d, %v\n%s%s\nwant\n%s", c.source, mode, status, err, out, said, want)
			}
			var sum elide.Counts
			for i := range log.Contexts {
				sum.Add(&log.Contexts[i].Counts)
			}
			if sum.Barriers != c.barriers || mode == elide.Audit && sum.Redundant != c.redundant || mode == elide.Online && sum.Redundant > min(c.redundant, 50) {
				t.Errorf("%s, %v: %+v, want %d barriers, %d redundant", c.source, mode, sum, c.barriers, c.redundant)
			}
		}
	}
}

// On two hosts barriers are elided as on one, and misspeculation ends all processes.
func TestHosts(t *testing.T) {
	needs(t)
	start, _ := hosts.Two(t)
	rma, late := built(t, "mpicc", examples+"c/rma.c"), built(t, "mpicc", "late.c")
	// UCX makes no windows on TCP.
	t.Setenv("OMPI_MCA_osc", "^ucx")
	want := unwatched(t, append(start, "-n", "4", rma)...)
	for _, v := range []string{"LD_PRELOAD", "SPMDC_MPI_ENGINE", "SPMDC_MPI_CONFIG", "SPMDC_MPI_PROTECT"} {
		start = append(start, "-x", v)
	}
	start = append(start, "-n", "4")
	log, out, said, status, err := ran(t, Options{Mode: elide.Online}, append(start, rma)...)
	if err != nil || status != 0 || out != want {
		t.Fatalf("status %d, %v\n%s%s\nwant\n%s", status, err, out, said, want)
	}
	var sum elide.Counts
	for i := range log.Contexts {
		sum.Add(&log.Contexts[i].Counts)
	}
	if sum.Barriers != 600 || sum.Elided() != 190 {
		t.Errorf("%+v, want 600 barriers, 190 of them elided", sum)
	}
	for _, kind := range []string{"broken", "receive"} {
		_, _, said, status, err := ran(t, Options{Mode: elide.Online}, append(start, late, kind)...)
		if err != nil || status != 4 || !strings.Contains(said, "misspeculation at barrier 41") {
			t.Errorf("%s: status %d, %v\n%s", kind, status, err, said)
		}
	}
}

// Misspeculation of each kind is reported, and all processes end.
func TestMisspeculation(t *testing.T) {
	needs(t)
	for _, mpi := range []string{".openmpi", ".mpich", ".openmpi apart", ".mpich apart"} {
		t.Run(mpi, func(t *testing.T) {
			mpi, apart := strings.CutSuffix(mpi, " apart")
			if apart {
				t.Setenv("SPMDC_MPI_APART", "1")
			}
			effort.Tool(t, "mpicc"+mpi, "libopenmpi-dev or libmpich-dev")
			prog := built(t, "mpicc"+mpi, "late.c")
			for kind, want := range map[string]string{
				"broken":  "consensus was broken by some PEs only",
				"end":     "a PE went to the end of the program",
				"context": "",
				"receive": "other PEs did not come",
			} {
				log, _, said, status, err := ran(t, Options{Mode: elide.Online}, "mpirun"+mpi, "-n", "3", prog, kind)
				if err != nil || log != nil || status != 4 || !strings.Contains(said, "misspeculation at barrier 41: "+want) || !strings.Contains(said, "late.c") && !strings.Contains(said, "prog+0x") {
					t.Errorf("%s: status %d, %v\n%s", kind, status, err, said)
				}
			}
			if apart {
				return
			}
			// With a blacklist the second run is right.
			o := Options{Mode: elide.Online, Blacklist: filepath.Join(t.TempDir(), "black")}
			for _, want := range []int{4, 0} {
				if _, _, said, status, err := ran(t, o, "mpirun"+mpi, "-n", "3", prog, "broken"); err != nil || status != want {
					t.Errorf("blacklist: status %d, want %d; %v\n%s", status, want, err, said)
				}
			}
		})
	}
}

// Without the protection of pages loads and stores are not seen: the wrong results come back.
func TestUnprotected(t *testing.T) {
	needs(t)
	_, out, said, status, err := ran(t, Options{Mode: elide.Online, Unprotected: true}, "mpirun", "-n", "2", built(t, "mpicc", "loads.c"))
	if err != nil || status != 0 || !strings.HasSuffix(out, " wrong\n") || out == "0 wrong\n" {
		t.Errorf("status %d, %v\n%s%s", status, err, out, said)
	}
}

// What cannot be done is refused before anything runs, with a remedy.
func TestRefusals(t *testing.T) {
	needs(t)
	empty := filepath.Join(t.TempDir(), "empty.c")
	if err := os.WriteFile(empty, []byte("int main(void) { return 0; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, _, _, err := ran(t, Options{Mode: elide.Audit}, "mpirun", "-n", "2", built(t, "gcc", "-static", empty)); err == nil || !strings.Contains(err.Error(), "statically linked") {
		t.Error(err)
	}
	if _, _, _, _, err := ran(t, Options{Mode: elide.Audit}, "mpirun", "-n", "2", built(t, "gcc", empty)); err == nil || !strings.Contains(err.Error(), "MPI_Finalize") {
		t.Error(err)
	}
	if _, err := exec.LookPath("mpifort.mpich"); err == nil {
		if _, _, _, _, err := ran(t, Options{Mode: elide.Audit}, "mpirun.mpich", "-n", "2", built(t, "mpifort.mpich", "-cpp", "-DF08", examples+"fortran/rma.f90")); err == nil || !strings.Contains(err.Error(), "mpi_f08 of MPICH") {
			t.Error(err)
		}
	}
	threads := built(t, "mpicc", "threads.c")
	if _, out, said, status, err := ran(t, Options{Mode: elide.Online}, "mpirun", "-n", "2", threads); err != nil || status != 2 || out != "" || !strings.Contains(said, "MPI_THREAD_MULTIPLE") {
		t.Errorf("status %d, %v: %s%s", status, err, out, said)
	}
	if log, out, said, status, err := ran(t, Options{Mode: elide.Audit}, "mpirun", "-n", "2", threads); err != nil || status != 0 || out != "done\n" || log == nil {
		t.Errorf("status %d, %v: %s%s", status, err, out, said)
	}
}

// NWChem's barriers are all seen: as many as a wrapper that does nothing else counts. The energy is
// that of the plain run, and no barrier that it needs is elided.
func TestNWChem(t *testing.T) {
	needs(t)
	effort.Tool(t, "nwchem.openmpi", "nwchem-openmpi")
	count := built(t, "mpicc", "-shared", "-fPIC", "count.c")
	input, err := filepath.Abs("testdata/scf.nw")
	if err != nil {
		t.Fatal(err)
	}
	energy := func(out string) float64 {
		_, rest, _ := strings.Cut(out, "Total SCF energy =")
		var e float64
		if _, err := fmt.Sscan(rest, &e); err != nil {
			t.Fatalf("no energy: %v in\n%s", err, out)
		}
		return e
	}
	command := []string{"mpirun", "-n", "2", "nwchem.openmpi", input}
	t.Chdir(t.TempDir()) // it writes files
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "LD_PRELOAD="+count)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	plain, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	want := energy(string(plain))
	var barriers uint64
	_, counted, _ := strings.Cut(stderr.String(), "barriers of the world ")
	if _, err := fmt.Sscan(counted, &barriers); err != nil || barriers < 4000 {
		t.Fatalf("%d barriers, %v: %s", barriers, err, stderr.String())
	}
	for _, mode := range []elide.Mode{elide.Audit, elide.Online} {
		t.Chdir(t.TempDir())
		log, out, said, status, err := ran(t, Options{Mode: mode}, command...)
		if err != nil || status != 0 {
			t.Fatalf("%v: status %d, %v\n%s", mode, status, err, said)
		}
		var sum elide.Counts
		for i := range log.Contexts {
			sum.Add(&log.Contexts[i].Counts)
		}
		t.Logf("%v: %+v in %d contexts", mode, sum, len(log.Contexts))
		if got := energy(out); math.Abs(got-want) > 1e-8 {
			t.Errorf("%v: energy %.12f, want %.12f", mode, got, want)
		}
		if sum.Barriers != barriers || (sum.Elided() >= barriers/10) != (mode == elide.Online) || sum.Redundant < barriers/2 {
			t.Errorf("%v: %+v, and the program has %d barriers", mode, sum, barriers)
		}
	}
}
