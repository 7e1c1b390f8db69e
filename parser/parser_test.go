package parser_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/spmdc/spmdc/internal/effort"
	_ "github.com/spmdc/spmdc/internal/gcless"
	"github.com/spmdc/spmdc/internal/golden"
	"github.com/spmdc/spmdc/parser"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// TestDiagnostics shows the whole output for programs with errors.
func TestDiagnostics(t *testing.T) {
	golden.Pairs(t, "testdata/errors/*.txtar", func(t *testing.T, name, text string) string {
		_, diags := parser.Parse(name, []byte(text))
		var b strings.Builder
		if err := diags.Render(&b, nil, false); err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(diags.Diags); i++ {
			if diags.Diags[i].Pos.Before(diags.Diags[i-1].Pos) {
				t.Errorf("%s: diagnostics are not in source order", name)
			}
		}
		return b.String()
	})
}

// TestTrees shows the tree of programs without errors.
func TestTrees(t *testing.T) {
	golden.Pairs(t, "testdata/trees/*.txtar", func(t *testing.T, name, text string) string {
		var b strings.Builder
		if err := writeTree(&b, mustParse(t, name, text)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
}

// TestUnparse shows programs as Unparse writes them.
func TestUnparse(t *testing.T) {
	golden.Pairs(t, "testdata/unparse/*.txtar", func(t *testing.T, name, text string) string {
		file := mustParse(t, name, text)
		checkRoundTrip(t, file)
		return ast.Unparse(file)
	})
}

// TestCodes proves that the example of each of the parser's codes gives that
// code and no other, and that the examples of later phases get as far as they.
func TestCodes(t *testing.T) {
	for _, c := range source.Codes {
		_, diags := parser.Parse("example.hpf", []byte(c.Example))
		var got []source.Code
		for _, d := range diags.Diags {
			got = append(got, d.Code)
		}
		var want []source.Code
		if c.Parser {
			want = []source.Code{c.Code}
		}
		if !cmp.Equal(got, want) {
			t.Errorf("%s: the example gives %v, want %v", c.Code, got, want)
		}
	}
}

// TestExpressions shows how operators bind: each expression beside the same
// one with all parentheses.
func TestExpressions(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"a + b*c", "(a + (b * c))"},
		{"a - b - c", "((a - b) - c)"},
		{"a/b*c", "((a / b) * c)"},
		{"a**b**c", "(a ** (b ** c))"},
		{"-a**2", "(-(a ** 2))"},
		{"-a*b", "(-(a * b))"},
		{"-a + b", "((-a) + b)"},
		{"a*(-b)", "(a * <(-b)>)"},
		{"a**b*c", "((a ** b) * c)"},
		{"a*b**c", "(a * (b ** c))"},
		{"a // b // c", "((a // b) // c)"},
		{"a // -b", "(a // (-b))"},
		{"a + b // c", "((a + b) // c)"},
		{"a + b < c*d", "((a + b) < (c * d))"},
		{"a == -b", "(a == (-b))"},
		{"a .eq. b .or. c .ne. d", "((a == b) .or. (c /= d))"},
		{"a.lt.b.and.c.ge.d", "((a < b) .and. (c >= d))"},
		{"a <= b .and. c > d", "((a <= b) .and. (c > d))"},
		{".not. a == b", "(.not.(a == b))"},
		{".not. a .and. b", "((.not.a) .and. b)"},
		{"a .and. .not. b", "(a .and. (.not.b))"},
		{"a .or. b .and. c", "(a .or. (b .and. c))"},
		{"a .eqv. b .or. c", "(a .eqv. (b .or. c))"},
		{"a .eqv. b .neqv. c", "((a .eqv. b) .neqv. c)"},
		{"((a))", "<<a>>"},
		{"f(a, b + c)(1:2)", "f[a, (b + c)][1:2]"},
		{"f()", "f[]"},
		{"s(:)", "s[:]"},
		{"s(2:)", "s[2:]"},
		{"s(:i + 1)", "s[:(i + 1)]"},
		{"real(a, kind=8)", "real[a, kind=8]"},
		{"1.eq.2", "(1 == 2)"},
		{"1_8 + 1.0_dp + 1d0 + .5", "(((1_8 + 1.0_dp) + 1d0) + .5)"},
		{"'it''s' // \"a\"\"b\"", `("it's" // "a\"b")`},
		{".true. .neqv. .FALSE.", "(.true. .neqv. .false.)"},
	} {
		file := mustParse(t, "x.hpf", "x = "+tt.text+"\nend\n")
		if got := spell(file.Program.Body[0].(*ast.Assign).RHS); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.text, got, tt.want)
		}
	}
}

