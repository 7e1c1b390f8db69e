package driver

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spmdc/spmdc/internal/effort"
)

// TestStartMPI: a process that is killed before anybody can say so is reported, with the
// status of mpirun; what the program has said itself is not said again, unless mpirun has lost it.
func TestStartMPI(t *testing.T) {
	for _, c := range []struct {
		script string
		status int
		want   string
	}{
		{"exit 137", 137, "spmdc: a process was ended by a signal (killed) before the program began\n"},
		{"echo x >&2; exit 137", 137, "x\n"},
		{"exit 3", 3, "spmdc: mpirun ended with status 3, and the program has not said why\n"},
		{"exit 130", 130, ""},
		{"echo 3 >$SPMD_ENDING; exit 3", 3, ""}, // as by call exit(3)
		{"printf '1\\nx: wrong\\n' >$SPMD_ENDING; exit 1", 1, "x: wrong\n"},
		{"printf '1\\nx: wrong\\n' >$SPMD_ENDING; echo x: wrong >&2; exit 0", 1, "x: wrong\n"},
		{"echo 0 >$SPMD_ENDING; exit 1", 1, "spmdc: mpirun ended with status 1, but the program without an error\n  set OMPI_MCA_orte_execute_quiet=0 for what Open MPI has to say\n"},
		{"echo 0 >$SPMD_ENDING; echo x >&2", 0, "x\n"},
	} {
		var errs strings.Builder
		status, err := StartMPI("/bin/sh", []string{"-c", c.script}, Stdio{Err: &errs})
		if err != nil || errs.String() != c.want || status != c.status {
			t.Errorf("%s: status %d, %q, %v, want %d, %q", c.script, status, errs.String(), err, c.status, c.want)
		}
	}
}

// TestNotice: what MPICH's mpirun adds to the standard output is left out, wherever the writes part it, and nothing else.
func TestNotice(t *testing.T) {
	const said = "the end YOUR APP\n"
	for size := range 60 {
		for text, want := range map[string]string{said: said, said + notice + "Killed (signal 9)\nmore\n": said} {
			var got strings.Builder
			f := &withoutNotice{w: &got}
			for part := range slices.Chunk([]byte(text), size+1) {
				if n, err := f.Write(part); n != len(part) || err != nil {
					t.Fatal(n, err)
				}
			}
			if f.end(); got.String() != want {
				t.Errorf("in parts of %d bytes: %q, want %q", size+1, &got, want)
			}
		}
	}
}

// TestStartMPIEnds: mpirun is killed where it stays behind what it has started, and not before.
func TestStartMPIEnds(t *testing.T) {
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("there is no /proc")
	}
	look := mpirunLook
	defer func() { mpirunLook = look }()
	mpirunLook = 10 * time.Millisecond
	var errs strings.Builder
	// sleep does not wait for the child of the shell whose place it takes.
	status, err := StartMPI("/bin/sh", []string{"-c", "sleep 0.1 & exec sleep 1000"}, Stdio{Err: &errs})
	if err != nil || status != 137 {
		t.Errorf("status %d, %q, %v", status, errs.String(), err)
	}
	begin := time.Now()
	if status, err := StartMPI("/bin/sh", []string{"-c", "sleep 1 & wait; exit 3"}, Stdio{Err: &errs}); err != nil || status != 3 || time.Since(begin) < time.Second {
		t.Errorf("status %d, %v after %v", status, err, time.Since(begin))
	}
}

// withMPIs calls f for each MPI that there is, with a program of the examples that is built for it.
func withMPIs(t *testing.T, example string, f func(t *testing.T, mpicc, program string, l Launch)) {
	t.Setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
	t.Setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
	file := filepath.Join("..", "..", "..", "..", "examples", filepath.FromSlash(example))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, mpicc := range []string{"mpicc.openmpi", "mpicc.mpich"} {
		t.Run(mpicc, func(t *testing.T) {
			effort.Tool(t, mpicc, "libopenmpi-dev or libmpich-dev")
			l := Launch{Transport: Transport{MPI: mpicc}}
			b := Builder{Table: Passes(), Cache: testCache(t), Host: true}
			program, err := b.Program(New(file, text, Options{Transport: l.Transport}))
			if err != nil {
				t.Fatal(err)
			}
			f(t, mpicc, program, l)
		})
	}
}

