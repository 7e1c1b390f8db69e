package linalg

import "math/big"

// WithinPrinted is the paper's Check for Condition 2 as it stands there: with
// both strides made positive, l1 >= l2, u1 <= u2, (l1-l2) mod s2 = 0 and
// s1 mod s2 = 0 for t = l1:u1:s1 and u = l2:u2:s2. Every position is inside U,
// and U inside nothing else.
//
// Bounds are compared as forms: n <= n+1 holds, 1 <= n is not known. A variable
// is compared by its name, also where the two sides belong to different
// iterations and so to different values; that is what the paper does. The
// stride of a single position is taken to be that of u.
func (t Triplet) WithinPrinted(u Triplet) bool {
	if t.All || u.All {
		return u.All
	}
	atLeast := func(a, b Form) bool {
		sign, ok := a.compare(b)
		return ok && sign >= 0
	}
	if !atLeast(t.lower(), u.lower()) || !atLeast(u.upper(), t.upper()) {
		return false
	}
	// Symbols are integers: what has multiples of s2 as coefficients is one.
	multiple := func(f Form) bool {
		if u.Step.IsInt() && u.Step.Num().CmpAbs(one.Num()) == 0 {
			return f.Integral()
		}
		return f.Scale(new(big.Rat).Inv(u.Step)).Integral()
	}
	// The first elements stand for l1 and l2: they are elements even where a
	// descending triplet does not reach its bound.
	return multiple(t.Lo.Sub(u.Lo)) && (t.IsPoint() || multiple(Rational(t.Step)))
}

// Prover reports whether it is proved that no integer values of the variables
// make every form of eqs zero and every form of ineqs at least zero. What is
// known of the variables, such as the bounds of the loops around, is part of
// the prover. False means: there are such values, or the search was given up.
type Prover func(eqs, ineqs []Affine) bool

// Fresh names for the variables that the exact tests add; the prover's facts
// must not use them.
const (
	elementVar  = "\x00x"
	countVar    = "\x00t"
	multipleVar = "\x00u"
	restVar     = "\x00r"
)

// Within reports whether prove shows that every position of t is in u, for all
// values of the variables that the prover's facts admit. It is exact up to the
// strength of the prover: it knows that an empty set is inside every set, and
// decides 1 <= n by what is known of n. A U on the left is inside U only, since
// how far a dimension goes is not known here; the caller may write TLo:THi.
func (t Triplet) Within(u Triplet, prove Prover) bool {
	if t.All || u.All {
		return u.All
	}
	// x is an element of t: x = Lo + Step*t, t >= 0, and x not beyond Hi.
	x, n := FormOf(Var(elementVar)), FormOf(Var(countVar))
	var s facts
	s.zero(t.Lo.Add(n.Scale(t.Step)).Sub(x))
	s.atLeastZero(n)
	s.atLeastZero(x.Sub(t.lower()))
	s.atLeastZero(t.upper().Sub(x))
	// No such x may be below u, above u, or between two elements of u.
	below, above := s.clone(), s.clone()
	below.positive(u.lower().Sub(x))
	above.positive(x.Sub(u.upper()))
	if !below.refuted(prove) || !above.refuted(prove) {
		return false
	}
	// With a common denominator d of everything, d*(x - Lo) = d*|Step|*k + r
	// and 0 < r < d*|Step|.
	step := new(big.Rat).Abs(u.Step)
	diff := x.Sub(u.Lo)
	_, den, ok := diff.Affine()
	if !ok {
		return false
	}
	d := new(big.Int).Mul(big.NewInt(den), step.Denom())
	gap := new(big.Rat).Mul(step, new(big.Rat).SetInt(d))
	if !gap.Num().IsInt64() {
		return false
	}
	if gap.Num().Int64() == 1 {
		return true // d*(x - Lo) is an integer, so nothing lies between
	}
	between := s.clone()
	r := FormOf(Var(restVar))
	between.zero(diff.Scale(new(big.Rat).SetInt(d)).Sub(FormOf(Var(multipleVar)).Scale(gap)).Sub(r))
	between.atLeastZero(r.Sub(Integer(1)))
	between.atLeastZero(Rational(gap).Sub(Integer(1)).Sub(r))
	return between.refuted(prove)
}

// facts is a system of equations and inequalities of forms.
type facts struct {
	eqs, ineqs []Affine
	lost       bool // something did not fit: nothing may be concluded
}

func (s facts) clone() facts {
	return facts{append([]Affine(nil), s.eqs...), append([]Affine(nil), s.ineqs...), s.lost}
}

func (s *facts) zero(f Form) {
	num, _, ok := f.Affine()
	s.eqs, s.lost = append(s.eqs, num), s.lost || !ok
}

func (s *facts) atLeastZero(f Form) {
	num, _, ok := f.Affine()
	s.ineqs, s.lost = append(s.ineqs, num), s.lost || !ok
}

// positive adds f > 0: as an integer its numerator is at least 1.
func (s *facts) positive(f Form) {
	num, _, ok := f.Affine()
	if ok {
		num.C, ok = SubInt64(num.C, 1)
	}
	s.ineqs, s.lost = append(s.ineqs, num), s.lost || !ok
}

func (s *facts) refuted(prove Prover) bool { return !s.lost && prove(s.eqs, s.ineqs) }
