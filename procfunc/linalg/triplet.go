package linalg

import (
	"math/big"
)

// Triplet is a set of positions along one dimension of a processor grid, as
// the paper's section 3.2 writes them: Lo, Lo+Step, Lo+2*Step, ... as far as
// Hi, or U, every position there is.
//
// The bounds are affine in symbolic parameters and loop indices. Lo is always
// an element (of a set that is not empty), Hi need not be one. Step may be
// negative, then the elements descend to Hi; it is never 0. The image of a
// triplet under a rational map is a triplet of rationals; only the integers
// among them are positions. The zero Triplet is of no use.
type Triplet struct {
	All    bool // U; the other fields mean nothing
	Lo, Hi Form
	Step   *big.Rat // shared, never written to
}

var one = big.NewRat(1, 1)

// U is every position of a dimension.
func U() Triplet { return Triplet{All: true} }

// Point is the set of the one position f.
func Point(f Form) Triplet { return Triplet{Lo: f, Hi: f, Step: one} }

// Range is lo:hi:step. It panics if step is 0.
func Range(lo, hi Form, step int64) Triplet {
	if step == 0 {
		panic("linalg: triplet with stride 0")
	}
	return Triplet{Lo: lo, Hi: hi, Step: big.NewRat(step, 1)}.trim()
}

// trim moves a constant bound Hi to the last element, so that Hi can be read as
// such. It leaves alone what is empty or symbolic.
func (t Triplet) trim() Triplet {
	d := t.Hi.Sub(t.Lo)
	if t.All || !d.IsConst() {
		return t
	}
	n := new(big.Rat).Quo(d.Const(), t.Step)
	if n.Sign() < 0 || n.IsInt() {
		return t
	}
	whole := new(big.Rat).SetInt(new(big.Int).Div(n.Num(), n.Denom()))
	t.Hi = t.Lo.Add(Rational(whole.Mul(whole, t.Step)))
	return t
}

// IsPoint reports whether t is known to be one position.
func (t Triplet) IsPoint() bool { return !t.All && t.Lo.Equal(t.Hi) }

// Empty reports whether t is known to hold no position.
func (t Triplet) Empty() bool {
	if t.All {
		return false
	}
	d := t.Hi.Sub(t.Lo)
	return d.IsConst() && new(big.Rat).Quo(d.Const(), t.Step).Sign() < 0
}

// Equal reports whether t and u are written alike: then they are the same set.
func (t Triplet) Equal(u Triplet) bool {
	if t.All || u.All {
		return t.All == u.All
	}
	if t.IsPoint() && u.IsPoint() {
		return t.Lo.Equal(u.Lo)
	}
	return t.Lo.Equal(u.Lo) && t.Hi.Equal(u.Hi) && t.Step.Cmp(u.Step) == 0
}

// Uses reports whether a bound mentions v.
func (t Triplet) Uses(v string) bool { return !t.All && (t.Lo.Uses(v) || t.Hi.Uses(v)) }

// Vars returns the variables of the bounds, with repetitions.
func (t Triplet) Vars() []string {
	if t.All {
		return nil
	}
	return append(t.Lo.Vars(), t.Hi.Vars()...)
}

// Shift is the set of all x + f. U stays U.
func (t Triplet) Shift(f Form) Triplet {
	if t.All {
		return t
	}
	return Triplet{Lo: t.Lo.Add(f), Hi: t.Hi.Add(f), Step: t.Step}
}

// Image is the set of all k*x + f. A coefficient 0 leaves the point f, also
// of U; any other leaves U what it is: U absorbs arithmetic.
func (t Triplet) Image(k *big.Rat, f Form) Triplet {
	switch {
	case k.Sign() == 0:
		return Point(f)
	case t.All:
		return t
	case t.IsPoint():
		return Point(t.Lo.Scale(k).Add(f))
	}
	return Triplet{Lo: t.Lo.Scale(k).Add(f), Hi: t.Hi.Scale(k).Add(f), Step: new(big.Rat).Mul(k, t.Step)}
}

// lower and upper are the bounds whichever way t runs.
func (t Triplet) lower() Form {
	if t.Step.Sign() < 0 {
		return t.Hi
	}
	return t.Lo
}

