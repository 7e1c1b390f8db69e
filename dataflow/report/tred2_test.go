package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm/choose"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/report"
	"github.com/spmdc/spmdc/ir/transform"
)

// verdicts has of each communication in a loop its verdict and what orders it:
// "d(l)/1 NoSync sum of f" for the first one of d(l).
func verdicts(r *report.Report) []string {
	seen := map[string]int{}
	var out []string
	for _, c := range r.Communications {
		ref := c.References[0]
		seen[ref]++
		if len(c.Loops) == 0 {
			continue
		}
		text := fmt.Sprintf("%s/%d %s", ref, seen[ref], c.Verdict)
		for _, ch := range c.Obligations[0].Chains {
			text += " " + strings.TrimPrefix(ch.Hops[1].Name, "the ")
		}
		out = append(out, text)
	}
	return out
}

// TestVerdictsFollowTheProgram changes tred2's reductions: those that the proofs
// use, and one that was missing. The source transformations, which find tred2
// more reductions, are left out; TestTransformations has them.
func TestVerdictsFollowTheProgram(t *testing.T) {
	program := example(t, "tred2")
	withoutF := edit(t, program, sumF, "")
	// A reduction on every path of the loop over i, whatever scale is.
	added := edit(t, program, "    d(i) = h\n", "    d(i) = h\n    x = 0.0d0\n    do k = 1, n\n      r(k) = 1.0d0\n      x = x + r(k)\n    end do\n")
	for _, test := range []struct {
		name, program string
		want          []string
	}{
		{"as it is", program, []string{
			"d(l)/1 NoSync sum of f", "d(j)/1 NoSync sum of h", "z(j,j)/1 NoSync sum of f", "e(j)/1 Sync",
			"e(j)/2 NoSync sum of h", "z(l,j)/1 Sync", "d(l)/2 Sync", "z(l,j)/2 Sync"}},
		{"without the sum of f", withoutF, []string{
			"d(l)/1 NoSync sum of h", "d(j)/1 NoSync sum of h", "z(j,j)/1 NoSync sum of h", "e(j)/1 Sync",
			"e(j)/2 NoSync sum of h", "z(l,j)/1 Sync", "d(l)/2 Sync", "z(l,j)/2 Sync"}},
		{"without the sums of f and h", edit(t, withoutF, sumH, ""), []string{
			"d(l)/1 Sync", "d(j)/1 Sync", "z(j,j)/1 Sync", "e(j)/1 Sync",
			"e(j)/2 Sync", "z(l,j)/1 Sync", "d(l)/2 Sync", "z(l,j)/2 Sync"}},
		{"with a sum at the end of each iteration", added, []string{
			"d(l)/1 NoSync sum of f", "d(j)/1 NoSync sum of x", "z(j,j)/1 NoSync sum of f", "e(j)/1 Sync",
			"e(j)/2 NoSync sum of x", "z(l,j)/1 Sync", "d(l)/2 NoSync sum of x", "z(l,j)/2 NoSync sum of x"}},
	} {
		r := analyzeWith(t, test.program, plan.PopL96, choose.Options{Without: transform.Kinds}).Build("tred2.hpf", true)
		if got := verdicts(r); !slices.Equal(got, test.want) {
			t.Errorf("%s:\n got %q\nwant %q", test.name, got, test.want)
		}
		// The table counts the same.
		row := r.Table[1]
		if row.Form != "popl96" || row.NoSync+row.Once+row.Sync != row.Communications || row.Communications != len(r.Communications) {
			t.Errorf("%s: the table does not add up: %+v", test.name, row)
		}
		if sync := syncs(test.want); row.Sync != sync {
			t.Errorf("%s: the table has %d Sync, want %d", test.name, row.Sync, sync)
		}
	}
}

// TestTransformations: transformed, tred2 has a reduction on every way, and needs
// no ready messages; without its sums it needs them again.
func TestTransformations(t *testing.T) {
	program := example(t, "tred2")
	r := analyze(t, program).Build("tred2.hpf", true)
	if v := verdicts(r); syncs(v) != 0 || len(v) < 6 || r.Table[1].Sync != 0 {
		t.Errorf("tred2 needs ready messages: %q", v)
	}
	sumScale := "        scale = scale + abs(d(k))\n"
	fewer := edit(t, edit(t, edit(t, program, sumF, ""), sumH, ""), sumScale, "        scale = 1.0d0\n")
	// What is left is the sum of g, for all j at once, under the condition on scale.
	for want, without := range map[int][]transform.Kind{2: nil, 4: {transform.Expand}} {
		r = analyzeWith(t, fewer, plan.PopL96, choose.Options{Without: without}).Build("tred2.hpf", true)
		if v := verdicts(r); syncs(v) < want {
			t.Errorf("tred2 without its sums of f, h and scale, and without %v, needs few ready messages: %q", without, v)
		}
	}
}

const (
	sumF = "      f = f + e(j) * d(j)\n"
	sumH = "        h = h + d(k) * d(k)\n"
)

func syncs(verdicts []string) int {
	n := 0
	for _, v := range verdicts {
		if strings.HasSuffix(v, " Sync") {
			n++
		}
	}
	return n
}
