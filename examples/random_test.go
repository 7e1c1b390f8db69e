package examples_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/spmdc/spmdc/internal/bundle/bundletest"
	"github.com/spmdc/spmdc/internal/compare"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/randprog"
)

var (
	programs = flag.Int("programs", 0, "number of random programs (default 3, and 16 with SPMDC_REQUIRE=all)")
	seed     = flag.Uint64("seed", 1, "seed of the first random program; the next have seed+1, ...")
	dump     = flag.String("dump", "", "write the random programs to this folder as NNN.hpf and NNN.in, and run none")
	builds   = flag.String("builds", "", "plans to build random programs with, separated by commas (default: those of the examples); what is built without\n"+
		"handshake runs with its ready messages too")
	peCounts = flag.String("pes", "", "numbers of PEs for random programs, separated by commas (default 1,2,3,5,8)")
)

// randomPEs are the numbers of PEs that random programs run on.
var randomPEs = []string{"1", "2", "3", "5", "8"}

// randomLimit is how long one run of a random program may take; none needs a
// hundredth of it.
const randomLimit = 2 * time.Minute

// TestRandomPrograms compares random programs with gfortran, under the plans of the
// examples and at several numbers of PEs. A program that fails is
// logged; what `spmdc verify --random` finds is shrunk too.
func TestRandomPrograms(t *testing.T) {
	t.Parallel()
	n := *programs
	if n == 0 {
		n = effort.Of(16, 3)
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
	if !effort.All() && *programs == 0 { // one of those that have tests of their own
		cases = append(cases, &randomCase{seed: 1001, Program: randprog.Rounds(1)}, &randomCase{seed: 2001, Program: randprog.With(1, transformedBlocks[:5]...)})
	}
	if *dump != "" {
		if err := dumpPrograms(*dump, cases); err != nil {
			t.Fatal(err)
		}
		t.Skipf("%d programs are in %s", n, *dump)
	}
	effort.Tool(t, "gfortran", "gfortran")
	prepare(t, cases)
	var mu sync.Mutex
	var seeds []uint64
	t.Run("seed", func(t *testing.T) {
		for _, c := range cases {
			t.Run(fmt.Sprint(c.seed), func(t *testing.T) {
				t.Parallel()
				if err := c.check(); err != nil {
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
	n := *programs
	if n == 0 {
		effort.Full(t, "TestRandomPrograms has one of them")
		n = 10
	}
	t.Parallel()
	effort.Tool(t, "gfortran", "gfortran")
	cases := make([]*randomCase, n)
	coverage := map[string]int{}
	for i := range cases {
		s := *seed + uint64(i)
		cases[i] = &randomCase{seed: s, Program: randprog.Rounds(s)}
		for name, count := range cases[i].Features {
			coverage[name] += count
		}
	}
	prepare(t, cases)
	t.Run("seed", func(t *testing.T) {
		for _, c := range cases {
			t.Run(fmt.Sprint(c.seed), func(t *testing.T) {
				t.Parallel()
				if err := c.check(); err != nil {
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
	seed   uint64
	want   string
	source string // file
	bundle string // with the programs of all ways to build it, by their names
	refuse error  // of the compiler
}

// way is a plan, or a plan and flags.
type way struct {
	name, plan string
	flags      []string
}

// randomPlans are the plans that random programs are built under.
func randomPlans() (ways []way) {
	chosen := chosenPlans()
	if *builds != "" {
		chosen = strings.Split(*builds, ",")
	}
	for _, plan := range chosen {
		ways = append(ways, way{plan, plan, nil})
	}
	return ways
}

// batch is how many random programs are built as one.
const batch = 20

// prepare builds the programs and those of gfortran.
func prepare(t *testing.T, cases []*randomCase, more ...way) {
	t.Helper()
	for part := range slices.Chunk(cases, batch) {
		var group sync.WaitGroup
		var err error
		dir := t.TempDir()
		group.Go(func() { err = expect(dir, part) })
		err2 := compile(t.TempDir(), part, append(randomPlans(), more...))
		group.Wait()
		if err := cmp.Or(err, err2); err != nil {
			t.Fatal(err)
		}
	}
}

// compile builds the programs of cases in all ways. What the compiler refuses is
// noted; what the Go compiler refuses is found by building the cases one by one.
func compile(dir string, cases []*randomCase, ways []way) error {
	mains := map[string][]byte{}
	var mu sync.Mutex
	err := each(len(cases), func(i int) error {
		c := cases[i]
		folder := filepath.Join(dir, fmt.Sprint(i))
		c.source = filepath.Join(folder, "random.hpf")
		if err := errors.Join(os.MkdirAll(folder, 0o777), os.WriteFile(c.source, []byte(c.Source), 0o666)); err != nil {
			return err
		}
		for _, w := range ways {
			text, err := emit(c.source, w.plan, w.flags...)
			if err != nil {
				c.refuse = fmt.Errorf("--sync=%s: %w", w.name, err)
				return nil
			}
			mu.Lock()
			mains[c.named(w.name)] = text
			mu.Unlock()
		}
		return nil
	})
	if err != nil {
		return err
	}
	path, err := bundletest.Build(filepath.Join(dir, "bundle"), mains)
	switch {
	case err == nil:
		for _, c := range cases {
			c.bundle = path
		}
	case len(cases) == 1:
		cases[0].refuse = fmt.Errorf("build: %w", err)
	default:
		for i, c := range cases {
			if err := compile(filepath.Join(dir, fmt.Sprint("alone", i)), []*randomCase{c}, ways); err != nil {
				return err
			}
		}
	}
	return nil
}

// named is the name in the bundle of the program that was built in a way.
func (c *randomCase) named(way string) string { return fmt.Sprintf("%d.%s", c.seed, way) }

// program is the program that was built in a way.
func (c *randomCase) program(way string) bundletest.Program {
	return bundletest.Program{Path: c.bundle, Name: c.named(way)}
}

// check runs the program under every plan.
func (c *randomCase) check() error {
	if c.refuse != nil {
		return c.refuse
	}
	counts := randomPEs
	if *peCounts != "" {
		counts = strings.Split(*peCounts, ",")
	}
	chosen := randomPlans()
	modes := [][]string{nil}
	if !slices.ContainsFunc(chosen, func(w way) bool { return w.plan == "handshake" }) {
		modes = append(modes, []string{"-handshake"})
	}
	for _, w := range chosen {
		for _, n := range counts {
			for _, mode := range modes {
				got, err := command(c.Input, c.program(w.name), append([]string{"-n", n}, mode...)...)
				if err != nil {
					return fmt.Errorf("--sync=%s, %s PEs: %w", w.plan, n, err)
				}
				if err := compare.Outputs(c.want, got, compare.Default); err != nil {
					return fmt.Errorf("--sync=%s, %s PEs: %w", w.plan, n, err)
				}
			}
		}
	}
	return nil
}

// command runs a program with the given standard input and returns what it
// prints; what it writes on standard error belongs to the error.
func command(input string, program program, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), randomLimit)
	defer cancel()
	cmd := program.CommandContext(ctx, args...)
	cmd.Stdin = strings.NewReader(input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("no end within %v", randomLimit)
	}
	if err == nil && stderr.Len() > 0 && program != file("gfortran") {
		err = errors.New("it writes on standard error")
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, stderr.Bytes())
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
	if _, err := command("", file("gfortran"), args...); err != nil {
		return err
	}
	for i, c := range cases {
		out, err := command(fmt.Sprintf("%d\n%s", i, c.Input), file(program))
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
