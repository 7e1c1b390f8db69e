package examples_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spmdc/spmdc/internal/bundle"
	"github.com/spmdc/spmdc/internal/bundle/bundletest"
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

// firstPlan is the first of the plans under which the emitted program is, but for its
// comments, what it is under this one.
func (b *bundles) firstPlan(source, plan string, flags ...string) (string, error) {
	if plan == plans[0] || plan == measuredPlan { // has barriers where the others have messages
		return plan, nil
	}
	text, err := b.emitted(source, plan, flags...)
	if err != nil {
		return "", err
	}
	for _, earlier := range plans {
		if earlier == plan {
			break
		}
		other, err := b.emitted(source, earlier, flags...)
		if err != nil {
			return "", err
		}
		if slices.Equal(code(text), code(other)) {
			return earlier, nil
		}
	}
	return plan, nil
}

// code is the tokens of a Go program, which may have files of assembly behind it, without
// comments; these stay as they are.
func code(text []byte) (tokens []string) {
	files := bundle.Split(text)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if filepath.Ext(name) != ".go" {
			tokens = append(tokens, string(files[name]))
			continue
		}
		var s scanner.Scanner
		s.Init(token.NewFileSet().AddFile(name, -1, len(files[name])), files[name], nil, 0)
		for {
			_, tok, literal := s.Scan()
			if tok == token.EOF {
				break
			}
			tokens = append(tokens, tok.String()+literal)
		}
	}
	return tokens
}

// sameProgram skips a test of a plan that makes the same program as one that is tested before.
func sameProgram(t *testing.T, source, plan string, flags ...string) {
	t.Helper()
	if !tried(source, plan, flags...) {
		return
	}
	first, err := shared.bundles.firstPlan(source, plan, withoutRace(flags)...)
	if err != nil {
		t.Fatal(err)
	}
	if first != plan {
		t.Skip("the program is that of plan " + first)
	}
}

// withoutRace is the flags that the compiler gets.
func withoutRace(flags []string) []string {
	return slices.DeleteFunc(slices.Clone(flags), func(f string) bool { return f == "--race" })
}

// emit is what the compiler makes of a program, with all that passes promise verified.
func emit(source, plan string, flags ...string) ([]byte, error) {
	return trySpmdc(append([]string{"explain", "--verify-passes", "--sync=" + plan, source, "code"}, flags...)...)
}

// examplesGroup is the folder of the examples and of programs that have none of their own.
const examplesGroup = "."

// group is the folder of a program.
func group(source string) string {
	if dir := filepath.Dir(source); filepath.Dir(dir) == "testdata" {
		return dir
	}
	return examplesGroup
}

// everything is the group of all programs.
const everything = "all"

// builtWith is the group of programs that are built with one: its own where all are built
// or few tests run, and else all of them, which takes less time than to build each group.
func builtWith(source string) string {
	if effort.All() || testing.Short() || flag.Lookup("test.run").Value.String() != "" {
		return group(source)
	}
	return everything
}

// long are programs of which much Go is made, 100 KB to 1 MB with --check: it takes seconds to compile.
var long = map[string]bool{"adi5": true, "allocatesource": true, "arrayfunctions": true, "arraymasks": true, "blockcyclic": true,
	"chosen": true, "classarrays": true, "classcoarrays": true, "classcontents": true, "classparts": true,
	"classvalues": true, "componentpools": true, "constructedarrays": true, "constructorloops": true, "containers": true, "derivedtypes": true,
	"elementaltypes": true, "elementcomponents": true, "extents": true, "figure9": true, "final": true,
	"generated_sections": true, "hpflibrary": true, "movedcomponents": true, "nestedlists": true, "openarrays": true,
	"opencopies": true, "opendummies": true, "ownlists": true, "pointers": true, "pointertargets": true,
	"pointertrees": true, "recursion": true, "recursivearrays": true, "remap": true, "shallow": true, "stencils": true,
	"textcomponents": true, "typearrays": true, "wholetypes": true}

// tried reports whether a run of the tests builds a program in a way: all in all ways with
// SPMDC_REQUIRE=all; else every example under the first plan, what tests of single programs
// need, and otherwise one program of four, which is always the same one. The long ones
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
	return effort.Share(name, 4)
}

// runOn are the folders of the programs that most days' tests run under a plan.
func runOn(plan string, checked bool) []string {
	switch {
	case plan == plans[0] && checked:
		return []string{"*", "testdata/coarray", "testdata/language", "testdata/standard", "testdata/wrap"}
	case plan == plans[0]:
		return []string{"*", "testdata/coarray", "testdata/elide", "testdata/numbers", "testdata/standard", "testdata/wrap"}
	case checked:
		return []string{"testdata/elide"}
	}
	return []string{"*", "testdata/elide"}
}

// sources are the programs of a group that are built in a way. Those with coarrays have
// but one plan.
func sources(group, plan string, flags ...string) (all []string, err error) {
	folders := []string{group}
	switch group {
	case examplesGroup:
		folders = []string{"*"}
	case everything:
		folders = runOn(plan, len(flags) > 0)
	}
	var patterns []string
	for _, folder := range folders {
		patterns = append(patterns, folder+"/*.hpf")
		if plan == plans[0] {
			patterns = append(patterns, folder+"/*.f90")
		}
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
// under the race detector with --race. A test of what is not tried is skipped. Plans that
// make the same program share it.
func build(t testing.TB, source, plan string, flags ...string) bundletest.Program {
	t.Helper()
	if !tried(source, plan, flags...) {
		t.Skip("built with SPMDC_REQUIRE=all")
	}
	plan, err := shared.bundles.firstPlan(source, plan, withoutRace(flags)...)
	if err != nil {
		t.Fatal(err)
	}
	group := builtWith(source)
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
	return bundletest.Program{Path: path, Name: source}
}

// variants builds each of the sources, by name, with each of the flags, as one bundle: for
// tests that need few programs in many ways. It returns one of them, and its text.
func variants(t testing.TB, sources map[string]string, forms []string) func(name, form string) (bundletest.Program, []byte) {
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
	path, err := bundletest.Build(filepath.Join(t.TempDir(), "bundle"), mains)
	if err != nil {
		t.Fatal(err)
	}
	return func(name, form string) (bundletest.Program, []byte) {
		key := name + " " + form
		return bundletest.Program{Path: path, Name: key}, mains[key]
	}
}

// measuredPlan is the plan whose programs can measure themselves too, if nothing else is
// special about them: so they need no bundle of their own.
const measuredPlan = "barrier"

// bundled builds sources in dir, and returns the path of the program that is them all, but
// for those that an earlier plan makes too.
func bundled(dir string, sources []string, plan string, flags ...string) (string, error) {
	emitFlags := withoutRace(flags)
	var buildFlags []string
	if len(emitFlags) < len(flags) {
		buildFlags = []string{"-race"}
	}
	if plan == measuredPlan && len(flags) == 0 {
		emitFlags = append(emitFlags, "--profile")
	}
	texts := make([][]byte, len(sources))
	err := each(len(sources), func(i int) (err error) {
		if first, err := shared.bundles.firstPlan(sources[i], plan, emitFlags...); err != nil || first != plan {
			return err
		}
		texts[i], err = shared.bundles.emitted(sources[i], plan, emitFlags...)
		return err
	})
	if err != nil {
		return "", err
	}
	mains := map[string][]byte{}
	for i, source := range sources {
		if texts[i] != nil {
			mains[source] = texts[i]
		}
	}
	return bundletest.Build(dir, mains, buildFlags...)
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
