package search_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/dataflow/verify"
	"github.com/spmdc/spmdc/procfunc"
)

// planFor makes plan elide of a program for some numbers of PEs.
func planFor(t testing.TB, text string, pes ...int) *plan.Plan {
	t.Helper()
	c := transformed(t, text)
	return search.Make(c, plan.Elide, procfunc.Analyze(c, c.Graph()), search.Options{PEs: pes})
}

// triangle broadcasts, in a loop that is kept apart in a loop that is kept apart,
// from PEs that change; every other time only, and not at all in the end.
const triangle = `program triangle
 integer :: i, j, k
 double precision :: a(12), b(12)
!HPF$ DISTRIBUTE a(CYCLIC)
!HPF$ ALIGN b(i) WITH a(i)
 do k = 1, 4
   do j = k, 4
     do i = 1, 12
       b(i) = b(i) + a(j)
     end do
     if (mod(j,2) == 0) then
       a(j+1) = b(j) + 1
     end if
     a(j) = b(1)
   end do
 end do
end program
`

// TestFollow: the copies of proofs are the ways on which programs go. A copy's way
// less, a message less among those that there can be, or more among those that are
// certain, and the program is found to do something else.
func TestFollow(t *testing.T) {
	p := planFor(t, triangle, 3)
	if len(p.Finite) != 1 || len(p.Finite[0].Loops) != 2 || len(p.Finite[0].Copies) <= len(p.Graph.Nodes) {
		t.Fatalf("no loops kept apart:\n%s", p.Explain())
	}
	if err := verify.Plan(p); err != nil {
		t.Fatal(err)
	}
	refused := func(what string, spoil func(e *proof.Unfolding) bool) {
		t.Helper()
		e := *p.Finite[0].Unfolding
		e.Copies, e.Sent = slices.Clone(e.Copies), slices.Clone(e.Sent)
		if !spoil(&e) {
			return
		}
		if err := verify.Unfolding(p, &e); err == nil {
			t.Errorf("%s: not missed\n%v", what, &e)
		}
	}
	if err := verify.Unfolding(p, p.Finite[0].Unfolding); err != nil {
		t.Fatal(err)
	}
	ways, messages := 0, 0
	for i, c := range p.Finite[0].Copies {
		for k := range c.Succs {
			refused("a way less", func(e *proof.Unfolding) bool {
				e.Copies[i].Succs = slices.Delete(slices.Clone(c.Succs), k, k+1)
				ways++
				return true
			})
		}
	}
	for i, s := range p.Finite[0].Sent {
		for from := range 3 {
			for to := range 3 {
				bit := uint64(1) << to
				refused("a put less", func(e *proof.Unfolding) bool {
					if s.May[from]&bit == 0 {
						return false
					}
					messages++
					e.Sent[i].May, e.Sent[i].Must = slices.Clone(s.May), nil
					e.Sent[i].May[from] &^= bit
					return true
				})
				refused("a message more", func(e *proof.Unfolding) bool {
					if from == to || len(s.Must) == 0 || s.Must[from]&bit != 0 {
						return false
					}
					messages++
					e.Sent[i].May, e.Sent[i].Must = proof.All(3), slices.Clone(s.Must)
					e.Sent[i].Must[from] |= bit
					return true
				})
			}
		}
		refused("a user less", func(e *proof.Unfolding) bool {
			e.Sent[i].Users &= s.Users - 1
			return true
		})
	}
	refused("a loop less kept apart", func(e *proof.Unfolding) bool {
		e.Loops = e.Loops[:1]
		return true
	})
	refused("what is no loop", func(e *proof.Unfolding) bool {
		e.Loops = []int{0}
		return true
	})
	if ways < 50 || messages < 20 {
		t.Errorf("only %d ways and %d messages", ways, messages)
	}
}

// TestElidedOn: a plan for some numbers of PEs names them, and without the proofs, with other numbers, or without the messages that they count on is not
// accepted.
func TestElidedOn(t *testing.T) {
	p := planFor(t, triangle, 2, 3)
	d := copied(p)
	if err := verify.Graph(d); err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, s := range p.Slots {
		at += len(s.At)
	}
	if at < 2 {
		t.Fatalf("only %d times elided:\n%s", at, d.Graph)
	}
	for _, c := range []struct {
		name  string
		spoil func(d *plan.Plan)
		want  string
	}{
		{"another communication", func(d *plan.Plan) { d.Slots[0].At = []int{3} }, "puts without ready message on 3 PEs, and nothing is claimed of the uses of #1 there"},
		{"another number", func(d *plan.Plan) {
			for i := range d.Slots {
				if s := &d.Slots[i]; len(s.At) > 0 {
					s.At = append(slices.Clone(s.At), 4)
				}
			}
		}, "puts without ready message on 4 PEs, and nothing is claimed"},
		{"no claims", func(d *plan.Plan) { d.Finite[1].Certificates[0].Claims = nil }, "nothing is claimed to have let PEs "},
		{"nothing certain", func(d *plan.Plan) {
			for i := range d.Finite[1].Sent {
				d.Finite[1].Sent[i].Must = nil
			}
		}, "need not know"},
		{"no proof", func(d *plan.Plan) { d.Finite = nil }, "puts without ready message on 2 PEs, and nothing is claimed"},
	} {
		d := planFor(t, triangle, 2, 3)
		c.spoil(d)
		if err := verify.Graph(d); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n%s", c.name, err, d.Graph)
		}
	}
}
