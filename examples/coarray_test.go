package examples_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/spmdc/spmdc/internal/compare"
	"github.com/spmdc/spmdc/internal/effort"
)

// Programs with coarrays print on every image, in an order of their own making:
// outputs are compared as sets of lines. NAME.images holds, for each number of
// images, what the program of gfortran and OpenCoarrays prints.

var everyCount = flag.Bool("images", false, "run OpenCoarrays' programs on all numbers of images")

// imageCounts are the numbers of images.
var imageCounts = []int{1, 2, 3, 4, 7}

// standardPrograms are those that OpenCoarrays does not compile, or runs in another way than the
// standard says. They check their values themselves.
func standardPrograms(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("testdata/standard/*.f90")
	if err != nil || len(list) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	return list
}

// coarrayPrograms are the examples with coarrays, and the programs of testdata.
func coarrayPrograms(t *testing.T) []string {
	t.Helper()
	sources, err := filepath.Glob("*/*.f90")
	more, err2 := filepath.Glob("testdata/coarray/*.f90")
	if err != nil || err2 != nil || len(sources) < 5 || len(more) < 5 {
		t.Fatalf("only %d examples and %d programs: %v, %v", len(sources), len(more), err, err2)
	}
	return append(sources, more...)
}

// beside is the file beside a source with another ending, "" if there is none.
func beside(source, ending string) string {
	path := strings.TrimSuffix(source, filepath.Ext(source)) + ending
	if !exists(path) {
		return ""
	}
	return path
}

// images is the outputs that are wanted, by number of images.
func images(t *testing.T, source string) map[int]string {
	t.Helper()
	a, err := txtar.ParseFile(strings.TrimSuffix(source, ".f90") + ".images")
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]string{}
	for _, f := range a.Files {
		n, err := strconv.Atoi(f.Name)
		if err != nil {
			t.Fatalf("section %q", f.Name)
		}
		want[n] = string(f.Data)
	}
	return want
}

// TestCoarrays: each program prints what the program of gfortran and OpenCoarrays
// prints, on any number of images.
func TestCoarrays(t *testing.T) {
	for _, source := range append(coarrayPrograms(t), standardPrograms(t)...) {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			want := images(t, source)
			program := build(t, source, plans[0])
			counts := imageCounts
			if testing.Short() {
				counts = []int{1, 3}
			}
			for _, n := range counts {
				if _, ok := want[n]; !ok {
					continue // see teams.images: gfortran alone runs no teams of one image
				}
				got := run(t, beside(source, ".in"), program, "-n", fmt.Sprint(n))
				if err := compare.Lines(want[n], got, compare.Default); err != nil {
					t.Errorf("%d images: %v", n, err)
				}
			}
		})
	}
}

// TestCoarraysChecked: the checks of --check, and the race detector, find nothing in
// programs that are right.
func TestCoarraysChecked(t *testing.T) {
	if testing.Short() {
		t.Skip("long: bundles of its own")
	}
	flags := []string{"--check"}
	if effort.All() {
		flags = append(flags, "--race")
	}
	for _, source := range append(coarrayPrograms(t), standardPrograms(t)...) {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			for _, flag := range flags {
				program := build(t, source, plans[0], flag)
				got := run(t, beside(source, ".in"), program, "-n", "3")
				if err := compare.Lines(images(t, source)[3], got, compare.Default); err != nil {
					t.Errorf("%s: %v", flag, err)
				}
			}
		})
	}
}

// oracleLimit keeps the processes of OpenCoarrays, which wait without sleeping,
// from taking the processors from each other.
var oracleLimit sync.Mutex

// caf runs the program of OpenCoarrays. On one image, which Open MPI's windows
// do not like, gfortran alone makes the program.
type caf struct{ dir, source string }

func (c caf) output(t *testing.T, n int) string {
	t.Helper()
	program := filepath.Join(c.dir, "many")
	compile := exec.Command("caf", "-O0", "-ffp-contract=off", "-fwrapv", "-J", c.dir, "-o", program, c.source)
	if n == 1 {
		program = filepath.Join(c.dir, "one")
		compile = exec.Command("gfortran", "-fcoarray=single", "-O0", "-ffp-contract=off", "-fwrapv", "-J", c.dir, "-o", program, c.source)
	}
	if !exists(program) {
		if out, err := compile.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(compile.Args, " "), err, out)
		}
	}
	oracleLimit.Lock()
	defer oracleLimit.Unlock()
	args := []string{program}
	if n > 1 {
		// A file for each image: on a shared stream lines would be torn.
		args = []string{"mpiexec", "-np", fmt.Sprint(n), "--oversubscribe", "--output-filename", filepath.Join(c.dir, fmt.Sprint(n)), program}
	}
	ctx, cancel := context.WithTimeout(t.Context(), runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	if input := beside(c.source, ".in"); input != "" {
		in, err := os.Open(input)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		cmd.Stdin = in
	}
	var stderr bytes.Buffer // has remarks of Open MPI, and STOP of every image
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	if n == 1 {
		return string(out)
	}
	files, err := filepath.Glob(filepath.Join(c.dir, fmt.Sprint(n), "*", "rank.*", "stdout"))
	if err != nil || len(files) != n {
		t.Fatalf("%d files of output of %d images: %v", len(files), n, err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// linkable skips the test where caf is installed, but not the libraries that it
// links programs with.
func linkable(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "p.f90")
	if err := os.WriteFile(source, []byte("sync all\nend\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("caf", source, "-o", filepath.Join(dir, "p")).CombinedOutput(); err != nil {
		text := fmt.Sprintf("caf cannot build programs (Debian package libopenmpi-dev): %v\n%s", err, out)
		if effort.All() {
			t.Fatal(text)
		}
		t.Skip(text)
	}
}

// TestCoarrayOracle: NAME.images is what OpenCoarrays prints, where it is installed,
// on one number of images for each program, or on all. With -update it is written.
func TestCoarrayOracle(t *testing.T) {
	if testing.Short() {
		t.Skip("long: OpenCoarrays compiles each program")
	}
	effort.Tool(t, "caf", "libcoarrays-openmpi-dev")
	effort.Tool(t, "mpiexec", "openmpi-bin")
	linkable(t)
	for i, source := range coarrayPrograms(t) {
		if !effort.Share(source, 6) && !*everyCount && !*update {
			continue
		}
		counts := []int{imageCounts[i%len(imageCounts)]}
		if *everyCount || *update {
			counts = imageCounts
		}
		t.Run(source, func(t *testing.T) {
			c := caf{t.TempDir(), source}
			if *update {
				a := &txtar.Archive{}
				for _, n := range counts {
					a.Files = append(a.Files, txtar.File{Name: fmt.Sprint(n), Data: []byte(compare.SortLines(c.output(t, n)))})
				}
				if err := os.WriteFile(strings.TrimSuffix(source, ".f90")+".images", txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want := images(t, source)
			for _, n := range counts {
				if _, ok := want[n]; !ok {
					continue
				}
				if err := compare.Lines(want[n], c.output(t, n), compare.Default); err != nil {
					t.Errorf("%d images: %v", n, err)
				}
			}
		})
	}
}
