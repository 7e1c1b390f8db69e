package elide

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/spmdc/spmdc/runtime/transport/agree"
)

var accesses = []Access{Remote, Local, Private}

// Definition 1: a meet semilattice with top N and bottom R, in which a part never
// makes the whole more private.
func TestMeetLaws(t *testing.T) {
	for _, a := range accesses {
		if a.Meet(a) != a || a.Meet(Private) != a || a.Meet(Remote) != Remote {
			t.Errorf("%v: not idempotent, or N is not its neutral or R its absorbing element", a)
		}
		for _, b := range accesses {
			if a.Meet(b) != b.Meet(a) || a.Meet(b) > a {
				t.Errorf("%v, %v: not commutative, or not below", a, b)
			}
			for _, c := range accesses {
				if a.Meet(b).Meet(c) != a.Meet(b.Meet(c)) {
					t.Errorf("%v, %v, %v: not associative", a, b, c)
				}
				if a <= b && a.Meet(c) > b.Meet(c) {
					t.Errorf("%v, %v, %v: not monotone", a, b, c)
				}
			}
		}
	}
}

// Tables 1 and 3 as printed.
func TestTables(t *testing.T) {
	const N, L, R = Private, Local, Remote
	for rule, row := range []struct {
		before, after Access
		redundant     bool
		summary       Access
	}{
		{N, N, true, N}, {N, L, true, L}, {N, R, true, R},
		{L, N, true, L}, {L, L, true, L}, {L, R, false, R},
		{R, N, true, R}, {R, L, false, L}, {R, R, false, R},
	} {
		if redundant, summary := Table1(row.before, row.after); redundant != row.redundant || summary != row.summary {
			t.Errorf("rule %d: %vB%v: %t %v", rule+1, row.before, row.after, redundant, summary)
		}
	}
	if !Table3(N) || Table3(L) || Table3(R) {
		t.Error("Table 3")
	}
	for _, b := range accesses { // Table 3 is a part of Table 1
		if redundant, _ := Table1(N, b); !redundant {
			t.Errorf("Table 3 deletes NB%v, Table 1 does not", b)
		}
	}
	// Table 2, read from the left: N B1 L B2 N B3 R.
	if got := Redundant([]Access{N, L, N, R}); !slices.Equal(got, []bool{true, true, false}) {
		t.Errorf("Table 2: %v", got)
	}
}

// most is the greatest number of barriers that applications of Table 1 delete in
// any order.
func most(trace []Access) int {
	best := 0
	for i := 0; i+1 < len(trace); i++ {
		if redundant, s := Table1(trace[i], trace[i+1]); redundant {
			rest := slices.Concat(trace[:i], []Access{s}, trace[i+2:])
			best = max(best, 1+most(rest))
		}
	}
	return best
}

// No order of applications deletes more than Redundant.
func TestRedundantIsTheMost(t *testing.T) {
	total := 0
	var fill func(trace []Access, n int)
	fill = func(trace []Access, n int) {
		if n == 0 {
			count := 0
			for _, r := range Redundant(trace) {
				if r {
					count++
				}
			}
			if want := most(trace); count != want {
				t.Fatalf("%v: %d redundant, an order of rules finds %d", trace, count, want)
			}
			total++
			return
		}
		for _, a := range accesses {
			fill(append(slices.Clone(trace), a), n-1)
		}
	}
	for n := range 7 {
		fill(nil, n)
	}
	if Redundant(nil) != nil || total < 1000 {
		t.Error(total)
	}
}

// Deletions by Table 3 do not change what Table 3 says later (section 3.2).
func TestTable3IsIndependentOfOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		trace := make([]Access, 8)
		for i := range trace {
			trace[i] = accesses[rng.IntN(3)]
		}
		want := 0
		for _, before := range trace[:7] {
			if Table3(before) {
				want++
			}
		}
		got := 0
		for rest := slices.Clone(trace); ; {
			var able []int
			for i := range len(rest) - 1 {
				if Table3(rest[i]) {
					able = append(able, i)
				}
			}
			if len(able) == 0 {
				break
			}
			i := able[rng.IntN(len(able))]
			rest = slices.Concat(rest[:i], []Access{rest[i].Meet(rest[i+1])}, rest[i+2:])
			got++
		}
		if got != want {
			t.Fatalf("%v: %d deleted, %d at once", trace, got, want)
		}
	}
}

// What an agreement gives does not depend on the order of votes, and shows
// exactly what it should.
func TestVotesCombine(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		n := 1 + rng.IntN(4)
		votes := make([]Vote, n)
		hash, seq := rng.Uint64(), uint64(rng.IntN(1000))
		sameHash, sameSeq, allBroke, greatest := true, true, true, int64(0)
		global := Private
		for i := range votes {
			h, s, a, b, r := hash, seq, accesses[rng.IntN(3)], rng.IntN(4) > 0, int64(rng.IntN(5))
			if a == Private {
				b = false // who has accessed nothing breaks nothing
			}
			if rng.IntN(8) == 0 {
				h = rng.Uint64()
			}
			if rng.IntN(8) == 0 {
				s++
			}
			word := int64(a)
			if b {
				word += broken
			}
			votes[i].set(word, h, s, r)
			allBroke = allBroke && b
			global = global.Meet(a)
			greatest = max(greatest, r)
			first := votes[0]
			sameHash = sameHash && votes[i][wordHash] == first[wordHash]
			sameSeq = sameSeq && votes[i][wordSeq] == first[wordSeq]
		}
		out := votes[0]
		for _, i := range rng.Perm(n) {
			(*agree.Vote)(&out).Combine((*agree.Vote)(&votes[i]))
		}
		if out.sameContext() != sameHash || out.sameSeq() != sameSeq || out.allBroke() != allBroke || out.rank() != greatest {
			t.Fatalf("%v: %v", votes, out)
		}
		someBroke := slices.ContainsFunc(votes, func(v Vote) bool { return v[wordAccess] >= broken })
		if (allBroke || !someBroke) && out.access() != global {
			t.Fatalf("%v: %v, global summary is %v", votes, out.access(), global)
		}
	}
}
