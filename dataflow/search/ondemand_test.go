package search_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/dataflow/verify"
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
func elideWith(t *testing.T, text string, o search.Options) *plan.Plan {
	t.Helper()
	c := makePlan(t, text, plan.Handshake).Program
	p := search.Make(c, plan.Elide, procfunc.Analyze(c, c.Graph()), o)
	if err := verify.Plan(p); err != nil {
		t.Fatalf("%+v: %v\n%s", o, err, p.Explain())
	}
	return p
}

// TestOnDemand: what all PEs get from one that stays the same for a while needs a
// ready message each time that the slots have been used up, and none if there are
// as many as executions. The search takes these if the memory allows, and else the
// most that it allows.
func TestOnDemand(t *testing.T) {
	const column = 64 * 8 // bytes
	for _, c := range []struct {
		memory int64
		form   string
	}{
		{0, "on-demand*64"},
		{63 * column, "on-demand*64"},
		{63*column - 1, "on-demand*32"},
		{8 * column, "on-demand*8"},
		{column, "on-demand*2"},
		{-1, "ready"},
	} {
		p := elideWith(t, pivots, search.Options{Memory: c.memory, BarrierThreshold: -1})
		if got := p.Slots[0].Form.String(); got != c.form {
			t.Errorf("with %d bytes: %s, want %s\n%s", c.memory, got, c.form, p.Explain())
		}
	}
	// On P PEs with blocks of m the owner has heard from nobody since its first
	// message; whoever is new starts with slots that others have filled.
	p := elideWith(t, pivots, search.Options{BarrierThreshold: -1})
	for _, tried := range p.Slots[0].Tried {
		form := tried.Form.String()
		count := 1
		if _, err := fmt.Sscanf(form, "on-demand*%d", &count); err != nil && form != "on-demand" {
			continue
		}
		if want := 1 / float64(count); tried.Rate > want+0.03 || tried.Rate < want/2-0.1 {
			t.Errorf("%v: about %.2f ready messages for a put expected", tried, want)
		}
	}
}

// TestOnDemandOwnsItsSlots: in plans of all programs what listens fills no cells
// that others fill, has ready messages and no proof, and costs less than a ready
// message for each put.
func TestOnDemandOwnsItsSlots(t *testing.T) {
	found := map[string]int{}
	for name, text := range programs(t) {
		p := makePlan(t, text, plan.Elide)
		for i := range p.Slots {
			s := &p.Slots[i]
			if s.Ready != plan.OnDemand {
				continue
			}
			form, _, _ := strings.Cut(s.Form.String(), "*")
			found[form]++
			shared := slices.ContainsFunc(p.Classes, func(c []int) bool { return slices.Contains(c, i+1) })
			if len(s.Proofs) > 0 || s.Comm.Overlap != (s.Staged || s.Planes != nil) || shared && !s.Staged {
				t.Errorf("%s: #%d: %+v", name, i+1, s)
			}
			k := slices.IndexFunc(s.Tried, func(t plan.Trial) bool { return t.Note == plan.Chosen })
			if tried := s.Tried[k]; tried.Form != s.Form || tried.Cost >= s.Tried[0].Cost || tried.Rate < 0 || tried.Rate > 1 || math.IsNaN(tried.Cost) {
				t.Errorf("%s: #%d: %v", name, i+1, tried)
			}
		}
	}
	t.Log(found)
	if found["on-demand"] < 4 || found["on-demand-staged"] < 5 {
		t.Errorf("only %v on demand", found)
	}
}

// TestVerifyOnDemand: a plan in which what listens shares its cells, has a proof
// besides, or is not of elide, is rejected.
func TestVerifyOnDemand(t *testing.T) {
	for _, c := range []struct {
		spoil func(d *plan.Plan)
		want  string
	}{
		{func(d *plan.Plan) { d.Kind = plan.PopL96 }, "ready messages on demand, which plan popl96 does not have"},
		{func(d *plan.Plan) { d.Classes = [][]int{{1, 2}} }, "#1 fills the cells of others too, and its ready messages are on demand since its own use only"},
	} {
		d := makePlan(t, pivots, plan.Elide)
		c.spoil(d)
		if err := verify.Graph(d); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
