package codegen_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/internal/randprog"
)

// TestRandomFused: random programs have fused nests, of several forms.
func TestRandomFused(t *testing.T) {
	found := map[string]int{}
	const programs = 40
	for seed := range uint64(programs) {
		p := randprog.With(seed, "fused nests")
		code := emit(t, "random.hpf", p.Source, plan.Handshake, codegen.Options{Strip: 2})
		for _, row := range rows(code) {
			found["row"]++
			for name, mark := range map[string]string{
				"three nests": "_3 = allF", "a maximum": "spmd.Larger(",
			} {
				if strings.Contains(row, mark) {
					found[name]++
				}
			}
		}
	}
	t.Logf("%d programs: %v", programs, found)
	for _, name := range []string{"row", "three nests", "a maximum"} {
		if found[name] < 3 {
			t.Errorf("%d of %d programs have %s", found[name], programs, name)
		}
	}
}

// rows are the loops over strips of fused nests in a program.
func rows(code string) (list []string) {
	for _, head := range regexp.MustCompile(`(?m)^(\t+)for stripF\d+_1, lastF`).FindAllStringSubmatchIndex(code, -1) {
		indent := code[head[2]:head[3]]
		text, _, _ := strings.Cut(code[head[0]:], "\n"+indent+"}\n")
		list = append(list, text)
	}
	return list
}

// TestNotFused: what stands between two nests, or is in them, keeps them apart where the
// one needs what the other, or what stands between, makes.
func TestNotFused(t *testing.T) {
	program := func(first, second string) string {
		return fmt.Sprintf(`program p
  integer, parameter :: n = 20
  double precision :: a(n,n), b(n,n), s, g, r(n)
  integer :: i, j
!HPF$ DISTRIBUTE a(*,BLOCK)
!HPF$ ALIGN b(i,j) WITH a(i,j)
  do j = 1, n
    do i = 1, n
      a(i,j) = i
      b(i,j) = j
    end do
  end do
  s = 0
  g = a(2,3)
  do j = 1, n
    do i = 1, n
      b(i,j) = a(i,j) + 1
      %s
    end do
  end do
  do j = 1, n
    %s
  end do
  print *, s, g, a(1,1), b(2,2)
end program p
`, first, second)
	}
	inner := func(s string) string { return "do i = 1, n\n" + s + "\nend do" }
	for _, c := range []struct {
		what, first, second string
		turns               bool
	}{
		{"a copy back", "", inner("a(i,j) = b(i,j)"), true},
		{"a maximum", "s = max(s, b(i,j))", inner("a(i,j) = b(i,j)"), true},
		{"a maximum that is needed", "s = max(s, b(i,j))", inner("a(i,j) = b(i,j) + s"), false},
		{"a maximum that is combined twice", "s = max(s, b(i,j))", inner("a(i,j) = b(i,j)\ns = max(s, a(i,j))"), false},
		{"one sum of both", "s = s + b(i,j)", inner("a(i,j) = b(i,j)\ns = s + a(i,j)"), false},
		{"a scalar that is read before", "b(i,j) = b(i,j)*g", "g = j\n" + inner("a(i,j) = b(i,j)*g"), false},
		{"what is sent between them", "", inner("a(i,j) = b(i,n+1-j)"), false},
	} {
		code := emit(t, "p.hpf", program(c.first, c.second), plan.Handshake, codegen.Options{})
		// The nest that gives a and b their values comes first.
		_, behind, _ := strings.Cut(code, "p.hpf:14")
		if got := strings.Contains(behind, "fused in strips"); got != c.turns {
			t.Errorf("%s: fused %t, want %t\n%s", c.what, got, c.turns, behind)
		}
	}
}
