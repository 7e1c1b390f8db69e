package codegen_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// leafLoop is a loop "for t := 0; t < nT; t++" of an emitted program.
type leafLoop struct {
	first, last int      // lines of main.go
	source      int      // line of its DO
	strided     []string // array elements that are not name[t] of a slice of nT elements
	slices      int      // distinct slices
}

// leafLoops finds the leaf loops of a program.
func leafLoops(t *testing.T, code string) []leafLoop {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "main.go", code, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var out []leafLoop
	ast.Inspect(file, func(n ast.Node) bool {
		f, ok := n.(*ast.ForStmt)
		if !ok || f.Cond == nil || types.ExprString(f.Cond) != "t < nT" {
			return true
		}
		l := leafLoop{
			first: fset.PositionFor(f.Body.Lbrace, false).Line, last: fset.PositionFor(f.Body.Rbrace, false).Line,
			source: fset.PositionFor(f.For, true).Line,
		}
		seen := map[string]bool{}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			x, ok := n.(*ast.IndexExpr)
			if !ok || seen[types.ExprString(x)] {
				return true
			}
			text := types.ExprString(x)
			seen[text] = true
			if _, plain := x.X.(*ast.Ident); plain && types.ExprString(x.Index) == "t" {
				l.slices++
			} else {
				l.strided = append(l.strided, text)
			}
			return true
		})
		out = append(out, l)
		return true
	})
	return out
}

// TestBoundsChecks compiles the leaf loops of three examples with the report of
// bounds checks. A slice of nT elements that t indexes needs none; an element a
// stride away keeps one. testdata/leafloops.golden lists the loops of both
// kinds, and so tells when one changes its kind.
func TestBoundsChecks(t *testing.T) {
	directive := regexp.MustCompile(`(?m)^//line `)
	mains := map[string]string{}
	loops := map[string][]leafLoop{}
	names := []string{"jacobi", "matmul", "tred2"}
	for _, name := range names {
		path := filepath.Join("../examples", name, name+".hpf")
		code := emit(t, path, readFile(t, path), plan.Handshake, codegen.Options{})
		loops[name] = leafLoops(t, code)
		// The report has positions; these must be those of main.go.
		mains[name] = directive.ReplaceAllString(code, "// line ")
	}
	dir := module(t, mains)
	report, err := goTool(t, dir, "build", "-gcflags=-d=ssa/check_bce", "./...")
	if err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	var list strings.Builder
	for _, name := range names {
		checks := map[int]int{}
		for _, m := range regexp.MustCompile(`(?m)`+name+`/main\.go:(\d+):\d+: Found Is(?:Slice)?InBounds`).FindAllStringSubmatch(report, -1) {
			line, _ := strconv.Atoi(m[1])
			checks[line]++
		}
		if len(checks) == 0 {
			t.Fatalf("the compiler reports no bounds check anywhere in %s: does -d=ssa/check_bce still work?\n%s", name, report)
		}
		for _, l := range loops[name] {
			found := 0
			for line := l.first + 1; line < l.last; line++ {
				found += checks[line]
			}
			switch {
			case len(l.strided) == 0:
				fmt.Fprintf(&list, "%s line %d: %d slices, no bounds check\n", name, l.source, l.slices)
				if found > 0 {
					t.Errorf("%s, line %d: %d bounds checks in a loop over slices only:\n%s", name, l.source, found, lines(mains[name], l.first, l.last))
				}
			default:
				fmt.Fprintf(&list, "%s line %d: %d slices, and %s\n", name, l.source, l.slices, strings.Join(l.strided, ", "))
				if found > len(l.strided) {
					t.Errorf("%s, line %d: %d bounds checks for %d strided elements:\n%s", name, l.source, found, len(l.strided), lines(mains[name], l.first, l.last))
				}
			}
		}
	}
	const golden = "testdata/leafloops.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(list.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(readFile(t, golden), list.String()); d != "" {
		t.Errorf("%s (-want +got):\n%s", golden, d)
	}
}

// lines is lines first to last of text.
func lines(text string, first, last int) string {
	return strings.Join(strings.Split(text, "\n")[first-1:last], "\n")
}
