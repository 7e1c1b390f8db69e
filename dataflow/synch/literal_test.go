package synch

import (
	"slices"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/internal/abstract"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/solve"
)

// literalStates is every state of the printed form with tags among 1 and 2: tags
// stay, so that any value may have them.
func literalStates() []State {
	var all []State
	for v := Sync; v <= U; v++ {
		for set := range 4 {
			all = append(all, State{Value: v, Tags: tagsOf(set)})
		}
	}
	return all
}

// TestLiteralMeet: Table 1, entry by entry as printed. With the union of tags it
// is a semilattice too, but not one in which lower means less is known.
func TestLiteralMeet(t *testing.T) {
	order := []Value{U, CS, NoSync, NoSyncP, Cons, Sync} // of rows and columns
	table := []string{
		"U CS NoSync NoSyncP Cons Sync",
		"CS CS NoSync NoSyncP Cons Sync",
		"NoSync NoSync NoSync NoSyncP Cons Sync",
		"NoSyncP NoSyncP NoSyncP NoSyncP Cons Sync",
		"Cons Cons Cons Cons Cons Sync",
		"Sync Sync Sync Sync Sync Sync",
	}
	for i, a := range order {
		row := ""
		for j, b := range order {
			if j > 0 {
				row += " "
			}
			row += LiteralMeet(State{Value: a}, State{Value: b}).String()
		}
		if row != table[i] {
			t.Errorf("%v: %s, printed %s", a, row, table[i])
		}
	}
	all := literalStates()
	for _, a := range all {
		for _, b := range all {
			if LiteralMeet(a, a) != a || LiteralMeet(a, b) != LiteralMeet(b, a) {
				t.Errorf("%v and %v: neither idempotent nor commutative", a, b)
			}
			for _, c := range all {
				if LiteralMeet(LiteralMeet(a, b), c) != LiteralMeet(a, LiteralMeet(b, c)) {
					t.Errorf("%v, %v, %v: not associative", a, b, c)
				}
			}
		}
	}
}

// TestLiteralLawsThatFail: each is a law of the sound form, with what the printed
// one does instead.
func TestLiteralLawsThatFail(t *testing.T) {
	comm := func(r int) *cfg.Node { return &cfg.Node{Kind: cfg.Comm, Ref: r} }
	over := func(r int) *cfg.Node { return &cfg.Node{Kind: cfg.CommOver, Ref: r} }
	all := func(y, x int) bool { return true }
	none := func(y, x int) bool { return false }

	t.Run("C_r is not monotone", func(t *testing.T) {
		// meet(CS, NoSync) = NoSync says that CS is higher, but C_r turns it into the
		// lowest value and leaves the other.
		high, low := State{Value: CS}, State{Value: NoSync}
		if LiteralMeet(high, low) != low {
			t.Fatalf("meet(%v, %v) = %v", high, low, LiteralMeet(high, low))
		}
		a, b := LiteralApply(high, comm(1), 1, none), LiteralApply(low, comm(1), 1, none)
		if a.Value != Sync || b.Value != NoSync {
			t.Errorf("%v becomes %v, %v becomes %v", high, a, low, b)
		}
	})
	t.Run("CO_r is not monotone", func(t *testing.T) {
		// More tags are lower, as their meet is the union, and lead to more.
		high, low := State{Value: NoSyncP}, State{Value: NoSyncP, Tags: MakeTags(2)}
		if LiteralMeet(high, low) != low {
			t.Fatalf("meet(%v, %v) = %v", high, low, LiteralMeet(high, low))
		}
		a, b := LiteralApply(high, over(2), 1, none), LiteralApply(low, over(2), 1, none)
		if a.Value != NoSyncP || b.Value != NoSync {
			t.Errorf("%v becomes %v, %v becomes %v", high, a, low, b)
		}
	})
	t.Run("r kills itself", func(t *testing.T) {
		in := State{Value: Cons}
		if got := LiteralApply(in, comm(1), 1, all); got.Value != NoSyncP {
			t.Errorf("Cons becomes %v at C_1", got)
		}
		if got := LiteralApply(in, comm(1), 1, none); got.Value != Sync {
			t.Errorf("Cons becomes %v at C_1 without the loop over k", got)
		}
		if got := SynchApply(in, comm(1), proof.Shared(1, 1), func(y, put, nth int) bool { return true }); got.Value != Sync {
			t.Errorf("sound form: Cons becomes %v at C_1", got)
		}
	})
	t.Run("a proof outlives its round", func(t *testing.T) {
		if got := LiteralApply(State{Value: NoSync}, comm(1), 1, none); got.Value != NoSync {
			t.Errorf("NoSync becomes %v at C_1", got)
		}
		if got := SynchApply(State{Value: NoSync}, comm(1), proof.Shared(1, 1), nil); got.Value != CS {
			t.Errorf("sound form: NoSync becomes %v at C_1", got)
		}
	})
	t.Run("tags outlive their round", func(t *testing.T) {
		s := State{Value: Cons}
		for _, n := range []*cfg.Node{comm(2), comm(1), over(2)} {
			s = LiteralApply(s, n, 1, func(y, x int) bool { return y == 2 })
		}
		if !s.Tags.Has(2) {
			t.Errorf("after C_2, C_1, CO_2: %v", s)
		}
	})
	t.Run("a proof on one way wins over a use on the other", func(t *testing.T) {
		a, b := State{Value: CS}, State{Value: NoSync}
		if got := LiteralMeet(a, b); got != b {
			t.Errorf("meet(%v, %v) = %v", a, b, got)
		}
		if got := SynchMeet(a, b); got != a {
			t.Errorf("sound form: meet(%v, %v) = %v", a, b, got)
		}
	})
	t.Run("a killer on one way wins over none on the other", func(t *testing.T) {
		a, b := State{Value: NoSyncP, Tags: MakeTags(2)}, State{Value: NoSyncP, Tags: MakeTags(3)}
		if got := LiteralApply(LiteralMeet(a, b), over(2), 1, none); got.Value != NoSync {
			t.Errorf("meet(%v, %v), then CO_2: %v", a, b, got)
		}
		if got := SynchApply(SynchMeet(a, b), over(2), proof.Shared(1, 1), nil); got.Value != Cons {
			t.Errorf("sound form: meet(%v, %v), then CO_2: %v", a, b, got)
		}
	})
}