// TestKills: whenever a process is killed, also while it starts, all end soon, with one error, and neither a process nor
// a segment of shared memory is left.
func TestKills(t *testing.T) {
	effort.Full(t, "it kills processes for minutes")
	withMPIs(t, "testdata/mpi/endless.f90", func(t *testing.T, mpicc, program string, l Launch) {
		before := segments(t, mpicc)
		for k := range 20 {
			l.Each = 1 + k%2
			kill(t, l, program)
		}
		var left []string
		for range 100 { // what other runs begin and end with vanishes
			left = slices.DeleteFunc(segments(t, mpicc), func(name string) bool { return slices.Contains(before, name) || used(name) })
			if len(left) == 0 {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Errorf("%v are left over", left)
	})
}

// TestRaceMPI: the race detector sees what comes from other processes too, and finds nothing in a program that has no races.
func TestRaceMPI(t *testing.T) {
	effort.Full(t, "it builds with the race detector for MPI")
	t.Setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
	t.Setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
	folder := filepath.Join("..", "..", "..", "..", "examples")
	for _, mpicc := range []string{"mpicc.openmpi", "mpicc.mpich"} {
		effort.Tool(t, mpicc, "libopenmpi-dev or libmpich-dev")
		cache := testCache(t)
		for name, races := range map[string]bool{"testdata/mpi/racy.f90": true, "jacobi/jacobi.hpf": false} {
			t.Run(mpicc+" "+name, func(t *testing.T) {
				file := filepath.Join(folder, filepath.FromSlash(name))
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				l := Launch{Transport: Transport{MPI: mpicc}}
				b := Builder{Table: Passes(), Cache: cache, Host: true, Race: true}
				program, err := b.Program(New(file, text, Options{Transport: l.Transport}))
				if err != nil {
					t.Fatal(err)
				}
				runs, found := 2, false
				if races {
					runs = 8 // one that does not happen in a run is not found
				}
				for k := 0; k < runs && !found; k++ {
					l.Each = 1 + k%2
					mpirun, args, env, err := l.Command(program, 4, []string{"-n", "4"})
					if err != nil {
						t.Fatal(err)
					}
					var stderr strings.Builder
					status, err := StartMPI(mpirun, args, Stdio{Err: &stderr, Env: env})
					is := strings.Contains(stderr.String(), "WARNING: DATA RACE")
					if err != nil || is != (status == 66) || !is && (status != 0 || stderr.Len() > 0) {
						t.Errorf("status %d, %v, errors %q", status, err, &stderr)
					}
					found = is
				}
				if races != found {
					t.Errorf("the detector has found a race: %v", found)
				}
			})
		}
	}
}

// TestKilledGoesOn: a run whose processes are killed goes on from its checkpoints, and prints what it prints in one piece.
func TestKilledGoesOn(t *testing.T) {
	effort.Full(t, "it kills processes for some time")
	withMPIs(t, "plate/plate.hpf", func(t *testing.T, mpicc, program string, l Launch) {
		l.Each = 2
		dir := t.TempDir()
		point, name := filepath.Join(dir, "checkpoint"), filepath.Join(dir, "input")
		if err := os.WriteFile(name, []byte("2 5\n9000 10 24 0 0.01\n9000 20 20 0 0.02\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		run := func(more []string, f func(mpirun string, args []string, stdio Stdio, input *os.File) (int, error)) string {
			input, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer input.Close()
			mpirun, args, env, err := l.Command(program, 4, append([]string{"-n", "4"}, more...))
			if err != nil {
				t.Fatal(err)
			}
			var stdout, stderr synced
			status, err := f(mpirun, args, Stdio{In: input, Out: &stdout, Err: &stderr, Env: env}, input)
			if err != nil || status != 0 {
				t.Fatalf("status %d, %v: %s", status, err, &stderr.text)
			}
			return stdout.text.String()
		}
		want := run(nil, func(mpirun string, args []string, stdio Stdio, _ *os.File) (int, error) {
			return StartMPI(mpirun, args, stdio)
		})
		const kills = 4
		killed, again := 0, 0
		got := run([]string{"-checkpoint", point, "-checkpoint-sync=false"}, func(mpirun string, args []string, stdio Stdio, input *os.File) (int, error) {
			over := make(chan struct{})
			defer close(over)
			go func() {
				for killed < kills {
					select {
					case <-over:
						return
					case <-time.After(time.Duration(300+rand.IntN(700)) * time.Millisecond):
					}
					if pids := processesOf(t, program); len(pids) > 0 && syscall.Kill(pids[rand.IntN(len(pids))], syscall.SIGKILL) == nil {
						killed++
					}
				}
			}()
			return SuperviseMPI(mpirun, args, stdio, 3*kills, func(shown int64) ([]string, error) {
				again++
				_, err := input.Seek(0, io.SeekStart)
				return append(slices.Clone(args), "-restart", "-shown", fmt.Sprint(shown)), err
			}, io.Discard)
		})
		if got != want || again == 0 {
			first := 0
			for first < min(len(got), len(want)) && got[first] == want[first] {
				first++
			}
			t.Errorf("started again %d times it prints %d bytes, in one piece %d, the first %d of which are the same: %.300q and %.300q", again, len(got), len(want), first, got[first:], want[first:])
		}
		t.Logf("killed %d times, started again %d times", killed, again)
	})
}

// kill kills one of the processes of a program that never ends, at some time.
func kill(t *testing.T, l Launch, program string) {
	mpirun, args, env, err := l.Command(program, 4, []string{"-n", "4"})
	if err != nil {
		t.Fatal(err)
	}
	var stdout synced
	var stderr strings.Builder
	var status int
	ended := make(chan error, 1)
	go func() {
		var err error
		status, err = StartMPI(mpirun, args, Stdio{Out: &stdout, Err: &stderr, Env: env})
		ended <- err
	}()
	var pids []int
	for begin := time.Now(); stdout.Len() == 0 && time.Since(begin) < time.Minute; { // until all images are there: MPI's own start ends in its own words
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond)
	if pids = processesOf(t, program); len(pids) == 0 {
		t.Fatalf("no process runs: %s", &stderr)
	}
	begin := time.Now()
	if err := syscall.Kill(pids[rand.IntN(len(pids))], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case err = <-ended:
	case <-time.After(30 * time.Second):
		t.Fatal("the run goes on")
	}
	t.Logf("%d processes, ended after %v, status %d: %s", len(pids), time.Since(begin).Round(time.Millisecond), status, strings.TrimSpace(stderr.String()))
	if err != nil || status == 0 || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("status %d, %v, errors %q, want one line", status, err, &stderr)
	}
	for end := time.Now().Add(3 * time.Second); len(processesOf(t, program)) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("processes %v are still there", processesOf(t, program))
		}
	}
}

// synced is output that can be looked at as it comes.
type synced struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *synced) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

// Len is how many bytes have come.
func (s *synced) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Len()
}

// processesOf lists the processes that run a program.
func processesOf(t *testing.T, program string) (pids []int) {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if exe, err := os.Readlink(link); err == nil && exe == program {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(link)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// segments lists the shared memory of an MPI that has names.
func segments(t *testing.T, mpicc string) (list []string) {
	t.Helper()
	names := map[string][]string{"mpicc.openmpi": {"vader_segment.*"}, "mpicc.mpich": {"mpich_shar*", "ucx_shm_posix_*"}}[mpicc]
	for _, name := range names {
		files, err := filepath.Glob("/dev/shm/" + name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, files...)
	}
	return list
}
