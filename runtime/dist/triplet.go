// Package dist is the ownership arithmetic of distributed arrays: which
// processing element (PE) holds which elements, in closed form.
//
// It is used twice, by the compiler (for known numbers of PEs) and by emitted
// programs, so that the two cannot disagree. Nothing here enumerates elements.
//
// A worked example: `REAL u(0:9)`, `ALIGN u(i) WITH t(i+1)`, `TEMPLATE t(10)`,
// `DISTRIBUTE t(BLOCK)` on 4 PEs. The block size is ceil(10/4) = 3, hence
//
//	PE 0 owns u(0:2), PE 1 u(3:5), PE 2 u(6:8), PE 3 u(9:9).
//
// With CYCLIC instead, PE 1 owns u(1:9:4), and the iterations of
// `do i = 1, 8` with `u(i+1)` owned by PE 1 are the triplet 4:8:4.
package dist

import (
	"fmt"
	"math"
	"math/bits"
)

// limit bounds the index values that the package computes with. Loop bounds
// beyond it are clamped: no array can have such an element, and differences of
// two clamped values cannot overflow.
const limit = math.MaxInt / 4

// MaxPosition bounds what a mapping is made of: the bounds and extents of arrays and
// templates, and the coefficients and offsets of alignments, positive or negative. No
// sum or difference of two such numbers, or of multiples of the number of PEs, overflows.
const MaxPosition = 1 << 48

// Position is a*i+b, or false if the product, or the sum, is beyond MaxPosition.
func Position(a, i, b int) (int, bool) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(i))
	if hi != 0 || lo > 2*MaxPosition || magnitude(b) > MaxPosition {
		return 0, false
	}
	n := a*i + b
	return n, magnitude(n) <= MaxPosition
}

// magnitude is |i|.
func magnitude(i int) uint64 {
	if i < 0 {
		return -uint64(i)
	}
	return uint64(i)
}

// Triplet is the set Lo, Lo+Step, ... of N integers, ascending (Step > 0).
//
// The empty set is written Triplet{} by this package; any triplet with N <= 0
// counts as empty. A set of one element has Step 1. Equal sets built by this
// package are therefore equal as Go values.
type Triplet struct{ Lo, Step, N int }

// Range is the set of values of `DO i = lo, hi, step`, ascending also when step
// is negative. It panics if step is 0, as the loop itself is in error.
func Range(lo, hi, step int) Triplet {
	lo, hi = clamp(lo), clamp(hi)
	switch {
	case step == 0:
		panic("DO step is zero")
	case step < 0:
		if lo < hi {
			return Triplet{}
		}
		step = negate(step)
		n := (lo-hi)/step + 1
		return canonical(lo-(n-1)*step, step, n)
	case lo > hi:
		return Triplet{}
	case step == 1:
		return Triplet{lo, 1, hi - lo + 1}
	}
	return canonical(lo, step, (hi-lo)/step+1)
}

// Nth is the value that a loop with a step of the given sign comes to in its iteration k,
// from 0.
func (t Triplet) Nth(k, step int) int {
	if step < 0 {
		k = t.N - 1 - k
	}
	return t.Lo + k*t.Step
}

// From is the first iteration of a loop with this step, whose iterations t are.
func (t Triplet) From(step int) int { return t.Nth(0, step) }

// By is how far the iterations of a loop with this step, which t are, are apart, with the
// sign of the step.
func (t Triplet) By(step int) int {
	if step < 0 {
		return -t.Step
	}
	return t.Step
}

// All stands for a loop range that is not known before the loop: it holds whatever a PE
// may own, and is to be intersected with that.
func All() Triplet { return Range(-limit, limit, 1) }

// Single is the set {i}.
func Single(i int) Triplet { return Triplet{i, 1, 1} }

// canonical drops the step of a one-element set.
func canonical(lo, step, n int) Triplet {
	switch {
	case n <= 0:
		return Triplet{}
	case n == 1:
		step = 1
	}
	return Triplet{lo, step, n}
}

func clamp(i int) int { return max(-limit, min(limit, i)) }

// negate guards against -MinInt, which is not representable.
func negate(step int) int {
	if step == math.MinInt {
		return math.MaxInt
	}
	return -step
}

// Hi is the last element; it is undefined when t is empty.
func (t Triplet) Hi() int { return t.Lo + (t.N-1)*t.Step }

// Empty reports whether t has no element.
func (t Triplet) Empty() bool { return t.N <= 0 }

// Strips is how many strips of n elements t has; the last may have fewer.
func (t Triplet) Strips(n int) int { return max(0, t.N+n-1) / n }

