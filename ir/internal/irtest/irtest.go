// Package irtest holds what the tests of the packages below ir share: golden
// archives, and programs from source text.
//
// An archive is a text file in the txtar format: a comment, then files, each
// behind a line "-- name --". The file "in" is a program; the others are what
// the package under test makes of it. "go test -update" rewrites them.
package irtest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/lower"
	"github.com/spmdc/spmdc/parser"
	"github.com/spmdc/spmdc/parser/source"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Golden runs a subtest for each archive in testdata. The function got returns
// the files that the archive must hold beside "in", by name; empty ones are left
// out. Names fixes their order.
func Golden(t *testing.T, names []string, got func(t *testing.T, in string) map[string]string) {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives in testdata: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			comment, want := parse(string(text))
			files := got(t, want["in"])
			if *update {
				files["in"] = want["in"]
				out := format(comment, append([]string{"in"}, names...), files)
				if err := os.WriteFile(path, []byte(out), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for _, name := range names {
				if d := cmp.Diff(want[name], files[name]); d != "" {
					t.Errorf("%s (-want +got):\n%s", name, d)
				}
			}
		})
	}
}

// parse splits an archive into its comment and its files.
func parse(text string) (comment string, files map[string]string) {
	files = map[string]string{}
	name := ""
	for line := range strings.Lines(text) {
		if n, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "-- "); ok && strings.HasSuffix(n, " --") {
			name = strings.TrimSuffix(n, " --")
			continue
		}
		if name == "" {
			comment += line
		} else {
			files[name] += line
		}
	}
	return comment, files
}

func format(comment string, names []string, files map[string]string) string {
	var b strings.Builder
	b.WriteString(comment)
	for _, name := range names {
		if files[name] == "" {
			continue
		}
		fmt.Fprintf(&b, "-- %s --\n%s", name, files[name])
		if !strings.HasSuffix(files[name], "\n") {
			b.WriteString("\n")
		}
	}
	return b.String()
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
