package examples_test

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spmdc/spmdc/internal/bundle/bundletest"
	"github.com/spmdc/spmdc/internal/compare"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/hosts"
)

// processes is a program of a bundle that mpirun starts, on n PEs, of which each process has so
// many or one less.
type processes struct {
	path, name string
	n, each    int
	start      []string // the command that starts them, and its first arguments
}

func (p processes) CommandContext(ctx context.Context, args ...string) *exec.Cmd {
	ranks := (p.n + p.each - 1) / p.each
	all := slices.Concat(p.start[1:], []string{"-n", fmt.Sprint(ranks), p.path, p.name, "-n", fmt.Sprint(p.n)}, args)
	return exec.CommandContext(ctx, p.start[0], all...)
}

// mpis are the MPIs that programs are built with and started by.
var mpis = []struct {
	name, cc string
	run      []string
	debian   string
}{
	{"Open MPI", "mpicc.openmpi", []string{"mpirun.openmpi"}, "openmpi-bin and libopenmpi-dev"},
	{"MPICH", "mpicc.mpich", []string{"mpirun.mpich", "-disable-auto-cleanup"}, "mpich and libmpich-dev"},
}

// TestMPI: in as many processes each example prints what it prints in one, and the
// coarray programs what OpenCoarrays' print, with the checker on too; then how runs end that
// fail, and those that cannot begin.
func TestMPI(t *testing.T) {
	effort.Full(t, "it builds all examples with the compilers of MPI")
	for _, v := range []string{"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_orte_execute_quiet"} {
		t.Setenv(v, "1")
	}
	t.Setenv("OMPI_MCA_hwloc_base_binding_policy", "none")
	endless := filepath.Join("testdata", "mpi", "endless.f90")
	stops := filepath.Join("testdata", "mpi", "stops.f90")
	fails := filepath.Join("testdata", "mpi", "fails.f90")
	// What needs the memory of one process, and how it is refused.
	together := map[string]string{}
	const texts, own = "is CHARACTER, and the images are processes", "is an allocatable component of a coarray, and the images are processes"
	for name, why := range map[string]string{"texts": texts, "deferredlength": texts, "ownedcoarrays": texts, "owncomponents": own} {
		together[filepath.Join("testdata", "coarray", name+".f90")] = why
	}
	status := filepath.Join("testdata", "coarray", "status.f90")
	coarrays := slices.DeleteFunc(coarrayPrograms(t), func(s string) bool { return together[s] != "" })
	sources := slices.Concat(coarrays, []string{endless, stops, fails}, slices.Collect(maps.Keys(together)))
	const checked, barriers, measured = " checked", " barriers", " measured"
	mains := map[string][]byte{}
	for _, e := range examples(t) {
		sources = append(sources, e.source)
		text, err := shared.bundles.emitted(e.source, plans[0], "--profile")
		if err != nil {
			t.Fatal(err)
		}
		mains[e.source+measured] = text
	}
	for _, source := range sources {
		for form, flags := range map[string][]string{"": nil, checked: {"--check"}} {
			text, err := shared.bundles.emitted(source, plans[0], flags...)
			if err != nil {
				t.Fatal(err)
			}
			mains[source+form] = text
		}
	}
	jacobi, plate := filepath.Join("jacobi", "jacobi.hpf"), filepath.Join("plate", "plate.hpf")
	text, err := shared.bundles.emitted(jacobi, "barrier", "--check")
	if err != nil {
		t.Fatal(err)
	}
	mains[jacobi+barriers] = text
	for _, mpi := range mpis {
		t.Run(mpi.name, func(t *testing.T) {
			effort.Tool(t, mpi.cc, mpi.debian)
			effort.Tool(t, mpi.run[0], mpi.debian)
			path, err := bundletest.BuildMPI(filepath.Join(t.TempDir(), "bundle"), mpi.cc, mains)
			if err != nil {
				t.Fatal(err)
			}
			onHost := mpi.run
			apart := append([]string{"env", "SPMD_PROCESSES_APART=1"}, mpi.run...) // each process as if on a host of its own
			t.Run("programs", func(t *testing.T) {
				type way struct {
					form    string
					n, each int
					start   []string
				}
				ways := []way{{checked, 2, 1, onHost}, {"", 3, 1, onHost}, {checked, 3, 1, apart}, {checked, 4, 2, onHost}, {checked, 4, 2, apart}}
				if mpi.name == "MPICH" { // which does what Open MPI does, but for starting them
					ways = []way{{checked, 4, 1, onHost}, {"", 4, 2, onHost}, {"", 4, 2, apart}}
				}
				for _, how := range ways {
					for _, e := range examples(t) {
						t.Run(fmt.Sprint(e.name, how), func(t *testing.T) {
							t.Parallel()
							if err := compare.Outputs(run(t, e.input, processes{path, e.source + how.form, how.n, how.each, how.start}), e.want(t), compare.Default); err != nil {
								t.Error(err)
							}
						})
					}
					for _, source := range coarrays {
						if source == status && len(how.start) > len(onHost) {
							continue // nobody sees there whether an image has stopped
						}
						t.Run(fmt.Sprint(source, how), func(t *testing.T) {
							t.Parallel()
							got := run(t, beside(source, ".in"), processes{path, source + how.form, how.n, how.each, how.start})
							if err := compare.Lines(images(t, source)[how.n], got, compare.Default); err != nil {
								t.Error(err)
							}
						})
					}
				}
			})
			t.Run("measured", func(t *testing.T) {
				for _, how := range []processes{{n: 2, each: 1, start: onHost}, {n: 4, each: 2, start: onHost}, {n: 4, each: 1, start: apart}, {n: 7, each: 3, start: apart}} {
					for _, e := range examples(t) {
						t.Run(fmt.Sprint(e.name, how), func(t *testing.T) {
							t.Parallel()
							p := how
							p.path, p.name = path, e.source+measured
							measuredIn(t, p.n, 1, func(flags ...string) {
								if err := compare.Outputs(run(t, e.input, p, flags...), e.want(t), compare.Default); err != nil {
									t.Error(err)
								}
							})
						})
					}
				}
			})
			if mpi.name == "Open MPI" {
				t.Run("hosts", func(t *testing.T) {
					start, names := hosts.Two(t)
					onTwoHosts(t, start, path, []string{"", checked})
					hostGone(t, names, processes{path, endless, 4, 1, start})
				})
			}
			for _, each := range []int{1, 2} {
				for _, start := range [][]string{onHost, apart} {
					t.Run("barriers", func(t *testing.T) { leavesOut(t, processes{path, jacobi + barriers, 4, each, start}) })
				}
				for _, start := range [][]string{onHost, apart} {
					t.Run("checkpoints", func(t *testing.T) { goesOn(t, processes{path, plate + checked, 4, each, start}) })
				}
				t.Run("stops", func(t *testing.T) { stopped(t, processes{path, stops, 3, each, onHost}) })
				t.Run("stopped apart", func(t *testing.T) {
					out, err := processes{path, status, 2 * each, each, apart}.CommandContext(t.Context()).CombinedOutput()
					if err == nil || strings.Count(string(out), "deadlock: an image has stopped while others wait for it\n") != 1 {
						t.Errorf("%v, %q; want one error", err, out)
					}
				})
				t.Run("stops apart", func(t *testing.T) { stopped(t, processes{path, stops, 3, each, apart}) })
				t.Run("refused", func(t *testing.T) {
					for source, why := range together {
						refused(t, processes{path, source, 3, each, onHost}, why)
					}
				})
				t.Run("fails", func(t *testing.T) { failed(t, processes{path, fails, 3, each, onHost}) })
				t.Run("fails apart", func(t *testing.T) { failed(t, processes{path, fails, 3, each, apart}) })
				t.Run("killed", func(t *testing.T) { killed(t, processes{path, endless, 3 * each, each, onHost}) })
			}
			t.Run("another program", func(t *testing.T) { otherProgram(t, processes{path, stops, 3, 1, onHost}) })
			t.Run("no threads", func(t *testing.T) { noThreads(t, mpi.cc, processes{path, stops, 3, 1, onHost}) })
		})
	}
}

