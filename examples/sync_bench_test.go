package examples_test

import (
	"fmt"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/internal/rounds"
)

// longer says how the benchmark changes an example so that it communicates for a
// while: old text, new text, and so on, each old text found once.
var longer = map[string][]string{
	"fig3":      {"rounds = 3", "rounds = 150000"},
	"fig5":      {"rounds = 3", "rounds = 60000"},
	"fig6":      {"rounds = 5", "rounds = 100000"},
	"floyd":     {"n = 32,", "n = 600,"},
	"grid":      {"ncycles = 12", "ncycles = 4000"},
	"heat3d":    {"steps = 20, every = 5", "steps = 12000, every = 1000"},
	"irregular": {"rounds = 6", "rounds = 40000"},
	"jacobi":    {"maxit = 1000", "maxit = 40000", "tol = 1.0d-5", "tol = -1.0d0"},
	"life":      {"generation = 1, 4 * n", "generation = 1, 2000 * n"},
	"lu":        {"n = 40", "n = 800"},
	"matmul":    {"n = 48", "n = 600"},
	"plate":     {"s < steps", "s < 100 * steps", "limit = 120.0d0", "limit = 1.0d9", "mod(s, 25)", "mod(s, 2500)"},
	"redblack":  {"maxsweep = 1000", "maxsweep = 20000", "tol = 1.0d-4", "tol = -1.0d0"},
	"shallow":   {"steps = 30, every = 10", "steps = 5000, every = 1000"},
	"shapes":    {"it = 1, 2", "it = 1, 20000"},
	"sweep":     {"rounds = 4", "rounds = 8000"},
	"transpose": {"it = 1, 3", "it = 1, 20000"},
	"wavefront": {"n = 32", "n = 2000"},
}

// syncRounds is how often each program is run, from SPMDC_BENCH_ROUNDS.
func syncRounds(b *testing.B) int {
	text := os.Getenv("SPMDC_BENCH_ROUNDS")
	if text == "" {
		return 7
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		b.Fatalf("SPMDC_BENCH_ROUNDS=%s: want a number of runs from 1", text)
	}
	return n
}

// BenchmarkSync compares the run times of plans, checker off, on 2 and 4 PEs. The
// programs of the plans run in rounds, in each in another order, and what is told is
// the median over the rounds of the ratio of their times in one round, so that what
// else the machine does weighs on both; ± is half the distance of the quartiles,
// divided by the root of the rounds: about the error of the median. best: is the
// ratio of the shortest times, which say more where the machine is busy. A ratio below
// 1 is a gain.
//
// Where a loop lies in memory can change its speed by a twentieth and more, and a
// statement elsewhere moves it. So each program is linked several times, its functions
// in random order, and the rounds go through these. noise is the ratio of the plan
// elide to itself, linked another way. Where plans make the same program, but for
// comments, it is run once for both, and their ratio is 1.
//
//	go test ./examples -run - -bench Sync
//
// SPMDC_BENCH_ROUNDS=n sets the number of rounds, 7 if it is not set.
func BenchmarkSync(b *testing.B) {
	compared := []string{"elide", "popl96", "handshake"}
	for _, e := range examples(b) {
		b.Run(e.name, func(b *testing.B) {
			source := lengthen(b, e, longer[e.name])
			programs := map[string]string{} // plan to the text without comments
			linked := map[string][]string{} // by that text
			for _, plan := range compared {
				module := filepath.Join(b.TempDir(), "module")
				spmdc(b, "compile", "--sync="+plan, "-o", module, source)
				code := uncommented(b, filepath.Join(module, "main.go"))
				if linked[code] == nil {
					linked[code] = link(b, module)
				}
				programs[plan] = code
			}
			for _, pes := range []string{"2", "4"} {
				b.Run("n="+pes, func(b *testing.B) {
					runs := map[string]func(int) time.Duration{
						again: func(round int) time.Duration {
							return timed(b, e, linked[programs[compared[0]]][(round+1)%layouts], pes)
						},
					}
					for _, program := range programs {
						runs[program] = func(round int) time.Duration { return timed(b, e, linked[program][round%layouts], pes) }
					}
					times := inRounds(b, runs)
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(1000*rounds.Quantile(times[programs[compared[0]]], 0.5), "ms")
					ratio, _ := paired(times[again], times[programs[compared[0]]])
					b.ReportMetric(ratio, "noise")
					for _, pair := range [][2]int{{0, 1}, {1, 2}, {0, 2}} {
						x, y := times[programs[compared[pair[0]]]], times[programs[compared[pair[1]]]]
						ratio, noise := paired(x, y)
						name := compared[pair[0]] + "/" + compared[pair[1]]
						b.ReportMetric(ratio, name)
						b.ReportMetric(noise, "±"+name)
						b.ReportMetric(slices.Min(x)/slices.Min(y), "best:"+name)
					}
				})
			}
		})
	}
}

