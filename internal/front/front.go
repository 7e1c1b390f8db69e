// Package front takes source text through the front end, for the tests of what
// comes behind it.
package front

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
	_ "github.com/spmdc/spmdc/internal/gcless"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/blockcyclic"
	"github.com/spmdc/spmdc/ir/lower"
	"github.com/spmdc/spmdc/ir/mapping"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/ir/sharing"
	"github.com/spmdc/spmdc/parser"
	"github.com/spmdc/spmdc/parser/source"
)

// Program gives the typed program of a file, with mappings. The error lists all
// that is wrong with it.
func Program(file, text string) (*ir.Program, error) {
	tree, diags := parser.Parse(file, []byte(text))
	if diags.HasErrors() {
		return nil, refused(diags)
	}
	p := lower.Lower(tree, diags)
	if diags.HasErrors() {
		return nil, refused(diags)
	}
	mapping.Resolve(p, diags)
	if diags.HasErrors() {
		return nil, refused(diags)
	}
	sharing.Share(p)
	blockcyclic.Divide(p, diags)
	return p, nil
}

// SPMD is Program in SPMD form, without transformations of the source.
func SPMD(file, text string) (*comm.Program, error) {
	p, err := Program(file, text)
	if err != nil {
		return nil, err
	}
	return comm.Analyze(p, scalar.Analyze(p)), nil
}

// Must reads text by Program or SPMD. A text that is refused fails the test.
func Must[P any](t testing.TB, read func(file, text string) (P, error), text string) P {
	t.Helper()
	p, err := read("in.hpf", text)
	if err != nil {
		t.Fatalf("%v%s", err, Numbered(text))
	}
	return p
}

func refused(diags *source.List) error {
	var b strings.Builder
	for _, d := range diags.Diags {
		fmt.Fprintf(&b, "%d:%d: %s\n", d.Pos.Line, d.Pos.Col, d.Msg)
	}
	return fmt.Errorf("the program is refused:\n%s", b.String())
}

// Numbered is text with line numbers, for failures.
func Numbered(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintf(&b, "%3d  %s\n", i+1, line)
	}
	return b.String()
}
