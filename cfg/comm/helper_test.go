package comm_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/lower"
	"github.com/spmdc/spmdc/ir/mapping"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/parser"
	"github.com/spmdc/spmdc/parser/source"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// front is the typed program of text, with mappings; text must be free of errors.
func front(text string) (*ir.Program, error) {
	tree, diags := parser.Parse("in.hpf", []byte(text))
	if diags.HasErrors() {
		return nil, report(diags)
	}
	p := lower.Lower(tree, diags)
	if diags.HasErrors() {
		return nil, report(diags)
	}
	mapping.Resolve(p, diags)
	if diags.HasErrors() {
		return nil, report(diags)
	}
	return p, nil
}

func report(diags *source.List) error {
	var b strings.Builder
	for _, d := range diags.Diags {
		fmt.Fprintf(&b, "%d:%d: %s\n", d.Pos.Line, d.Pos.Col, d.Msg)
	}
	return fmt.Errorf("the program is refused:\n%s", b.String())
}

// program is the typed program of text.
func program(t testing.TB, text string) *ir.Program {
	t.Helper()
	p, err := front(text)
	if err != nil {
		t.Fatalf("%v%s", err, numbered(text))
	}
	return p
}

// analyze is the SPMD form of text.
func analyze(t testing.TB, text string) *comm.Program {
	t.Helper()
	p := program(t, text)
	return comm.Analyze(p, scalar.Analyze(p))
}

// numbered is text with line numbers, for failures.
func numbered(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintf(&b, "%3d  %s\n", i+1, line)
	}
	return b.String()
}

// section is one file of a txtar archive.
type section struct{ name, data string }

// readArchive splits a txtar archive; what stands before the first file is the
// comment.
func readArchive(text string) (comment string, sections []section) {
	a := txtar.Parse([]byte(text))
	for _, f := range a.Files {
		sections = append(sections, section{name: f.Name, data: string(f.Data)})
	}
	return string(a.Comment), sections
}

func writeArchive(comment string, sections []section) string {
	a := txtar.Archive{Comment: []byte(comment)}
	for _, s := range sections {
		a.Files = append(a.Files, txtar.File{Name: s.name, Data: []byte(s.data)})
	}
	return string(txtar.Format(&a))
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
