package report_test

import (
	"os"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/report"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/procfunc"
)

// TestViews: the summary stands first and in about ten lines, a brief text has no
// communication, a selection has no other, and one of nothing is an error.
func TestViews(t *testing.T) {
	r := built(t, "lu")
	view := func(v report.View) string {
		t.Helper()
		text, err := r.View(v)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	whole, brief := view(report.View{}), view(report.View{Brief: true})
	head, _, _ := strings.Cut(whole, "\n\n")
	if n := strings.Count(head, "\n"); n > 20 || !strings.Contains(head, "summary: 14 communications: 0 without a ready message, 9 executed once, 5 that may send one; 2 reductions or barriers") ||
		!strings.Contains(head, "#4   line 50   broadcast of a(k,j): a ready message on demand; to change: ") {
		t.Errorf("%d lines:\n%s", n, head)
	}
	if !strings.HasPrefix(brief, head) || strings.Contains(brief, "Producers") || !strings.Contains(brief, "eliminated") {
		t.Errorf("the brief text is\n%s", brief)
	}
	four := view(report.View{Only: "#4"})
	if !strings.HasPrefix(four, "#4 ") || strings.Contains(four, "\n#") || !strings.Contains(whole, four) {
		t.Errorf("of #4 it says\n%s", four)
	}
	if text := view(report.View{Only: "50"}); !strings.HasPrefix(text, "#3 ") || strings.Count("\n"+text, "\n#") != 2 {
		t.Errorf("of line 50 it says\n%s", text)
	}
	for _, only := range []string{"#99", "1", "x"} {
		if _, err := r.View(report.View{Only: only}); err == nil || !strings.Contains(err.Error(), "there is no communication "+only+": give #NUMBER or a line of #1 (line 37), ") {
			t.Errorf("--only=%s: %v", only, err)
		}
	}
}

// TestReductionsAreListed: Figure 6 has one, in its loop.
func TestReductionsAreListed(t *testing.T) {
	if text := built(t, "fig6").Text(false); !strings.Contains(text, "\n  sum of s  C, CO, UO line 21 · in it (line 19) · Producers U · Consumers U · U -> U\n") ||
		!strings.Contains(text, "reductions and barriers besides            1        1        1\n") {
		t.Errorf("the reduction is not listed:\n%s", text)
	}
}

// TestPrintedAnalysis: popl96-literal shows its own sweeps, which Condition fails in which
// dimension, and an execution in which what it elides is not ordered.
func TestPrintedAnalysis(t *testing.T) {
	source, err := os.ReadFile("../testdata/defects/01-self-kill.hpf")
	if err != nil {
		t.Fatal(err)
	}
	p := front.Must(t, front.SPMD, string(source))
	f := procfunc.Analyze(p, p.Graph())
	r := report.Analyze(search.Make(p, plan.PopL96Literal, f, search.Options{}), f, report.Options{}).Build("p.hpf", true)
	c := r.Communications[0]
	if c.Verdict != "NoSync" || len(c.Obligations) != 1 || !strings.Contains(c.Why, "proves nothing") {
		t.Fatalf("#1: %s, %d obligations, %s", c.Verdict, len(c.Obligations), c.Why)
	}
	o := c.Obligations[0]
	states := ""
	for _, v := range o.Values {
		if v.Name == "C_1" {
			states = strings.Join(v.Out, " ")
		}
	}
	if !strings.Contains(states, "NoSyncP{1}") && !strings.Contains(states, "NoSync") || len(o.Sweeps) != len(o.Values[0].In) {
		t.Errorf("behind C_1: %s; %d sweeps", states, len(o.Sweeps))
	}
	if o.Gap == nil || o.Gap.Example == nil {
		t.Error("no execution shows that the elision is wrong")
	}
	text := r.Text(false)
	for _, want := range []string{"the printed tests of Conditions 2 and 3:", "Conditions 2 and 3 hold as printed: ", "sweeps of the printed analysis: at most"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q:\n%s", want, text)
		}
	}
}
