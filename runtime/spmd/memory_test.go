package spmd

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// TestOutOfMemory: an array for which there is no room ends the run with one error that
// says how much it needs, and not with Go's dump.
func TestOutOfMemory(t *testing.T) {
	for _, c := range []struct {
		n    int
		want string
	}{
		{1 << 44, "needs 140737.5 GB"}, // of 8 bytes
		{1 << 58, "no machine has that much"},
		{1 << 61, "no machine has that much"},
	} {
		status, out, text := start(sites(1), func(pe *PE) {
			NewArray[float64](pe, "a", dist.NewLayout(dist.Map{Axes: []dist.Axis{{Lo: 1, Hi: c.n, Grid: -1, A: 1}}}, dist.Grid{pe.N()}), nil)
			pe.Start()
		}, "", "-n", "2")
		if status != exitFault || out != "" || !strings.Contains(text, "out of memory: array a") || !strings.Contains(text, c.want) || strings.Contains(text, "internal") {
			t.Errorf("%d elements: status %d\n%s", c.n, status, text)
		}
	}
}
