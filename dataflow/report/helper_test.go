package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/cfg/comm/choose"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/report"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc"
)

// analyze takes a program through all passes up to this one, with the default plan.
func analyze(t testing.TB, text string) *report.Analysis {
	t.Helper()
	return analyzeWith(t, text, plan.Elide, choose.Options{})
}

// analyzeWith is analyze with another plan and a choice of source transformations.
// pes are the numbers of PEs that plan elide is made for in particular.
func analyzeWith(t testing.TB, text string, kind plan.Kind, o choose.Options, pes ...int) *report.Analysis {
	t.Helper()
	p := front.Must(t, front.Program, text)
	chosen := choose.Choose(p, scalar.Analyze(p), o)
	c := comm.Analyze(chosen.IR, chosen.Info)
	f := procfunc.Analyze(c, c.Graph())
	if pes == nil {
		return report.Analyze(search.Make(c, kind, f, search.Options{}), f, report.Options{})
	}
	wanted := search.Options{PEs: pes}
	return report.Analyze(search.Make(c, plan.Elide, f, wanted), f, report.Options{PEs: pes[0], Search: wanted})
}

// reports are those of the examples, which several tests look at.
var reports sync.Map

// told is a report and what it is explained from.
type explained struct {
	a *report.Analysis
	r *report.Report
}

// built is the full report on an example with the default plan.
func built(t testing.TB, name string) *report.Report {
	t.Helper()
	return builtWith(t, name).r
}

func builtWith(t testing.TB, name string) explained {
	t.Helper()
	if x, ok := reports.Load(name); ok {
		return x.(explained)
	}
	a := analyze(t, example(t, name))
	x := explained{a, a.Build(name+".hpf", true)}
	reports.Store(name, x)
	return x
}

// example reads an example program.
func example(t testing.TB, name string) string {
	t.Helper()
	files, err := filepath.Glob("../../examples/*/" + name + ".hpf")
	if err != nil || len(files) != 1 {
		t.Fatalf("example %s: %q, %v", name, files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// examples are the names of all example programs.
func examples(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../../examples/*/*.hpf")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".hpf"))
	}
	return names
}

// edit replaces text that a program has to contain once.
func edit(t testing.TB, program, old, replacement string) string {
	t.Helper()
	if n := strings.Count(program, old); n != 1 {
		t.Fatalf("the program has %q %d times", old, n)
	}
	return strings.Replace(program, old, replacement, 1)
}
