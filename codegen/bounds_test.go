package codegen_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/internal/bundle/bundletest"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/golden"
)

// leafLoop is a loop of an emitted program whose condition is t < nT, or that an
// index is inside a slice, or several of these.
type leafLoop struct {
	first, last int      // lines of main.go
	source      int      // line of its DO
	slices      int      // distinct elements name[t], name[0] and name[otherK]
	streams     int      // conditions for strides
	others      []string // distinct other elements, which keep their checks
	need        int      // how often they occur
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
		if !ok || f.Cond == nil {
			return true
		}
		streams := strings.Count(types.ExprString(f.Cond), "K < uint(len(")
		if streams == 0 && types.ExprString(f.Cond) != "t < nT" {
			return true
		}
		l := leafLoop{
			first: fset.PositionFor(f.Body.Lbrace, false).Line, last: fset.PositionFor(f.Body.Rbrace, false).Line,
			source:  fset.PositionFor(f.For, true).Line,
			streams: streams,
		}
		seen := map[string]bool{}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			x, ok := n.(*ast.IndexExpr)
			if !ok {
				return true
			}
			text, index := types.ExprString(x), types.ExprString(x.Index)
			_, plain := x.X.(*ast.Ident)
			switch sliced := plain && (index == "t" || index == "0" || strings.HasSuffix(index, "K")); {
			case sliced && !seen[text]:
				l.slices++
			case !sliced:
				l.need++
				if !seen[text] {
					l.others = append(l.others, text)
				}
			}
			seen[text] = true
			return true
		})
		out = append(out, l)
		return true
	})
	return out
}

// TestBoundsChecks compiles leaf loops with the report of bounds checks. Elements
// of slices that were cut before the loop need none, whatever their strides; an
// element that some iterations leave out keeps its own. testdata/leafloops.golden
// lists the loops with the conditions that strides add to theirs, and so tells
// when one changes its kind.
func TestBoundsChecks(t *testing.T) {
	effort.Full(t, "it compiles examples with the report of bounds checks")
	directive := regexp.MustCompile(`(?m)^//line `)
	mains := map[string]string{}
	loops := map[string][]leafLoop{}
	names := []string{"jacobi", "matmul", "redblack", "shapes", "strides", "tred2"}
	for _, name := range names {
		var code string
		if name == "strides" {
			in := golden.Read(t, "testdata/strides.txtar").Files[0]
			code = emit(t, in.Name, in.Text, plan.Handshake, codegen.Options{})
		} else {
			path := filepath.Join("../examples", name, name+".hpf")
			code = emit(t, path, readFile(t, path), plan.Handshake, codegen.Options{})
		}
		loops[name] = leafLoops(t, code)
		// The report has positions; these must be those of main.go.
		mains[name] = directive.ReplaceAllString(code, "// line ")
	}
	dir := module(t, mains)
	report, err := bundletest.Go(dir, "list", "-export", "-trimpath", "-gcflags=-d=ssa/check_bce", "./...") // no linking
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
			for line := l.first; line < l.last; line++ {
				found += checks[line]
			}
			fmt.Fprintf(&list, "%s line %d: %d elements, %d strides", name, l.source, l.slices, l.streams)
			if len(l.others) > 0 {
				fmt.Fprintf(&list, ", and %s", strings.Join(l.others, ", "))
			}
			list.WriteByte('\n')
			if found > l.need {
				t.Errorf("%s, line %d: %d bounds checks in a loop with %d elements that need one:\n%s", name, l.source, found, l.need, lines(mains[name], l.first, l.last))
			}
		}
	}
	golden.Text(t, "testdata/leafloops.golden", list.String())
}

// lines is lines first to last of text.
func lines(text string, first, last int) string {
	return strings.Join(strings.Split(text, "\n")[first-1:last], "\n")
}
