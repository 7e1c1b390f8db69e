package report_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGolden compares the text of some examples with examples/NAME/dataflow.golden.
//
// The paper's section 5 gives for tred2, which its authors analysed by hand, 19
// communications: 10 NoSync, 2 once, 7 Sync (36.8 per cent). The program here
// also computes what it prints of its own accuracy, and its placement of
// communication is that of this compiler.
func TestGolden(t *testing.T) {
	for _, name := range []string{"tred2", "jacobi", "heat3d", "fig3", "fig5"} {
		t.Run(name, func(t *testing.T) {
			got := analyze(t, example(t, name)).Build(name + ".hpf").Text(false)
			file := filepath.Join("../../examples", name, "dataflow.golden")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%v; go test -update writes it", err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("%s, -want +got (go test -update rewrites it):\n%s", file, d)
			}
		})
	}
}
