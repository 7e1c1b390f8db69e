package choose

import (
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
)

// TestTrips: how often loops are taken to run whose bounds are no affine forms.
func TestTrips(t *testing.T) {
	p := front.Must(t, front.Program, `program p
integer, parameter :: n = 1000
integer :: i, k, lo, hi, b, m, list(n)
real(8) :: x(n)
!HPF$ DISTRIBUTE x(BLOCK)
read *, list, m
do k = 2, 2*n
  lo = max(1, k-n)
  hi = min(n, k-1)
  do i = lo, hi
    x(i) = k
  end do
end do
do k = 1, n
  do i = 1, min(100, n-k)
    x(i) = k
  end do
end do
do k = 1, n
  do i = 1 + mod(k, 4), n, 2
    x(i) = k
  end do
end do
do b = 1, n, 100
  do i = b, min(b+99, n)
    x(i) = b
  end do
end do
do b = 1, (n+99)/100
  do i = abs(b), n
    x(i) = b
  end do
end do
do k = 1, n
  do i = 1, list(k)
    x(i) = k
  end do
end do
do i = 1, max(m, 10)
  x(i) = i
end do
m = m*2
do i = 1, m
  x(i) = i
end do
print *, x
end program`)
	w := newWeigher(comm.Analyze(p, scalar.Analyze(p)), 1)
	var got []float64
	var known []bool
	var walk func([]ir.Stmt)
	walk = func(body []ir.Stmt) {
		for _, s := range body {
			if d, ok := s.(*ir.Do); ok {
				n, ok := w.trip(d)
				got, known = append(got, n), append(known, ok)
				leave := w.enter(d)
				walk(d.Body)
				leave()
			}
		}
	}
	walk(p.Body)
	// The first loop is that of READ. lo is 1 and hi 1000 in the middle of k, which is 1001. The last three have
	// bounds that are read.
	want := []float64{1000, 1999, 1000, 1000, 100, 1000, 499.5, 10, 100, 10, 995.5, 1000, GuessTrip, GuessTrip, GuessTrip}
	if len(got) != len(want) {
		t.Fatalf("%d loops, want %d", len(got), len(want))
	}
	for i, n := range got {
		if n != want[i] || known[i] != (i < len(want)-3) {
			t.Errorf("loop %d is taken to run %v times (known: %v), want %v", i+1, n, known[i], want[i])
		}
	}
}
