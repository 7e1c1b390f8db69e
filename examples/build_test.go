package examples_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spmdc/spmdc/internal/bundle"
	"github.com/spmdc/spmdc/internal/effort"
)

// program is what can be run: one of a bundle, or a file.
type program interface {
	CommandContext(ctx context.Context, args ...string) *exec.Cmd
}

// file is a program that stands alone.
type file string

func (f file) CommandContext(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, string(f), args...)
}

// bundles are built on first use: one for each folder of programs and each way to build
// them, so that nothing is built that no test runs.
type bundles struct {
	mu    sync.Mutex
	paths map[string]func() (string, error)
	texts map[string]func() ([]byte, error) // emitted
}

// once returns the function of a key, which runs once.
func once[T any](b *bundles, all *map[string]func() (T, error), key string, f func() (T, error)) func() (T, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if *all == nil {
		*all = map[string]func() (T, error){}
	}
	if (*all)[key] == nil {
		(*all)[key] = sync.OnceValues(f)
	}
	return (*all)[key]
}

// emitted is the Go text of a program under a plan, and flags.
func (b *bundles) emitted(source, plan string, flags ...string) ([]byte, error) {
	key := strings.Join(append([]string{source, plan}, flags...), " ")
	return once(b, &b.texts, key, func() ([]byte, error) { return emit(source, plan, flags...) })()
}

// emit is what the compiler makes of a program, with all that passes promise verified.
func emit(source, plan string, flags ...string) ([]byte, error) {
	return trySpmdc(append([]string{"explain", "--verify-passes", "--sync=" + plan, source, "code"}, flags...)...)
}

// examplesGroup is the folder of the examples and of programs that have none of their own.
const examplesGroup = "."

// group is the folder of a program whose programs are built with it.
func group(source string) string {
	if dir := filepath.Dir(source); filepath.Dir(dir) == "testdata" {
		return dir
	}
	return examplesGroup
}

// long are programs of which much Go is made, 100 to 350 KB: it takes seconds to compile.
var long = map[string]bool{"shallow": true, "stencils": true, "figure9": true, "arrayfunctions": true, "arraymasks": true,
	"openarrays": true, "opendummies": true, "generated_sections": true}

// tried reports whether a run of the tests builds a program in a way: all in all ways with
// SPMDC_REQUIRE=all; else every example under the first plan, what tests of single programs
// need, and otherwise one program of three, which is always the same one. The long ones
// are built with SPMDC_REQUIRE=all.
func tried(source, plan string, flags ...string) bool {
	name := strings.TrimSuffix(filepath.Base(source), filepath.Ext(source))
	if long[name] && !effort.All() {
		return false
	}
	switch group(source) {
	case examplesGroup:
		if plan == plans[0] && len(flags) == 0 {
			return true
		}
	case "testdata/elide", "testdata/wrap":
		return true
	}
	return effort.Share(name, 3)
}

// sources are the programs of a group that are built in a way. Those with coarrays have
// but one plan.
func sources(group, plan string, flags ...string) (all []string, err error) {
	patterns := []string{group + "/*.hpf", group + "/*.f90"}
	if group == examplesGroup {
		patterns = []string{"*/*.hpf", "*/*.f90"}
	}
	if plan != plans[0] {
		patterns = patterns[:1]
	}
	for _, files := range patterns {
		list, err := filepath.Glob(files)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return slices.DeleteFunc(all, func(source string) bool { return !tried(source, plan, flags...) }), nil
}

// build is the example's program under a plan: a check build with the flag --check,
// under the race detector with --race. A test of what is not tried is skipped.
func build(t testing.TB, source, plan string, flags ...string) bundle.Program {
	t.Helper()
	if !tried(source, plan, flags...) {
		t.Skip("built with SPMDC_REQUIRE=all")
	}
	group := group(source)
	key := strings.Join(append([]string{filepath.Base(group), plan}, flags...), " ")
	path, err := once(&shared.bundles, &shared.bundles.paths, key, func() (string, error) {
		all, err := sources(group, plan, flags...)
		if err != nil {
			return "", err
		}
		if !slices.Contains(all, source) {
			return "", fmt.Errorf("%s is not among the programs of tests", source)
		}
		return bundled(filepath.Join(shared.dir, strings.ReplaceAll(key, " ", "")), all, plan, flags...)
	})()
	if err != nil {
		t.Fatal(err)
	}
	return bundle.Program{Path: path, Name: source}
}

// variants builds each of the sources, by name, with each of the flags, as one bundle: for
// tests that need few programs in many ways. It returns one of them, and its text.
func variants(t testing.TB, sources map[string]string, forms []string) func(name, form string) (bundle.Program, []byte) {
	t.Helper()
	mains := map[string][]byte{}
	for name, source := range sources {
		for _, form := range forms {
			text, err := emit(source, plans[0], strings.Fields(form)...)
			if err != nil {
				t.Fatalf("%s %s: %v", name, form, err)
			}
			mains[name+" "+form] = text
		}
	}
	path, err := bundle.Build(filepath.Join(t.TempDir(), "bundle"), mains)
	if err != nil {
		t.Fatal(err)
	}
	return func(name, form string) (bundle.Program, []byte) {
		key := name + " " + form
		return bundle.Program{Path: path, Name: key}, mains[key]
	}
}

// measuredPlan is the plan whose programs can measure themselves too, if nothing else is
// special about them: so they need no bundle of their own.
const measuredPlan = "barrier"

// bundled builds sources in dir, and returns the path of the program that is them all.
func bundled(dir string, sources []string, plan string, flags ...string) (string, error) {
	emitFlags := slices.DeleteFunc(slices.Clone(flags), func(f string) bool { return f == "--race" })
	var buildFlags []string
	if len(emitFlags) < len(flags) {
		buildFlags = []string{"-race"}
	}
	if plan == measuredPlan && len(flags) == 0 {
		emitFlags = append(emitFlags, "--profile")
	}
	texts := make([][]byte, len(sources))
	err := each(len(sources), func(i int) (err error) {
		texts[i], err = shared.bundles.emitted(sources[i], plan, emitFlags...)
		return err
	})
	if err != nil {
		return "", err
	}
	mains := map[string][]byte{}
	for i, source := range sources {
		mains[source] = texts[i]
	}
	return bundle.Build(dir, mains, buildFlags...)
}

// each calls f with the numbers below n, as many at a time as there are processors.
func each(n int, f func(i int) error) error {
	errs := make([]error, n)
	var group sync.WaitGroup
	next := make(chan int)
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for i := range next {
				errs[i] = f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
	return errors.Join(errs...)
}