func (t Triplet) upper() Form {
	if t.Step.Sign() < 0 {
		return t.Lo
	}
	return t.Hi
}

// ends reports whether Hi is an element whatever the values of the variables,
// provided that the set is not empty.
func (t Triplet) ends() bool {
	return t.Hi.Sub(t.Lo).Scale(new(big.Rat).Inv(t.Step)).Integral()
}

// Ascending is t written with a positive stride: the paper's "trivial
// transformation". Where a symbolic bound of a descending triplet is not known
// to be an element it is a superset with a smaller stride, and exact is false.
func (t Triplet) Ascending() (u Triplet, exact bool) {
	if t.All || t.Step.Sign() > 0 {
		return t, true
	}
	u = Triplet{Lo: t.Hi, Hi: t.Lo, Step: new(big.Rat).Neg(t.Step)}
	if t.ends() {
		return u, true
	}
	// The elements are congruent to the old Lo. With a stride that divides
	// Lo - Hi for all values of the variables they are congruent to Hi as well.
	u.Step = gcdForm(u.Step, t.Lo.Sub(t.Hi))
	return u, false
}

// Plus is the set of all sums x + y. The result is a superset; exact reports
// that it is known to be no more (of sets that are not empty): two strides
// fill their common divisor's only where one set is long enough.
func (t Triplet) Plus(u Triplet) (sum Triplet, exact bool) {
	switch {
	case t.All || u.All:
		return U(), true
	case u.IsPoint():
		return t.Shift(u.Lo), true
	case t.IsPoint():
		return u.Shift(t.Lo), true
	}
	a, ok1 := t.Ascending()
	b, ok2 := u.Ascending()
	sum = Triplet{Lo: a.Lo.Add(b.Lo), Hi: a.Hi.Add(b.Hi), Step: gcdRat(a.Step, b.Step)}
	if a.Step.Cmp(b.Step) > 0 {
		a, b = b, a
	}
	return sum.trim(), ok1 && ok2 && a.ends() && b.ends() && sum.Step.Cmp(a.Step) == 0 && a.spans(b.Step)
}

// spans reports whether the distance from the first element of an ascending
// triplet to the one after its last is known to be at least d.
func (t Triplet) spans(d *big.Rat) bool {
	if t.Step.Cmp(d) >= 0 {
		return true
	}
	length := t.Hi.Sub(t.Lo)
	return length.IsConst() && length.Const().Add(length.Const(), t.Step).Cmp(d) >= 0
}

// gcdRat is the greatest common divisor of two positive rationals: the largest
// number of which both are multiples.
func gcdRat(a, b *big.Rat) *big.Rat {
	x := new(big.Int).Mul(a.Num(), b.Denom())
	y := new(big.Int).Mul(b.Num(), a.Denom())
	g := new(big.Int).GCD(nil, nil, x, y)
	return new(big.Rat).SetFrac(g, new(big.Int).Mul(a.Denom(), b.Denom()))
}

// gcdForm is the greatest common divisor of s > 0 and all coefficients of f.
func gcdForm(s *big.Rat, f Form) *big.Rat {
	for _, v := range f.Vars() {
		s = gcdRat(s, new(big.Rat).Abs(f.Coef(v)))
	}
	if c := f.Const(); c.Sign() != 0 {
		s = gcdRat(s, c.Abs(c))
	}
	return s
}

// Holds reports whether the integer x is an element where every variable v has
// the value at(v).
func (t Triplet) Holds(x int64, at func(string) int64) bool {
	if t.All {
		return true
	}
	r := big.NewRat(x, 1)
	if r.Cmp(t.lower().Eval(at)) < 0 || r.Cmp(t.upper().Eval(at)) > 0 {
		return false
	}
	r.Sub(r, t.Lo.Eval(at))
	return r.Quo(r, t.Step).IsInt()
}

// String writes "U", a single position, "lo:hi" or "lo:hi:step".
func (t Triplet) String() string {
	switch {
	case t.All:
		return "U"
	case t.IsPoint():
		return t.Lo.String()
	}
	s := t.Lo.String() + ":" + t.Hi.String()
	if t.Step.Cmp(one) != 0 {
		s += ":" + t.Step.RatString()
	}
	return s
}
