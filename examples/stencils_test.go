package examples_test

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/effort"
)

// stencils forwards the corners of small arrays; it is a test and no example.
var stencils = example{name: "stencils", source: "testdata/stencils.hpf", out: "testdata/stencils.out"}

// TestStencils runs it under all plans on grids of every shape: with blocks
// narrower than the distances, PEs that own nothing, and grids of one row.
func TestStencils(t *testing.T) {
	for _, plan := range chosenPlans() {
		t.Run(plan, func(t *testing.T) {
			t.Parallel()
			sameProgram(t, stencils.source, plan)
			program := build(t, stencils.source, plan)
			for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 27} {
				stencils.check(t, program, n)
			}
		})
	}
	t.Run("check", func(t *testing.T) {
		if testing.Short() {
			t.Skip("long: a bundle of its own")
		}
		t.Parallel()
		stencils.check(t, build(t, stencils.source, plans[0], "--check"), 9)
	})
	t.Run("race", func(t *testing.T) {
		effort.Full(t, "builds with the race detector")
		effort.Tool(t, "gcc", "gcc")
		t.Parallel()
		for _, plan := range plans {
			program := build(t, stencils.source, plan, "--race")
			for _, n := range []int{4, 9} {
				stencils.check(t, program, n)
			}
		}
	})
	t.Run("gfortran", func(t *testing.T) {
		t.Parallel()
		checkGfortran(t, stencils)
	})
}

// TestStencilsAreForwarded: 9, 25, 27 and fewer points take as many
// communications as their array has sides.
func TestStencilsAreForwarded(t *testing.T) {
	t.Parallel()
	text := string(spmdc(t, "explain", stencils.source, "comm"))
	shifts := map[string]int{}
	for line := range strings.Lines(text) {
		if _, rest, ok := strings.Cut(line, " shift "); ok {
			array, _, _ := strings.Cut(strings.TrimSpace(rest), "(")
			shifts[array]++
		}
	}
	// a has two stencils, the second wider; w a single element more.
	want := map[string]int{"a": 8, "u": 6, "r": 4, "w": 5}
	for array, n := range want {
		if shifts[array] != n {
			t.Errorf("%d shifts of %s, want %d:\n%s", shifts[array], array, n, text)
		}
	}
}
