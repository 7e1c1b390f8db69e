package dataflow_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/replay"
	"github.com/spmdc/spmdc/internal/effort"
)

// TestCheckerCatchesDefects: where the printed form leaves out a ready message that
// is needed, the checker says so in any run, whichever PE is fast: a put must be
// known to be free by its sender. No PE is held. The runs are those of the !FORCE
// lines, without their holds; the other programs, and the sound plans, are clean,
// also on other numbers of PEs.
func TestCheckerCatchesDefects(t *testing.T) {
	built := buildDefects(t)
	var caught, clean []string
	eachDefect(t, func(t *testing.T, a *analysis) {
		row, _, _ := strings.Cut(a.name, "-")
		for _, args := range forces(a.source) {
			args = args[:slices.Index(args, "-hold")]
			for range effort.Of(3, 1) {
				r := built.run(t, variant(a.name, plan.PopL96Literal), args...)
				if r.status != 1 || !strings.Contains(r.stderr, "is not ordered: ") && !strings.Contains(r.stderr, "comes too early: ") {
					t.Fatalf("row %s, %v: the checker does not see it: %v", row, args, r)
				}
			}
			caught = append(caught, row+" "+a.name[len(row)+1:])
		}
		if len(forces(a.source)) == 0 {
			for _, n := range []string{"3", "2", "4"}[:effort.Of(3, 1)] {
				if r := built.run(t, variant(a.name, plan.PopL96Literal), "-n", n); !r.clean() {
					t.Errorf("row %s on %s PEs, sound by luck: %v", row, n, r)
				}
			}
			clean = append(clean, row)
		}
	})
	t.Logf("rows caught without holding any PE: %s; nothing to catch in rows %s", strings.Join(caught, ", "), strings.Join(clean, ", "))
	if len(caught) < 10 {
		t.Errorf("only %d programs", len(caught))
	}
}

// traced runs a check build that writes a trace. It is false if a put came so
// early that the run ended there.
func (b programs) traced(t *testing.T, name string, args ...string) (*replay.Trace, result, bool) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace")
	r := b.run(t, name, append(args, "-record", file)...)
	if strings.Contains(r.stderr, "comes too early: ") {
		return nil, r, false
	}
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	tr, err := replay.Read(in)
	if err != nil {
		t.Fatalf("%s %v: %v\n%v", name, args, err, r)
	}
	return tr, r, true
}

// TestCheckerAgreesWithReplay: what the checker reports is what a replay of the
// recorded run finds: under the printed form, which has something to find, and
// when one communication or reduction delivers what it brings without what its
// senders know.
func TestCheckerAgreesWithReplay(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many runs")
	}
	built := buildDefects(t)
	var runs, found, mutations, killed int
	eachDefect(t, func(t *testing.T, a *analysis) {
		for _, k := range []plan.Kind{plan.PopL96Literal, plan.PopL96, plan.Kinds[0]} {
			for _, n := range []string{"2", "3", "4"}[:effort.Of(3, 1)] {
				whole, r, ok := built.traced(t, variant(a.name, k), "-n", n)
				if !ok {
					continue
				}
				runs++
				got, want := whole.Reported(), whole.Unordered(replay.Options{})
				if !slices.Equal(got, want) || r.clean() != (len(want) == 0) {
					t.Errorf("%s on %s PEs: reported %v, the replay finds %v", k, n, got, want)
				}
				if len(want) > 0 {
					found++
				}
				if k == plan.PopL96Literal {
					continue
				}
				for _, y := range whole.Sites() {
					muted, r, ok := built.traced(t, variant(a.name, k), "-n", n, "-mute", fmt.Sprint(y))
					if !ok {
						t.Fatalf("without the clocks of %d a put comes early: %v", y, r)
					}
					mutations++
					got, want := muted.Reported(), whole.Unordered(replay.Options{Mute: map[int]bool{y: true}})
					if !slices.Equal(got, want) || r.clean() != (len(want) == 0) {
						t.Errorf("%s on %s PEs, %d without clocks: reported %v, the replay finds %v", k, n, y, got, want)
					}
					if len(want) > 0 {
						killed++
					}
				}
			}
		}
	})
	t.Logf("%d runs, %d of them with unordered puts; %d mutations, %d of them leave puts unordered", runs, found, mutations, killed)
	if found == 0 || killed < 10 || killed == mutations {
		t.Error("the runs show nothing")
	}
}
