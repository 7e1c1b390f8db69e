package procfunc_test

import (
	"fmt"
	"testing"

	"github.com/spmdc/spmdc/internal/front"
)

// TestSumsOfIndices: where a subscript is a sum of indices, what is sent is the
// smallest progression that holds the sums of a PE's own iterations. It may hold
// more than these, and the relation holds what is sent.
func TestSumsOfIndices(t *testing.T) {
	count := seen{}
	for _, sum := range []string{"i - j + 13", "i + j", "2*i + j - 3", "3*i - 2*j + 20", "2*i + 2*j - 5", "5*i - j + 3"} {
		for _, loops := range [][2]string{{"j = 5, 10", "i = 2, 5"}, {"j = 10, 4, -2", "i = 1, 2"}, {"j = 1, 12, 3", "i = 6, 1, -2"}} {
			for _, format := range []string{"BLOCK", "CYCLIC"} {
				text := fmt.Sprintf(`program p
 integer :: i, j
 double precision :: d(-40:60), b(20,20)
!HPF$ DISTRIBUTE d(%s)
!HPF$ DISTRIBUTE b(*,%s)
 do i = -40, 60
  d(i) = i
 end do
 do %s
  do %s
   b(i,j) = d(%s)
  end do
 end do
end program
`, format, format, loops[0], loops[1], sum)
				f, err := tryAnalyze(text)
				if err != nil {
					t.Fatalf("%v%s", err, front.Numbered(text))
				}
				for np := 2; np <= 8; np++ {
					if err := check(f, np, count); err != nil {
						t.Errorf("%v\n%s", err, front.Numbered(text))
					}
				}
			}
		}
	}
	t.Logf("%v", count)
}
