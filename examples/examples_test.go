// Package examples_test holds the examples to what gfortran's programs print:
// every example, under every synchronisation plan, at several numbers of PEs.
package examples_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spmdc/spmdc/fortran"
	"github.com/spmdc/spmdc/internal/compare"
	"github.com/spmdc/spmdc/internal/effort"
	_ "github.com/spmdc/spmdc/internal/gcless"
)

var update = flag.Bool("update", false, "write the goldens of explain comm")

// plans are the synchronisation plans; all give the same answers.
var plans = []string{"elide", "popl96", "handshake", "barrier"}

// chosenPlans are those that programs of tests are run under: all of them, or the first.
func chosenPlans() []string {
	if effort.All() {
		return plans
	}
	return plans[:1]
}

// plansOfExamples are chosenPlans, and the one whose programs differ most.
func plansOfExamples() []string {
	if effort.All() || testing.Short() {
		return chosenPlans()
	}
	return []string{"elide", "barrier"}
}

// runLimit is how long one run of an example may take. None needs a tenth of
// it; a run that does has lost a message.
const runLimit = 2 * time.Minute

// tools are the programs that all tests share, made on first use.
type tools struct {
	dir     string // temporary
	spmdc   func() (string, error)
	bundles bundles
}

var shared tools

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "spmdc-examples-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	shared.dir, shared.spmdc = dir, sync.OnceValues(func() (string, error) {
		// The go command remembers the result of a test for as long as the files are the
		// same that it looked at. The compiler is built of more than what is imported here.
		err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && path != ".." && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return err
		})
		if err != nil {
			return "", err
		}
		bin := filepath.Join(dir, "spmdc")
		out, err := exec.Command("go", "build", "-o", bin, "../cmd/spmdc").CombinedOutput()
		if err != nil {
			err = fmt.Errorf("go build ../cmd/spmdc: %w\n%s", err, out)
		}
		return bin, err
	})
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// spmdc runs the compiler and returns what it prints on stdout.
func spmdc(t testing.TB, args ...string) []byte {
	t.Helper()
	out, err := trySpmdc(args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func trySpmdc(args ...string) ([]byte, error) {
	bin, err := shared.spmdc()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(bin, args...)
	cmd.Env = append(os.Environ(), "SPMDC_CACHE="+filepath.Join(shared.dir, "cache"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("spmdc %s: %w\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return out, err
}

// run runs a program with the contents of a file as its input and returns its
// output; input "" is the empty input.
func run(t *testing.T, input string, program program, args ...string) string {
	t.Helper()
	out, err := tryRun(input, program, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// tryRun is run that returns its error: an exit status other than 0, a run
// without end, or anything on stderr.
func tryRun(input string, program program, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), runLimit)
	defer cancel()
	cmd := program.CommandContext(ctx, args...)
	// Files that it writes stay in a folder of its own.
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	cmd.Dir = dir
	// Without this a program with the race detector sleeps a second at its end.
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	if input != "" {
		in, err := os.Open(input)
		if err != nil {
			return "", err
		}
		defer in.Close()
		cmd.Stdin = in
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		err = fmt.Errorf("no end within %v", runLimit)
	case err == nil && stderr.Len() > 0:
		err = errors.New("exit status 0, but there is something on stderr")
	}
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, stderr.Bytes())
	}
	return stdout.String(), err
}

// example is one folder of examples.
type example struct {
	name   string
	source string
	out    string // what gfortran's program prints
	input  string // file, or ""
}

func examples(t testing.TB) []example {
	t.Helper()
	sources, err := filepath.Glob("*/*.hpf")
	if err != nil || len(sources) < 10 {
		t.Fatalf("only %d examples: %v", len(sources), err)
	}
	var all []example
	for _, source := range sources {
		name := filepath.Dir(source)
		if name == "testdata" {
			continue // programs of single tests
		}
		e := example{name: name, source: source, out: filepath.Join(name, name+".out")}
		inputs, _ := filepath.Glob(filepath.Join(name, "*.mtx"))
		if in := filepath.Join(name, name+".in"); exists(in) {
			inputs = append(inputs, in)
		}
		if len(inputs) > 0 {
			e.input = inputs[0]
		}
		all = append(all, e)
	}
	return all
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (e example) want(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(e.out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// check runs program on n PEs, with more arguments, and compares.
func (e example) check(t *testing.T, program program, n int, args ...string) {
	t.Helper()
	got := run(t, e.input, program, append([]string{"-n", fmt.Sprint(n)}, args...)...)
	if err := compare.Outputs(e.want(t), got, compare.Default); err != nil {
		t.Errorf("%d PEs %v: %v", n, args, err)
	}
}

// TestExamples: each example equals gfortran's program token by token. 40 PEs
// are more than some arrays have elements per dimension.
func TestExamples(t *testing.T) {
	counts := []int{1, 2, 3, 4, 7, 40}
	if testing.Short() {
		counts = []int{1, 3}
	}
	for _, e := range examples(t) {
		for _, plan := range plansOfExamples() {
			t.Run(e.name+"/"+plan, func(t *testing.T) {
				t.Parallel()
				sameProgram(t, e.source, plan)
				program := build(t, e.source, plan)
				for _, n := range counts {
					if n == 3 || plan == plans[0] || effort.All() {
						e.check(t, program, n)
					}
				}
			})
		}
	}
}

// TestChecked: the checks of --check do not change an answer, and find nothing
// in programs that are right.
func TestChecked(t *testing.T) {
	if testing.Short() {
		t.Skip("long: a bundle of its own")
	}
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			e.check(t, build(t, e.source, plans[0], "--check"), 3)
		})
	}
}

// TestRace runs the examples under the race detector: under plan elide on several
// numbers of PEs, under the others, whose messages are more, on one.
func TestRace(t *testing.T) {
	effort.Full(t, "builds every example with the race detector")
	effort.Tool(t, "gcc", "gcc")
	for _, e := range examples(t) {
		for _, plan := range plans {
			t.Run(e.name+"/"+plan, func(t *testing.T) {
				t.Parallel()
				sameProgram(t, e.source, plan, "--race")
				program := build(t, e.source, plan, "--race")
				counts := []int{2, 3, 4, 7}
				if plan != plans[0] {
					counts = []int{3}
				}
				for _, n := range counts {
					e.check(t, program, n)
				}
			})
		}
	}
}

// TestGfortran: the .out files are what gfortran's programs print here too.
func TestGfortran(t *testing.T) {
	if testing.Short() {
		t.Skip("long: a compilation of each example")
	}
	effort.Tool(t, "gfortran", "gfortran")
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			checkGfortran(t, e)
		})
	}
}

