package codegen_test

import (
	"os"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// TestStrictAlone: of the triangles, two on distributed arrays are emitted for a PE that is alone
// too, and with those on its own arrays have heads; where elements are too near, or the order
// of sums is another one, they are not.
func TestStrictAlone(t *testing.T) {
	source, err := os.ReadFile("../examples/testdata/numbers/triangles.hpf")
	if err != nil {
		t.Fatal(err)
	}
	for fp, want := range map[codegen.FP][2]int{codegen.Strict: {2, 4}, codegen.Ordered: {0, 0}} {
		text := emit(t, "triangles.hpf", string(source), plan.Elide, codegen.Options{Target: kernel.Auto, FP: fp})
		got := [2]int{strings.Count(text, "if pe.N() == 1 {"), strings.Count(text, "tailN") / 2}
		if got != want {
			t.Errorf("%s: nests for a PE that is alone, and with heads: %v, want %v", fp, got, want)
		}
	}
}
