package dataflow_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// transfers are the functions that state what communications, ends of uses, reductions
// and barriers do to what is known, with what they are for.
var transfers = map[string]string{
	"synch/transfer.go pass":              "the analysis for any number of PEs",
	"synch/literal.go LiteralApply":       "that of the paper, as printed",
	"hb/state.go apply":                   "the analysis for one number of PEs",
	"proof/rules.go transfer":             "the check of certificates, of both",
	"verify/verify.go behindBarrier":      "plan barrier, which has no analysis",
	"internal/abstract/execution.go Step": "executions, for tests",
}

// TestOneTransfer: no other function under dataflow distinguishes the kinds of communication nodes
// apart in this way. A rule that is stated twice is a defect waiting for the day when one
// copy changes.
func TestOneTransfer(t *testing.T) {
	found := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil && tellsApart(f.Body) {
				found[filepath.ToSlash(path)+" "+f.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for f := range found {
		if transfers[f] == "" {
			t.Errorf("%s distinguishes communications, ends of uses and reductions: state the transfer in one of %v only", f, transfers)
		}
	}
	for f := range transfers {
		if !found[f] {
			t.Errorf("%s does not state the transfer any more", f)
		}
	}
}

// tellsApart reports whether a function has a switch with cases for both what arrives, or
// ends, and what collects from all.
func tellsApart(body *ast.BlockStmt) bool {
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
