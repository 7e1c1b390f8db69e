package plan_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
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

// TestExamplesContradictLies: when a plan stands on a false claim about messages,
// its document cannot know, and Verify finds an example that contradicts it.
func TestExamplesContradictLies(t *testing.T) {
	lies, found := 0, 0
	all := ordinary(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p := makePlan(t, all[name], plan.PopL96)
		f := procfunc.Analyze(p.Program, p.Graph)
		for put := range p.Slots {
			for y := range p.Slots {
				if y == put || !p.Slots[put].Ready || f.Kills(y+1, put+1, put+1) {
					continue
				}
				lied := plan.MakeWith(p.Program, plan.PopL96, liar{f, y + 1, put + 1})
				if lied.Slots[put].Ready {
					continue // the lie does not help
				}
				lies++
				if err := lied.Document().Verify(); err != nil {
					t.Errorf("%s: #%d is said to answer #%d, and the document does not follow: %v", name, y+1, put+1, err)
				}
				if err := lied.Verify(); err != nil {
					if !strings.Contains(err.Error(), "an example with") {
						t.Errorf("%s: %v", name, err)
					}
					found++
				}
			}
		}
	}
	t.Logf("%d of %d lies are found", found, lies)
	// The rest are true of all programs that run, though not proved.
	if lies < 50 || found*10 < lies*6 {
		t.Errorf("%d of %d lies are found", found, lies)
	}
}
