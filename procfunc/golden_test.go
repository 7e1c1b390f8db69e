package procfunc_test

import (
	"os"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/golden"
)

// TestGolden prints the functions of the program in each archive and compares
// them with the section "procfunc"; -update rewrites it. Each program is also
// compared with its execution.
func TestGolden(t *testing.T) {
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		if strings.TrimSpace(a.Comment) == "" {
			t.Error("the archive does not say why it is right")
		}
		f := analyze(t, a.Files[0].Text)
		a.Compare(t, golden.File{Name: "procfunc", Text: f.Explain()})
		for _, np := range []int{1, 2, 3, 4, 6} {
			if err := check(f, np, seen{}); err != nil {
				t.Errorf("on %d PEs: %v", np, err)
			}
		}
	})
}

// TestFiguresOfThePaper holds the matrices that the paper itself prints: Figure
// 5, ReceiveFrom, and with the communication inside of the j loop, NextProducers
// (section 4).
func TestFiguresOfThePaper(t *testing.T) {
	text, err := os.ReadFile("../examples/fig5/fig5.hpf")
	if err != nil {
		t.Fatal(err)
	}
	f := analyze(t, string(text))
	const rf = "[ 0 1 -1 ]\n[ 0 0  U ]\n[ 0 0  1 ]"
	outside, inside := 0, 0
	for _, r := range f.Relations {
		if r.Comm.Refs[0].Sym.Name != "b" || len(f.NextProducers(r.Ref)) == 0 {
			continue
		}
		if got := f.Matrices(r.Ref).RF.String(); got != rf {
			t.Errorf("line %d: ReceiveFrom\n%s\nwant\n%s", r.Comm.Line, got, rf)
		}
		next := f.NextProducers(r.Ref)[0]
		want := "[ 1 0 0 ]\n[ 0 1 0 ]\n[ 0 0 1 ]"
		if next.Loop.Index == "j" {
			want = "[ 1 0 1 ]\n[ 0 1 0 ]\n[ 0 0 1 ]"
			inside++
		} else {
			outside++
		}
		if got := next.Matrix.String(); got != want {
			t.Errorf("line %d: NextProducers over the loop over %s\n%s\nwant\n%s", r.Comm.Line, next.Loop.Index, got, want)
		}
	}
	if outside != 1 || inside != 1 {
		t.Errorf("%d communications for b outside of the j loop and %d inside, want one each", outside, inside)
	}
}
