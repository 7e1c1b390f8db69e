package driver

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/golden"
)

// recorded is the text of a stage of a program.
func recorded(t *testing.T, stage, text string) string {
	t.Helper()
	table := Passes()
	e, err := table.NewExplainer(stage, Text)
	if err != nil {
		t.Fatal(err)
	}
	c := New("p.f90", []byte(text), Options{})
	if err := table.Run(c, RunOptions{StopAfter: stage, After: e.After}); err != nil {
		t.Fatalf("%v: %v", err, c.Diags.Diags)
	}
	b, err := e.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestRecords: the records of a program that has most kinds of fields.
func TestRecords(t *testing.T) {
	a := golden.Read(t, "testdata/records.txtar")
	program := a.Files[0].Text
	a.Compare(t, golden.File{Name: "ast", Text: recorded(t, "ast", program)}, golden.File{Name: "ir", Text: recorded(t, "ir", program)})
}

// TestDeepRecords: of 50 blocks and 50 parentheses in each other everything is printed,
// though package pretty gives up at depth 10.
func TestDeepRecords(t *testing.T) {
	const depth = 50
	var b strings.Builder
	b.WriteString("program p\n  integer i, k(1)\n  k(1) = 1\n")
	for d := range depth {
		fmt.Fprintf(&b, "if (k(1) > %d) then\n", -1000-d)
	}
	fmt.Fprintf(&b, "i = %s4711%s\nprint *, k(%s1%s)\n", strings.Repeat("(1+", depth/2)+" &\n"+strings.Repeat("(1+", depth/2), strings.Repeat(")", depth), strings.Repeat("k(", depth/2)+" &\n"+strings.Repeat("k(", depth/2), strings.Repeat(")", depth))
	b.WriteString(strings.Repeat("end if\n", depth) + "end program p\n")
	for _, stage := range []string{"ast", "ir"} {
		text := recorded(t, stage, b.String())
		for d := range depth {
			if want := fmt.Sprint(-1000 - d); !strings.Contains(text, want) {
				t.Errorf("%s: the condition with %s is missing", stage, want)
			}
		}
		inside := strings.Repeat("k(", depth+1) + "1" + strings.Repeat(")", depth+1)
		if strings.Contains(text, "EXCEEDED") || stage == "ast" && !strings.Contains(text, "4711") || !strings.Contains(text, inside) {
			t.Errorf("%s: something is missing in\n%s", stage, text)
		}
	}
}