// onTwoHosts runs programs in processes on two hosts.
func onTwoHosts(t *testing.T, start []string, path string, forms []string) {
	for _, form := range forms {
		for _, e := range examples(t) {
			if e.name != "jacobi" && e.name != "tred2" {
				continue
			}
			for _, each := range []int{1, 2} {
				if err := compare.Outputs(run(t, e.input, processes{path, e.source + form, 4 * each, each, start}), e.want(t), compare.Default); err != nil {
					t.Errorf("%s%s: %v", e.source, form, err)
				}
			}
		}
	}
	source := filepath.Join("testdata", "coarray", "synchronisation.f90")
	if err := compare.Lines(images(t, source)[4], run(t, "", processes{path, source, 4, 1, start}), compare.Default); err != nil {
		t.Errorf("%s: %v", source, err)
	}
}

// leavesOut: jacobi prints the same where barriers are learned to be left out, and all but the first of its loop are.
func leavesOut(t *testing.T, p processes) {
	want, err := os.ReadFile(filepath.Join("jacobi", "jacobi.out"))
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	if err := compare.Outputs(run(t, "", p, "-barriers=learn", "-barriers-log="+log), string(want), compare.Default); err != nil {
		t.Error(err)
	}
	if sum := readLog(t, log).Total; sum.elided() != 400 {
		t.Errorf("%+v, want 400 elided", sum)
	}
}

