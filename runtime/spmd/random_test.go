package spmd

import "testing"

// TestRandomInit: which numbers are the same behind RANDOM_INIT, on which images.
func TestRandomInit(t *testing.T) {
	after := func(r *random, repeatable, distinct bool, image int) uint64 {
		r.restart(repeatable, distinct, image)
		return r.next()
	}
	var first, second, plain random
	a, b := after(&first, true, true, 0), after(&second, true, true, 1)
	if a == b {
		t.Errorf("distinct images both have %d", a)
	}
	if a2, b2 := after(&first, true, true, 0), after(&second, true, true, 1); a2 != a || b2 != b {
		t.Errorf("repeatable numbers are %d and %d, then %d and %d", a, b, a2, b2)
	}
	if a, b, c := after(&first, true, false, 0), after(&second, true, false, 1), plain.next(); a != b || a != c {
		t.Errorf("images that are not distinct have %d and %d, and the program begins with %d", a, b, c)
	}
	c, d := after(&first, false, true, 0), after(&second, false, true, 1)
	if c == d || c == a || d == b {
		t.Errorf("distinct numbers that are not repeatable are %d and %d, behind %d and %d", c, d, a, b)
	}
}
