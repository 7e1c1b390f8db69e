package examples_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/spmdc/spmdc/internal/compare"
	"github.com/spmdc/spmdc/internal/randprog"
)

// TestTransformedPrograms compares random programs that give the source
// transformations something to do with gfortran, as TestRandomPrograms does, and
// under one plan also without transformations. All kinds must be chosen in some.
func TestTransformedPrograms(t *testing.T) {
	t.Parallel()
	require(t, "gfortran", "gfortran")
	bin, err := shared.spmdc()
	if err != nil {
		t.Fatal(err)
	}
	n := *programs
	if n == 0 {
		n = 8
	}
	var cases []*randomCase
	for i := range n {
		s := max(*seed, 1) + uint64(i)
		cases = append(cases, &randomCase{seed: s, Program: randprog.With(s, "update and copy", "guarded reduction", "guarded reduction", "last iteration is different")})
	}
	if err := expect(t.TempDir(), cases); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	chosen := map[string]int{}
	t.Run("seed", func(t *testing.T) {
		for _, c := range cases {
			t.Run(fmt.Sprint(c.seed), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				if err := c.check(dir, bin); err != nil {
					t.Fatalf("seed %d: %v\n%s", c.seed, err, c.Source)
				}
				if err := c.untransformed(dir, bin); err != nil {
					t.Errorf("seed %d without transformations: %v\n%s", c.seed, err, c.Source)
				}
				text, err := command("", bin, "explain", filepath.Join(dir, "random.hpf"), "transform")
				if err != nil {
					t.Fatal(err)
				}
				text, _, _ = strings.Cut(text, "\n\n")
				mu.Lock()
				defer mu.Unlock()
				for _, kind := range []string{"distribute", "guard", "peel"} {
					if strings.HasPrefix(text, "chosen") {
						chosen[kind] += strings.Count(text, ": "+kind+": ")
					}
				}
			})
		}
	})
	t.Logf("chosen in %d programs: %v", n, chosen)
	for _, kind := range []string{"distribute", "guard", "peel"} {
		if chosen[kind] == 0 && n >= 8 {
			t.Errorf("%s is chosen in none of %d programs", kind, n)
		}
	}
}

// untransformed is check without transformations, for one plan and 3 PEs.
func (c *randomCase) untransformed(dir, spmdc string) error {
	source, program := filepath.Join(dir, "random.hpf"), filepath.Join(dir, "plain")
	if err := os.WriteFile(source, []byte(c.Source), 0o666); err != nil {
		return err
	}
	if _, err := command("", spmdc, "build", "--verify-passes", "--no-transform=all", "--sync="+plans[0], "-o", program, source); err != nil {
		return err
	}
	got, err := command(c.Input, program, "-n", "3")
	if err != nil {
		return err
	}
	return compare.Outputs(c.want, got, compare.Default)
}
