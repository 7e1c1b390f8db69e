package verify

import (
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// TestWays: each plan is built for each target, and a target that prints another digit
// than the first on the same number of PEs is reported, with its line.
func TestWays(t *testing.T) {
	o := Options{Plans: []plan.Kind{plan.Elide, plan.Barrier}}
	if got := o.ways(); !slices.Equal(got, []Way{{Plan: plan.Elide}, {Plan: plan.Barrier}}) {
		t.Errorf("without targets: %v", got)
	}
	o.Targets = []kernel.Target{kernel.Go, kernel.AVX2}
	ways := o.ways()
	if len(ways) != 4 || variant(3, ways[1]) == variant(3, ways[0]) {
		t.Fatalf("%v", ways)
	}
	d := digits{}
	for _, x := range []struct {
		way  Way
		n    int
		text string
		want string
	}{
		{ways[0], 2, "1.5\n2.5\n", ""},
		{ways[1], 2, "1.5\n2.5\n", ""},
		{ways[1], 2, "1.5\n2.4\n", "line 2 is not that of target go"},
		{ways[1], 2, "1.5\n", "line 2"},
		{ways[1], 3, "1.6\n", ""}, // the sums of another number of PEs
		{ways[2], 2, "1.4\n", ""}, // another plan
	} {
		err := d.same(x.way, x.n, &Outcome{Stdout: x.text})
		if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v on %d PEs, %q: %v, want %q", x.way, x.n, x.text, err, x.want)
		}
	}
}
