package procfunc

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spmdc/spmdc/internal/randprog"
)

// corner has three shifts into the overlap of u: from above, which fills cells
// above; from the left, which fills cells at the left; and from above at the left,
// which fills some of both. The first two have no cell in common.
const corner = `program corner
  implicit none
  integer, parameter :: n = 12, rounds = 6
  double precision :: u(n,n), v(n,n), res
  integer :: i, j, it
!HPF$ DISTRIBUTE u(BLOCK,BLOCK)
!HPF$ ALIGN v(i,j) WITH u(i,j)
  do j = 1, n
    do i = 1, n
      u(i,j) = mod(3*i + 5*j, 11)
      v(i,j) = 0.0d0
    end do
  end do
  do it = 1, rounds
    do j = 1, n
      do i = 2, n
        v(i,j) = v(i,j) + 0.5d0*u(i-1,j)
      end do
    end do
    res = 0.0d0
    do j = 1, n
      do i = 1, n
        u(i,j) = 0.25d0*v(i,j)
      end do
    end do
    do j = 2, n
      do i = 2, n
        v(i,j) = v(i,j) + 0.5d0*u(i-1,j-1)
      end do
    end do
    do j = 1, n
      do i = 1, n
        u(i,j) = 0.75d0*v(i,j)
        res = max(res, u(i,j))
      end do
    end do
    do j = 2, n
      do i = 1, n
        v(i,j) = v(i,j) + 0.125d0*u(i,j-1)
      end do
    end do
    do j = 1, n
      do i = 1, n
        u(i,j) = 0.5d0*v(i,j)
      end do
    end do
  end do
  print *, 'corner', res, u(n,n), v(2,3)
end program corner
`

func TestSharing(t *testing.T) {
	f := analyze(t, corner)
	if d := cmp.Diff([][]int{{1, 2}, {2, 3}}, f.Shared()); d != "" {
		t.Errorf("the groups that share cells, -want +got:\n%s", d)
	}
	if classes := f.Classes(); !slices.ContainsFunc(classes, func(c []int) bool { return slices.Equal(c, []int{1, 2, 3}) }) {
		t.Errorf("the classes are %v", classes)
	}
	want := [][2]int{{2, 1}, {1, 2}, {2, 3}, {4, 4}, {5, 5}}
	if d := cmp.Diff(want, f.Items()[:5]); d != "" {
		t.Errorf("what has to be shown, -want +got:\n%s", d)
	}
}

// TestSharedIsWhatShares: of any two communications of random programs, both are in
// one group if and only if they share cells, and groups lie within classes.
func TestSharedIsWhatShares(t *testing.T) {
	together, apart := 0, 0
	texts := []string{corner}
	for seed := range 60 {
		texts = append(texts, randprog.Subscripts(rand.New(rand.NewSource(int64(seed)))))
	}
	for _, text := range texts {
		f := analyze(t, text)
		groups, classes := f.Shared(), f.Classes()
		both := func(groups [][]int, x, y int) bool {
			return slices.ContainsFunc(groups, func(g []int) bool { return slices.Contains(g, x) && slices.Contains(g, y) })
		}
		for x := 1; x <= len(f.Relations); x++ {
			for y := 1; y < x; y++ {
				shares := share(f.Program.Comms[x-1], f.Program.Comms[y-1])
				if shares != both(groups, x, y) || shares && !both(classes, x, y) {
					t.Errorf("#%d and #%d share cells: %t; groups %v, classes %v", x, y, shares, groups, classes)
				}
				if shares {
					together++
				} else {
					apart++
				}
			}
		}
	}
	if together < 5 || apart < 20 {
		t.Errorf("%d pairs share cells, %d do not", together, apart)
	}
}
