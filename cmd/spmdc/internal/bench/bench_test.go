package bench

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/internal/bundle/bundletest"
	"github.com/spmdc/spmdc/internal/effort"
)

func TestApply(t *testing.T) {
	const text = "program p\n  integer, parameter :: n = 10, m=2*n, nn = 5 ! n = 3\r\n  PARAMETER (eps = 1.0d-3)\n  n = 4\n  x = 'parameter n = 7'\nend\n"
	for _, c := range []struct{ set, want string }{
		{"n=77", strings.Replace(text, ":: n = 10", ":: n = 77", 1)},
		{"NN=-8", strings.Replace(text, "nn = 5", "nn = -8", 1)},
		{"eps=2.5d-9", strings.Replace(text, "1.0d-3", "2.5d-9", 1)},
	} {
		s, err := ParseSetting(c.set)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Apply("p.hpf", []byte(text), []Setting{s})
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s", c.set, err, got)
		}
	}
	for _, text := range []string{"real(kind=8), parameter :: x = 2\n", "integer, parameter :: n = 1; integer, parameter :: q = 2\n"} {
		if got, err := Apply("p.hpf", []byte(text), []Setting{{"kind", "4"}}); err == nil {
			t.Errorf("the kind is no parameter: %s", got)
		}
	}
	if got, err := Apply("p.hpf", []byte("integer, parameter :: n = 1; k = 2\n"), []Setting{{"n", "4"}}); err != nil || !strings.HasPrefix(string(got), "integer, parameter :: n = 4;") {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := Apply("p.hpf", []byte(text), []Setting{{"n", "4"}, {"N", "5"}}); err == nil {
		t.Error("a parameter is set twice")
	}
	for _, bad := range []string{"m=3", "q=1", "x=1"} {
		s, err := ParseSetting(bad)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Apply("p.hpf", []byte(text), []Setting{s}); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
	for _, bad := range []string{"", "n", "n=", "=3", "n=3;stop", "a b=3", "n=1 2", "n=abc", "n=--5", "n=1-2"} {
		if _, err := ParseSetting(bad); err == nil {
			t.Errorf("%q is a setting", bad)
		}
	}
}

func TestShort(t *testing.T) {
	for s, want := range map[float64]string{
		0: "0 ns", 1.23e-7: "123 ns", 9.996e-7: "1.00 us", 1.5e-6: "1.50 us", 0.0123: "12.3 ms", 0.9994: "999 ms", 0.9996: "1.00 s", 12.34: "12.3 s", 1234: "1234 s",
	} {
		if got := short(s); got != want {
			t.Errorf("%g s: %q, want %q", s, got, want)
		}
	}
}

// TestOneWay: a word takes some time from one thread to another, and not for ever.
func TestOneWay(t *testing.T) {
	if s := OneWay(); s < 0 || s > 1 {
		t.Errorf("%g s", s)
	}
}

// script writes a program that can be executed.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "peer")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

const threes = "program threes\n  integer, parameter :: n = 3\n  integer :: k, x(n), s\n!HPF$ DISTRIBUTE x(BLOCK)\n  read *, k\n  s = 0\n  do i = 1, n\n    x(i) = k*i\n  end do\n  do i = 1, n\n    s = s + x(i)\n  end do\n  print *, s\nend program\n"

// measure times threes, which a cache of the test keeps when it is built.
func measure(t *testing.T, o Options) (*Report, error) {
	t.Helper()
	if o.Limit == 0 {
		o.Limit = time.Minute
	}
	return Measure(driver.Passes(), driver.New("threes.hpf", []byte(threes), driver.Options{}), strings.NewReader("2\n"), o)
}

// TestMeasure times a program against one that prints its time, and refuses peers that
// fail, hang, print something else, or are not there.
func TestMeasure(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it builds programs")
	}
	bundletest.Runtime(t)
	t.Setenv("SPMDC_CACHE", t.TempDir())
	right := script(t, "read k\necho $((k * 15))\necho ' seconds 0.25' >&2\n")
	r, err := measure(t, Options{PEs: []int{1, 2}, Peers: []string{right}, Runs: 3, Set: []Setting{{"n", "5"}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Contenders) != 3 || r.Contenders[0].PEs != 0 || r.Contenders[1].Name != "spmdc" || r.Contenders[2].PEs != 2 {
		t.Fatalf("%+v", r)
	}
	peer := r.Contenders[0]
	if !peer.Own || peer.Median != 0.25 || peer.Spread != 0 || len(peer.Seconds) != 3 || r.Contenders[1].Own || strings.TrimSpace(r.Contenders[2].output) != "30" {
		t.Errorf("%+v", r.Contenders)
	}
	for i, c := range r.Contenders {
		for k, d := range r.Contenders {
			if x := r.Ratios[i][k]; x <= 0 || i == k && x != 1 || k == 0 && i > 0 && (x > 4.01*slices.Max(c.Seconds) || x < 3.99*c.Best) {
				t.Errorf("%s takes %g of %s: %v", c.Title(), x, d.Title(), r.Ratios)
			}
		}
	}
	var text strings.Builder
	r.Write(&text)
	for _, want := range []string{"threes.hpf, n=5: medians of 3 runs", " 1 " + right, "250 ms*", "* as the program says", "of 3\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	for _, c := range []struct{ peer, want string }{
		{script(t, "echo 31\n"), " and spmdc on 2 do not print the same: token 1"},
		{script(t, "echo oh >&2; exit 3\n"), "exit status 3\noh"},
		{"/nowhere/peer", "--peer=/nowhere/peer"},
		{"mpi", "there is no file"},
		{"openmp-fast", "there is no file"},
	} {
		_, err := measure(t, Options{PEs: []int{2}, Peers: []string{c.peer}, Runs: 1})
		var f *driver.Failure
		if !errors.As(err, &f) || !strings.Contains(f.Text, c.want) || f.Remedy == "" {
			t.Errorf("%s: %v", c.peer, err)
		}
	}
	if _, err := measure(t, Options{PEs: []int{2}, Peers: []string{right, right}, Runs: 1}); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("the same peer twice: %v", err)
	}
}

// TestHanging: a peer without an end is ended, with what it has started, though it does not
// react to an interrupt.
func TestHanging(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("it builds a program, waits, and looks into /proc")
	}
	t.Setenv("SPMDC_CACHE", t.TempDir())
	pid := filepath.Join(t.TempDir(), "pid")
	hanging := script(t, "trap '' INT\nsleep 300 &\necho $! > "+pid+"\nsleep 300\n")
	_, err := measure(t, Options{PEs: []int{1}, Peers: []string{hanging}, Runs: 1, Limit: 500 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "no end within 500ms") {
		t.Fatal(err)
	}
	text, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	for k := 0; ; k++ {
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(text)) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			break
		}
		if k > 100 {
			t.Fatalf("left behind: %s", stat)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// small are sizes for tests, by benchmark.
var small = map[string]string{
	"tred2": "n=40", "jacobi": "n=33,steps=7", "planes": "n=33,steps=7", "seidel": "n=150,steps=4", "heat3d": "n=13,steps=5",
	"matmul": "n=37", "lu": "n=37", "cg": "m=12,steps=9", "nbody": "n=60", "floyd": "n=41",
	"ft": "logn=4,steps=2", "mg": "n=16,cycles=2", "cgrandom": "n=200,outer=2",
}

// TestBenchmarks: what stands in benchmarks, programs and their peers written by hand,
// all print the same.
func TestBenchmarks(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it builds programs")
	}
	effort.Tool(t, "gfortran", "gfortran")
	effort.Tool(t, "mpifort", "libopenmpi-dev")
	effort.Tool(t, "mpiexec", "openmpi-bin")
	t.Setenv("SPMDC_CACHE", t.TempDir())
	files, err := filepath.Glob("../../../../benchmarks/*.hpf")
	if err != nil || len(files) != len(small) {
		t.Fatalf("%d benchmarks, %v", len(files), err)
	}
	sample := effort.Sample(len(files))
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".hpf")
		if !sample() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			o := Options{PEs: []int{2}, Runs: 1, Limit: 2 * time.Minute}
			if effort.All() {
				o.PEs = []int{1, 2, 3}
			}
			for one := range strings.SplitSeq(small[name], ",") {
				s, err := ParseSetting(one)
				if err != nil {
					t.Fatal(err)
				}
				o.Set = append(o.Set, s)
			}
			o.Peers = present(file, false)
			if alone := []string{"nbody", "floyd", "ft", "mg", "cgrandom"}; !slices.Contains(alone, name) && !slices.Equal(o.Peers, []string{"gfortran", "openmp", "mpi"}) {
				t.Errorf("the peers of %s are %v", name, o.Peers)
			}
			r, err := Measure(driver.Passes(), driver.New(file, text, driver.Options{}), nil, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range r.Contenders {
				if c.Own != (c.Name == "mpi") {
					t.Errorf("%s prints its seconds: %v", c.Title(), c.Own)
				}
			}
		})
	}
}
