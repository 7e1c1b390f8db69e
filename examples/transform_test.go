package examples_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/spmdc/spmdc/internal/compare"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/randprog"
)

// transformedBlocks are kernels that transformations change.
var transformedBlocks = []string{"update and copy", "guarded reduction", "guarded reduction", "last iteration is different", "in-place outer index", "in-place outer index", "sum",
	"max and min", "sum", "odd-even exchange", "red-black", "red-black", "rows in any order", "rows in any order", "neighbours around the ends"}

// chosenKinds are the transformations that must be chosen in some of those programs.
var chosenKinds = []string{"distribute", "guard", "peel", "split", "replicate", "periodic", "redistribute", "gather", "wrap"}

// TestTransformedPrograms compares random programs that give the source
// transformations something to do with gfortran, as TestRandomPrograms does, and
// under one plan also without transformations. Some must
// have reductions that travel together, or loops that are emitted once more for one PE.
func TestTransformedPrograms(t *testing.T) {
	n := *programs
	if n == 0 {
		effort.Full(t, "TestRandomPrograms has a part of one of them")
		n = 8
	}
	t.Parallel()
	effort.Tool(t, "gfortran", "gfortran")
	var cases []*randomCase
	for i := range n {
		s := max(*seed, 1) + uint64(i)
		cases = append(cases, &randomCase{seed: s, Program: randprog.With(s, transformedBlocks...)})
	}
	prepare(t, cases, way{"plain", plans[0], []string{"--no-transform=all"}})
	var mu sync.Mutex
	chosen := map[string]int{}
	t.Run("seed", func(t *testing.T) {
		for _, c := range cases {
			t.Run(fmt.Sprint(c.seed), func(t *testing.T) {
				t.Parallel()
				if err := c.check(); err != nil {
					t.Fatalf("seed %d: %v\n%s", c.seed, err, c.Source)
				}
				if err := c.untransformed(); err != nil {
					t.Errorf("seed %d without transformations: %v\n%s", c.seed, err, c.Source)
				}
				text, _, _ := strings.Cut(string(spmdc(t, "explain", c.source, "transform")), "\n\n")
				comms := string(spmdc(t, "explain", c.source, "comm"))
				mu.Lock()
				defer mu.Unlock()
				if _, alone, ok := strings.Cut(comms, "that a PE which runs alone executes without communications:\n"); ok {
					alone, _, _ = strings.Cut(alone, "\n\n")
					chosen["loops for one PE"] += strings.Count(alone, "  line ")
				}
				chosen["reductions in one message"] += strings.Count(comms, ", in one message with #")
				for _, kind := range chosenKinds {
					if strings.HasPrefix(text, "chosen") {
						chosen[kind] += strings.Count(text, ": "+kind+": ")
					}
				}
			})
		}
	})
	t.Logf("chosen in %d programs: %v", n, chosen)
	for _, kind := range append(chosenKinds, "reductions in one message", "loops for one PE") {
		if chosen[kind] == 0 && n >= 8 {
			t.Errorf("%s is chosen in none of %d programs", kind, n)
		}
	}
}

// untransformed is check without transformations, for one plan and 3 PEs.
func (c *randomCase) untransformed() error {
	got, err := command(c.Input, c.program("plain"), "-n", "3")
	if err != nil {
		return err
	}
	return compare.Outputs(c.want, got, compare.Default)
}
