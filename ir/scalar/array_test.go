package scalar_test

import (
	"fmt"
	"testing"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/internal/irtest"
	"github.com/spmdc/spmdc/ir/scalar"
)

// TestPrivateArray: to the iterations of which loops, named by their indices, w is
// private.
func TestPrivateArray(t *testing.T) {
	const frame = "program p\nreal w(3), v(0:1,2), a(9)\ninteger i, j, k, l, n\n%s\nend program\n"
	const fill = "do k = 1, 3\nw(k) = a(j)\nend do\n"
	for name, c := range map[string]struct{ body, want string }{
		"filled and used":             {"do j = 1, 9\n" + fill + "a(j) = w(i)\nend do", "j"},
		"in all loops around":         {"do l = 1, n\ndo j = 1, 9\n" + fill + "a(j) = w(i)\nend do\nend do", "l j"},
		"used in a loop":              {"do j = 1, 9\n" + fill + "do i = 1, 3\na(j) = w(i)\nend do\nend do", "j"},
		"changed in a loop":           {"do j = 1, 9\n" + fill + "do i = 1, 3\nw(i) = w(i) + 1\nend do\nend do", "j"},
		"backwards, shifted":          {"do j = 1, 9\ndo k = 4, 2, -1\nw(k-1) = k\nend do\na(j) = w(2)\nend do", "j"},
		"mirrored":                    {"do j = 1, 9\ndo k = 0, 2\nw(3-k) = k\nend do\na(j) = w(2)\nend do", "j"},
		"twice, of its own each time": {"do j = 1, 9\n" + fill + "a(j) = w(i)\nend do\ndo l = 1, 9\n" + fill + "a(l) = w(i)\nend do", "j l"},
		"used under a condition":      {"do j = 1, 9\n" + fill + "if (j == 2) a(j) = w(i)\nend do", "j"},
		"used in a bound":             {"do j = 1, 9\n" + fill + "do i = 1, int(w(1))\na(j) = 1\nend do\nend do", "j"},
		"in an outer one only":        {"do l = 1, n\n" + fill + "do j = 1, 9\na(j) = w(i)\nend do\nend do", "l"},
		"then filled for others":      {"do j = 1, 9\n" + fill + "a(j) = w(i)\nend do\n" + fill + "print *, w(2)", "j"},
		"index of another loop":       {"do j = 1, 9\ndo k = 1, 3\ndo l = 1, 2\nw(k) = l\nend do\nend do\na(j) = w(i)\nend do", "j"},

		"a recurrence":           {"do j = 1, 9\nw(1) = j\ndo k = 2, 3\nw(k) = w(k-1) + a(j)\nend do\na(j) = w(i)\nend do", "j"},
		"a recurrence backwards": {"do j = 1, 9\nw(3) = j\ndo k = 2, 1, -1\nw(k) = w(k+1) + a(j)\nend do\na(j) = w(i)\nend do", "j"},
		"in two pieces":          {"do j = 1, 9\nw(3) = j\ndo k = 1, 2\nw(k) = j\nend do\na(j) = w(i)\nend do", "j"},
		"as far as it is used":   {"do j = 1, 9\ndo k = 1, n\nw(k) = j\nend do\ndo k = 1, n\na(j) = a(j) + w(k)\nend do\nend do", "j"},
		"used as far as filled":  {"do j = 1, 3\ndo k = 1, j\nw(k) = j\nend do\ndo k = 2, j\na(j) = a(j) + w(k-1)\nend do\nend do", "j"},
		"in both parts":          {"do j = 1, 9\nif (j > 2) then\nw(2) = 1\nelse\nw(2) = 2\nend if\na(j) = w(2)\nend do", "j"},
		"columns by two nests":   {"do j = 1, 9\ndo k = 0, 1\nv(k,1) = j\nend do\ndo k = 0, 1\nv(k,2) = v(k,1)\nend do\na(j) = v(i,l)\nend do", "j"},
		"by a scalar of its own": {"do j = 1, 9\nw(n) = j\na(j) = w(n)\nend do", "j"},
		"left for those behind":  {"do j = 1, 9\n" + fill + "a(j) = w(i)\nend do\nw(1) = 2\nprint *, w(1)", "j"},

		"a scalar that changes":     {"do j = 1, 9\nw(n) = j\nread *, n\na(j) = w(n)\nend do", ""},
		"recurrence from outside":   {"do j = 1, 9\ndo k = 2, 3\nw(k) = w(k-1) + a(j)\nend do\na(j) = w(2)\nend do", ""},
		"farther than it is filled": {"do j = 1, 9\ndo k = 1, n\nw(k) = j\nend do\ndo k = 1, n + 1\na(j) = a(j) + w(k)\nend do\nend do", ""},
		"one too early":             {"do j = 1, 9\nw(1) = j\ndo k = 2, 3\nw(k) = w(k) + a(j)\nend do\nend do", ""},
		"in steps of two":           {"do j = 1, 9\ndo k = 1, 3, 2\nw(k) = j\nend do\na(j) = w(1)\nend do", ""},
		"perhaps not at all":        {"do j = 1, 9\ndo k = 1, n\nw(2) = j\nend do\na(j) = w(2)\nend do", ""},
		"after a jump":              {"do j = 1, 9\ndo k = 1, 3\nif (a(k) > j) cycle\nw(k) = j\nend do\ndo k = 1, 3\na(j) = a(j) + w(k)\nend do\nend do", ""},
		"behind, in a later round":  {"do l = 1, n\nif (l > 1) a(l) = w(2)\ndo j = 1, 9\nw(2) = j\na(j) = w(2)\nend do\nend do", ""},
		"used behind":               {"do j = 1, 9\n" + fill + "a(j) = w(i)\nend do\nprint *, w(2)", ""},
		"used before":               {"do j = 1, 9\na(j) = w(i)\n" + fill + "end do", ""},
		"the loop is in between":    {fill + "do j = 1, 9\nw(2) = j\nend do\na(2) = w(1)", ""},
		"one of two loops between":  {"do l = 1, n\n" + fill + "do j = 1, 9\nw(2) = j\nend do\na(l) = w(1)\nend do", "l"},
		"not all of it":             {"do j = 1, 9\ndo k = 1, 2\nw(k) = j\nend do\na(j) = w(i)\nend do", ""},
		"not in each step":          {"do j = 1, 9\ndo k = 1, 3, 2\nw(k) = j\nend do\na(j) = w(i)\nend do", ""},
		"not surely":                {"do j = 1, 9\ndo k = 1, n\nw(k) = j\nend do\na(j) = w(i)\nend do", ""},
		"under a condition":         {"do j = 1, 9\nif (j > 2) then\n" + fill + "end if\na(j) = w(i)\nend do", ""},
		"under one inside":          {"do j = 1, 9\ndo k = 1, 3\nif (a(k) > 0) w(k) = j\nend do\na(j) = w(i)\nend do", ""},
		"left early":                {"do j = 1, 9\ndo k = 1, 3\nif (a(k) > 0) exit\nw(k) = j\nend do\na(j) = w(i)\nend do", ""},
		"filled in the other part":  {"do j = 1, 9\nif (j > 2) then\n" + fill + "else\na(j) = w(i)\nend if\nend do", ""},
		"read by itself":            {"do j = 1, 9\ndo k = 1, 3\nw(k) = w(k) + 1\nend do\na(j) = w(i)\nend do", ""},
		"in a subscript":            {"do j = 1, 9\na(int(w(1))) = 2\n" + fill + "end do", ""},
		"never used":                {"do j = 1, 9\n" + fill + "end do", ""},
		"a row of two":              {"do j = 1, 9\ndo k = 1, 2\nv(1,k) = j\nend do\na(j) = v(1,i)\nend do", "j"},
		"a diagonal":                {"do j = 1, 9\ndo k = 1, 3\nv(k-1,k) = j\nend do\na(j) = v(1,i)\nend do", ""},
	} {
		p := irtest.Program(t, fmt.Sprintf(frame, c.body))
		info := scalar.Analyze(p)
		got := ""
		ir.Walk(p.Body, func(s ir.Stmt) bool {
			if d, ok := s.(*ir.Do); ok && (info.PrivateArray(d, p.Symbols[0]) || info.PrivateArray(d, p.Symbols[1])) {
				if got != "" {
					got += " "
				}
				got += d.Index.Name
			}
			return true
		})
		if got != c.want {
			t.Errorf("%s: private to %q, want %q", name, got, c.want)
		}
	}
	p := irtest.Program(t, fmt.Sprintf(frame, "do j = 1, 9\ndo k = 1, 2\ndo i = 0, 1\nv(i,k) = j\nend do\nend do\na(j) = v(1,i)\nend do"))
	if info := scalar.Analyze(p); !info.PrivateArray(p.Body[0].(*ir.Do), p.Symbols[1]) {
		t.Error("an array of two dimensions is not private")
	}
	for body, want := range map[string]bool{
		"do k = 1, 2\ndo i = 1, k - 1\nv(i,k) = j\nv(k,i) = j\nend do\nv(k,k) = 0\nend do": true,
		"do k = 1, 2\ndo i = k, 2\nv(i,k) = j\nv(k,i) = j\nend do\nend do":                 true,
		"do k = 1, 2\ndo i = 1, k\nv(i,k) = j\nend do\nend do":                             false,
		"do k = 1, 2\ndo i = 1, k - 1\nv(i,k) = j\nv(k,i) = j\nend do\nend do":             false,
	} {
		p := irtest.Program(t, "program p\nreal v(2,2), a(9)\ninteger i, j, k, l\ndo j = 1, 9\n"+body+"\na(j) = v(l,l)\nend do\nend program\n")
		if info := scalar.Analyze(p); info.PrivateArray(p.Body[0].(*ir.Do), p.Symbols[0]) != want {
			t.Errorf("%q: private is %t, want %t", body, !want, want)
		}
	}
}
