package depend

import (
	"math"
	"slices"

	"github.com/spmdc/spmdc/procfunc/linalg"
)

// row is the affine form sum of r[j]*x_j + r[n] over integer columns x_0 to
// x_{n-1}.
type row []int64

func (r row) clone() row { return slices.Clone(r) }

func (r row) isZero() bool {
	for _, c := range r {
		if c != 0 {
			return false
		}
	}
	return true
}

// isConst reports whether no column occurs.
func (r row) isConst() bool { return r[:len(r)-1].isZero() }

// gcd is the greatest common divisor of the coefficients, 0 for a constant.
func (r row) gcd() int64 {
	var g int64
	for _, c := range r[:len(r)-1] {
		if c != 0 {
			if g = linalg.GCD(g, c); g == 1 {
				break
			}
		}
	}
	return g
}

// opposite reports whether the coefficients (not the constants) of r and q are
// the negatives of one another.
func (r row) opposite(q row) bool {
	for j := range len(r) - 1 {
		if r[j] != -q[j] {
			return false
		}
	}
	return true
}

// system is a conjunction of equations eq == 0 and inequalities ge >= 0. The
// rows of track are only carried along: whatever replaces a column replaces it
// there too, so that they keep their meaning.
type system struct {
	n      int // columns
	eq, ge []row
	track  []row
}

func (y *system) zero() row { return make(row, y.n+1) }

func (y *system) clone() *system {
	all := make([]int64, (len(y.eq)+len(y.ge)+len(y.track))*(y.n+1))
	copyRows := func(rows []row) []row {
		c := make([]row, len(rows), len(rows)+4)
		for i, r := range rows {
			c[i] = all[: y.n+1 : y.n+1]
			all = all[y.n+1:]
			copy(c[i], r)
		}
		return c
	}
	return &system{n: y.n, eq: copyRows(y.eq), ge: copyRows(y.ge), track: copyRows(y.track)}
}

// solver does the arithmetic and counts the work. Once failed is set, by
// overflow or by the limit on work, rows are garbage and no verdict holds.
type solver struct {
	failed bool
	work   int // rows made by elimination
}

// The limits keep the worst case near a millisecond. The pairs of nests in real
// programs stay below a tenth of them.
const (
	maxWork = 4000
	maxRows = 160
)

func newSolver() *solver { return &solver{} }

// The smallest int64 counts as overflow, so that every entry has a negative.

func (s *solver) add(a, b int64) int64 {
	c, ok := linalg.AddInt64(a, b)
	s.failed = s.failed || !ok || c == math.MinInt64
	return c
}

func (s *solver) mul(a, b int64) int64 {
	c, ok := linalg.MulInt64(a, b)
	s.failed = s.failed || !ok || c == math.MinInt64
	return c
}

// addScaled adds k*b to a in place.
func (s *solver) addScaled(a row, k int64, b row) {
	if k == 0 {
		return
	}
	for j, c := range b {
		if c != 0 {
			a[j] = s.add(a[j], s.mul(k, c))
		}
	}
}

// combine returns k*a + m*b as a new row; b may be nil when m is 0.
func (s *solver) combine(k int64, a row, m int64, b row) row {
	r := make(row, len(a))
	s.addScaled(r, k, a)
	s.addScaled(r, m, b)
	return r
}

// reduce eliminates all equations, tightens and merges the inequalities, and
// reports a contradiction. Each solution in integers of the old system is one
// of the new system and the reverse, up to the eliminated columns.
func (s *solver) reduce(y *system) (contradiction bool) {
	for !s.failed {
		for len(y.eq) > 0 && !s.failed {
			if s.eliminate(y) {
				return true
			}
		}
		if s.failed {
			break
		}
		if s.tighten(y) {
			return true
		}
		if len(y.eq) == 0 {
			break
		}
	}
	return false
}

// eliminate makes progress on the last equation: it drops it, uses it to
// eliminate a column, or shrinks its coefficients.
func (s *solver) eliminate(y *system) (contradiction bool) {
	r := y.eq[len(y.eq)-1]
	g := r.gcd()
	switch {
	case g == 0:
		y.eq = y.eq[:len(y.eq)-1]
		return r[y.n] != 0
	case r[y.n]%g != 0:
		return true // the GCD test
	case g > 1:
		for j := range r {
			r[j] /= g
		}
	}
	k := -1
	for j, c := range r[:y.n] {
		if c != 0 && (k < 0 || max(c, -c) < max(r[k], -r[k])) {
			k = j
		}
	}
	if r[k] == 1 || r[k] == -1 {
		y.eq = y.eq[:len(y.eq)-1]
		for _, rows := range [][]row{y.eq, y.ge, y.track} {
			for _, q := range rows {
				if q[k] != 0 {
					s.addScaled(q, s.mul(-q[k], r[k]), r)
				}
			}
		}
		return false
	}
	// Replace x_k by x_k - sum q_j*x_j - q_n: a unimodular change of columns
	// that leaves remainders modulo r[k] in this row, as in Euclid's algorithm.
	q := y.zero()
	for j := range q {
		if j != k {
			q[j] = r[j] / r[k]
		}
	}
	for _, rows := range [][]row{y.eq, y.ge, y.track} {
		for _, x := range rows {
			if x[k] != 0 {
				s.addScaled(x, -x[k], q)
			}
		}
	}
	return false
}

// tighten divides each inequality by the common divisor of its coefficients,
// rounding the constant down; keeps the tightest of parallel ones; and turns
// opposite pairs that leave one value into equations.
func (s *solver) tighten(y *system) (contradiction bool) {
	kept := y.ge[:0]
next:
	for _, r := range y.ge {
		g := r.gcd()
		if g == 0 {
			if r[y.n] < 0 {
				return true
			}
			continue
		}
		if g > 1 {
			for j := range y.n {
				r[j] /= g
			}
			r[y.n] = linalg.FloorDiv(r[y.n], g)
		}
		for _, q := range kept {
			if slices.Equal(q[:y.n], r[:y.n]) {
				q[y.n] = min(q[y.n], r[y.n])
				continue next
			}
		}
		kept = append(kept, r)
	}
	y.ge = kept
	for i := 0; i < len(y.ge); i++ {
		for j := i + 1; j < len(y.ge); j++ {
			if !y.ge[i].opposite(y.ge[j]) {
				continue
			}
			room := s.add(y.ge[i][y.n], y.ge[j][y.n])
			if room < 0 && !s.failed {
				return true
			}
			if room == 0 {
				y.eq = append(y.eq, y.ge[i])
				y.ge = slices.Delete(y.ge, j, j+1)
				y.ge = slices.Delete(y.ge, i, i+1)
				i--
			}
			break // parallel rows are merged: there is one opposite at most
		}
	}
	return false
}
