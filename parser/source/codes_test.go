package source_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/parser/source"
)

// TestCodesAreDocumented proves that each constant of type Code has exactly
// one entry, with a text and an example.
func TestCodesAreDocumented(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := map[source.Code]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := spec.Type.(*ast.Ident); ok && id.Name == "Code" {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			declared[source.Code(value)] = true
		}
		return true
	})
	if len(declared) < 20 {
		t.Fatalf("only %d codes found in the source", len(declared))
	}
	seen := map[source.Code]bool{}
	for _, c := range source.Codes {
		switch {
		case !declared[c.Code]:
			t.Errorf("%s is documented, but no constant has it", c.Code)
		case seen[c.Code]:
			t.Errorf("%s is documented twice", c.Code)
		case c.Doc == "" || strings.Contains(c.Doc, "\n"):
			t.Errorf("%s has no text of one line", c.Code)
		case !strings.HasPrefix(c.Example, "program "):
			t.Errorf("%s: the example is no program", c.Code)
		}
		seen[c.Code] = true
	}
	for code := range declared {
		if !seen[code] {
			t.Errorf("%s is not documented", code)
		}
		if _, ok := source.Lookup(code); !ok {
			t.Errorf("%s is not found", code)
		}
	}
	if _, ok := source.Lookup("no-such-code"); ok {
		t.Error("an unknown code is found")
	}
}
