package traces

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestCritical: PE 0 is late with its put, so its loop is on the path and to blame for the wait
// of PE 1, as far as PE 1 waited meanwhile; the parts of the path add up to the run.
func TestCritical(t *testing.T) {
	trace := twoPEs(t, "two")
	// PE 1 ends last: what it does behind the reduction is on the path, and then that of PE 0.
	trace.PE[1][0].Took = 1100
	c := trace.Critical()
	want := map[string][2]float64{ // ns on the path, and to blame
		"loop i":               {700, 700},
		"program two":          {100 + 90 + 100, 70},
		"put: shift u(i-1)two": {10, 10},
		"reduction: sum s":     {100, 0},
	}
	var sum float64
	for _, x := range c.Parts {
		sum += x.Path
		w, ok := want[x.What]
		if !ok || math.Abs(x.Path*1e9-w[0]) > 1e-3 || math.Abs(x.Blame*1e9-w[1]) > 1e-3 {
			t.Errorf("%s: %g s on the path, %g to blame, want %v ns", x.What, x.Path, x.Blame, w)
		}
		delete(want, x.What)
	}
	steps := []Step{
		{PE: 0, From: 0, To: 900e-9, What: "loop i", Lines: "5-7"},
		{PE: 1, From: 900e-9, To: 1100e-9, What: "program two", Lines: "1-20", Wait: "reduction: sum s"}, // as long as the wait
	}
	if !slices.Equal(c.Steps, steps) {
		t.Errorf("steps %+v, want %+v", c.Steps, steps)
	}
	for _, x := range c.Parts {
		if want := map[string]int{"reduction: sum s": 1}[x.What]; x.PE != want {
			t.Errorf("%s is most on PE %d, want %d", x.What, x.PE, want)
		}
	}
	c.WithSteps = true
	var b strings.Builder
	if err := c.Text(&b); err != nil || !strings.Contains(b.String(), "PE 1  900 ns  200 ns  1-20  program two, after reduction: sum s\n") {
		t.Errorf("%v:\n%s", err, b.String())
	}
	if len(want) > 0 || c.Jumps != 1 || math.Abs(c.Length-1100e-9) > 1e-12 || math.Abs(sum-c.Length) > 1e-12 {
		t.Errorf("without %v; %d jumps, length %g s, sum %g s", want, c.Jumps, c.Length, sum)
	}
}
