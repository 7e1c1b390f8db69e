package comm_test

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/golden"
)

// TestGolden compares each testdata/*.txtar: the program "in" gives the text of
// explain comm and the SPMD form. The comment says why these are right; the
// program is executed besides. go test -update rewrites the two.
func TestGolden(t *testing.T) {
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		if a.Files[0].Name != "in" {
			t.Fatal("the first section is not the program")
		}
		if strings.TrimSpace(a.Comment) == "" {
			t.Error("the archive does not say why it is right")
		}
		in := a.Files[0].Text
		p := analyze(t, in)
		a.Compare(t, golden.File{Name: "comm", Text: p.Explain()}, golden.File{Name: "form", Text: form(p)})
		for _, np := range []int{1, 2, 3, 4, 7} {
			if d := compare(in, np); d != "" {
				t.Errorf("on %d PEs: %s", np, d)
			}
		}
	})
}
