package proof_test

import (
	"os"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// TestDocumentation: the certificates of the package comment are those of its example.
func TestDocumentation(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	g, err := cfg.Parse(exampleGraph)
	if err != nil {
		t.Fatal(err)
	}
	o := proof.Ring(1, 2, false)
	kills := func(y, nth int) bool { return y == 2 }
	fix := synch.NewSolver(g).Before(o, func(y, _, nth int) bool { return kills(y, nth) })
	c, err := proof.NewCutter(g).Symbolic(o, fix, kills, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := proof.NewChecker(g).Check(c); err != nil {
		t.Error(err)
	}
	if !strings.Contains(string(doc), "//\t"+c.String()+"\n") {
		t.Errorf("the comment does not have\n%v", c)
	}
	for line := range strings.Lines(example) {
		claims, _, _ := strings.Cut(strings.TrimSpace(line), "; 4-5")
		if !strings.Contains(string(doc), "//\t"+claims) {
			t.Errorf("the comment does not have\n%s", claims)
		}
	}
}
