package plan_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/procfunc"
)

// pivots broadcasts a column that lies with each PE for a block of iterations.
const pivots = `program p
 integer :: i, j, k
 double precision :: a(64,64), col(64)
!HPF$ DISTRIBUTE a(*,BLOCK)
!HPF$ ALIGN col(i) WITH a(*,*)
 do k = 1, 64
  do i = 1, 64
   col(i) = a(i,k)
  end do
  do j = 1, 64
   do i = 1, 64
    a(i,j) = a(i,j) + col(i)
   end do
  end do
 end do
 print *, a(7,7)
end program
`

// elideWith is plan elide with options.
func elideWith(t *testing.T, text string, o plan.Options) *plan.Plan {
	t.Helper()
	c := makePlan(t, text, plan.Handshake).Program
	p := plan.Search(c, procfunc.Analyze(c, c.Graph()), o)
	if err := p.Verify(); err != nil {
		t.Fatalf("%+v: %v\n%s", o, err, p.Explain())
	}
	return p
}

// TestListening: what all PEs get from one that stays the same for a while needs a
// ready message each time that the slots have been used up, and none if there are
// as many as executions. The search takes these if the memory allows, and else the
// most that it allows.
func TestListening(t *testing.T) {
	const column = 64 * 8 // bytes
	for _, c := range []struct {
		memory int64
		form   string
	}{
		{0, "unheard*64"},
		{63 * column, "unheard*64"},
		{63*column - 1, "unheard*32"},
		{8 * column, "unheard*8"},
		{column, "unheard*2"},
		{-1, "ready"},
	} {
		p := elideWith(t, pivots, plan.Options{Memory: c.memory, BarrierThreshold: -1})
		if got := p.Slots[0].Form(); got != c.form {
			t.Errorf("with %d bytes: %s, want %s\n%s", c.memory, got, c.form, p.Explain())
		}
	}
	// On P PEs with blocks of m the owner has heard from nobody since its first
	// message; whoever is new starts with slots that others have filled.
	p := elideWith(t, pivots, plan.Options{BarrierThreshold: -1})
	for _, tried := range p.Slots[0].Tried {
		form := tried.What
		count := 1
		if _, err := fmt.Sscanf(form, "unheard*%d", &count); err != nil && form != "unheard" {
			continue
		}
		if want := 1 / float64(count); tried.Rate > want+0.03 || tried.Rate < want/2-0.1 {
			t.Errorf("%v: about %.2f ready messages for a put expected", tried, want)
		}
	}
}

// TestListenersOwnTheirSlots: in plans of all programs what listens fills no cells
// that others fill, has ready messages and no proof, and costs less than a ready
// message for each put.
func TestListenersOwnTheirSlots(t *testing.T) {
	found := map[string]int{}
	for name, text := range programs(t) {
		p := makePlan(t, text, plan.Elide)
		for i := range p.Slots {
			s := &p.Slots[i]
			if !s.OnDemand {
				continue
			}
			form, _, _ := strings.Cut(s.Form(), "*")
			found[form]++
			shared := slices.ContainsFunc(p.Classes, func(c []int) bool { return slices.Contains(c, i+1) })
			if !s.Ready || len(s.Proofs) > 0 || len(s.Pairwise) > 0 || s.Comm.Overlap != s.Staged || shared && !s.Staged {
				t.Errorf("%s: #%d: %+v", name, i+1, s)
			}
			k := slices.IndexFunc(s.Tried, func(t plan.Trial) bool { return t.Note == plan.Chosen })
			if tried := s.Tried[k]; !tried.OnDemand || tried.What != s.Form() || tried.Cost >= s.Tried[0].Cost || tried.Rate < 0 || tried.Rate > 1 || math.IsNaN(tried.Cost) {
				t.Errorf("%s: #%d: %v", name, i+1, tried)
			}
		}
	}
	t.Log(found)
	if found["unheard"] < 4 || found["unheard-staged"] < 5 {
		t.Errorf("only %v listen", found)
	}
}

// TestVerifyListening: a plan in which what listens shares its cells, has a proof
// besides, or is not of elide, is rejected.
func TestVerifyListening(t *testing.T) {
	for _, c := range []struct {
		spoil func(d *plan.Document)
		want  string
	}{
		{func(d *plan.Document) { d.Kind = plan.PopL96 }, "heeds who has been heard from, which plan popl96 does not have"},
		{func(d *plan.Document) { d.Classes = [][]int{{1, 2}} }, "#1 fills the cells of others too, and heeds only who has been heard from since its own use"},
		{func(d *plan.Document) { d.Slots[0].Pairwise = []int{2} }, "#1 has ready messages, and a proof that most pairs of PEs need none"},
	} {
		d := makePlan(t, pivots, plan.Elide).Document()
		c.spoil(d)
		if err := d.Verify(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