// checkGfortran compares an example's .out file with what gfortran's program prints,
// which is compiled as Fortran 2018 unless flags say otherwise. One in eight programs
// is compared on most days: the files change only when somebody changes them.
func checkGfortran(t *testing.T, e example, flags ...string) {
	t.Helper()
	if !effort.Share(e.name, 8) {
		t.Skip("one of eight programs: all with SPMDC_REQUIRE=all")
	}
	effort.Tool(t, "gfortran", "gfortran")
	program := filepath.Join(t.TempDir(), e.name)
	args := append([]string{"-x", "f95", "-ffree-form", "-std=f2018", "-O1", "-ffp-contract=off", "-fwrapv", "-J", filepath.Dir(program)}, flags...)
	text, err := os.ReadFile(e.source)
	if err != nil {
		t.Fatal(err)
	}
	if fortran.NeedsLibrary(text) {
		file := filepath.Join(filepath.Dir(program), fortran.LibraryName)
		if err := os.WriteFile(file, fortran.Library(text), 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	out, err := exec.Command("gfortran", append(args, "../fortran/modules/spmd.f90", e.source, "-o", program)...).CombinedOutput()
	if err != nil {
		t.Fatalf("gfortran: %v\n%s", err, out)
	}
	if err := compare.Outputs(run(t, e.input, file(program)), e.want(t), compare.Default); err != nil {
		t.Errorf("%s is not what gfortran's program prints: %v", e.out, err)
	}
}

// TestCommGolden: what the compiler says of each example's communications, with
// their kinds, lines, CO and UO, and of every nest that falls back.
func TestCommGolden(t *testing.T) {
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			got := spmdc(t, "explain", e.source, "comm")
			golden := filepath.Join(e.name, "comm.golden")
			if *update {
				if err := os.WriteFile(golden, got, 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if errors.Is(err, os.ErrNotExist) {
				t.Fatalf("there is no %s; go test -update writes it", golden)
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := sameLines(string(want), string(got)); err != nil {
				t.Errorf("explain comm differs from %s (go test -update rewrites it): %v", golden, err)
			}
		})
	}
}

// sameLines names the first line in which two texts differ.
func sameLines(want, got string) error {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		var a, b string
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b || i >= len(w) || i >= len(g) {
			return fmt.Errorf("line %d\nwant: %q\ngot:  %q", i+1, a, b)
		}
	}
	return nil
}
