package codegen_test

import (
	"regexp"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// TestColumnsBeginLines: the element begins a cache line with which the loops begin that
// assign a column most often.
func TestColumnsBeginLines(t *testing.T) {
	const text = `program p
  implicit none
  integer, parameter :: n = 40
  integer :: i, j, it
  real(8) :: a(n,n), b(n,n), c(n,n), d(n,n), e(n,n)
!HPF$ DISTRIBUTE a(*,BLOCK)
!HPF$ ALIGN (i,j) WITH a(i,j) :: b, c, d
!HPF$ DISTRIBUTE e(BLOCK,*)
  do j = 1, n
    do i = 1, n
      a(i,j) = i + j
      b(i,j) = i - j
      c(i,j) = i
      d(i,j) = j
      e(i,j) = j
    end do
  end do
  do it = 1, 5
    do j = 2, n - 1
      do i = 2, n - 1
        a(i,j) = a(i,j) + b(i,j)
        b(i+3,j) = a(i,j)
        c(i,it) = a(i,j)
        e(i,j) = a(i,j)
      end do
      do i = j, n
        d(i,j) = a(i,j)
      end do
    end do
  end do
  print *, a(3,3), b(3,3), c(3,3), d(3,3), e(3,3)
end program
`
	code := emit(t, "in.hpf", text, plan.Elide, codegen.Options{})
	for name, want := range map[string]string{"a": "2", "b": "5", "c": "2", "d": "", "e": ""} {
		made := regexp.MustCompile(`(?s)\t` + name + ` := spmd\.NewArray.*?, grid\d\), (?:nil|\[\]\[2\]int[^\n]*\}\})(?:, (\d+))?\)\n`).FindStringSubmatch(code)
		if made == nil {
			t.Fatalf("no array %s in\n%s", name, code)
		}
		if made[1] != want {
			t.Errorf("%s: %q begins a line, want %q\n%s", name, made[1], want, made[0])
		}
	}
}
