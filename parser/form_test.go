package parser_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/fixedform"
	"github.com/spmdc/spmdc/internal/randprog"
	"github.com/spmdc/spmdc/parser"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// checkForms proves that a program of free form, printed in fixed form, has the
// same tree.
func checkForms(t tester, name, free string, choose fixedform.Source) {
	t.Helper()
	want := mustParse(t, name, free)
	fixed := fixedform.Print(free, choose)
	got, diags := parser.Parse("x.f", []byte(fixed))
	if err := diags.Err(); err != nil {
		at := diags.Diags[0].Pos.Line
		for _, d := range diags.Diags {
			if d.Severity == source.Error {
				at = d.Pos.Line
				break
			}
		}
		lines := strings.Split(fixed, "\n")
		t.Fatalf("%s: %v; around it:\n%s", name, err, strings.Join(lines[max(0, at-4):min(len(lines), at+4)], "\n"))
	}
	got.Name = want.Name
	// What Unparse writes distinguishes trees, as TestRoundTrip proves.
	if a, b := ast.Unparse(want), ast.Unparse(got); a != b {
		diff := cmp.Diff(strings.Split(a, "\n"), strings.Split(b, "\n"))
		t.Fatalf("%s: the program in fixed form differs (-free +fixed):\n%s\n%s", name, diff, fixed)
	}
}

// TestFormsOfRandomPrograms: random programs have the same tree in both forms.
func TestFormsOfRandomPrograms(t *testing.T) {
	for seed := range uint64(effort.Of(1000, 100)) {
		checkForms(t, fmt.Sprintf("seed%d.f90", seed), randprog.Sample(seed).Source, rand.New(rand.NewPCG(seed, 1)))
	}
}

// TestFormsOfExamples: so have the examples, each printed several times.
func TestFormsOfExamples(t *testing.T) {
	paths, _ := filepath.Glob("../examples/*/*.hpf")
	more, _ := filepath.Glob("../examples/*/*.f90")
	if paths = append(paths, more...); len(paths) < 20 {
		t.Fatalf("only %d examples", len(paths))
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for n := range uint64(effort.Of(20, 3)) {
			checkForms(t, path, string(text), rand.New(rand.NewPCG(n, 2)))
		}
	}
}

// TestFormsOfTrees: so have trees of all statements.
func TestFormsOfTrees(t *testing.T) {
	effort.Checks(t, effort.Of(500, 30))
	rapid.Check(t, func(t *rapid.T) {
		file := genFile.Draw(t, "file")
		checkForms(t, "x.f90", ast.Unparse(file), rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4)))
	})
}

// TestFormsOfAccepted: so have the programs that gfortran and the parser take.
func TestFormsOfAccepted(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/gfortran/accept.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archive.Files {
		for n := range uint64(5) {
			checkForms(t, file.Name+".f90", string(file.Data), rand.New(rand.NewPCG(n, 3)))
		}
	}
}