// again names the second run of a program in each round.
const again = "again"

// inRounds measures each of runs once in each of the benchmark's rounds, and returns the
// times in seconds, by name and round.
func inRounds(b *testing.B, runs map[string]func(round int) time.Duration) map[string][]float64 {
	names := slices.Sorted(maps.Keys(runs))
	list, err := rounds.Run(len(names), syncRounds(b), func(i, round int) (float64, error) {
		return runs[names[i]](round).Seconds(), nil
	})
	if err != nil {
		b.Fatal(err)
	}
	times := map[string][]float64{}
	for i, name := range names {
		times[name] = list[i]
	}
	return times
}

// layouts is how many orders of a program's functions are tried.
const layouts = 3

// link builds the module, with its functions in as many orders.
func link(b *testing.B, module string) []string {
	b.Helper()
	var out []string
	for k := range layouts {
		bin := filepath.Join(b.TempDir(), fmt.Sprint("layout", k))
		cmd := exec.Command("go", "build", "-trimpath", fmt.Sprintf("-ldflags=-s -w -randlayout=%d", k+1), "-o", bin, ".")
		cmd.Dir = module
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off")
		if text, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %v\n%s", cmd, err, text)
		}
		out = append(out, bin)
	}
	return out
}

// uncommented is the text of a program without its comments.
func uncommented(b *testing.B, path string) string {
	b.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		b.Fatal(err)
	}
	var text strings.Builder
	if err := printer.Fprint(&text, token.NewFileSet(), file); err != nil {
		b.Fatal(err)
	}
	return text.String()
}

// lengthen writes the longer program, with the changes that it has: old text, new text, and so on.
func lengthen(b *testing.B, e example, changes []string) string {
	b.Helper()
	program, err := changed(e, changes)
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), filepath.Base(e.source))
	if err := os.WriteFile(path, []byte(program), 0o666); err != nil {
		b.Fatal(err)
	}
	return path
}

// timed is how long a run takes.
func timed(b *testing.B, e example, program, pes string, args ...string) time.Duration {
	b.Helper()
	cmd := exec.Command(program, append(args, "-n", pes)...)
	if e.input != "" {
		in, err := os.Open(e.input)
		if err != nil {
			b.Fatal(err)
		}
		defer in.Close()
		cmd.Stdin = in
	}
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%s on %s PEs: %v\n%s", program, pes, err, out)
	}
	return time.Since(start)
}

// paired is the median of the ratios of times that were taken in one round, and its
// error.
func paired(times, others []float64) (ratio, noise float64) {
	ratio, spread := rounds.Ratio(times, others)
	return ratio, spread / math.Sqrt(float64(len(times)))
}

// changed is the text of a program with changes.
func changed(e example, changes []string) (string, error) {
	text, err := os.ReadFile(e.source)
	program := string(text)
	for change := range slices.Chunk(changes, 2) {
		if err == nil && !strings.Contains(program, change[0]) {
			err = fmt.Errorf("%s: no %q, so it cannot be made longer", e.source, change[0])
		}
		program = strings.ReplaceAll(program, change[0], change[1])
	}
	return program, err
}

// TestLonger: every program that a benchmark makes longer is one, and the changes
// find their place.
func TestLonger(t *testing.T) {
	for _, c := range []struct {
		programs []example
		changes  map[string][]string
	}{{examples(t), longer}, {profiled(t), sized}} {
		known := map[string]bool{}
		for _, e := range c.programs {
			known[e.name] = true
			if _, err := changed(e, c.changes[e.name]); err != nil {
				t.Error(err)
			}
		}
		for name := range c.changes {
			if !known[name] {
				t.Errorf("there is no example %s", name)
			}
		}
	}
}
