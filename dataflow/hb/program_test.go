package hb

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/ir/lower"
	"github.com/spmdc/spmdc/ir/mapping"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/parser"
	"github.com/spmdc/spmdc/procfunc"
)

// functions reads a program up to its processor functions.
func functions(t testing.TB, text string) *procfunc.Functions {
	t.Helper()
	tree, diags := parser.Parse("in.hpf", []byte(text))
	if diags.HasErrors() {
		t.Fatalf("%v\n%s", diags.Err(), text)
	}
	p := lower.Lower(tree, diags)
	mapping.Resolve(p, diags)
	if diags.HasErrors() {
		t.Fatalf("%v\n%s", diags.Err(), text)
	}
	c := comm.Analyze(p, scalar.Analyze(p))
	return procfunc.Analyze(c, c.Graph())
}

func examples(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("../../examples/*/*.hpf")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	return paths
}

func two(int) int { return 2 }

// count is how many communications need ready messages.
func (a *Analysis) count(v synch.Verdict) int {
	n := 0
	for _, r := range a.Comms {
		if r.Verdict == v {
			n++
		}
	}
	return n
}

func TestExamples(t *testing.T) {
	for _, path := range examples(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := functions(t, string(text))
		var line strings.Builder
		fmt.Fprintf(&line, "%-12s %2d", filepath.Base(path), len(f.Program.Comms))
		for _, b := range []int{1, 2} {
			for _, np := range []int{0, 1, 2, 3, 4, 8} {
				a := Analyze(f, Options{PEs: np, Slots: func(int) int { return b }})
				nodes := 0
				if a.System != nil {
					nodes = len(a.System.Graph.Nodes)
				}
				fmt.Fprintf(&line, " | P%d %d/%d/%d %d", np, a.count(synch.Once), a.count(synch.NoReady), a.count(synch.NeedsSync), nodes)
			}
		}
		t.Log(line.String())
	}
}