// TestLiteralDependsOnOrder: an exchange that answers itself, in two loops,
//
//	do i; do j; C_1; CO_1; UO_1; end do; end do
//
// is NoSync when the inner loop is repeated first, since C_1 finds Cons before it
// finds anything else, and the loop over k of Figure 7 makes NoSyncP of it. Sweeps
// over the whole graph bring U to CS once more and end with Sync. The put is not
// ordered. Sound verdicts are the same in every order: TestRandomGraphs.
func TestLiteralDependsOnOrder(t *testing.T) {
	twice := func(body *stmt) *stmt {
		return &stmt{Kind: abstract.Loop, Least: 2, Most: 2, Body: []*stmt{body}}
	}
	p := &abstract.Program{PEs: 2, Body: []*stmt{twice(twice(post(shape{Kind: abstract.All})))}}
	b := build(p)
	first, sweeps := literalBoth(b)
	if first[0] != NoReady || sweeps[0] != NeedsSync {
		t.Errorf("inner loops first %v, sweeps %v", first, sweeps)
	}
	if refuted(p, literal(byProduct), false) == nil {
		t.Errorf("no execution contradicts %v", first)
	}

	differ, long, endless := 0, 0, 0
	for i := range 1000 {
		p, _ := programNumber(1, i)
		b := build(p)
		if first, sweeps := literalBoth(b); !slices.Equal(first, sweeps) {
			differ++
		}
		for _, s := range SolveLiteral(b.Graph, b.Comms(), b.literalKills(byProduct), LiteralLimit, false) {
			if !s.Converged {
				endless++
			}
			if s.Sweeps > 4 { // three, and one that changes nothing
				long++
			}
		}
	}
	t.Logf("of 1000 programs %d have other verdicts by sweeps than inner loops first; %d references take more than the paper's three iterations, %d do not settle in %d", differ, long, endless, LiteralLimit)
	if differ < 10 {
		t.Errorf("only %d programs have verdicts that depend on the order of the visits", differ)
	}
}

// literalBoth gives the printed verdicts inner loops first, and by sweeps over the
// whole graph.
func literalBoth(b *built) (first, sweeps []Verdict) {
	f, kills := solve.New(b.Graph), b.literalKills(byProduct)
	for x := range b.Comms() {
		first = append(first, solveLiteral(f, x+1, kills, LiteralLimit, false).Verdict(b.Graph))
		r := solve.RoundRobin(f, literalProblem(x+1, kills), solve.Options[State]{Limit: 100})
		s := &LiteralSolution{Ref: x + 1, In: r.In, Out: r.Out}
		sweeps = append(sweeps, s.Verdict(b.Graph))
	}
	return first, sweeps
}