// Strip is strip number k of n elements, from 0: empty behind the last one, and all
// of t if k is negative.
func (t Triplet) Strip(k, n int) Triplet {
	if k < 0 {
		return t
	}
	if k >= t.Strips(n) {
		return Triplet{}
	}
	return canonical(t.Lo+k*n*t.Step, t.Step, min(n, t.N-k*n))
}

// StripDown is Strip counted from the last element, for loops that go down.
func (t Triplet) StripDown(k, n int) Triplet {
	if k < 0 {
		return t
	}
	if k >= t.Strips(n) {
		return Triplet{}
	}
	first := max(0, t.N-(k+1)*n)
	return canonical(t.Lo+first*t.Step, t.Step, t.N-k*n-first)
}

// Lag divides t otherwise, for who follows strips of n elements at a distance: its part
// number k has the elements of strip k moved by so many elements, and the first also
// those before.
func (t Triplet) Lag(k, n, by int) Triplet {
	first, last := t.lag(k, n, by)
	return canonical(t.Lo+first*t.Step, t.Step, last-first)
}

// LagDown is Lag for strips from above, as of StripDown.
func (t Triplet) LagDown(k, n, by int) Triplet {
	first, last := t.lag(k, n, by)
	return canonical(t.Lo+(t.N-last)*t.Step, t.Step, last-first)
}

func (t Triplet) lag(k, n, by int) (first, last int) {
	if k > 0 {
		first = min(t.N, k*n+by)
	}
	return first, max(first, min(t.N, (k+1)*n+by))
}

// Contains reports whether i is an element of t.
func (t Triplet) Contains(i int) bool {
	if t.N <= 0 || i < t.Lo || i > t.Hi() {
		return false
	}
	return t.Step == 1 || (i-t.Lo)%t.Step == 0
}

// Index is the position of the element i in t, from 0.
func (t Triplet) Index(i int) int {
	if t.Step == 1 {
		return i - t.Lo
	}
	return (i - t.Lo) / t.Step
}

// Window is where u, which has no element that t has not, and all of t between its own, lies
// in t: from one position to before another.
func (t Triplet) Window(u Triplet) (from, upto int) {
	if u.N <= 0 {
		return 0, 0
	}
	from = t.Index(u.Lo)
	return from, from + u.N
}

// Intersect is the exact intersection of the two sets (Chinese remainders).
func (t Triplet) Intersect(u Triplet) Triplet {
	if t.N <= 0 || u.N <= 0 {
		return Triplet{}
	}
	lo, hi := max(t.Lo, u.Lo), min(t.Hi(), u.Hi())
	if lo > hi {
		return Triplet{}
	}
	switch {
	case t.Step == 1 && u.Step == 1:
		return Triplet{lo, 1, hi - lo + 1}
	case u.Step == 1:
		return t.between(lo, hi)
	case t.Step == 1:
		return u.between(lo, hi)
	}
	// Solve t.Lo + t.Step*k = u.Lo (mod u.Step) for the position k in t; the
	// solutions are k0, k0+m, ... Positions stay below t.N, so that nothing
	// overflows however large the steps are.
	g := gcd(t.Step, u.Step)
	diff := u.Lo - t.Lo
	if diff%g != 0 {
		return Triplet{}
	}
	m := u.Step / g
	k := mulmod(mod(diff/g, m), inverse(t.Step/g, m), m)
	first := ceilDiv(lo-t.Lo, t.Step)
	last := (hi - t.Lo) / t.Step
	if first > last {
		return Triplet{}
	}
	// Move k into [first, first+m).
	k = first + mod(k-first, m)
	if k > last {
		return Triplet{}
	}
	n := (last-k)/m + 1
	if n == 1 {
		return Single(t.Lo + t.Step*k)
	}
	return Triplet{t.Lo + t.Step*k, t.Step * m, n}
}

// between is the elements of t from lo to hi, neither of which is outside of it.
func (t Triplet) between(lo, hi int) Triplet {
	first, last := 0, t.N-1
	if lo > t.Lo {
		first = ceilDiv(lo-t.Lo, t.Step)
	}
	if hi < t.Hi() {
		last = (hi - t.Lo) / t.Step
	}
	switch {
	case first > last:
		return Triplet{}
	case first == last:
		return Single(t.Lo + t.Step*first)
	}
	return Triplet{t.Lo + t.Step*first, t.Step, last - first + 1}
}

// Image is {a*x+b : x in t}. With a == 0 it is {b}, or empty if t is.
func (t Triplet) Image(a, b int) Triplet {
	switch {
	case t.N <= 0:
		return Triplet{}
	case a == 0:
		return Single(b)
	case a > 0:
		return canonical(a*t.Lo+b, a*t.Step, t.N)
	}
	return canonical(a*t.Hi()+b, -a*t.Step, t.N)
}

