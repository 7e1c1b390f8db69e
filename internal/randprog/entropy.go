package randprog

import "math/rand/v2"

// unit is the source of every choice of one part of a program: one array, one
// kernel, the sizes. It is fed by a single word and spreads it, so that the
// choices of one part do not disturb those of another. The word 0 answers 0 to
// every question, and choice 0 is always the plainest one.
type unit struct{ state uint64 }

// words are what units are fed with: the words that belong to a seed, in order.
type words struct{ source *rand.PCG }

func wordsOf(seed uint64) words { return words{rand.NewPCG(seed, 0x6b65726e656c73)} }

func (w words) unit() *unit { return &unit{state: w.source.Uint64()} }

// pick returns a number from 0 to n-1; n is at least 1.
func (u *unit) pick(n int) int {
	if u.state == 0 {
		return 0
	}
	// splitmix64 (Steele, Lea, Flood 2014); 0 is left out as the plain state.
	u.state += 0x9e3779b97f4a7c15
	if u.state == 0 {
		u.state = 1
	}
	z := u.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return int((z >> 11) % uint64(n))
}

// chance is true in num of den cases, and false for the plain state.
func (u *unit) chance(num, den int) bool { return u.pick(den) >= den-num }

// fork returns a unit for a part of the part, so that the choices made there
// do not disturb those made later.
func (u *unit) fork() *unit {
	if u.state == 0 {
		return &unit{}
	}
	return &unit{state: uint64(u.pick(1<<52)) + 1}
}

// oneOf returns one of list; the first is the plainest.
func oneOf[T any](u *unit, list ...T) T { return list[u.pick(len(list))] }
