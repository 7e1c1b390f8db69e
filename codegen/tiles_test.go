package codegen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// TestBlocks: a product of matrices goes in blocks of what a cache holds, a nest whose
// iterations store what others load does not.
func TestBlocks(t *testing.T) {
	program := func(k, product string) string {
		return fmt.Sprintf(`program blocks
  integer, parameter :: n = 50
  real(8) :: a(n,n), b(n,n), c(n,n)
  integer :: i, j, k
!HPF$ DISTRIBUTE c(*,BLOCK)
  do j = 1, n
    do i = 1, n
      a(i,j) = i + j
      b(i,j) = i - j
      c(i,j) = 1
    end do
  end do
  do j = 2, n
    do k = %s
      do i = 1, n
        c(i,j) = c(i,j) + %s
      end do
    end do
  end do
  print *, c(n,n)
end program
`, k, product)
	}
	for _, c := range []struct {
		name, source string
		want         bool
	}{
		{"product", program("1, n", "a(i,k)*b(k,j)"), true},
		{"backwards", program("n, 1, -1", "a(i,k)*b(k,j)"), false},
		{"triangle", program("j, n", "a(i,k)*b(k,j)"), false},
		{"the last column", program("1, n", "c(i,j-1)*b(k,j)"), false},
		{"columns of its own", program("1, n", "a(i,j)*b(k,j)"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := emit(t, "blocks.hpf", c.source, plan.Elide, codegen.Options{Target: kernel.Auto})
			if got := strings.Contains(text, "spmd.BlockSize("); got != c.want {
				t.Errorf("in blocks: %t, want %t\n%s", got, c.want, text)
			}
		})
	}
}
