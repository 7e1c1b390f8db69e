package examples_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spmdc/spmdc/internal/bundle/bundletest"
	"github.com/spmdc/spmdc/internal/effort"
)

// withoutChecks are the examples whose innermost loops have no bounds checks.
// The loops that do I/O are exempt: what they cost is the formatting, and READ
// stores where the data say.
var withoutChecks = []string{"jacobi", "matmul", "tred2"}

// leastInnermost are the numbers of innermost loops at which TestBoundsChecks
// is sure to have looked at the program.
var leastInnermost = map[string]int{"jacobi": 4, "matmul": 4, "tred2": 20}

// TestBoundsChecks compiles the emitted programs with the Go compiler's report
// of bounds checks. No innermost loop of withoutChecks has one; for all examples
// testdata/boundschecks.golden tells which do.
func TestBoundsChecks(t *testing.T) {
	effort.Full(t, "a compilation of each example")
	t.Parallel()
	all := examples(t)
	mains := map[string][]byte{}
	for _, e := range all { // with their loops in Go, not as kernels
		text, err := emit(e.source, plans[0], "--target=go")
		if err != nil {
			t.Fatal(err)
		}
		mains[e.name] = text
	}
	found, err := innermost(t.TempDir(), mains)
	if err != nil {
		t.Fatal(err)
	}
	var lists []string
	for _, e := range all {
		loops := found[e.name]
		if n := leastInnermost[e.name]; len(loops) < n {
			t.Errorf("%s: %d innermost loops found, want %d or more", e.name, len(loops), n)
		}
		lists = append(lists, remaining(t, e.name, loops)...)
	}
	if t.Failed() {
		return
	}
	const golden = "testdata/boundschecks.golden"
	got := strings.Join(lists, "")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", golden, d)
	}
}

// remaining lists the loops that have bounds checks, and complains about those
// that must not.
func remaining(t *testing.T, name string, loops []*loop) []string {
	list := []string{fmt.Sprintf("%s: %d innermost loops\n", name, len(loops))}
	for _, l := range loops {
		if len(l.checks) == 0 {
			continue
		}
		what := l.what()
		if l.io != "" {
			what = "I/O by " + l.io
		}
		list = append(list, fmt.Sprintf("  line %d: %s\n", l.source, what))
		if l.io == "" && slices.Contains(withoutChecks, name) {
			t.Errorf("%s: bounds checks in the innermost loop around line %d: %s", name, l.source, l.what())
		}
	}
	return list
}

// loop is a loop of an emitted program that holds no other.
type loop struct {
	from, to token.Pos  // what is executed in each iteration
	source   int        // line of its first bounds check
	io       string     // the run time's function for PRINT or READ that it calls
	checks   []ast.Expr // what is checked in it
}

// temporary is the name of one; its number depends on all other communications.
var temporary = regexp.MustCompile(`\bt\d+\b`)

// what lists what is checked: elements and slices, or if there are none the
// calls that the compiler inlined.
func (l *loop) what() string {
	var elements, calls []string
	for _, e := range l.checks {
		list := &elements
		if _, call := e.(*ast.CallExpr); call {
			list = &calls
		}
		if text := temporary.ReplaceAllString(types.ExprString(e), "temp"); !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
	}
	if len(elements) == 0 {
		elements = calls
	}
	return strings.Join(elements, ", ")
}

// ioCalls are the run time's functions for PRINT and READ.
var ioCalls = map[string]bool{
	"pe.Print": true, "pe.Write": true, "pe.WriteTo": true, "pe.NewLineTo": true, "pe.NewLine": true, "record.Add": true, "record.End": true,
	"pe.Read": true, "pe.Formatted": true, "pe.FormattedInternal": true, "pe.ReadInternal": true,
}

var checkReport = regexp.MustCompile(`(?m)^(?:\S*/)?(\w+)/main\.go:(\d+):(\d+): Found (Is(?:Slice)?InBounds)$`)

// addressing are the run time's methods that have checks in them. The compiler
// reports those where it inlines the method, which it may not do.
var addressing = map[string]bool{
	"At": true, "At1": true, "At2": true, "At3": true, "Stride": true, "Every": true, "Holds": true, "Owned": true, "Iters": true,
}

