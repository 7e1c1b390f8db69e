package dist

// Plus is the smallest progression that holds every sum of an element of t and
// one of u: exact in its ends, with the common step of both.
func (t Triplet) Plus(u Triplet) Triplet {
	if t.Empty() || u.Empty() {
		return Triplet{}
	}
	step := 0
	if t.N > 1 {
		step = t.Step
	}
	if u.N > 1 {
		step = gcd(step, u.Step)
	}
	lo, hi := t.Lo+u.Lo, t.Hi()+u.Hi()
	if step == 0 {
		return Single(lo)
	}
	return Triplet{lo, step, (hi-lo)/step + 1}
}
