package codegen_test

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// TestHandover: an array that a nest hands to the next one has a window, unless the program
// needs what it holds elsewhere.
func TestHandover(t *testing.T) {
	const copied = "  do j = 2, n-1\n    do i = 2, n-1\n      a(i,j) = w(i,j)\n    end do\n  end do\n"
	for name, tt := range map[string]struct {
		second, behind string
		window         bool
	}{
		"copied back":                 {copied, "", true},
		"printed":                     {copied, "  print *, w(3,4)\n", false},
		"printed whole":               {copied, "  print *, w\n", false},
		"summed":                      {copied, "  print *, sum(w)\n", false},
		"assigned behind":             {copied, "  w(3,4) = 1\n", true},
		"more than was assigned":      {strings.Replace(copied, "do i = 2, n-1", "do i = 1, n-1", 1), "", false},
		"in some iterations":          {strings.Replace(copied, "a(i,j) =", "if (a(i,j) > 1) a(i,j) =", 1), "", false},
		"only if the condition needs": {strings.Replace(copied, "a(i,j) = w(i,j)", "m(i,j) = a(i,j) > 1 .and. w(i,j) > 1", 1), "", false},
	} {
		text := `program p
  integer, parameter :: n = 700
  double precision :: a(n,n), w(n,n)
  logical :: m(n,n)
  integer :: i, j
!HPF$ DISTRIBUTE a(*,BLOCK)
!HPF$ ALIGN w(i,j) WITH a(i,j)
!HPF$ ALIGN m(i,j) WITH a(i,j)
  a = 1
  w = 0
  m = .true.
  do j = 2, n-1
    do i = 2, n-1
      w(i,j) = 0.5d0*(a(i,j-1) + a(i,j+1))
    end do
  end do
` + tt.second + "  print *, a(2,2), m(2,2)\n" + tt.behind + "end program p\n"
		code := emit(t, "handover.hpf", text, plan.Handshake, codegen.Options{})
		if len(rows(code)) == 0 {
			t.Errorf("%s: no fused nests", name)
		}
		if got := strings.Contains(code, ".Window("); got != tt.window {
			t.Errorf("%s: window %v, want %v", name, got, tt.window)
		}
	}
}
