package dataflow_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// transfers are the functions that state what communications, ends of uses, reductions
// and barriers do to what is known. docs/architecture.md says what each is for.
var transfers = []string{
	"synch/transfer.go pass",
	"synch/literal.go LiteralApply",
	"hb/state.go apply",
	"proof/rules.go transfer",
	"verify/verify.go behindBarrier",
	"clocks/clocks.go Arrive",
}

// followers distinguish the kinds of nodes too, and say what each does to clocks in calls
// of package clocks.
var followers = []string{"internal/abstract/execution.go Step"}

// mostTransfers is a limit: a new place takes the place of an old one.
const mostTransfers = 6

// TestOneTransfer: no other function under dataflow distinguishes the kinds of communication
// nodes in this way, and the document lists these, with their lines. A rule that is stated
// twice is a defect waiting for the day when one copy changes.
func TestOneTransfer(t *testing.T) {
	if len(transfers) > mostTransfers {
		t.Errorf("%d places, at most %d", len(transfers), mostTransfers)
	}
	found, lines := map[string]bool{}, map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			name := filepath.ToSlash(path) + " " + f.Name.Name
			lines[name] = fmt.Sprintf("`dataflow/%s:%d`", filepath.ToSlash(path), files.Position(f.Pos()).Line)
			if distinguishes(f.Body) {
				found[name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for f := range found {
		if !slices.Contains(transfers, f) && !slices.Contains(followers, f) {
			t.Errorf("%s distinguishes communications, ends of uses and reductions: state the transfer in one of %v only", f, transfers)
		}
	}
	document, err := os.ReadFile("../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range transfers {
		if !found[f] && f != "clocks/clocks.go Arrive" {
			t.Errorf("%s does not state the transfer any more", f)
		}
		if !strings.Contains(string(document), lines[f]) {
			t.Errorf("docs/architecture.md does not list %s", lines[f])
		}
	}
}

// distinguishes reports whether a function has a switch with cases for both what arrives, or
// ends, and what collects from all.
func distinguishes(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		s, ok := n.(*ast.SwitchStmt)
		if !ok {
			return true
		}
		var kinds []string
		for _, c := range s.Body.List {
			for _, e := range c.(*ast.CaseClause).List {
				ast.Inspect(e, func(n ast.Node) bool {
					if x, ok := n.(*ast.SelectorExpr); ok {
						if p, ok := x.X.(*ast.Ident); ok && p.Name == "cfg" {
							kinds = append(kinds, x.Sel.Name)
						}
					}
					return true
				})
			}
		}
		has := func(names ...string) bool {
			return slices.ContainsFunc(names, func(k string) bool { return slices.Contains(kinds, k) })
		}
		found = found || has("CommOver", "UseOver") && has("Reduce", "Barrier")
		return true
	})
	return found
}