// goesOn: what plate prints up to a checkpoint and from there on is what it prints in one piece.
func goesOn(t *testing.T, p processes) {
	point := filepath.Join(t.TempDir(), "checkpoint")
	input := filepath.Join("plate", "plate.in")
	want, err := os.ReadFile(filepath.Join("plate", "plate.out"))
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, args := range [][]string{{"-stop-after-checkpoint", "7"}, {"-restart"}} {
		in, err := os.Open(input)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		var stderr strings.Builder
		cmd := p.CommandContext(t.Context(), append(args, "-checkpoint", point)...)
		cmd.Stdin, cmd.Stderr = in, &stderr
		out, err := cmd.Output()
		if err != nil || len(out) == 0 || !strings.Contains(stderr.String(), "checkpoint 7, line 43") {
			t.Fatalf("%v: %v, %q, %s", args, err, out, &stderr)
		}
		all = append(all, out...)
	}
	if err := compare.Outputs(string(all), string(want), compare.Default); err != nil {
		t.Error(err)
	}
}

// stopped: the error of an image comes once, with the exit status, and all that was printed.
func stopped(t *testing.T, p processes) {
	var stdout, stderr strings.Builder
	cmd := p.CommandContext(t.Context())
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	if status := cmd.ProcessState.ExitCode(); status != 9 || stderr.String() != "ERROR STOP 9\n" || strings.Count(stdout.String(), "\n") != 3 {
		t.Errorf("status %d, output %q, errors %q", status, &stdout, &stderr)
	}
}

// refused: what needs the memory of one process, or of one host, ends with one error and its remedy.
func refused(t *testing.T, p processes, want string) {
	out, err := p.CommandContext(t.Context()).CombinedOutput()
	if err == nil || strings.Count(string(out), want) != 1 || strings.Count(string(out), "\n") != 2 {
		t.Errorf("%v, %q; want one error", err, out)
	}
}

// failed: a panic of an image is an error with its line.
func failed(t *testing.T, p processes) {
	var stderr strings.Builder
	cmd := p.CommandContext(t.Context())
	cmd.Stderr = &stderr
	_ = cmd.Run()
	const want = "fails.f90:7: image 2: integer divide by zero"
	if cmd.ProcessState.ExitCode() != 1 || strings.Count(stderr.String(), "image") != 1 || !strings.Contains(stderr.String(), want) {
		t.Errorf("status %d, errors %q, want %q once", cmd.ProcessState.ExitCode(), &stderr, want)
	}
}

// otherProgram: processes that were started from different files say so.
func otherProgram(t *testing.T, p processes) {
	text, err := os.ReadFile(p.path)
	if err != nil {
		t.Fatal(err)
	}
	other := p.path + ".other"
	if err := os.WriteFile(other, append(text, 0), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), p.start[0], slices.Concat(p.start[1:], []string{"-n", "3", p.path, p.name, ":", "-n", "1", other, p.name})...)
	refuses(t, cmd, "process 3 runs another program than process 0")
	cmd = exec.CommandContext(t.Context(), p.start[0], slices.Concat(p.start[1:], []string{"-n", "3", p.path, p.name, ":", "-n", "1", p.path, p.name, "-n", "7"})...)
	refuses(t, cmd, "process 3 has got other arguments than process 0")
}

// refuses: the run ends at once, with one error that begins so, and its remedy.
func refuses(t *testing.T, cmd *exec.Cmd, want string) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err == nil || strings.Count(string(out), want) != 1 || strings.Count(string(out), "\n") != 2 {
		t.Errorf("%v, %q; want one error with %q", err, out, want)
	}
}

// noThreads: an MPI that allows one thread alone is refused.
func noThreads(t *testing.T, cc string, p processes) {
	dir := t.TempDir()
	source, library := filepath.Join(dir, "single.c"), filepath.Join(dir, "single.so")
	text := `#include <mpi.h>
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
	int e = PMPI_Init_thread(argc, argv, required, provided);
	*provided = MPI_THREAD_SINGLE;
	return e;
}
`
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-shared", "-fPIC", source, "-o", library).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), p.start[0], slices.Concat(p.start[1:], []string{"-n", fmt.Sprint(p.n), "env", "LD_PRELOAD=" + library, p.path, p.name})...)
	refuses(t, cmd, "this MPI does not allow a process to have several threads")
}

