package depend

import "github.com/spmdc/spmdc/procfunc/linalg"

// verdict is what is known about the integer solutions of a system.
type verdict uint8

const (
	unknown   verdict = iota
	empty             // proved to have none
	inhabited         // proved to have one
)

// solve decides whether y has an integer solution, and changes y.
//
// Columns are eliminated one by one, those first whose elimination is exact.
// For the others the answer lies between the real shadow (a superset of the
// projection) and the dark shadow (a subset); when these differ, the solutions
// between them lie near a lower bound and are searched on a few hyperplanes.
func (s *solver) solve(y *system) verdict {
	for {
		contradiction := s.reduce(y)
		switch {
		case s.failed:
			return unknown
		case contradiction:
			return empty
		case len(y.ge) == 0:
			return inhabited
		}
		k, exact := y.pick()
		if exact {
			y = s.shadow(y, k, false)
			continue
		}
		if v := s.solve(s.shadow(y, k, false)); v != inhabited {
			return v
		}
		if v := s.solve(s.shadow(y, k, true)); v != empty {
			return v
		}
		return s.splinters(y, k)
	}
}

// pick chooses the column to eliminate next, and tells whether that is exact:
// it is when the coefficients of all lower or of all upper bounds are 1. Among
// equals it takes the one that adds the fewest rows.
func (y *system) pick() (column int, exact bool) {
	column, best := -1, 0
	for k := range y.n {
		lower, upper, wideLower, wideUpper := 0, 0, false, false
		for _, r := range y.ge {
			switch {
			case r[k] > 0:
				lower++
				wideLower = wideLower || r[k] > 1
			case r[k] < 0:
				upper++
				wideUpper = wideUpper || r[k] < -1
			}
		}
		if lower+upper == 0 {
			continue
		}
		cost, isExact := lower*upper-lower-upper, !wideLower || !wideUpper
		if lower == 0 || upper == 0 {
			return k, true // unbounded on one side: its rows can be satisfied
		}
		if column < 0 || isExact && !exact || isExact == exact && cost < best {
			column, exact, best = k, isExact, cost
		}
	}
	return column, exact
}

// shadow returns y without column k: every lower bound a*x >= l and upper bound
// b*x <= u give b*l <= a*u, and in the dark shadow b*l + (a-1)*(b-1) <= a*u,
// which leaves room for an integer x between.
func (s *solver) shadow(y *system, k int, dark bool) *system {
	z := &system{n: y.n}
	var lower, upper []row
	for _, r := range y.ge {
		switch {
		case r[k] > 0:
			lower = append(lower, r)
		case r[k] < 0:
			upper = append(upper, r)
		default:
			z.ge = append(z.ge, r.clone())
		}
	}
	s.work += len(lower)*len(upper) + len(z.ge)
	if s.work > maxWork || len(lower)*len(upper)+len(z.ge) > maxRows {
		s.failed = true
		return z
	}
	for _, l := range lower {
		for _, u := range upper {
			g := linalg.GCD(l[k], u[k])
			r := s.combine(-(u[k] / g), l, l[k]/g, u)
			if dark {
				// The row was divided by g; so is the room, rounded up.
				room := s.mul(l[k]-1, -u[k]-1)
				r[y.n] = s.add(r[y.n], -linalg.CeilDiv(room, g))
			}
			z.ge = append(z.ge, r)
		}
	}
	return z
}

// splinters decides y where the real shadow of column k has a solution and the
// dark shadow has none. With a the largest coefficient of an upper bound, each
// remaining solution satisfies b*x = l + i for some lower bound b*x >= l and
// 0 <= i <= (a*b - a - b)/a.
func (s *solver) splinters(y *system, k int) verdict {
	var a int64
	for _, r := range y.ge {
		a = max(a, -r[k])
	}
	for _, r := range y.ge {
		b := r[k]
		if b <= 0 {
			continue
		}
		top := linalg.FloorDiv(s.add(s.mul(a, b), -s.add(a, b)), a)
		for i := int64(0); i <= top && !s.failed; i++ {
			z := y.clone()
			q := r.clone()
			q[y.n] = s.add(q[y.n], -i)
			z.eq = append(z.eq, q)
			s.work += len(y.ge)
			if v := s.solve(z); v != empty {
				return v
			}
		}
	}
	if s.failed {
		return unknown
	}
	return empty
}
