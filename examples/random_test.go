package examples_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/spmdc/spmdc/internal/compare"
	"github.com/spmdc/spmdc/internal/randprog"
)

var (
	programs = flag.Int("programs", 0, "number of random programs (default 12, and 40 with SPMDC_REQUIRE=all)")
	seed     = flag.Uint64("seed", 1, "seed of the first random program; the next have seed+1, ...")
	dump     = flag.String("dump", "", "write the random programs to this folder as NNN.hpf and NNN.in, and run none")
	builds   = flag.String("builds", "", "plans to build random programs with, separated by commas (default: all); what is built without\n"+
		"handshake runs with its ready messages too")
	peCounts = flag.String("pes", "", "numbers of PEs for random programs, separated by commas (default 1,2,3,5,8)")
)

// randomPEs are the numbers of PEs that random programs run on.
var randomPEs = []string{"1", "2", "3", "5", "8"}

// randomLimit is how long one run of a random program may take; none needs a
// hundredth of it.
const randomLimit = 20 * time.Second

// TestRandomPrograms compares random programs with gfortran, under all plans and
// at several numbers of PEs. A program that fails is
// logged; what `spmdc verify --random` finds is shrunk too.
func TestRandomPrograms(t *testing.T) {
	t.Parallel()
	n := *programs
	if n == 0 {
		n = 12
		if thorough() {
			n = 40
		}
	}
	cases := make([]*randomCase, n)
	coverage := map[string]int{}
	for i := range cases {
		s := *seed + uint64(i)
		cases[i] = &randomCase{seed: s, Program: randprog.Sample(s)}
		for name, count := range cases[i].Features {
			coverage[name] += count
		}
	}
	if *dump != "" {
		if err := dumpPrograms(*dump, cases); err != nil {
			t.Fatal(err)
		}
		t.Skipf("%d programs are in %s", n, *dump)
	}
	require(t, "gfortran", "gfortran")
	bin, err := shared.spmdc()
	if err != nil {
		t.Fatal(err)
	}

	const batch = 20
	for part := range slices.Chunk(cases, batch) {
		if err := expect(t.TempDir(), part); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var seeds []uint64
	t.Run("seed", func(t *testing.T) {
		for _, c := range cases {
			t.Run(fmt.Sprint(c.seed), func(t *testing.T) {
				t.Parallel()
				if err := c.check(t.TempDir(), bin); err != nil {
					mu.Lock()
					seeds = append(seeds, c.seed)
					mu.Unlock()
					t.Errorf("%v\n%s\nits input:\n%s", err, c.Source, c.Input)
				}
			})
		}
	})
	logCoverage(t, coverage)
	for _, name := range randprog.Required(n) {
		if coverage[name] == 0 {
			t.Errorf("%d programs do not cover %q", n, name)
		}
	}
	if len(seeds) == 0 {
		return
	}
	slices.Sort(seeds)
	t.Logf("%d of %d programs fail: seeds %v", len(seeds), n, seeds)
}

// TestRandomRounds is TestRandomPrograms with programs that communicate again and
// again, where ready messages can be left out, or must not.
func TestRandomRounds(t *testing.T) {
	t.Parallel()
	n := *programs
	if n == 0 {
		n = 12
		if thorough() {
			n = 40
		}
	}
	require(t, "gfortran", "gfortran")
	bin, err := shared.spmdc()
	if err != nil {
		t.Fatal(err)
	}
	cases := make([]*randomCase, n)
	coverage := map[string]int{}
	for i := range cases {
		s := *seed + uint64(i)
		cases[i] = &randomCase{seed: s, Program: randprog.Rounds(s)}
		for name, count := range cases[i].Features {
			coverage[name] += count
		}
	}
	for part := range slices.Chunk(cases, 20) {
		if err := expect(t.TempDir(), part); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("seed", func(t *testing.T) {
		for _, c := range cases {
			t.Run(fmt.Sprint(c.seed), func(t *testing.T) {
				t.Parallel()
				if err := c.check(t.TempDir(), bin); err != nil {
					t.Errorf("%v\n%s", err, c.Source)
				}
			})
		}
	})
	logCoverage(t, coverage)
}

// randomCase is a program with what gfortran's program printed.
type randomCase struct {
	randprog.Program
	seed uint64
	want string
}

// check builds and runs the program in every way.
func (c *randomCase) check(dir, spmdc string) error {
	source := filepath.Join(dir, "random.hpf")
	if err := os.WriteFile(source, []byte(c.Source), 0o666); err != nil {
		return err
	}
	chosen := plans
	if *builds != "" {
		chosen = strings.Split(*builds, ",")
	}
	counts := randomPEs
	if *peCounts != "" {
		counts = strings.Split(*peCounts, ",")
	}
	for _, plan := range chosen {
		program := filepath.Join(dir, plan)
		if _, err := command("", spmdc, "build", "--verify-passes", "--sync="+plan, "-o", program, source); err != nil {
			return fmt.Errorf("--sync=%s: %w", plan, err)
		}
		ways := [][]string{nil}
		if !slices.Contains(chosen, "handshake") {
			ways = append(ways, []string{"-handshake"})
		}
		for _, n := range counts {
			for _, way := range ways {
				got, err := command(c.Input, program, append([]string{"-n", n}, way...)...)
				if err != nil {
					return fmt.Errorf("--sync=%s, %s PEs: %w", plan, n, err)
				}
				if err := compare.Outputs(c.want, got, compare.Default); err != nil {
					return fmt.Errorf("--sync=%s, %s PEs: %w", plan, n, err)
				}
			}
		}
	}
	return nil
}

// command runs a program with the given standard input and returns what it
// prints; what it writes on standard error belongs to the error.
func command(input, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), randomLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "SPMDC_CACHE="+filepath.Join(shared.dir, "cache"))
	cmd.Stdin = strings.NewReader(input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("no end within %v", randomLimit)
	}
	if err == nil && stderr.Len() > 0 && name != "gfortran" && !strings.HasSuffix(name, "spmdc") {
		err = errors.New("it writes on standard error")
	}
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, stderr.Bytes())
	}
	return stdout.String(), nil
}

