package examples_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	t.Parallel()
	all := examples(t)
	lists := make([]string, len(all))
	var wg sync.WaitGroup
	two := make(chan struct{}, 2) // compilations at a time
	for i, e := range all {
		dir := filepath.Join(t.TempDir(), e.name)
		spmdc(t, "compile", "-o", dir, e.source)
		env := hermetic(t)
		wg.Go(func() {
			two <- struct{}{}
			defer func() { <-two }()
			loops, err := innermost(dir, env)
			if err != nil {
				t.Errorf("%s: %v", e.name, err)
				return
			}
			if n := leastInnermost[e.name]; len(loops) < n {
				t.Errorf("%s: %d innermost loops found, want %d or more", e.name, len(loops), n)
			}
			lists[i] = strings.Join(remaining(t, e.name, loops), "")
		})
	}
	wg.Wait()
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
	"pe.Print": true, "pe.PrintA": true, "pe.NewLine": true, "record.Add": true, "record.End": true,
	"pe.Read": true, "pe.ReadA": true, "pe.ReadInternal": true,
}

var checkReport = regexp.MustCompile(`(?m)^\./main\.go:(\d+):(\d+): Found (Is(?:Slice)?InBounds)$`)

// addressing are the run time's methods that have checks in them. The compiler
// reports those where it inlines the method, which it may not do.
var addressing = map[string]bool{
	"At": true, "At1": true, "At2": true, "At3": true, "Stride": true, "Every": true, "Holds": true, "Owned": true, "Iters": true,
}

// innermost finds the innermost loops of a program, given its folder, and the
// bounds checks in them.
func innermost(dir string, env []string) ([]*loop, error) {
	path := filepath.Join(dir, "main.go")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, path, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	// The report must give positions in main.go. A directive that became a
	// plain comment moves nothing.
	plain := regexp.MustCompile(`(?m)^//line `).ReplaceAll(text, []byte("// line "))
	if err := os.WriteFile(path, plain, 0o666); err != nil {
		return nil, err
	}
	report, err := tryGo(dir, env, "build", "-o", "prog", "-gcflags=-d=ssa/check_bce", ".")
	if err != nil {
		return nil, err
	}
	found := checkReport.FindAllStringSubmatch(report, -1)
	if len(found) == 0 {
		return nil, fmt.Errorf("the compiler reports no bounds check anywhere: does -d=ssa/check_bce still work?\n%s", report)
	}
	loops := loopsIn(tree)
	for _, m := range found {
		line, _ := strconv.Atoi(m[1])
		column, _ := strconv.Atoi(m[2])
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
