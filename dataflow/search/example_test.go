package search_test

import (
	"math/rand"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/simulate"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/randprog"
)

// TestExamplesAndProofs: what is proved has no example to the contrary. All
// communications are given ready messages, and none that popl96 proves is found to
// need them; of the others most have an example.
func TestExamplesAndProofs(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many programs")
	}
	texts := programs(t)
	for seed := range effort.Of(150, 50) {
		texts[string(rune('a'+seed%26))+" random"+string(rune('0'+seed/26))] = randprog.Subscripts(rand.New(rand.NewSource(int64(seed))))
	}
	proved, needed, shown, guessed := 0, 0, 0, 0
	for name, text := range texts {
		p := makePlan(t, text, plan.PopL96)
		free := make([]bool, len(p.Slots))
		for i := range p.Slots {
			free[i] = p.Slots[i].Ready == plan.Never
			p.Slots[i].Ready, p.Slots[i].Proofs = plan.Always, nil
		}
		examples := simulate.Examples(p, 0)
		for i, isFree := range free {
			e := examples[i+1]
			switch {
			case isFree && e != nil:
				t.Errorf("%s: #%d needs no ready message, and there is an example that it does: %+v", name, i+1, e)
			case isFree:
				proved++
			case e != nil && !e.Guessed:
				shown++
				needed++
			case e != nil:
				guessed++
				needed++
			default:
				needed++
			}
			if e != nil && (e.From == e.To || e.From < 0 || e.From >= e.PEs || e.To < 0 || e.To >= e.PEs || e.Line < 1) {
				t.Errorf("%s: the example %+v", name, e)
			}
		}
	}
	t.Logf("%d proved and without example; %d not proved, of which %d have an example and %d one on a way that is guessed", proved, needed, shown, guessed)
	if proved < effort.Of(500, 300) || shown < effort.Of(150, 80) || guessed < 10 {
		t.Error("too few examples")
	}
}

// TestExampleIsNamed: the example tells which PEs, where and when.
func TestExampleIsNamed(t *testing.T) {
	p := makePlan(t, `program p
  integer, parameter :: n = 40
  double precision :: a(n), b(n)
  integer :: i, it
!HPF$ DISTRIBUTE a(BLOCK)
!HPF$ ALIGN b(i) WITH a(i)
  do i = 1, n
    a(i) = i
    b(i) = 1
  end do
  do it = 3, 9, 2
    do i = 2, n
      b(i) = a(i-1)
    end do
    do i = 2, n
      a(i) = b(i)
    end do
  end do
  print *, b(n)
end program p
`, plan.PopL96)
	for _, np := range []int{0, 3} {
		e := simulate.Examples(p, np)[1]
		want := simulate.Example{PEs: max(2, np), From: 0, To: 1, Use: 1, Line: 12}
		if e == nil || len(e.At) != 1 || e.At[0] != "it = 5" {
			t.Fatalf("on %d PEs: %+v", np, e)
		}
		if e.At = nil; e.PEs != want.PEs || e.From != want.From || e.To != want.To || e.Use != want.Use || e.Line != want.Line || e.Guessed {
			t.Errorf("on %d PEs: %+v, want %+v", np, e, want)
		}
	}
}