// spell writes an expression with all parentheses; those of the source are <>.
func spell(x ast.Expr) string {
	list := func(args []ast.Expr) string {
		var out []string
		for _, a := range args {
			out = append(out, spell(a))
		}
		return strings.Join(out, ", ")
	}
	switch x := x.(type) {
	case nil:
		return ""
	case *ast.Index:
		return x.Name + "[" + list(x.Args) + "]"
	case *ast.Substring:
		return spell(x.Base) + "[" + spell(x.Lo) + ":" + spell(x.Hi) + "]"
	case *ast.Unary:
		return "(" + x.Op + spell(x.X) + ")"
	case *ast.Binary:
		return "(" + spell(x.X) + " " + x.Op + " " + spell(x.Y) + ")"
	case *ast.Paren:
		return "<" + spell(x.X) + ">"
	case *ast.Keyword:
		return x.Name + "=" + spell(x.X)
	case *ast.StringLit:
		return fmt.Sprintf("%q", x.Value)
	}
	return ast.UnparseExpr(x)
}

// TestSpans: the text from Position to EndPosition is the expression.
func TestSpans(t *testing.T) {
	const text = "  x = -a(i, j)**2 + (s(2:3) .eq. 'ab')\nend\n"
	var got []string
	var walk func(x ast.Expr)
	walk = func(x ast.Expr) {
		got = append(got, text[x.Position().Col-1:x.EndPosition().Col-1])
		switch x := x.(type) {
		case *ast.Binary:
			walk(x.X)
			walk(x.Y)
		case *ast.Unary:
			walk(x.X)
		case *ast.Paren:
			walk(x.X)
		case *ast.Index:
			for _, a := range x.Args {
				walk(a)
			}
		case *ast.Substring:
			walk(x.Base)
		}
	}
	walk(mustParse(t, "x.hpf", text).Program.Body[0].(*ast.Assign).RHS)
	want := []string{
		"-a(i, j)**2 + (s(2:3) .eq. 'ab')", "-a(i, j)**2", "a(i, j)**2", "a(i, j)", "i", "j", "2",
		"(s(2:3) .eq. 'ab')", "s(2:3) .eq. 'ab'", "s(2:3)", "s", "'ab'",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPartialTree: a statement that is wrong costs itself, not the rest.
func TestPartialTree(t *testing.T) {
	file, diags := parser.Parse("x.hpf", []byte(`program p
  integer i, = 3
  real x
  x = 3 +
  do i = 1 3
    x = 4
  end do
  do i = 1, 3
    x = = 5
    if (x > 3) then
      x = 6
    else if (x > ) then
      x = 7
    end if
  end do
  print *, x
end program p
`))
	if n := diags.Len(); n != 5 {
		t.Errorf("%d diagnostics, want 5: %v", n, diags.Err())
	}
	const want = `program p
  real x
  do i = 1, 3
    if (x > 3) then
      x = 6
    end if
  end do
  print *, x
end program p
`
	if diff := cmp.Diff(want, ast.Unparse(file)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEmptyFile(t *testing.T) {
	for _, text := range []string{"", "\n\n", "! only a comment\n", "!HPF$\n"} {
		file, diags := parser.Parse("x.hpf", []byte(text))
		if file.Program == nil || diags.Len() != 1 || diags.Diags[0].Code != source.UnbalancedBlock {
			t.Errorf("%q: %v", text, diags.Err())
		}
	}
}

// TestDeepNesting: what is nested without end is an error, not a crash.
func TestDeepNesting(t *testing.T) {
	for _, text := range []string{
		"x = " + strings.Repeat("(", 100000) + "1" + strings.Repeat(")", 100000),
		"x = 1" + strings.Repeat("**1", 100000),
		"print *, " + strings.Repeat("(", 3000) + "1" + strings.Repeat(", i = 1, 2)", 3000),
		strings.Repeat("if (a) ", 1000) + "stop",
		strings.Repeat("x = f(", 100000),
	} {
		_, diags := parser.Parse("x.hpf", []byte(text+"\nend\n"))
		if !diags.HasErrors() {
			t.Errorf("no error for %.20s...", text)
		}
	}
	// Up to the limit all is well; beyond, one error tells where.
	for _, c := range []struct {
		open, close string
		most        int
	}{
		{"do\n", "end do\n", 500},
		{"if (a) then\n", "end if\n", 500},
		{"else if (a) then\n", "", 9999},
	} {
		first, last := "", ""
		if c.close == "" {
			first, last = "if (a) then\n", "end if\n"
		}
		for _, n := range []int{c.most, c.most + 1, 3 * c.most} {
			text := first + strings.Repeat(c.open, n) + strings.Repeat(c.close, n) + last + "end\n"
			file, diags := parser.Parse("x.hpf", []byte(text))
			line := c.most + 1 + strings.Count(first, "\n")
			switch {
			case n > c.most && (diags.Len() != 1 || diags.Diags[0].Code != source.TooDeep || diags.Diags[0].Pos.Line != line):
				t.Errorf("%d times %q: %v, want an error in line %d", n, c.open, diags.Err(), line)
			case n == c.most && (diags.Len() > 0 || len(ast.Unparse(file)) < len(c.open)*n):
				t.Errorf("%d times %q: %v", n, c.open, diags.Err())
			}
		}
	}
}

// TestAgreesWithGfortran runs gfortran on small programs: those of
// testdata/gfortran/accept.txtar are right for it and for the parser, as
// written and as unparsed, those of reject.txtar are wrong for both.
func TestAgreesWithGfortran(t *testing.T) {
	if testing.Short() {
		t.Skip("long: gfortran compiles hundreds of programs")
	}
	gfortran, err := exec.LookPath("gfortran")
	if err != nil {
		if effort.All() {
			t.Fatal("gfortran is not installed: apt-get install gfortran")
		}
		t.Log("gfortran is not installed, only the parser is tested: apt-get install gfortran")
	}
	for _, kind := range []string{"accept", "reject"} {
		archive, err := txtar.ParseFile("testdata/gfortran/" + kind + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		for _, file := range archive.Files {
			name := kind + "/" + file.Name
			tree, diags := parser.Parse(file.Name+".f90", file.Data)
			if diags.HasErrors() != (kind == "reject") {
				t.Errorf("%s: the parser says %v\n%s", name, diags.Err(), file.Data)
			}
			if gfortran == "" || !effort.Share(name, 4) {
				continue
			}
			args := []string{"-x", "f95", "-fsyntax-only", "-J", dir}
			texts := []string{string(file.Data)}
			if kind == "accept" {
				texts = append(texts, ast.Unparse(tree))
			}
			for i, text := range texts {
				path := filepath.Join(dir, fmt.Sprintf("x%d.f90", i))
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				args = append(args, path)
			}
			out, err := exec.Command(gfortran, args...).CombinedOutput()
			if (err != nil) != (kind == "reject") {
				t.Errorf("%s: gfortran says %v\n%s%s", name, err, file.Data, out)
			}
		}
	}
}

// tester is what testing.T and rapid.T have in common.
type tester interface {
	Helper()
	Fatalf(string, ...any)
}

func mustParse(t tester, name, text string) *ast.File {
	t.Helper()
	file, diags := parser.Parse(name, []byte(text))
	if err := diags.Err(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return file
}

// ignorePositions compares trees as a round trip through text must keep them.
var ignorePositions = cmp.Options{
	cmpopts.IgnoreTypes(source.Pos{}, ast.Words{}), // keywords may be written apart
	cmpopts.EquateEmpty(),
}

// checkRoundTrip proves that unparsing and parsing again is the identity.
func checkRoundTrip(t tester, file *ast.File) {
	t.Helper()
	text := ast.Unparse(file)
	again, diags := parser.Parse(file.Name, []byte(text))
	if diags.Len() > 0 {
		var b strings.Builder
		_ = diags.Render(&b, nil, false)
		t.Fatalf("the unparsed program is wrong:\n%s\n%s", b.String(), text)
	}
	if diff := cmp.Diff(file, again, ignorePositions); diff != "" {
		t.Fatalf("the unparsed program differs (-tree +again):\n%s\n%s", diff, text)
	}
	for i, line := range strings.Split(text, "\n") {
		if len(line) >= 132 {
			t.Fatalf("line %d has %d columns: %s", i+1, len(line), line)
		}
	}
}
