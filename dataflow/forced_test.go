package dataflow_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/golden"
)

// sharedDir is where all tests build.
var sharedDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "spmdc-defects-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	sharedDir = dir
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// variant is the name in the bundle of a program under a plan.
func variant(name string, k plan.Kind) string { return name + "." + string(k) }

// sound are the plans that the defects are built under, beside the printed one: all, or
// those that leave ready messages out.
var sound = plan.Kinds[:effort.Of(len(plan.Kinds), 2)]

// buildDefects builds the programs of all defects under the plans.
func buildDefects(t *testing.T) programs {
	t.Helper()
	b, err := defectBundle()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var defectBundle = sync.OnceValues(func() (programs, error) {
	files, err := defects()
	if err != nil {
		return programs{}, err
	}
	mains := map[string][]byte{}
	for _, file := range files {
		a, err := tryAnalyze(file)
		if err != nil {
			return programs{}, err
		}
		for _, k := range append([]plan.Kind{plan.PopL96Literal}, sound...) {
			if mains[variant(a.name, k)], err = emit(a.plan(k)); err != nil {
				return programs{}, err
			}
		}
	}
	return build(filepath.Join(sharedDir, "defects"), mains)
})

// forces are the arguments of the !FORCE lines of a source.
func forces(source string) [][]string {
	var out [][]string
	for line := range strings.Lines(source) {
		if args, ok := strings.CutPrefix(strings.TrimSpace(line), "!FORCE "); ok {
			out = append(out, strings.Fields(args))
		}
	}
	return out
}

// TestForcedRuns: where the printed form leaves out a ready message that is
// needed, the runs that the source names show a put into cells that are in use;
// under the other plans the same runs show nothing.
func TestForcedRuns(t *testing.T) {
	built := buildDefects(t)
	eachDefect(t, func(t *testing.T, a *analysis) {
		var log strings.Builder
		for _, args := range forces(a.source) {
			r := built.run(t, variant(a.name, plan.PopL96Literal), args...)
			if r.status != 1 || r.stdout != "" {
				t.Errorf("%v: no error: %v", args, r)
			}
			fmt.Fprintf(&log, "> %s\n%s", strings.Join(args, " "), r.stderr)
			for _, k := range sound {
				if r := built.run(t, variant(a.name, k), args...); !r.clean() {
					t.Errorf("%s, %v: %v", k, args, r)
				}
			}
		}
		path := filepath.Join("testdata", "defects", a.name+".golden")
		if log.Len() == 0 {
			if _, err := os.Stat(path); err == nil {
				t.Errorf("%s: the program has no !FORCE", path)
			}
			return
		}
		golden.Text(t, path, log.String())
	})
}

// TestFrozenPEs holds every PE in turn wherever data have arrived, before their
// use ends: all others run as far as they can, so that a put which is not ordered
// after the use comes. Sound plans show none; the printed one shows some exactly
// where the source has !FORCE lines.
func TestFrozenPEs(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many runs")
	}
	built := buildDefects(t)
	kinds := []plan.Kind{plan.Elide, plan.PopL96}[:effort.Of(2, 1)]
	runs := 0
	eachDefect(t, func(t *testing.T, a *analysis) {
		early := false
		for _, n := range []int{2, 4} {
			for pe := range n {
				args := []string{"-n", fmt.Sprint(n), "-hold", fmt.Sprint(pe)}
				runs++
				for _, k := range kinds {
					if r := built.run(t, variant(a.name, k), args...); !r.clean() {
						t.Errorf("%s, %v: %v", k, args, r)
					}
				}
				if !early && !built.run(t, variant(a.name, plan.PopL96Literal), args...).clean() {
					early = true
				}
			}
		}
		if want := len(forces(a.source)) > 0; early != want {
			t.Errorf("puts of the literal plan come too early: %v, want %v", early, want)
		}
	})
	t.Logf("%d runs of each of %v", runs, kinds)
}
