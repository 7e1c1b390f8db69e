package comm_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
)

// TestTogether: what comes from the same side travels together, what comes from
// opposite sides does not; temporaries travel together; lists made at run time and
// what stands with them keep their order.
func TestTogether(t *testing.T) {
	p := analyze(t, `program p
  implicit none
  integer, parameter :: n = 12
  integer :: a(n,n), b(n,n), z(n,n), w(n,n), c(n), d(n), e(n), ia(n), i, j
!HPF$ PROCESSORS p(2,2)
!HPF$ DISTRIBUTE a(BLOCK,BLOCK) ONTO p
!HPF$ ALIGN b(i,j) WITH a(i,j)
!HPF$ ALIGN z(i,j) WITH a(i,j)
!HPF$ ALIGN w(i,j) WITH a(i,j)
!HPF$ DISTRIBUTE c(BLOCK)
!HPF$ DISTRIBUTE d(CYCLIC)
!HPF$ ALIGN e(i) WITH c(i)
!HPF$ ALIGN ia(i) WITH c(i)
  do j = 2, n - 1
    do i = 2, n - 1
      a(i,j) = b(i-1,j) + b(i+1,j) + b(i,j-1) + a(i,j)
    end do
  end do
  do j = 2, n - 1
    do i = 2, n - 1
      z(i,j) = a(i-1,j-1) + a(i-1,j) + a(i-1,j+1) + a(i,j-1) + a(i,j+1) + w(i,j-1) + w(i-1,j)
    end do
  end do
  do i = 1, n
    c(i) = d(i) + d(13-i) + e(7)
  end do
  do i = 2, n
    c(i) = e(ia(i)) + d(ia(i)) + e(i-1) + d(i)
  end do
end program
`)
	var got []string
	for _, n := range p.Body {
		post, ok := n.(*comm.Post)
		if !ok {
			continue
		}
		var sets []string
		for _, set := range post.MessageGroups() {
			var names []string
			for _, c := range set {
				name, _, _ := strings.Cut(c.Moves(), ")")
				if c.Kind == comm.Irregular {
					name = "list of " + c.Array.Name + "("
				}
				names = append(names, name+")")
			}
			sets = append(sets, strings.Join(names, " "))
		}
		got = append(got, strings.Join(sets, " | "))
	}
	want := []string{
		"b(i - 1,j) | b(i + 1,j) | b(i,j - 1)",
		"a(i - 1,:) w(i - 1,j) | w(i,j - 1)",
		"a(i - 1:i,j - 1) | a(i - 1:i,j + 1)",
		"d(i) d(-i + 13) e(7)",
		"e(i - 1)",
		"list of e() | list of d()",
	}
	if !slices.Equal(got, want) {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
