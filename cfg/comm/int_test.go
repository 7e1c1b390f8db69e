package comm_test

import (
	"testing"

	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/ir"
)

// TestInt: values of integer expressions and conditions follow from those of scalars that
// are known, as Fortran has them, and are not known where they would not fit.
func TestInt(t *testing.T) {
	values := map[string]int64{"i": 7, "j": -3, "big": 1 << 31}
	for _, c := range []struct {
		expr string
		want int64
		ok   bool
	}{
		{"2*i + j", 11, true},
		{"i/2", 3, true},
		{"j/2", -1, true},
		{"-(i - 2*j)", -13, true},
		{"mod(j, 2)", -1, true},
		{"mod(i*i, 10)", 9, true},
		{"i/(j + 3)", 0, false},
		{"mod(i, j + 3)", 0, false},
		{"i + k", 0, false},
		{"i + a(3)", 0, false},
		{"j*j*715827883", 0, false}, // more than an INTEGER holds
	} {
		p := front.Must(t, front.SPMD, "program p\n integer :: i, j, k, a(4)\n read *, i, j, k\n k = "+c.expr+"\n print *, k, a(1)\nend program\n")
		found := false
		ir.Walk(p.IR.Body, func(s ir.Stmt) bool {
			if x, ok := s.(*ir.Assign); ok && x.LHS.(*ir.Var).Sym.Name == "k" {
				found = true
				if got, ok := p.Int(x.RHS, values); got != c.want && c.ok || ok != c.ok {
					t.Errorf("%s is %d, %t; want %d, %t", c.expr, got, ok, c.want, c.ok)
				}
			}
			return true
		})
		if !found {
			t.Errorf("%s: no assignment", c.expr)
		}
	}
	for _, c := range []struct {
		expr         string
		holds, known bool
	}{
		{"i > j", true, true},
		{"i == j .or. k == 1", false, false},
		{"i /= j .or. k == 1", true, true},
		{"i <= j .and. k == 1", false, true},
		{".not. (i >= 7)", false, true},
		{"x > 1.0", false, false},
	} {
		p := front.Must(t, front.SPMD, "program p\n integer :: i, j, k\n real :: x\n read *, i, j, k, x\n if ("+c.expr+") print *, i\nend program\n")
		found := false
		ir.Walk(p.IR.Body, func(s ir.Stmt) bool {
			if x, ok := s.(*ir.If); ok {
				found = true
				if holds, known := p.Truth(x.Cond, values); known != c.known || known && holds != c.holds {
					t.Errorf("%s is %t, known %t; want %t, %t", c.expr, holds, known, c.holds, c.known)
				}
			}
			return true
		})
		if !found {
			t.Errorf("%s: no branch", c.expr)
		}
	}
}