// ranks is the processes that mpirun has started, by their numbers.
func ranks(t *testing.T, mpirun, n int) []int {
	t.Helper()
	pids := make([]int, n)
	started := []string{fmt.Sprint(mpirun)}
	for i := 0; i < len(started); i++ { // MPICH has processes between them
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%s/task/%[1]s/children", started[i]))
		started = append(started, strings.Fields(string(children))...)
		environ, _ := os.ReadFile("/proc/" + started[i] + "/environ")
		for v := range strings.SplitSeq(string(environ), "\x00") {
			name, value, _ := strings.Cut(v, "=")
			if rank, err := strconv.Atoi(value); err == nil && (name == "OMPI_COMM_WORLD_RANK" || name == "PMI_RANK") && rank < n {
				pids[rank], _ = strconv.Atoi(started[i])
			}
		}
	}
	if slices.Contains(pids, 0) {
		t.Fatalf("of the processes %s some have no number: %v", started, pids)
	}
	return pids
}

// vanish: processes are gone, or will be at once.
func vanish(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		for wait := 0; syscall.Kill(pid, 0) == nil; wait++ {
			if wait > 300 {
				t.Errorf("process %d is still there", pid)
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// killed: when a process is killed all end soon, with one error that names its image.
func killed(t *testing.T, p processes) {
	for victim := range p.n / p.each {
		var stderr strings.Builder
		cmd := p.CommandContext(t.Context())
		cmd.Stderr = &stderr
		begun(t, cmd)
		pids := ranks(t, cmd.Process.Pid, p.n/p.each)
		begin := time.Now()
		if err := syscall.Kill(pids[victim], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if took := time.Since(begin); took > 30*time.Second {
			t.Errorf("the run ends %v after its process", took)
		}
		want := fmt.Sprintf("image %d: its process has ended", victim*p.each+1)
		// MPICH kills the others within some hundredths of a second, which may be too soon to say anything,
		// or one of them may be the first that is missed.
		mpich := strings.HasSuffix(p.start[0], ".mpich")
		silent := mpich && stderr.Len() == 0
		if mpich {
			want = "its process has ended"
		}
		if !silent && !strings.Contains(stderr.String(), want) || strings.Count(stderr.String(), "\n") > 1 {
			t.Errorf("errors %q, want a line with %q", &stderr, want)
		}
		vanish(t, pids)
	}
}

// begun starts cmd, and waits for the first line that it prints.
func begun(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%q, then %v; errors: %v", line, err, cmd.Stderr)
	}
}

// hostGone: when the processes of the second host are killed, or its cable is pulled, all processes of the program end within
// half a minute, with one error. Where nothing comes through, Open MPI's own processes stay longer.
func hostGone(t *testing.T, names [2]string, p processes) {
	pidsOn := func(hosts ...string) (pids []int) {
		for _, name := range hosts {
			out, err := exec.Command("ip", "netns", "pids", name).Output()
			if err != nil {
				t.Fatal(err)
			}
			for text := range strings.FieldsSeq(string(out)) {
				pid, _ := strconv.Atoi(text)
				pids = append(pids, pid)
			}
		}
		return pids
	}
	kill := func(hosts ...string) {
		for _, pid := range pidsOn(hosts...) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	cable := func(state string) {
		if out, err := exec.Command("ip", "-n", names[1], "link", "set", "cable", state).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for _, c := range []struct {
		name, want string
		fail       func()
	}{
		{"killed", "the run was ended from outside, or a process on another host has ended\n", func() { kill(names[1]) }},
		{"unreachable", "endless.f90:11: image N: its host cannot be reached any more: it, or the network, has failed\n", func() { cable("down") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			ending := filepath.Join(t.TempDir(), "ending")
			if err := os.WriteFile(ending, nil, 0o666); err != nil {
				t.Fatal(err)
			}
			cmd := p.CommandContext(t.Context())
			cmd.Env = append(os.Environ(), "SPMD_ENDING="+ending)
			begun(t, cmd)
			begin := time.Now()
			c.fail()
			defer cable("up")
			// Looks are counted, since a machine with much else to do slows the run down as it does this.
			const look = 50 * time.Millisecond
			left := 30 * time.Second / look
			for program := true; program; time.Sleep(look) {
				if left--; left < 0 {
					t.Error("the run goes on")
					break
				}
				program = slices.ContainsFunc(pidsOn(names[:]...), func(pid int) bool {
					exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
					return exe == p.path
				})
			}
			t.Logf("ended after %v", time.Since(begin))
			kill(names[:]...)
			_ = cmd.Wait()
			text, err := os.ReadFile(ending)
			// Each host finds the other one lost: here both have the file.
			got := strings.NewReplacer("image 1:", "image N:", "image 3:", "image N:").Replace(string(text))
			if want := "1 failed\n" + c.want; err != nil || got != want {
				t.Errorf("%v: %q, want %q", err, got, want)
			}
		})
	}
}
