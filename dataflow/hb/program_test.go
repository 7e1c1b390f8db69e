package hb

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/internal/golden"
	"github.com/spmdc/spmdc/procfunc"
)

// functions reads a program up to its processor functions.
func functions(t testing.TB, text string) *procfunc.Functions {
	t.Helper()
	c := front.Must(t, front.SPMD, text)
	return procfunc.Analyze(c, c.Graph())
}

func tryFunctions(text string) (*procfunc.Functions, error) {
	c, err := front.SPMD("in.hpf", text)
	if err != nil {
		return nil, err
	}
	return procfunc.Analyze(c, c.Graph()), nil
}

func examples(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("../../examples/*/*.hpf")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	return paths
}

// count is how many communications have a verdict.
func count(list []synch.Verdict, v synch.Verdict) int {
	n := 0
	for _, x := range list {
		if x == v {
			n++
		}
	}
	return n
}

// TestExamples: how many communications keep their ready messages, for one slot
// and for two.
func TestExamples(t *testing.T) {
	var out strings.Builder
	out.WriteString("communications that keep ready messages, of all, by the number of PEs (? for not known)\n\n")
	fmt.Fprintf(&out, "%-16s %4s  %-36s  %s\n", "", "all", "one slot: ?, 1 to 8 PEs", "two slots: ?, 1 to 8 PEs")
	for _, path := range examples(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := functions(t, string(text))
		fmt.Fprintf(&out, "%-16s %4d", filepath.Base(path), len(f.Program.Comms))
		for b := 1; b <= 2; b++ {
			out.WriteString(" ")
			last := 0
			for np := range 9 {
				last = count(analyzed(f, np, slices.Repeat(layout{{n: b}}, len(f.Program.Comms))), synch.NeedsSync)
				fmt.Fprintf(&out, " %3d", last)
			}
			if b == 2 && last > 0 && freeWithTwo[filepath.Base(path)] {
				t.Errorf("%s: %d communications keep ready messages on 8 PEs with two slots", path, last)
			}
		}
		out.WriteString("\n")
	}
	golden.Text(t, "testdata/examples.golden", out.String())
}

// freeWithTwo lists the stencils, which exchange with all neighbours.
var freeWithTwo = map[string]bool{"grid.hpf": true, "jacobi.hpf": true, "redblack.hpf": true, "heat3d.hpf": true, "life.hpf": true}
