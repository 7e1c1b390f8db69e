package derived_test

import (
	"testing"

	"github.com/spmdc/spmdc/internal/golden"
	"github.com/spmdc/spmdc/ir/internal/irtest"
	"github.com/spmdc/spmdc/ir/lower/derived"
	"github.com/spmdc/spmdc/parser"
	"github.com/spmdc/spmdc/parser/ast"
)

// TestFlatten compares the program without derived types, or what is wrong with it.
func TestFlatten(t *testing.T) {
	golden.Pairs(t, "testdata/*.txtar", func(t *testing.T, name, text string) string {
		tree, diags := parser.Parse(name, []byte(text))
		if !diags.HasErrors() {
			again, _ := parser.Parse(name, []byte(ast.Unparse(tree)))
			if got, want := ast.Unparse(again), ast.Unparse(tree); got != want {
				t.Errorf("parsing the unparsed text again gives\n%s\nfor\n%s", got, want)
			}
		}
		flat, ok := derived.Flatten(tree, nil, diags)
		if diags.Sort(); ok && !diags.HasErrors() {
			return ast.Unparse(flat)
		}
		return irtest.Report(diags)
	})
}
