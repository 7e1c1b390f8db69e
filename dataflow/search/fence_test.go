package search_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/search"
)

// several shifts in one direction: nothing ever comes back.
const oneWay = `program p
 integer :: i, t
 double precision :: a(100), b(100), c(100), d(100)
!HPF$ DISTRIBUTE a(BLOCK)
!HPF$ ALIGN (i) WITH a(i) :: b, c, d
 do t = 1, 200
  do i = 2, 100
   a(i) = a(i) + d(i-1)
  end do
  do i = 2, 100
   b(i) = b(i) + a(i-1)
  end do
  do i = 2, 100
   c(i) = c(i) + b(i-1)
  end do
  do i = 2, 100
   d(i) = d(i) + c(i-1)
  end do
 end do
 print *, d(7)
end program
`

// TestBarrierThreshold: without memory for slots four shifts need a ready message
// each, for which one barrier does, if more messages are sent than is allowed; with
// memory there is nothing to gain.
func TestBarrierThreshold(t *testing.T) {
	for _, c := range []struct {
		memory    int64
		threshold float64
		fences    int
	}{
		{-1, 0, 1},
		{-1, 1, 1},
		{-1, 1e6, 0},
		{-1, -1, 0},
		{0, 0, 0},
	} {
		p := elideWith(t, oneWay, search.Options{Memory: c.memory, BarrierThreshold: c.threshold})
		if len(fences(p)) != c.fences {
			t.Errorf("%+v: barriers before %v\n%s", c, fences(p), p.Explain())
			continue
		}
		text := p.Explain()
		if n := strings.Count(text, " barrier line "); n != c.fences {
			t.Errorf("%+v: %d barriers in\n%s", c, n, text)
		}
		if c.fences > 0 {
			for i := range p.Slots {
				if p.Slots[i].Ready != plan.Never {
					t.Errorf("%+v: #%d has ready messages", c, i+1)
				}
			}
			chosen := 0
			for _, f := range p.Fenced {
				if f.Chosen {
					chosen++
					if f.Before != fences(p)[0] || f.With >= f.Without || f.Messages <= c.threshold {
						t.Errorf("%+v: %v", c, f)
					}
				}
			}
			if chosen != 1 || len(p.Fenced) < 4 {
				t.Errorf("%+v: tried %v", c, p.Fenced)
			}
		}
	}
}

// TestVerifyFences: of the plans of all programs with barriers, none passes when a
// barrier is dropped.
func TestVerifyFences(t *testing.T) {
	plans, barriers := 0, 0
	for name, text := range ordinary(t) {
		p := elideWith(t, text, search.Options{Memory: -1, BarrierThreshold: 1})
		if len(fences(p)) == 0 {
			continue
		}
		plans++
		s := takeApart(t, p)
		if err := check(t, s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, n := range s.find("barrier") {
			barriers++
			c := s.clone()
			c.drop(n)
			if err := check(t, c); err == nil {
				t.Errorf("%s: accepted without the barrier of node %d", name, n)
			}
		}
	}
	t.Logf("%d plans with %d barriers", plans, barriers)
	if plans < 3 {
		t.Errorf("only %d plans have barriers", plans)
	}
}

// fences are the communications before which p has barriers.
func fences(p *plan.Plan) (out []int) {
	for _, f := range p.Fenced {
		if f.Chosen {
			out = append(out, f.Before)
		}
	}
	slices.Sort(out)
	return out
}