// expect fills in what gfortran's programs print. One compilation serves all:
// each program becomes a subroutine, and the number of the one to call is the
// first record of the input. The checks of gfortran guard the generator.
func expect(dir string, cases []*randomCase) error {
	var text strings.Builder
	text.WriteString(randprog.Main(len(cases)))
	for i, c := range cases {
		one, err := randprog.Subroutine(c.Source, i)
		if err != nil {
			return fmt.Errorf("seed %d: %w", c.seed, err)
		}
		text.WriteString(one)
	}
	source, program := filepath.Join(dir, "all.f90"), filepath.Join(dir, "all")
	if err := os.WriteFile(source, []byte(text.String()), 0o666); err != nil {
		return err
	}
	args := []string{"-std=f95", "-O0", "-fwrapv", "-fcheck=all,no-array-temps", "-J", dir, "-o", program, source}
	if !slices.ContainsFunc(cases, func(c *randomCase) bool { return c.Special }) {
		args = append(args, "-ffpe-trap=invalid,zero,overflow", "-finit-real=snan")
	}
	if _, err := command("", "gfortran", args...); err != nil {
		return err
	}
	for i, c := range cases {
		out, err := command(fmt.Sprintf("%d\n%s", i, c.Input), program)
		if err != nil {
			return fmt.Errorf("seed %d: gfortran's program: %w\n%s", c.seed, err, c.Source)
		}
		c.want = out
	}
	return nil
}

func dumpPrograms(dir string, cases []*randomCase) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, c := range cases {
		name := filepath.Join(dir, fmt.Sprintf("%03d", c.seed))
		if err := errors.Join(os.WriteFile(name+".hpf", []byte(c.Source), 0o666), os.WriteFile(name+".in", []byte(c.Input), 0o666)); err != nil {
			return err
		}
	}
	return nil
}

// logCoverage prints the coverage as a table.
func logCoverage(t *testing.T, coverage map[string]int) {
	t.Helper()
	var text bytes.Buffer
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, name := range slices.Sorted(maps.Keys(coverage)) {
		class, what, _ := strings.Cut(name, ":")
		fmt.Fprintf(w, "%s\t%s\t%d\n", class, what, coverage[name])
	}
	w.Flush()
	t.Logf("what the programs cover:\n%s", text.Bytes())
}