// innermost finds the innermost loops of programs, by names, and the bounds checks
// in them, in one compilation of all in the folder dir.
func innermost(dir string, mains map[string][]byte) (map[string][]*loop, error) {
	// The report must give positions in main.go. A directive that became a
	// plain comment moves nothing.
	directive := regexp.MustCompile(`(?m)^//line `)
	plain := map[string][]byte{}
	args := []string{"list", "-export", "-trimpath", "-gcflags=-d=ssa/check_bce"} // it compiles, and does not link
	for name, text := range mains {
		plain[name] = directive.ReplaceAll(text, []byte("// line "))
		args = append(args, "./"+name)
	}
	if err := bundletest.Module(dir, plain); err != nil {
		return nil, err
	}
	report, err := bundletest.Go(dir, args...)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, report)
	}
	found := map[string][][]string{}
	for _, m := range checkReport.FindAllStringSubmatch(report, -1) {
		found[m[1]] = append(found[m[1]], m[2:])
	}
	all := map[string][]*loop{}
	for name, text := range mains {
		if len(found[name]) == 0 {
			return nil, fmt.Errorf("%s: the compiler reports no bounds check anywhere: does -d=ssa/check_bce still work?\n%s", name, report)
		}
		if all[name], err = checkedLoops(text, found[name]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return all, nil
}

// checkedLoops are the innermost loops of a program with the checks in them, which
// were found at these lines and columns.
func checkedLoops(text []byte, found [][]string) ([]*loop, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "main.go", text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	loops := loopsIn(tree)
	for _, m := range found {
		line, _ := strconv.Atoi(m[0])
		column, _ := strconv.Atoi(m[1])
		at := fset.File(tree.Pos()).LineStart(line) + token.Pos(column-1)
		for _, l := range loops {
			if l.from <= at && at <= l.to {
				e := checkedAt(tree, at)
				if e == nil {
					return nil, fmt.Errorf("main.go:%d:%d: a bounds check where nothing is indexed", line, column)
				}
				l.checks = append(l.checks, e)
			}
		}
	}
	for _, l := range loops {
		for _, e := range l.checks {
			if line := fset.Position(e.Pos()).Line; l.source == 0 || line < l.source {
				l.source = line
			}
		}
	}
	return loops, nil
}

// loopsIn finds the innermost loops of a file.
func loopsIn(tree *ast.File) []*loop {
	var loops []*loop
	var open []*loop // the loops around, nil where one holds a loop
	var nodes []ast.Node
	ast.Inspect(tree, func(n ast.Node) bool {
		if n == nil {
			switch nodes[len(nodes)-1].(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				if l := open[len(open)-1]; l != nil {
					loops = append(loops, l)
				}
				open = open[:len(open)-1]
			}
			nodes = nodes[:len(nodes)-1]
			return true
		}
		nodes = append(nodes, n)
		l := &loop{to: n.End()}
		switch n := n.(type) {
		case *ast.ForStmt:
			if l.from = n.Pos(); n.Init != nil {
				l.from = n.Init.End()
			}
		case *ast.RangeStmt:
			l.from = n.Body.Pos()
		case *ast.CallExpr:
			if len(open) == 0 || open[len(open)-1] == nil || n.Pos() < open[len(open)-1].from {
				return true
			}
			inner := open[len(open)-1]
			if f := types.ExprString(n.Fun); ioCalls[f] {
				inner.io = f
			}
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && addressing[f.Sel.Name] {
				inner.checks = append(inner.checks, n)
			}
			return true
		default:
			return true
		}
		for i := range open {
			open[i] = nil
		}
		open = append(open, l)
		return true
	})
	return loops
}

// checkedAt is the smallest indexing, slicing or call around a position.
func checkedAt(tree *ast.File, at token.Pos) ast.Expr {
	var smallest ast.Expr
	ast.Inspect(tree, func(n ast.Node) bool {
		if n == nil || at < n.Pos() || at >= n.End() {
			return false
		}
		switch n := n.(type) {
		case *ast.IndexExpr, *ast.SliceExpr, *ast.CallExpr:
			smallest = n.(ast.Expr)
		}
		return true
	})
	return smallest
}
