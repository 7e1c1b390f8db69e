package transform_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/internal/irtest"
	"github.com/spmdc/spmdc/ir/transform"
)

// TestGolden makes every possible change of the kinds that the first line of the
// program names, inner statements first, until none is left: "what" tells of the
// changes, "out" is the program that they lead to.
func TestGolden(t *testing.T) {
	irtest.Golden(t, []string{"what", "out"}, func(t *testing.T, in string) map[string]string {
		p := program(t, in)
		head, _, _ := strings.Cut(in, "\n")
		what := ""
		before, failed := run(p)
		if failed != "" {
			t.Fatalf("the program fails: %s", failed)
		}
		for _, kind := range transform.Kinds {
			if !strings.Contains(head, string(kind)) {
				continue
			}
			for range 10 {
				c := first(p, kind)
				if c == nil {
					break
				}
				what += fmt.Sprintf("line %d, %s: %s: %s\n", c.Old.Position().Line, ir.StmtString(c.Old), kind, c.What)
				p = substitute(p, c)
			}
		}
		after, failed := run(p)
		if failed != "" {
			t.Fatalf("the changed program fails: %s", failed)
		}
		if d := differ(p, before, after); d != "" {
			t.Error(d)
		}
		return map[string]string{"what": what, "out": statements(t, p)}
	})
}

// first is the first possible change of a kind.
func first(p *ir.Program, kind transform.Kind) *transform.Change {
	a := analysis(p)
	for _, s := range inside(p.Body) {
		if c, err := apply(a, kind, s); c != nil && err == nil {
			return c
		}
	}
	return nil
}
