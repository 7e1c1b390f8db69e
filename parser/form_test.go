package parser_test

import (
	flags "flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/randprog"
	"github.com/spmdc/spmdc/internal/sourceform"
	"github.com/spmdc/spmdc/parser"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// hostile are the printers of programs, by the name of a file of the form.
var hostile = map[string]func(text string, choose sourceform.Source) string{"x.f": sourceform.Fixed, "x.f90": sourceform.Free}

// checkForms proves that a program of free form, printed unkindly in either form, has the
// same tree.
func checkForms(t tester, name, free string, choose sourceform.Source) {
	t.Helper()
	want := mustParse(t, name, free)
	for _, file := range []string{"x.f", "x.f90"} {
		text := hostile[file](free, choose)
		got, diags := parser.Parse(file, []byte(text))
		if err := diags.Err(); err != nil {
			at := diags.Diags[0].Pos.Line
			for _, d := range diags.Diags {
				if d.Severity == source.Error {
					at = d.Pos.Line
					break
				}
			}
			lines := strings.Split(text, "\n")
			t.Fatalf("%s as %s: %v; around it:\n%s", name, file, err, strings.Join(lines[max(0, at-4):min(len(lines), at+4)], "\n"))
		}
		got.Name = want.Name
		// What Unparse writes distinguishes trees, as TestRoundTrip proves.
		if a, b := ast.Unparse(want), ast.Unparse(got); a != b {
			diff := cmp.Diff(strings.Split(a, "\n"), strings.Split(b, "\n"))
			t.Fatalf("%s: the program as %s differs (-as it was +printed):\n%s\n%s", name, file, diff, text)
		}
	}
}

var (
	formPrograms = flags.Int("programs", 0, "number of random programs to print in both forms (default 60, and 1000 with SPMDC_REQUIRE=all)")
	formSeed     = flags.Uint64("seed", 0, "seed of the first; the next have the next numbers")
)

// TestFormsOfRandomPrograms: random programs of all generators in turn have the same tree in
// both forms.
func TestFormsOfRandomPrograms(t *testing.T) {
	n := *formPrograms
	if n == 0 {
		n = effort.Of(1000, 60)
	}
	names := slices.Sorted(maps.Keys(randprog.Generators))
	counts := map[string]int{}
	for i := range uint64(n) {
		seed := *formSeed + i
		generator := names[seed%uint64(len(names))]
		counts[generator]++
		checkForms(t, fmt.Sprintf("%s%d.f90", generator, seed), randprog.Generators[generator](seed).Source, rand.New(rand.NewPCG(seed, 1)))
	}
	t.Logf("%d programs, in fixed and in free form: %v", n, counts)
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
