package images_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/images"
	"github.com/spmdc/spmdc/ir/internal/irtest"
	"github.com/spmdc/spmdc/ir/mapping"
)

// TestGolden compares, statement by statement, what is found ("facts": m for a
// distributed array in it, d for something that differs among images), and the
// diagnostics ("errors").
func TestGolden(t *testing.T) {
	irtest.Golden(t, []string{"facts", "errors"}, func(t *testing.T, in string) map[string]string {
		p, diags := irtest.Lower(t, in)
		mapping.Resolve(p, diags)
		if diags.HasErrors() {
			t.Fatalf("unexpected errors:\n%s", irtest.Report(diags))
		}
		var b strings.Builder
		info := images.Analyze(p)
		if info == nil {
			b.WriteString("nothing to find out\n")
		} else {
			ir.Walk(p.Body, func(s ir.Stmt) bool {
				flags := []byte("..")
				if info.Mapped(s) {
					flags[0] = 'm'
				}
				if info.Differs(s) {
					flags[1] = 'd'
				}
				fmt.Fprintf(&b, "%s %3d | %s\n", flags, s.Position().Line, ir.StmtString(s))
				return true
			})
		}
		images.Check(p, diags)
		return map[string]string{"facts": b.String(), "errors": irtest.Report(diags)}
	})
}
