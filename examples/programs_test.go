package examples_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/bundle/bundletest"
	"github.com/spmdc/spmdc/internal/effort"
)

// TestPrograms: the programs of the folder programs print what gfortran's programs print. They
// are built as one, in full with all checks too.
func TestPrograms(t *testing.T) {
	sources, err := filepath.Glob("programs/*/*.[hf]*") // .hpf, .f90 and .f
	if err != nil || len(sources) < 8 {
		t.Fatalf("only %d programs: %v", len(sources), err)
	}
	texts, all := map[string][]byte{}, map[string]example{}
	for _, source := range sources {
		base := strings.TrimSuffix(source, filepath.Ext(source))
		e := example{name: filepath.Base(base), source: source, out: base + ".out"}
		if in := base + ".in"; exists(in) {
			e.input = in
		}
		for _, flags := range [][]string{nil, {"--check"}}[:effort.Of(2, 1)] {
			name := strings.Join(append([]string{e.name}, flags...), " ")
			all[name] = e
			texts[name] = spmdc(t, append(append([]string{"explain", "--verify-passes", "--quiet"}, flags...), source, "code")...)
		}
	}
	path, err := bundletest.Build(t.TempDir(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range all {
		for _, n := range []int{1, 2, 3, 5} {
			e.check(t, bundletest.Program{Path: path, Name: name}, n)
		}
	}
	for _, e := range all {
		if effort.All() && filepath.Ext(e.source) != ".f" { // what is linked in has free form
			t.Run(e.name, func(t *testing.T) { checkGfortran(t, e, "-fcoarray=single") })
		}
	}
}
