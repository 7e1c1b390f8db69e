package search_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/dataflow/verify"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/procfunc"
)

// liar says that communication y answers put, which is not proved, and else
// nothing but what is.
type liar struct {
	*procfunc.Functions
	y, put int
}

func (l liar) KillsAfter(y, put, nth int) bool {
	return y == l.y && put == l.put || l.Functions.KillsAfter(y, put, nth)
}

// lies counts plans that stand on a false claim about messages, and those of them
// that an example contradicts.
type lies struct{ told, found int }

// tell takes a plan for which y is said to answer put.
func (l *lies) tell(t *testing.T, name string, y, put int, lied *plan.Plan) {
	t.Helper()
	l.told++
	if err := verify.Graph(lied); err != nil {
		t.Errorf("%s: #%d is said to answer #%d, and the document does not follow: %v", name, y, put, err)
	}
	if err := verify.Plan(lied); err != nil {
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
				if y == put || p.Slots[put].Ready == plan.Never || f.KillsAfter(y+1, put+1, 1) || !sample() {
					continue
				}
				lied := search.Make(p.Program, plan.PopL96, liar{f, y + 1, put + 1}, search.Options{})
				if lied.Slots[put].Ready != plan.Never {
					continue // the lie does not help
				}
				l.tell(t, name, y+1, put+1, lied)
			}
		}
	}
	l.check(t)
}

// chainer says of some communications that they answer put 1 as a chain.
type chainer struct {
	*procfunc.Functions
	chain []int
}

func (c chainer) Chains(put int) [][]int {
	if put == 1 {
		return [][]int{c.chain}
	}
	return nil
}

// TestExamplesContradictChains: of a chain that goes too far, or the wrong way, the graph
// cannot know, and an example does; a true one it leaves.
func TestExamplesContradictChains(t *testing.T) {
	text, err := os.ReadFile("../testdata/paper/chain.hpf")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, now, want string }{
		{"", "", ""},
		{"c(i) = b(i+1)", "c(i+1) = b(i)", "nothing has acknowledged to PE"},
		{"c(i+1)", "c(i+3)", "nothing has acknowledged to PE"},
	} {
		p := makePlan(t, strings.Replace(strings.Replace(string(text), c.old, c.now, 1), "i = 1, n - 1", "i = 1, n - 3", 2), plan.Handshake)
		made := search.Make(p.Program, plan.PopL96, chainer{procfunc.Analyze(p.Program, p.Graph), []int{2, 3}}, search.Options{})
		if made.Slots[0].Ready != plan.Never || made.Slots[0].Proofs[0].Relays == nil {
			t.Errorf("%q: the chain is not counted on", c.now)
		}
		if err := verify.Graph(made); err != nil {
			t.Errorf("%q: %v", c.now, err)
		}
		if err := verify.Plan(made); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v, want %q", c.now, err, c.want)
		}
	}
}

// TestExamplesContradictAgedLies is TestExamplesContradictLies for plan elide, with stages
// and several slots.
func TestExamplesContradictAgedLies(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many plans")
	}
	var l lies
	all := ordinary(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p := makePlan(t, all[name], plan.PopL96)
		f := procfunc.Analyze(p.Program, p.Graph)
		for put := range p.Slots {
			for y := range p.Slots {
				if y == put || p.Slots[put].Ready == plan.Never || f.KillsAfter(y+1, put+1, 1) || l.told > effort.Of(120, 55) {
					continue
				}
				lied := search.Make(p.Program, plan.Elide, liar{f, y + 1, put + 1}, search.Options{Relations: func(c *comm.Program, g *cfg.Graph) search.Relations {
					return liar{procfunc.Analyze(c, g), y + 1, put + 1}
				}})
				if !slices.ContainsFunc(lied.Slots[put].Proofs, func(c *proof.Certificate) bool {
					return slices.ContainsFunc(c.Kills, func(k proof.Kill) bool { return k.Comm == y+1 })
				}) {
					continue // the lie does not help
				}
				l.tell(t, name, y+1, put+1, lied)
			}
		}
	}
	l.check(t)
}

// TestImpossibleInput: an example whose input leads to an element that does not exist is
// none. Here m can only be 5; with another value there would be no message of dd, on which
// the proof for aa counts.
func TestImpossibleInput(t *testing.T) {
	p := makePlan(t, `program p
  implicit none
  double precision :: aa(-3:-1,10), dd(2:10,5:5)
  integer :: i, j, it, m
!HPF$ DISTRIBUTE aa(BLOCK,*)
!HPF$ DISTRIBUTE dd(CYCLIC,*)
  read *, m
  do it = 1, 2
    do i = 3, 4
      dd(i,5) = aa(i-5,6) + aa(i-6,6)
    end do
    do i = -1, -3, -1
      do j = m, m
        aa(i,j) = dd(i+5,j)
      end do
    end do
  end do
end program
`, plan.Elide)
	if err := verify.Plan(p); err != nil {
		t.Error(err)
	}
	if !slices.ContainsFunc(p.Slots, func(s plan.Slot) bool { return len(s.Proofs) > 0 }) {
		t.Error("nothing is proved")
	}
}
