package linalg

import (
	"maps"
	"math/big"
	"slices"
)

// Form is an affine form with rational coefficients: C + the sum of T[v]*v
// over named integer variables. It is what an Affine becomes when a subscript
// is solved for a loop index: position p = 3*i + 10 gives i = 1/3*p - 10/3.
//
// Values are immutable: operations return new forms, and what they hand out are
// copies. Coefficients have arbitrary precision, so no operation overflows;
// only Affine, the way back to int64, can fail. The zero Form is 0.
type Form struct {
	c *big.Rat            // nil is 0
	t map[string]*big.Rat // no zero coefficient; nil when there are no variables
}

// FormOf is the integer form a.
func FormOf(a Affine) Form {
	f := Form{c: big.NewRat(a.C, 1)}
	for v, k := range a.T {
		if k != 0 {
			if f.t == nil {
				f.t = map[string]*big.Rat{}
			}
			f.t[v] = big.NewRat(k, 1)
		}
	}
	return f
}

// Rational is the form without variables whose value is r.
func Rational(r *big.Rat) Form { return Form{c: new(big.Rat).Set(r)} }

// Integer is the form without variables whose value is c.
func Integer(c int64) Form { return Form{c: big.NewRat(c, 1)} }

// Const is the summand without variable.
func (f Form) Const() *big.Rat {
	if f.c == nil {
		return new(big.Rat)
	}
	return new(big.Rat).Set(f.c)
}

// Coef is the coefficient of v, 0 when v does not occur.
func (f Form) Coef(v string) *big.Rat {
	if k := f.t[v]; k != nil {
		return new(big.Rat).Set(k)
	}
	return new(big.Rat)
}

// Vars returns the variables that occur, sorted.
func (f Form) Vars() []string { return slices.Sorted(maps.Keys(f.t)) }

// IsConst reports whether no variable occurs.
func (f Form) IsConst() bool { return len(f.t) == 0 }

// Uses reports whether v occurs.
func (f Form) Uses(v string) bool { return f.t[v] != nil }

// Equal reports whether f and g are the same form.
func (f Form) Equal(g Form) bool {
	sign, ok := f.compare(g)
	return ok && sign == 0
}

// compare returns the sign of f - g, if that is the same for all values of the
// variables because f and g differ in the constant only.
func (f Form) compare(g Form) (sign int, ok bool) {
	if len(f.t) != len(g.t) {
		return 0, false
	}
	for v, k := range f.t {
		if o := g.t[v]; o == nil || k.Cmp(o) != 0 {
			return 0, false
		}
	}
	return cmp(f.c, g.c), true
}

// cmp is a.Cmp(b) for numbers that may be nil for 0; integers, by far the most
// frequent ones, are compared without making new numbers.
func cmp(a, b *big.Rat) int {
	if a == nil {
		a = zero
	}
	if b == nil {
		b = zero
	}
	if a.IsInt() && b.IsInt() {
		return a.Num().Cmp(b.Num())
	}
	return a.Cmp(b)
}

var zero = new(big.Rat)

// Add returns f + g.
func (f Form) Add(g Form) Form { return f.addScaled(g, big.NewRat(1, 1)) }

// Sub returns f - g.
func (f Form) Sub(g Form) Form { return f.addScaled(g, big.NewRat(-1, 1)) }

// Scale returns k*f.
func (f Form) Scale(k *big.Rat) Form { return Form{}.addScaled(f, k) }

// addScaled returns f + k*g.
func (f Form) addScaled(g Form, k *big.Rat) Form {
	h := Form{c: f.c}
	if k.Sign() == 0 {
		h.t = f.t
		return h
	}
	if g.c != nil && g.c.Sign() != 0 {
		h.c = new(big.Rat).Mul(k, g.c)
		if f.c != nil {
			h.c.Add(h.c, f.c)
		}
	}
	if len(g.t) == 0 {
		h.t = f.t
		return h
	}
	h.t = make(map[string]*big.Rat, len(f.t)+len(g.t))
	maps.Copy(h.t, f.t)
	for v, x := range g.t {
		sum := new(big.Rat).Mul(k, x)
		if have := h.t[v]; have != nil {
			sum.Add(sum, have)
		}
		if sum.Sign() == 0 {
			delete(h.t, v)
		} else {
			h.t[v] = sum
		}
	}
	if len(h.t) == 0 {
		h.t = nil
	}
	return h
}

// Subst returns f with by in place of v. All occurrences are replaced at once,
// so by may use v: crossing a back edge is Subst("k", k + step).
func (f Form) Subst(v string, by Form) Form {
	k := f.t[v]
	if k == nil {
		return f
	}
	rest := Form{c: f.Const(), t: maps.Clone(f.t)}
	delete(rest.t, v)
	return rest.addScaled(by, k)
}

// Eval is the value of f where every variable v has the value at(v).
func (f Form) Eval(at func(string) int64) *big.Rat {
	sum := f.Const()
	for v, k := range f.t {
		sum.Add(sum, new(big.Rat).Mul(k, big.NewRat(at(v), 1)))
	}
	return sum
}

// Integral reports whether f has an integer value for all integer values of
// its variables: exactly when all its coefficients are integers.
func (f Form) Integral() bool {
	for _, k := range f.t {
		if !k.IsInt() {
			return false
		}
	}
	return f.c == nil || f.c.IsInt()
}

// Affine returns integers num and den > 0 with f = num/den, or false when one
// of them does not fit.
func (f Form) Affine() (num Affine, den int64, ok bool) {
	d := new(big.Int).Set(f.Const().Denom())
	for _, k := range f.t {
		g := new(big.Int).GCD(nil, nil, d, k.Denom())
		d.Mul(d, new(big.Int).Div(k.Denom(), g))
	}
	if !d.IsInt64() {
		return Affine{}, 0, false
	}
	whole := func(x *big.Rat) (int64, bool) {
		n := new(big.Int).Mul(x.Num(), new(big.Int).Div(d, x.Denom()))
		return n.Int64(), n.IsInt64()
	}
	if num.C, ok = whole(f.Const()); !ok {
		return Affine{}, 0, false
	}
	for v, k := range f.t {
		n, ok := whole(k)
		if !ok {
			return Affine{}, 0, false
		}
		if num.T == nil {
			num.T = map[string]int64{}
		}
		num.T[v] = n
	}
	return num, d.Int64(), true
}

// String writes the variables in alphabetical order and the constant last:
// "4/3*i - n + 1/2". It is stable, and equal forms have equal strings.
func (f Form) String() string {
	var t terms
	for _, v := range f.Vars() {
		t.add(f.t[v].RatString(), v)
	}
	if c := f.Const(); c.Sign() != 0 || t.Len() == 0 {
		t.add(c.RatString(), "")
	}
	return t.String()
}
