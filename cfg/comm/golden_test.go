package comm_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGolden compares each testdata/*.txtar: the program "in" gives the text of
// explain comm and the SPMD form. The comment says why these are right; the
// program is executed besides. go test -update rewrites the two.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			comment, sections := readArchive(readFile(t, file))
			if len(sections) == 0 || sections[0].name != "in" {
				t.Fatal("the first section is not the program")
			}
			if strings.TrimSpace(comment) == "" {
				t.Error("the archive does not say why it is right")
			}
			in := sections[0].data
			p := analyze(t, in)
			got := []section{{"comm", p.Explain()}, {"form", form(p)}}
			if *update {
				writeFile(t, file, writeArchive(comment, append(sections[:1:1], got...)))
				return
			}
			if d := cmp.Diff(sections[1:], got, cmp.AllowUnexported(section{})); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
			for _, np := range []int{1, 2, 3, 4, 7} {
				if d := compare(in, np); d != "" {
					t.Errorf("on %d PEs: %s", np, d)
				}
			}
		})
	}
}
