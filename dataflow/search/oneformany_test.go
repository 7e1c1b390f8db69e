package search_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/dataflow/verify"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/procfunc"
)

// TestOneReadyMessageForMany: of two shifts in one direction, in two nests, one keeps its
// ready messages on 4 PEs, on which the proof of the other counts. Plans in which these are
// not sent, or not counted on, do not verify.
func TestOneReadyMessageForMany(t *testing.T) {
	text, err := os.ReadFile("../testdata/paper/one-way.hpf")
	if err != nil {
		t.Fatal(err)
	}
	p := front.Must(t, front.SPMD, string(text))
	made := func() *plan.Plan {
		return search.Make(p, plan.PopL96, procfunc.Analyze(p, p.Graph()), search.Options{PEs: []int{4}})
	}
	right := made()
	if f := right.Finite; len(f) != 1 || !slices.Equal(f[0].Ready, []int{1}) || !slices.Equal(right.Slots[1].At, []int{4}) || right.Slots[0].Ready != plan.Always {
		t.Fatalf("#1 does not acknowledge the uses of #2:\n%s", right.Explain())
	}
	if err := verify.Plan(right); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what  string
		spoil func(p *plan.Plan)
		want  string
	}{
		{"not counted on", func(p *plan.Plan) { p.Finite[0].Ready = nil }, "need not know"},
		{"of the wrong one", func(p *plan.Plan) { p.Finite[0].Ready = []int{3} }, "#3, which are not sent before every put"},
		{"of none", func(p *plan.Plan) { p.Finite[0].Ready = []int{9} }, "#9, which there is not"},
		{"left out on 4 PEs too", func(p *plan.Plan) { p.Slots[0].At = []int{4} }, "#1, which are not sent before every put"},
		{"on demand", func(p *plan.Plan) { p.Kind, p.Slots[0].Ready = plan.Elide, plan.OnDemand }, "#1, which are not sent before every put"},
		{"of messages that are not certain", func(p *plan.Plan) {
			for i := range p.Finite[0].Sent {
				if s := &p.Finite[0].Sent[i]; s.Comm == 1 {
					s.Must = make(proof.Messages, 4)
				}
			}
		}, "need not know"},
	} {
		wrong := made()
		c.spoil(wrong)
		if err := verify.Plan(wrong); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}
