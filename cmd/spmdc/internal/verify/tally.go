package verify

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/dataflow/plan"
)

// Tally is what verifying random programs has come to. Tallies add up.
type Tally struct {
	Programs int
	Runs     int // without mutations
	Plain    int // of the runs: those of plain builds
	Totals   map[plan.Kind]*Counts
	Faults   map[string]int // programs by what was wrong with them, see faultName
	Features map[string]int // of the programs, and of how they were built
}

func newTally() *Tally {
	return &Tally{Totals: map[plan.Kind]*Counts{}, Faults: map[string]int{}, Features: map[string]int{}}
}

// ran counts a run under a plan.
func (t *Tally) ran(k plan.Kind, plain bool, c Counts) {
	t.Runs++
	if plain {
		t.Plain++
	}
	t.plan(k).add(c)
}

func (t *Tally) plan(k plan.Kind) *Counts {
	if t.Totals[k] == nil {
		t.Totals[k] = &Counts{}
	}
	return t.Totals[k]
}

// Add adds what other programs have come to.
func (t *Tally) Add(o *Tally) {
	t.Programs += o.Programs
	t.Runs += o.Runs
	t.Plain += o.Plain
	for k, c := range o.Totals {
		t.plan(k).add(*c)
	}
	for name, n := range o.Faults {
		t.Faults[name] += n
	}
	for name, n := range o.Features {
		t.Features[name] += n
	}
}

// failed is the number of programs with a fault.
func (t *Tally) failed() (n int) {
	for _, x := range t.Faults {
		n += x
	}
	return n
}

// writeTotals writes what the runs have done, by plan.
func (t *Tally) writeTotals(w io.Writer) {
	for _, k := range append(slices.Clone(plan.Kinds), plan.PopL96Literal) {
		c := t.Totals[k]
		if c == nil || *c == (Counts{}) {
			continue // plain builds, or runs in parts
		}
		fmt.Fprintf(w, "  %-9s  %d ready messages (%d of them redundant in their runs) for %d data messages; PEs held %d times\n", k, c.Ready, c.Redundant, c.Data, c.Held)
		if c.Runs > 0 {
			fmt.Fprintf(w, "             %s\n", c.Mutations)
		}
	}
}

// buildClasses are the features that say how programs are built.
var buildClasses = []string{"build:", "prove:", "built with:"}

// writeCoverage writes how often each feature of the programs occurs, by class.
func (t *Tally) writeCoverage(w io.Writer) {
	class := ""
	for _, name := range slices.Sorted(maps.Keys(t.Features)) {
		what, rest, _ := strings.Cut(name, ":")
		if slices.Contains(buildClasses, what+":") {
			continue
		}
		if what != class {
			if class != "" {
				fmt.Fprintln(w)
			}
			class = what
			fmt.Fprintf(w, "  %s:", class)
		} else {
			fmt.Fprint(w, ",")
		}
		fmt.Fprintf(w, " %s %d", rest, t.Features[name])
	}
	if class != "" {
		fmt.Fprintln(w)
	}
}

// writeBuilds writes how many programs were built in which way.
func (t *Tally) writeBuilds(w io.Writer) {
	for _, class := range buildClasses {
		var words []string
		for _, name := range slices.Sorted(maps.Keys(t.Features)) {
			if what, ok := strings.CutPrefix(name, class); ok {
				words = append(words, fmt.Sprintf("%s %d", what, t.Features[name]))
			}
		}
		if len(words) > 0 {
			fmt.Fprintf(w, "  %s %s\n", class, strings.Join(words, ", "))
		}
	}
}

// verdict is the line that counts what was wrong.
func (t *Tally) verdict() string {
	return fmt.Sprintf("%d violations, %d wrong outputs, %d hangs, %d missed by the checker, %d not compiled", t.Faults[Violation.String()],
		t.Faults[Wrong.String()], t.Faults[Hang.String()], t.Faults[Disagree.String()], t.Faults[notCompiled])
}
