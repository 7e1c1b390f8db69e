package synch

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/internal/abstract"
)

// TestShrink: what is reported of a failure is small and complete.
func TestShrink(t *testing.T) {
	r := soundRules()
	r.read = func(in, _ State) Verdict { return max(verdict(in.Value), NoReady) } // everything is free
	tried := 0
	for i := 0; tried < 5; i++ {
		p, _ := programNumber(9, i)
		if refuted(p, r.verdicts, false) == nil {
			continue
		}
		tried++
		before := build(p)
		small := abstract.Shrink(p, func(q *abstract.Program) bool { return refuted(q, r.verdicts, false) != nil })
		after := build(small)
		if refuted(small, r.verdicts, false) == nil {
			t.Fatalf("program %d does not fail any more\n%v", i, after)
		}
		// One communication that is repeated, or two in the same cells, is enough.
		if after.Comms() > 2 || len(after.Graph.Nodes) > 12 || small.PEs > 2 {
			t.Errorf("program %d: from %d to %d nodes\n%v", i, len(before.Graph.Nodes), len(after.Graph.Nodes), after)
		}
		if build(p).String() != before.String() {
			t.Errorf("program %d has changed", i)
		}
		out := report(p, r.verdicts, false)
		for _, want := range []string{"2 PEs", "0 entry -> 1", "C_1 class", "puts come too early; by the sound form: C_1 "} {
			if !strings.Contains(out, want) {
				t.Errorf("program %d: the report lacks %q:\n%s", i, want, out)
			}
		}
	}
}
