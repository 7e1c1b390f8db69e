package codegen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// TestLinesOfPlaces: where memory is given to arrays the program can end by an error of the
// user's, so that the Go compiler must believe these lines to be those of the source, also
// behind what takes many lines of Go.
func TestLinesOfPlaces(t *testing.T) {
	code := emit(t, "p.f90", `program p
  integer, allocatable :: g(:), h(:), u(:)
!HPF$ DISTRIBUTE g(BLOCK)
!HPF$ ALIGN h(i) WITH g(i)
  allocate(g(3), h(3))
  g = 1
  h = g
  g = [1, 2, 3, 4, 5]
  u = [1, 2, 3]
  print *, g, h, u
  u = [u, 7]
  print *, u
end program
`, plan.Handshake, codegen.Options{})
	file, line, places := "", 0, 0
	for text := range strings.Lines(code) {
		if at, ok := strings.CutPrefix(strings.TrimSpace(text), "//line "); ok {
			file, at, _ = strings.Cut(at, ":")
			fmt.Sscan(at, &line)
			continue
		}
		for call, lines := range map[string][]int{"g.Place(": {5, 6, 8}, "h.Place(": {5, 7}, "h.Follow(": {5, 8}, "u.Resize(": {9, 11}} {
			if !strings.Contains(text, call) {
				continue
			}
			places++
			found := false
			for _, l := range lines {
				found = found || l == line
			}
			if !found || file != "p.f90" {
				t.Errorf("%s stands for %s:%d, not for one of the lines %v:\n%s", call, file, line, lines, code)
			}
		}
		line++
	}
	if places < 7 {
		t.Errorf("%d of these calls were found, expected 7 at least:\n%s", places, code)
	}
}
