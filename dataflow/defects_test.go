// Package dataflow_test holds the analyses to the defects of the printed
// algorithm: for each row of the table in the specification ("Defects of the
// printed algorithm") programs of testdata/defects, NN-name.hpf, whose comments
// say what the printed and the sound form decide, and whether what the printed
// form leaves out is missed in a run.
//
//	!WANT "literal NoSync, sound Sync"   verdicts on the communication of the line
//	!FORCE -n 2 -hold 1,1,1              a run of the literal plan that shows the
//	                                     wrong order; NN-name.golden has its words
package dataflow_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/verify"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/golden"
	"github.com/spmdc/spmdc/ir"
)

// rows is how many defects the table has.
const rows = 20

func TestEveryRowHasAProgram(t *testing.T) {
	files, err := defects()
	if err != nil {
		t.Fatal(err)
	}
	have := map[int]bool{}
	for _, f := range files {
		number, _, _ := strings.Cut(filepath.Base(f), "-")
		row, err := strconv.Atoi(number)
		if err != nil || row < 1 || row > rows {
			t.Errorf("%s: no row of the table", f)
		}
		have[row] = true
	}
	for row := 1; row <= rows; row++ {
		if !have[row] {
			t.Errorf("row %d has no program", row)
		}
	}
}

// verdicts lists by line what the two forms say of each communication.
func (a *analysis) verdicts() map[int][]string {
	v := map[int][]string{}
	literal, sound := a.plan(plan.PopL96Literal), a.plan(plan.PopL96)
	for i, c := range a.program.Comms {
		v[c.Line] = append(v[c.Line], fmt.Sprintf("%s %s: literal %v, sound %v",
			c.Kind, ir.ExprString(c.Refs[0]), literal.Slots[i].Verdict, sound.Slots[i].Verdict))
	}
	return v
}

// unmet lists where source and verdicts differ: each text must be part of one
// verdict of its line, and each verdict must contain a text.
func unmet(source string, v map[int][]string) []string {
	var out []string
	for i, line := range strings.Split(source, "\n") {
		texts, err := golden.Wanted(line)
		if err != nil {
			out = append(out, fmt.Sprintf("%d: %v", i+1, err))
			continue
		}
		for _, text := range texts {
			if !slices.ContainsFunc(v[i+1], func(x string) bool { return strings.Contains(x, text) }) {
				out = append(out, fmt.Sprintf("%d: want %q, have %q", i+1, text, v[i+1]))
			}
		}
		for _, x := range v[i+1] {
			if !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(x, text) }) {
				out = append(out, fmt.Sprintf("%d: unwanted: %s", i+1, x))
			}
		}
	}
	return out
}

func TestDefectVerdicts(t *testing.T) {
	eachDefect(t, func(t *testing.T, a *analysis) {
		for _, u := range unmet(a.source, a.verdicts()) {
			t.Errorf("%s.hpf:%s", a.name, u)
		}
		for _, k := range plan.Kinds {
			if err := verify.Plan(a.plan(k)); err != nil {
				t.Errorf("plan %s: %v", k, err)
			}
		}
	})
}

// TestVerdictsNotice: what TestDefectVerdicts is there to notice.
func TestVerdictsNotice(t *testing.T) {
	v := map[int][]string{1: {"shift a(i-1): literal NoSync, sound Sync"}}
	for line, want := range map[string]string{
		`x !WANT "literal NoSync, sound Sync"`:  ``,
		`x !WANT "literal NoSync"`:              ``,
		`x`:                                     `1: unwanted: shift a(i-1): `,
		`x !WANT "literal Sync"`:                `1: want "literal Sync", have`,
		`x !WANT "sound Sync" "sound NoSync"`:   `1: want "sound NoSync", have`,
		`x !WANT literal NoSync`:                `1: after !WANT: found "literal NoSync"`,
		`x !WANT "literal NoSync" or something`: `1: after !WANT: found`,
	} {
		got := strings.Join(unmet(line, v), "\n")
		if want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestDefectsAreFortran: gfortran compiles the programs, with all its checks, and
// they print the same. One program of three is compiled on most days.
func TestDefectsAreFortran(t *testing.T) {
	if testing.Short() {
		t.Skip("long: gfortran compiles each")
	}
	effort.Tool(t, "gfortran", "gfortran")
	built := buildDefects(t)
	dir := t.TempDir()
	kinds, numbers := plan.Kinds, []string{"3", "1", "2", "4", "7"}
	if !effort.All() {
		kinds, numbers = kinds[:1], numbers[:2]
	}
	eachDefect(t, func(t *testing.T, a *analysis) {
		if !effort.Share(a.name, 3) {
			t.Skip("one program of three: all with SPMDC_REQUIRE=all")
		}
		bin := filepath.Join(dir, a.name)
		cmd := exec.Command("gfortran", "-std=f95", "-Wall", "-fwrapv", "-fcheck=all", "-ffree-form", "-x", "f95", "-J", filepath.Dir(bin), "-o", bin, "testdata/defects/"+a.name+".hpf")
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("gfortran: %v\n%s", err, out)
		}
		want := strings.Fields(execute(t, bin).stdout)
		for _, k := range kinds {
			for _, n := range numbers {
				r := built.run(t, variant(a.name, k), "-n", n)
				if !r.clean() || !slices.Equal(strings.Fields(r.stdout), want) {
					t.Errorf("%s on %s PEs: %v, want %v", k, n, r, want)
				}
			}
		}
	})
}
