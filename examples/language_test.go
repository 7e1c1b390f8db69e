package examples_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/effort"
)

// languagePrograms are the programs of testdata/language: each has a part of the
// language in all its forms. NAME.out is what gfortran's program prints.
func languagePrograms(t *testing.T) []example {
	t.Helper()
	sources, err := filepath.Glob("testdata/language/*.hpf")
	if err != nil || len(sources) < 4 {
		t.Fatalf("only %d programs: %v", len(sources), err)
	}
	var all []example
	for _, source := range sources {
		base := strings.TrimSuffix(source, ".hpf")
		e := example{name: filepath.Base(base), source: source, out: base + ".out"}
		if in := base + ".in"; exists(in) {
			e.input = in
		}
		all = append(all, e)
	}
	return all
}

// TestLanguage: what is distributed and what is checked makes no difference, and
// the expected outputs are gfortran's.
func TestLanguage(t *testing.T) {
	for _, e := range languagePrograms(t) {
		if !effort.Share(e.name, 2) {
			continue
		}
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			program := build(t, e.source, plans[0], "--check")
			for _, n := range []int{1, 3} {
				e.check(t, program, n)
			}
			t.Run("gfortran", func(t *testing.T) { checkGfortran(t, e, "-std=gnu", "-fdec-math") })
		})
	}
}
