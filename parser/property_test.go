package parser_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/parser"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// TestRoundTrip: a tree, written and parsed again, is the same tree.
func TestRoundTrip(t *testing.T) {
	effort.Checks(t, effort.Of(100, 15))
	rapid.Check(t, func(t *rapid.T) { checkRoundTrip(t, genFile.Draw(t, "file")) })
}

// TestUnparseAddsParentheses: a tree without Paren nodes, as a program makes
// it, is written with those that it needs.
func TestUnparseAddsParentheses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := stripParens(genExpr.Draw(t, "x"))
		file := &ast.File{Program: &ast.Program{Name: "p", Body: []ast.Stmt{
			&ast.Assign{LHS: &ast.Ident{Name: "x"}, RHS: x}}}}
		again := mustParse(t, "x.hpf", ast.Unparse(file))
		got := stripParens(again.Program.Body[0].(*ast.Assign).RHS)
		if diff := cmp.Diff(x, got, ignorePositions); diff != "" {
			t.Fatalf("%s (-tree +again):\n%s", ast.UnparseExpr(x), diff)
		}
	})
}

var genExpr = rapid.Custom(func(t *rapid.T) ast.Expr {
	g := &treeGen{t: t}
	return g.expr(4)
})

// stripParens removes the Paren nodes above the operands of operators.
func stripParens(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.Paren:
		return stripParens(x.X)
	case *ast.Unary:
		return &ast.Unary{Op: x.Op, X: stripParens(x.X)}
	case *ast.Binary:
		return &ast.Binary{Op: x.Op, X: stripParens(x.X), Y: stripParens(x.Y)}
	}
	return x
}

// addCorpus adds the inputs of the golden tests.
func addCorpus(f *testing.F) {
	paths, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if !strings.HasPrefix(file.Name, "want") {
				f.Add(string(file.Data))
			}
		}
	}
}

// FuzzParse: whatever the text, Parse ends with a tree and diagnostics that
// are in order and lie in the file; a program without errors survives a round
// trip.
func FuzzParse(f *testing.F) {
	addCorpus(f)
	f.Add("000\n000000\"\n000001") // a string that does not end, on three lines of fixed form
	f.Add("      PROGRAM P\n      DO10I=1,3\n10    PRINT*,I,'A\n     1B'\nCHPF$ INDEPENDENT(I)\n      END")
	f.Fuzz(func(t *testing.T, text string) {
		checkParse(t, "fuzz.hpf", text)
		checkParse(t, "fuzz.f", text)
	})
}

func checkParse(t *testing.T, name, text string) {
	file, diags := parser.Parse(name, []byte(text))
	last := source.Pos{}
	for _, d := range diags.Diags {
		line := diags.File.Line(d.Pos.Line)
		if d.Pos.Line < 1 || d.Pos.Line > diags.File.Lines() || d.Pos.Col < 1 || d.Pos.Col > len(line)+2 {
			t.Fatalf("%v lies outside the file", d)
		}
		if d.Pos.Before(last) {
			t.Fatalf("%v is out of order", d)
		}
		last = d.Pos
		if d.Msg == "" || d.Code == "" {
			t.Fatalf("%v says nothing", d)
		}
	}
	if err := diags.Render(&strings.Builder{}, nil, true); err != nil {
		t.Fatal(err)
	}
	if err := writeTree(&strings.Builder{}, file); err != nil {
		t.Fatal(err)
	}
	if !diags.HasErrors() {
		file.Name = "again.f90" // Unparse writes free form
		checkRoundTrip(t, file)
	}
}

// largeProgram is a program of about n lines as people write them.
func largeProgram(n int) []byte {
	var b strings.Builder
	b.WriteString("program large\n  implicit none\n  integer, parameter :: n = 100\n" +
		"  real(8) :: a(n,n), b(n,n), s\n  integer i, j, k\n" +
		"!HPF$ PROCESSORS p(4)\n!HPF$ DISTRIBUTE (BLOCK,*) ONTO p :: a, b\n")
	for line := 7; line < n-20; line += 13 {
		fmt.Fprintf(&b, `
  ! step %d
!HPF$ INDEPENDENT, NEW(j)
  do i = 2, n - 1
    do j = 2, n - 1
      b(i,j) = 0.25d0*(a(i-1,j) + a(i+1,j) + a(i,j-1) + a(i,j+1)) - %d.5d0**2
      if (mod(i + j, 2) == 0 .and. b(i,j) > 1.0d0) then
        s = max(s, abs(b(i,j) - a(i,j)))
      end if
    end do
  end do
  if (s > 10.0d0) print *, 'step', %d, s, (a(k,k), k = 1, 3)
  k = k + &
      1
`, line, line, line)
	}
	b.WriteString("end program large\n")
	return []byte(b.String())
}

// TestLargeProgram: work grows with the text, not faster; the benchmark tells how
// fast it is.
func TestLargeProgram(t *testing.T) {
	bytes := func(lines int) float64 {
		text := largeProgram(lines)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, diags := parser.Parse("large.hpf", text)
		runtime.ReadMemStats(&after)
		if err := diags.Err(); err != nil {
			t.Error(err)
		}
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	if growth := bytes(20000) / bytes(5000); growth > 6 {
		t.Errorf("four times the lines allocate %.1f times as much", growth)
	}
}

func BenchmarkParse(b *testing.B) {
	text := largeProgram(50000)
	lines := strings.Count(string(text), "\n")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, diags := parser.Parse("large.hpf", text); diags.HasErrors() {
			b.Fatal(diags.Err())
		}
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

// TestExamples: every program of the project's examples is without
// diagnostics, and survives a round trip.
func TestExamples(t *testing.T) {
	paths, err := filepath.Glob("../examples/*/*.hpf")
	more, err2 := filepath.Glob("../examples/*/*.f90")
	if paths = append(paths, more...); err != nil || err2 != nil || len(paths) < 10 {
		t.Fatalf("%d examples: %v, %v", len(paths), err, err2)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, diags := parser.Parse(path, text)
		if diags.Len() > 0 {
			var b strings.Builder
			_ = diags.Render(&b, nil, false)
			t.Errorf("%s", b.String())
			continue
		}
		checkRoundTrip(t, file)
	}
}
