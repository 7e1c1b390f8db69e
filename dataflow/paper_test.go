package dataflow_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/report"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/dataflow/verify"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/procfunc"
)

// TestPaperPrograms: what plan popl96 leaves of the ready messages of programs that the
// paper speaks of, for any number of PEs and for 4, and the printed analysis with Condition
// 2 on physical processors. The plans are verified. Communications that are executed once
// are left out.
func TestPaperPrograms(t *testing.T) {
	for _, c := range []struct{ name, any, on4, literal, literalOn4 string }{
		{"grid-unrolled", "", "1 2 3 4 5 6 7 8", "", "1 2 3 4 5 6 7 8"},
		{"ping-pong", "", "1 2 3 4", "", "1 2 3 4"},
		{"chain", "1", "1 2 3", "", ""},
		{"one-way", "", "2", "", ""},
	} {
		text, err := os.ReadFile("testdata/paper/" + c.name + ".hpf")
		if err != nil {
			t.Fatal(err)
		}
		p := front.Must(t, front.SPMD, string(text))
		f := procfunc.Analyze(p, p.Graph())
		for _, k := range []struct {
			kind plan.Kind
			pes  []int
			want string
		}{
			{plan.PopL96, nil, c.any}, {plan.PopL96, []int{4}, c.on4},
			{plan.PopL96Literal, nil, c.literal}, {plan.PopL96Literal, []int{4}, c.literalOn4},
		} {
			made := search.Make(p, k.kind, f, search.Options{PEs: k.pes})
			if err := verify.Plan(made); err != nil {
				t.Errorf("%s, %s: %v", c.name, k.kind, err)
			}
			var free []string
			for _, s := range made.Slots {
				if s.Verdict.String() != "Once" && (s.Ready == plan.Never || len(s.At) > 0) {
					free = append(free, fmt.Sprint(s.Comm.ID))
				}
			}
			if got := strings.Join(free, " "); got != k.want {
				t.Errorf("%s, %s for %v PEs: free are %q, want %q", c.name, k.kind, k.pes, got, k.want)
			}
		}
	}
}

// TestPaperTable: the table of the paper's section 5 has every communication and reduction,
// and the paper's counts where the source carries them.
func TestPaperTable(t *testing.T) {
	text, err := os.ReadFile("testdata/paper/grid-unrolled.hpf")
	if err != nil {
		t.Fatal(err)
	}
	p := front.Must(t, front.SPMD, string(text))
	f := procfunc.Analyze(p, p.Graph())
	r := report.Analyze(search.Make(p, plan.PopL96, f, search.Options{}), f, report.Options{}).Build("grid-unrolled.hpf", false)
	got := strings.Join(strings.Fields(r.Paper(string(text))), " ")
	for _, want := range []string{"#8 grid(i,j+1,2)", "sum of total line 61 all PEs", "paper literal popl96 elide communications 8 10 10 10 NoSync 8 0 0", "Sync 0 8 8"} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in the table:\n%s", want, got)
		}
	}
	if got := r.Paper("program p\nend program p\n"); !strings.Contains(got, "The source does not say") || strings.Contains(got, "  paper") {
		t.Errorf("a source without the paper's counts gives\n%s", got)
	}
}