// Preimage is {x : a*x+b in t}, exactly. It panics if a is 0, for which the
// preimage is empty or everything.
func (t Triplet) Preimage(a, b int) Triplet {
	if a == 0 {
		panic("dist: preimage of a constant subscript")
	}
	if t.N <= 0 {
		return Triplet{}
	}
	if a == 1 {
		return Triplet{t.Lo - b, t.Step, t.N}
	}
	// a*x = Lo-b + Step*k, 0 <= k < N. Reversing the sign of a reverses the
	// order of the elements.
	lo, step := t.Lo-b, t.Step
	if a < 0 {
		a, lo = negate(a), -(t.Hi() - b)
	}
	if a == 1 {
		return Triplet{lo, step, t.N}
	}
	g := gcd(a, step)
	if lo%g != 0 {
		return Triplet{}
	}
	// lo + step*k = 0 (mod a), so k = -(lo/g) / (step/g) (mod a/g).
	m := a / g
	k := mulmod(mod(-(lo/g), m), inverse(step/g, m), m)
	if k >= t.N {
		return Triplet{}
	}
	return canonical((lo+step*k)/a, step/g, (t.N-1-k)/m+1)
}

// Hull is the smallest range of step 1 that holds both sets.
func (t Triplet) Hull(u Triplet) Triplet {
	switch {
	case t.N <= 0 && u.N <= 0:
		return Triplet{}
	case t.N <= 0:
		return Range(u.Lo, u.Hi(), 1)
	case u.N <= 0:
		return Range(t.Lo, t.Hi(), 1)
	}
	return Range(min(t.Lo, u.Lo), max(t.Hi(), u.Hi()), 1)
}

// Grow adds below elements before the first and above elements after the last,
// in steps of t. An empty set stays empty.
func (t Triplet) Grow(below, above int) Triplet {
	if t.N <= 0 {
		return Triplet{}
	}
	return canonical(t.Lo-below*t.Step, t.Step, t.N+below+above)
}

// String is Fortran's lo:hi, or lo:hi:step, or the single element.
func (t Triplet) String() string {
	switch {
	case t.N <= 0:
		return "empty"
	case t.N == 1:
		return fmt.Sprint(t.Lo)
	case t.Step == 1:
		return fmt.Sprintf("%d:%d", t.Lo, t.Hi())
	}
	return fmt.Sprintf("%d:%d:%d", t.Lo, t.Hi(), t.Step)
}

// gcd is the greatest common divisor of two positive integers.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// mod is the residue of a modulo m > 0, in 0..m-1.
func mod(a, m int) int {
	if a %= m; a < 0 {
		a += m
	}
	return a
}

// ceilDiv is ceil(a/b) for a >= 0, b > 0.
func ceilDiv(a, b int) int {
	q := a / b
	if q*b < a {
		q++
	}
	return q
}

// floorDiv is floor(a/b) for b > 0.
func floorDiv(a, b int) int {
	q := a / b
	if q*b > a {
		q--
	}
	return q
}

// mulmod is a*b mod m for 0 <= a, b < m, without overflow.
func mulmod(a, b, m int) int {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi == 0 {
		return int(lo % uint64(m))
	}
	_, r := bits.Div64(hi, lo, uint64(m))
	return int(r)
}

// inverse is the inverse of a modulo m; the two have no common divisor.
func inverse(a, m int) int {
	r0, r1 := m, a%m
	s0, s1 := 0, 1
	for r1 != 0 {
		q := r0 / r1
		r0, r1 = r1, r0-q*r1
		s0, s1 = s1, s0-q*s1
	}
	return mod(s0, m)
}

// Cut divides t behind the first of some numbers that is in t and not its last one: what
// is up to that, and the rest. Without one all of t is the first part.
func (t Triplet) Cut(at ...int) (first, rest Triplet) {
	n := t.N
	for _, x := range at {
		if t.Contains(x) {
			n = min(n, (x-t.Lo)/t.Step+1)
		}
	}
	if n == t.N {
		return t, Triplet{}
	}
	return canonical(t.Lo, t.Step, n), canonical(t.Lo+n*t.Step, t.Step, t.N-n)
}

// Behind divides t into what is at least delay behind the last element of done, or, if
// there will be no more of those, all of t, and the rest.
func (t Triplet) Behind(done Triplet, delay int, last bool) (first, rest Triplet) {
	switch {
	case last || t.Empty():
		return t, Triplet{}
	case done.Empty():
		return Triplet{}, t
	}
	n := min(t.N, max(0, floorDiv(done.Hi()-delay-t.Lo, t.Step)+1))
	return canonical(t.Lo, t.Step, n), canonical(t.Lo+n*t.Step, t.Step, t.N-n)
}
