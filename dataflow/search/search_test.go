package search_test

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/dataflow/verify"
	"github.com/spmdc/spmdc/procfunc"
)

// relaxation exchanges with both neighbours, with nothing else that orders PEs.
const relaxation = `program p
 integer :: i, t
 double precision :: a(1:100), b(1:100)
!HPF$ DISTRIBUTE a(BLOCK)
!HPF$ ALIGN b(i) WITH a(i)
 do i = 1, 100
  a(i) = i
 end do
 do t = 1, 10
  do i = 2, 99
   b(i) = a(i-1) + a(i+1)
  end do
  do i = 2, 99
   a(i) = 0.5d0*b(i)
  end do
 end do
 print *, a(7)
end program
`

// searched is plan elide within a bound.
func searched(t *testing.T, text string, memory int64) *plan.Plan {
	t.Helper()
	c := makePlan(t, text, plan.Handshake).Program
	p := search.Make(c, plan.Elide, procfunc.Analyze(c, c.Graph()), search.Options{Memory: memory})
	if err := verify.Plan(p); err != nil {
		t.Fatalf("with %d bytes: %v", memory, err)
	}
	return p
}

// moods are the third words of the slot lines.
func moods(p *plan.Plan) string {
	var words []string
	for line := range strings.Lines(p.Explain()) {
		if strings.HasPrefix(line, "slot ") {
			words = append(words, strings.Fields(line)[2])
		}
	}
	return strings.Join(words, " ")
}

// TestSearchWithinMemory: with enough memory both exchanges have two staging buffers, with
// less one of them has, and with hardly any none.
func TestSearchWithinMemory(t *testing.T) {
	for _, c := range []struct {
		memory int64
		moods  string
	}{
		{0, "on-demand-staged*2 on-demand-staged*2 elided"},
		{64, "on-demand-staged*2 on-demand-staged*2 elided"},
		{63, "on-demand-staged*2 ready elided"},
		{32, "on-demand-staged*2 ready elided"},
		{31, "ready ready elided"},
		{-1, "ready ready elided"},
	} {
		p := searched(t, relaxation, c.memory)
		if got := moods(p); got != c.moods {
			t.Errorf("with %d bytes: %s, want %s\n%s", c.memory, got, c.moods, p.Explain())
		}
		bytes := int64(0)
		for _, s := range p.Slots {
			chosen := 0
			for _, tried := range s.Tried {
				if tried.Note == "chosen" {
					chosen++
					if tried.Form != s.Form {
						t.Errorf("with %d bytes: #%d has %v", c.memory, s.Comm.ID, tried)
					}
				}
			}
			if want := min(1, len(s.Tried)); chosen != want {
				t.Errorf("with %d bytes: %d choices for #%d", c.memory, chosen, s.Comm.ID)
			}
			if s.Staged {
				bytes += int64(s.Ring) * 8 * p.Program.StageCells(s.Comm)
			}
		}
		if bound := c.memory; bound > 0 && bytes > bound || bound < 0 && bytes > 0 {
			t.Errorf("with %d bytes: the stages take %d", c.memory, bytes)
		}
	}
}

// TestElideIsNeverWeaker: what popl96 frees elide frees in the same way.
func TestElideIsNeverWeaker(t *testing.T) {
	less, same := 0, 0
	for name, text := range programs(t) {
		elide, popl96 := makePlan(t, text, plan.Elide), makePlan(t, text, plan.PopL96)
		for i, s := range elide.Slots {
			switch was := popl96.Slots[i]; {
			case was.Ready == plan.Never && (s.Ready != plan.Never || s.OwnProof() != nil):
				t.Errorf("%s: #%d is free with one slot, and becomes %+v", name, i+1, s)
			case was.Ready != plan.Never && s.Ready == plan.Never:
				less++
			default:
				same++
			}
		}
	}
	t.Logf("elide frees %d communications more, %d are the same", less, same)
	if less < 25 {
		t.Errorf("elide frees only %d communications more", less)
	}
}
