package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/report"
)

// verdicts maps communications inside the first loop over i of tred2 that a
// later iteration repeats to verdict and what orders them, named by reference and
// how often the reference came before: "d(l) NoSync sum of f".
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
// use, and one that was missing.
func TestVerdictsFollowTheProgram(t *testing.T) {
	const (
		sumF = "      f = f + e(j) * d(j)\n"
		sumH = "        h = h + d(k) * d(k)\n"
	)
	program := example(t, "tred2")
	withoutF := edit(t, program, sumF, "")
	withoutBoth := edit(t, withoutF, sumH, "")
	// A reduction on every path of the loop over i, whatever scale is.
	added := edit(t, program, "    d(i) = h\n", "    d(i) = h\n    x = 0.0d0\n    do k = 1, n\n      r(k) = 1.0d0\n      x = x + r(k)\n    end do\n")
	for _, test := range []struct {
		name, program string
		want          []string
	}{
		{"as it is", program, []string{
			"d(k)/1 Sync", "d(l)/1 NoSync sum of f", "d(j)/1 NoSync sum of f", "z(j,j)/1 NoSync sum of f", "e(j)/1 Sync",
			"d(j)/2 NoSync sum of h", "e(j)/2 NoSync sum of h", "z(l,j)/1 Sync", "d(l)/2 Sync", "z(l,j)/2 Sync"}},
		{"without the sum of f", withoutF, []string{
			"d(k)/1 Sync", "d(l)/1 NoSync sum of h", "d(j)/1 NoSync sum of h", "z(j,j)/1 NoSync sum of h", "e(j)/1 Sync",
			"d(j)/2 NoSync sum of h", "e(j)/2 NoSync sum of h", "z(l,j)/1 Sync", "d(l)/2 Sync", "z(l,j)/2 Sync"}},
		{"without the sums of f and h", withoutBoth, []string{
			"d(k)/1 Sync", "d(l)/1 Sync", "d(j)/1 Sync", "z(j,j)/1 Sync", "e(j)/1 Sync",
			"d(j)/2 Sync", "e(j)/2 Sync", "z(l,j)/1 Sync", "d(l)/2 Sync", "z(l,j)/2 Sync"}},
		{"with a sum at the end of each iteration", added, []string{
			"d(k)/1 NoSync sum of x", "d(l)/1 NoSync sum of f", "d(j)/1 NoSync sum of f", "z(j,j)/1 NoSync sum of f", "e(j)/1 Sync",
			"d(j)/2 NoSync sum of x", "e(j)/2 NoSync sum of x", "z(l,j)/1 Sync", "d(l)/2 NoSync sum of x", "z(l,j)/2 NoSync sum of x"}},
	} {
		r := analyze(t, test.program).Build("tred2.hpf")
		if got := verdicts(r); !slices.Equal(got, test.want) {
			t.Errorf("%s:\n got %q\nwant %q", test.name, got, test.want)
		}
		// The table counts the same.
		row := r.Table[1]
		if row.Form != "popl96" || row.NoSync+row.Once+row.Sync != row.Communications || row.Communications != len(r.Communications) {
			t.Errorf("%s: the table does not add up: %+v", test.name, row)
		}
		sync := 0
		for _, v := range test.want {
			if strings.HasSuffix(v, "Sync") && !strings.HasSuffix(v, "NoSync") {
				sync++
			}
		}
		if row.Sync != sync {
			t.Errorf("%s: the table has %d Sync, want %d", test.name, row.Sync, sync)
		}
	}
}
