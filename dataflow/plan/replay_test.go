package plan_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/procfunc"
)

// liar says that communication y answers put, which is not proved, and else
// nothing but what is.
type liar struct {
	*procfunc.Functions
	y, put int
}

func (l liar) Kills(y, use, put int) bool {
	return y == l.y && put == l.put || l.Functions.Kills(y, use, put)
}

// lies counts plans that stand on a false claim about messages, and those of them
// that an example contradicts.
type lies struct{ told, found int }

// tell takes a plan for which y is said to answer put.
func (l *lies) tell(t *testing.T, name string, y, put int, lied *plan.Plan) {
	t.Helper()
	l.told++
	if err := lied.Document().Verify(); err != nil {
		t.Errorf("%s: #%d is said to answer #%d, and the document does not follow: %v", name, y, put, err)
	}
	if err := lied.Verify(); err != nil {
		if !strings.Contains(err.Error(), "an example with") {
			t.Errorf("%s: %v", name, err)
		}
		l.found++
	}
}

// check wants many to be found. The rest are true of all programs that run, though
// not proved.
func (l *lies) check(t *testing.T) {
	t.Helper()
	t.Logf("%d of %d lies are found", l.found, l.told)
	if l.told < 50 || l.found*10 < l.told*6 {
		t.Errorf("%d of %d lies are found", l.found, l.told)
	}
}

// TestExamplesContradictLies: when a plan stands on a false claim about messages,
// its document cannot know, and Verify finds an example that contradicts it.
func TestExamplesContradictLies(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many plans")
	}
	var l lies
	sample := effort.Sample(3)
	all := ordinary(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p := makePlan(t, all[name], plan.PopL96)
		f := procfunc.Analyze(p.Program, p.Graph)
		for put := range p.Slots {
			for y := range p.Slots {
				if y == put || !p.Slots[put].Ready || f.Kills(y+1, put+1, put+1) || !sample() {
					continue
				}
				lied := plan.MakeWith(p.Program, plan.PopL96, liar{f, y + 1, put + 1})
				if lied.Slots[put].Ready {
					continue // the lie does not help
				}
				l.tell(t, name, y+1, put+1, lied)
			}
		}
	}
	l.check(t)
}
