package examples_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/compare"
)

// wrapped are programs whose INTEGER arithmetic overflows, and whether the outputs beside
// them are those of gfortran -fwrapv: that does not end loops in steps of one at the
// largest value of their kind.
var wrapped = map[string]bool{"operators.hpf": true, "random.hpf": true, "loops.hpf": false, "images.f90": false}

// TestWrapping: INTEGER of both kinds wraps in every operation, on any number of PEs,
// under all plans.
func TestWrapping(t *testing.T) {
	for name := range wrapped {
		source := filepath.Join("testdata", "wrap", name)
		want, err := os.ReadFile(beside(source, ".out"))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, plan := range plans {
				if i > 0 && filepath.Ext(name) != ".hpf" {
					break
				}
				program := build(t, source, plan)
				for _, n := range []int{1, 2, 3, 7} {
					got := run(t, beside(source, ".in"), program, "-n", fmt.Sprint(n))
					if err := compare.Outputs(string(want), got, compare.Default); err != nil {
						t.Errorf("%s on %d PEs: %v", plan, n, err)
					}
				}
			}
		})
	}
}

// TestWrappingGfortran: the outputs of TestWrapping are gfortran's.
func TestWrappingGfortran(t *testing.T) {
	require(t, "gfortran", "gfortran")
	for name, same := range wrapped {
		source := filepath.Join("testdata", "wrap", name)
		program := filepath.Join(t.TempDir(), "program")
		out, err := exec.Command("gfortran", "-x", "f95", "-ffree-form", "-fcoarray=single", "-fwrapv", "-o", program, source).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		if !same && name != "images.f90" {
			continue
		}
		want, err := os.ReadFile(beside(source, ".out"))
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program)
		if text, err := os.ReadFile(beside(source, ".in")); err == nil {
			cmd.Stdin = strings.NewReader(string(text))
		}
		got, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if err := compare.Outputs(string(want), string(got), compare.Default); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
