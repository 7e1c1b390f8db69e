package depend

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/spmdc/spmdc/procfunc/linalg"
)

// remainder is mod(f, by), or modulo(f, by).
func remainder(t testing.TB, qs linalg.Quotients, f string, by int64, trunc bool) linalg.Affine {
	r, ok := qs.Remainder(form(f), by, trunc)
	if !ok {
		t.Fatal("overflow")
	}
	return r
}

// TestColours asks about the points of a grid of which every second one is visited, as in
//
//	do j = 2, n
//	   do i = 2 + mod(j+color, 2), n, 2
//	      u(i,j) = u(i-1,j) + u(i,j+1)
//
// and with a condition in place of the step.
func TestColours(t *testing.T) {
	qs := linalg.Quotients{}
	first, _ := remainder(t, qs, "j + c", 2, true).Add(linalg.Const(2))
	stepped := func(subs string, order int) Access {
		a := access("j=2,n;i=0,n,2", subs, order)
		a.Loops[1].Lo = []linalg.Affine{first}
		a.Quotients = qs
		return a
	}
	equation := func(f linalg.Affine) [][]linalg.Affine {
		minus, _ := f.Scale(-1)
		return [][]linalg.Affine{{f, minus}}
	}
	same, _ := remainder(t, qs, "i + j", 2, true).Sub(form("c"))
	odd, _ := remainder(t, qs, "i + j", 2, true).Sub(form("1"))
	differ := func(f linalg.Affine) [][]linalg.Affine {
		minus, _ := f.Scale(-1)
		up, _ := f.Sub(form("1"))
		down, _ := minus.Sub(form("1"))
		return [][]linalg.Affine{{up}, {down}}
	}
	when := func(c [][]linalg.Affine) func(string, int) Access {
		return func(subs string, order int) Access {
			a := access("j=2,n;i=2,n", subs, order)
			a.When, a.Quotients = [][][]linalg.Affine{c}, qs
			return a
		}
	}
	for name, at := range map[string]func(string, int) Access{
		"stepped": stepped, "equal": when(equation(same)), "not odd": when(differ(odd)), "odd": when(equation(odd)),
	} {
		w := at("i, j", 1)
		for _, sub := range []string{"i - 1, j", "i + 1, j", "i, j - 1", "i, j + 1", "i + 2, j + 1"} {
			if r := Depends(w, at(sub, 0), 2, 0); r.Answer != No {
				t.Errorf("%s: u(i,j) and u(%s): %v, %s", name, sub, r.Answer, r.Why)
			}
		}
		for _, sub := range []string{"i - 2, j", "i - 1, j - 1"} {
			if r := Depends(w, at(sub, 0), 2, 0); r.Answer == No {
				t.Errorf("%s: u(i,j) and u(%s): %v, %s", name, sub, r.Answer, r.Why)
			}
		}
	}
}

// TestPairs asks about x(i) and x(i+1) in do i = 1 + mod(it, 2), n - 1, 2.
func TestPairs(t *testing.T) {
	qs := linalg.Quotients{}
	first, _ := remainder(t, qs, "it", 2, true).Add(linalg.Const(1))
	at := func(sub string, order int) Access {
		a := access("i=0,n-1,2", sub, order)
		a.Loops[0].Lo = []linalg.Affine{first}
		a.Quotients = qs
		return a
	}
	for _, pair := range [][2]string{{"i", "i + 1"}, {"i + 1", "i"}} {
		if r := Depends(at(pair[0], 3), at(pair[1], 2), 1, 0); r.Answer != No {
			t.Errorf("%v: %v, %s", pair, r.Answer, r.Why)
		}
	}
	if r := Depends(at("i", 2), at("i", 3), 1, 0); len(r.Levels) != 1 || r.Level != 0 {
		t.Errorf("x(i) and x(i): %v at %v", r.Answer, r.Levels)
	}
}

// TestRounding compares what holds of quotients with their values, and wants remainders to
// be between the right bounds where the sign of what is divided is known.
func TestRounding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		qs := linalg.Quotients{}
		draw := func(what string) linalg.Affine {
			f := linalg.Const(among(t, what, -6, 6))
			for _, v := range []string{"x", "y"} {
				f, _ = f.Add(linalg.Term(among(t, v, -3, 3), v))
			}
			return f
		}
		f, by, trunc := draw("divided"), among(t, "by", 2, 4), rapid.Bool().Draw(t, "towards 0")
		q, _ := qs.Divide(f, by, trunc)
		less, _ := qs.Remainder(f, by, trunc)
		limit := draw("limit")
		given := []linalg.Affine{q, limit} // both at least 0
		more := Rounding(qs, nil, given)
		for x := int64(-5); x <= 5; x++ {
			for y := int64(-5); y <= 5; y++ {
				at := map[string]int64{"x": x, "y": y}
				value := func(f linalg.Affine) int64 {
					n, _ := f.Eval(func(v string) int64 {
						if q, ok := qs[v]; ok {
							of, _ := q.Of.Eval(func(v string) int64 { return at[v] })
							if !q.Trunc {
								return linalg.FloorDiv(of, q.By)
							}
							return of / q.By
						}
						return at[v]
					})
					return n
				}
				want, r := value(f)/by, value(f)%by
				if !trunc {
					want, r = linalg.FloorDiv(value(f), by), value(f)-by*linalg.FloorDiv(value(f), by)
				}
				if value(q) != want || value(less) != r {
					t.Fatalf("%v by %d with %v: quotient %d, remainder %d, want %d, %d", f, by, at, value(q), value(less), want, r)
				}
				for _, m := range more {
					if value(q) >= 0 && value(limit) >= 0 && value(m) < 0 {
						t.Fatalf("%v by %d with %v: %v is negative", f, by, at, m)
					}
				}
			}
		}
	})
	qs := linalg.Quotients{}
	r := remainder(t, qs, "x", 3, true)
	below, _ := linalg.Const(-1).Sub(r)
	above, _ := r.Sub(linalg.Const(3))
	for _, bad := range []linalg.Affine{below, above} {
		given := []linalg.Affine{form("x"), bad}
		if !Infeasible(nil, append(given, Rounding(qs, nil, given)...)) {
			t.Errorf("%v is possible for x >= 0", bad)
		}
	}
}
