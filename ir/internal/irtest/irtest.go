// Package irtest holds what the tests of the packages below ir share: golden
// archives, and programs from source text.
package irtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/golden"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/lower"
	"github.com/spmdc/spmdc/parser"
	"github.com/spmdc/spmdc/parser/source"
)

// Golden runs a subtest for each archive in testdata, the first file of which is a
// program "in". The function got returns the files that the archive must hold
// beside it, by name; empty ones are left out. Names fixes their order.
func Golden(t *testing.T, names []string, got func(t *testing.T, in string) map[string]string) {
	t.Helper()
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		if a.Files[0].Name != "in" {
			t.Fatal("the first file is not the program")
		}
		files := got(t, a.Files[0].Text)
		var all []golden.File
		for _, name := range names {
			if files[name] != "" {
				all = append(all, golden.File{Name: name, Text: files[name]})
			}
		}
		a.Compare(t, all...)
	})
}

// Lower parses and lowers in. The test fails when the parser rejects it.
func Lower(t testing.TB, in string) (*ir.Program, *source.List) {
	t.Helper()
	tree, diags := parser.Parse("in.hpf", []byte(in))
	if diags.HasErrors() {
		t.Fatalf("the parser rejects the program:\n%s", Report(diags))
	}
	return lower.Lower(tree, diags), diags
}

// Program parses and lowers in, which must be free of errors.
func Program(t testing.TB, in string) *ir.Program {
	t.Helper()
	p, diags := Lower(t, in)
	if diags.HasErrors() {
		t.Fatalf("unexpected errors:\n%s", Report(diags))
	}
	return p
}

// Report writes diagnostics with notes and remedies, one per line.
func Report(diags *source.List) string {
	var b strings.Builder
	for _, d := range diags.Diags {
		fmt.Fprintf(&b, "%d:%d: %s: %s [%s]\n", d.Pos.Line, d.Pos.Col, d.Severity, d.Msg, d.Code)
		for _, n := range d.Notes {
			fmt.Fprintf(&b, "    %d:%d: %s\n", n.Pos.Line, n.Pos.Col, n.Msg)
		}
		if d.Help != "" {
			fmt.Fprintf(&b, "    help: %s\n", d.Help)
		}
	}
	return b.String()
}
