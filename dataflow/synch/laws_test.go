package synch

import (
	"fmt"
	"slices"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
)

// The laws are checked for every state over the references 1 to 3, and for
// transfers over nodes of the references 1 to 4: an item uses one or two of
// them, so that killers remain.

// states3 is every state of the sound form with tags among 1, 2 and 3, in
// ascending order of the values.
func states3() []State {
	all := []State{{Value: Sync}, {Value: CS}, {Value: Cons}}
	for set := 1; set < 8; set++ {
		all = append(all, State{Value: NoSyncP, Tags: tagsOf(set)})
	}
	return append(all, State{Value: NoSync}, State{Value: U})
}

// tagsOf has reference r+1 for bit r.
func tagsOf(set int) Tags {
	var refs []int
	for r := range 4 {
		if set>>r&1 != 0 {
			refs = append(refs, r+1)
		}
	}
	return MakeTags(refs...)
}

// below is the order of the sound form, written down without the meet: by value;
// of two NoSyncP the one that waits for fewer communications is lower, since any
// one of its tags is enough to prove the rest.
func below(a, b State) bool {
	if a.Value != b.Value {
		return a.Value < b.Value
	}
	return a.Tags.Within(b.Tags)
}

// TestMeetIsSemilattice: for all values and tags.
func TestMeetIsSemilattice(t *testing.T) {
	all := states3()
	for _, a := range all {
		if got := SynchMeet(a, a); got != a {
			t.Errorf("meet(%v, %v) = %v: not idempotent", a, a, got)
		}
		if got := SynchMeet(a, State{Value: U}); got != a {
			t.Errorf("meet(%v, U) = %v: U is not the top", a, got)
		}
		if got := SynchMeet(a, State{Value: Sync}); got.Value != Sync {
			t.Errorf("meet(%v, Sync) = %v: Sync is not the bottom", a, got)
		}
		for _, b := range all {
			ab := SynchMeet(a, b)
			if ba := SynchMeet(b, a); ab != ba {
				t.Errorf("meet(%v, %v) = %v, the other way round %v: not commutative", a, b, ab, ba)
			}
			if !slices.Contains(all, ab) {
				t.Errorf("meet(%v, %v) = %v: not a state", a, b, ab)
			}
			if below(a, b) != (ab == a) {
				t.Errorf("meet(%v, %v) = %v, but that the first is below the second is %v", a, b, ab, below(a, b))
			}
			for _, c := range all {
				if l, r := SynchMeet(ab, c), SynchMeet(a, SynchMeet(b, c)); l != r {
					t.Errorf("meet of %v, %v, %v is %v or %v: not associative", a, b, c, l, r)
				}
				if below(c, a) && below(c, b) && !below(c, ab) {
					t.Errorf("meet(%v, %v) = %v, but %v is a higher lower bound", a, b, ab, c)
				}
			}
		}
	}
}

// someNodes has a node of every kind, flavour that matters, and reference 0 to 4.
func someNodes() []*cfg.Node {
	var all []*cfg.Node
	for kind := cfg.Entry; kind <= cfg.Barrier; kind++ {
		for ref := range 5 {
			for _, flavour := range []string{"", "shift", recv, send} {
				if kind == cfg.Comm || flavour == "" {
					all = append(all, &cfg.Node{Kind: kind, Ref: ref, Flavour: flavour})
				}
			}
		}
	}
	return all
}

// someItems: a communication with itself, and with another one, both ways.
var someItems = []proof.Obligation{proof.Shared(1, 1), proof.Shared(1, 2), proof.Shared(2, 1)}

// oracles calls do for every test of kills over the killers 1 to 4.
func oracles(do func(set int, kills func(y int) bool)) {
	for set := range 16 {
		do(set, func(y int) bool { return set>>(y-1)&1 != 0 })
	}
}

// TestApplyIsMonotone: for every node, item and test of kills, what is known
// behind the node falls when what is known in front of it falls; and it is a
// state: NoSyncP has tags and nothing else has.
func TestApplyIsMonotone(t *testing.T) {
	checked := 0
	for _, n := range someNodes() {
		for _, it := range someItems {
			oracles(func(set int, by func(int) bool) {
				kills := func(y, put, nth int) bool {
					if put != it.Put || nth != 1 || y == it.Use || y == put || y < 1 || n.Flavour == recv || n.Flavour == send {
						t.Fatalf("%v: kills is asked for %d, put %d, number %d at %s %q", it, y, put, nth, n.Name(), n.Flavour)
					}
					return by(y)
				}
				if n.Ref == 0 && n.Kind == cfg.Comm {
					return // no such node
				}
				for _, a := range states3() {
					out := SynchApply(a, n, it, kills)
					if (out.Value == NoSyncP) == out.Tags.Empty() {
						t.Errorf("%v at %s %q: %v becomes %v", it, n.Name(), n.Flavour, a, out)
					}
					for _, b := range states3() {
						checked++
						if higher := SynchApply(b, n, it, kills); below(a, b) && !below(out, higher) {
							t.Errorf("%v at %s %q, killers %v: %v becomes %v, but %v becomes %v: not monotone", it, n.Name(), n.Flavour, tagsOf(set), a, out, b, higher)
						}
					}
				}
			})
		}
	}
	if checked < 100000 {
		t.Errorf("only %d cases", checked)
	}
}

// TestApply is the table of all transfers that do something, for the items
// (1,1) and (1,2), with 3 as a killer and 4 as none.
func TestApply(t *testing.T) {
	kills := func(y, put, nth int) bool { return y == 3 }
	waits := State{Value: NoSyncP, Tags: MakeTags(5)}
	in := []State{{Value: Sync}, {Value: CS}, {Value: Cons}, waits, {Value: NoSync}, {Value: U}}
	for _, c := range []struct {
		what string
		it   proof.Obligation
		node cfg.Node
		want string // of in
	}{
		{"C of use and put", proof.Shared(1, 1), cfg.Node{Kind: cfg.Comm, Ref: 1}, "Sync Sync Sync Sync CS CS"},
		{"C of use, which only receives here", proof.Shared(1, 1), cfg.Node{Kind: cfg.Comm, Ref: 1, Flavour: recv}, "Sync CS Cons NoSyncP{5} NoSync U"},
		{"C of use, which sends on here", proof.Shared(1, 1), cfg.Node{Kind: cfg.Comm, Ref: 1, Flavour: send}, "Sync Sync Sync Sync CS CS"},
		{"C of use", proof.Shared(1, 2), cfg.Node{Kind: cfg.Comm, Ref: 1}, "Sync CS CS CS CS CS"},
		{"C of use, which only receives here", proof.Shared(1, 2), cfg.Node{Kind: cfg.Comm, Ref: 1, Flavour: recv}, "Sync CS CS CS CS CS"},
		{"C of put", proof.Shared(1, 2), cfg.Node{Kind: cfg.Comm, Ref: 2}, "Sync Sync Sync Sync Cons U"},
		{"C of put, which only receives here", proof.Shared(1, 2), cfg.Node{Kind: cfg.Comm, Ref: 2, Flavour: recv}, "Sync CS Cons NoSyncP{5} NoSync U"},
		{"C of a killer", proof.Shared(1, 2), cfg.Node{Kind: cfg.Comm, Ref: 3}, "Sync CS NoSyncP{3} NoSyncP{3,5} NoSync U"},
		{"C of a pipelined killer", proof.Shared(1, 1), cfg.Node{Kind: cfg.Comm, Ref: 3, Flavour: send}, "Sync CS Cons NoSyncP{5} NoSync U"},
		{"C of another one", proof.Shared(1, 1), cfg.Node{Kind: cfg.Comm, Ref: 4}, "Sync CS Cons NoSyncP{5} NoSync U"},
		{"CO of a tag", proof.Shared(1, 1), cfg.Node{Kind: cfg.CommOver, Ref: 5}, "Sync CS Cons NoSync NoSync U"},
		{"CO of another one", proof.Shared(1, 1), cfg.Node{Kind: cfg.CommOver, Ref: 3}, "Sync CS Cons NoSyncP{5} NoSync U"},
		{"CO of use", proof.Shared(1, 1), cfg.Node{Kind: cfg.CommOver, Ref: 1}, "Sync CS Cons NoSyncP{5} NoSync U"},
		{"UO of use", proof.Shared(1, 2), cfg.Node{Kind: cfg.UseOver, Ref: 1}, "Sync Cons Cons Cons Cons U"},
		{"UO of put", proof.Shared(1, 2), cfg.Node{Kind: cfg.UseOver, Ref: 2}, "Sync CS Cons NoSyncP{5} NoSync U"},
		{"reduction", proof.Shared(1, 1), cfg.Node{Kind: cfg.Reduce, Ref: 1}, "Sync CS NoSync NoSync NoSync U"},
		{"barrier", proof.Shared(1, 2), cfg.Node{Kind: cfg.Barrier}, "Sync CS NoSync NoSync NoSync U"},
		{"statement", proof.Shared(1, 1), cfg.Node{Kind: cfg.Stmt, Ref: 1}, "Sync CS Cons NoSyncP{5} NoSync U"},
	} {
		got := ""
		for i, s := range in {
			if i > 0 {
				got += " "
			}
			got += fmt.Sprint(SynchApply(s, &c.node, c.it, kills))
		}
		if got != c.want {
			t.Errorf("%v, %s: %s, want %s", c.it, c.what, got, c.want)
		}
	}
}

// TestTags compares the sets with bit sets.
func TestTags(t *testing.T) {
	for a := range 16 {
		x := tagsOf(a)
		for r := 1; r <= 4; r++ {
			bit := 1 << (r - 1)
			if x.Has(r) != (a&bit != 0) || x.With(r) != tagsOf(a|bit) {
				t.Errorf("%v and %d: has %v, with it %v", x, r, x.Has(r), x.With(r))
			}
		}
		if !slices.Equal(MakeTags(x.Refs()...).Refs(), x.Refs()) || x.Empty() != (a == 0) {
			t.Errorf("%v has the members %v", x, x.Refs())
		}
		for b := range 16 {
			y := tagsOf(b)
			if x.Intersect(y) != tagsOf(a&b) || x.Union(y) != tagsOf(a|b) || x.Within(y) != (a&^b == 0) || (x == y) != (a == b) {
				t.Errorf("%v and %v: %v, %v, %v", x, y, x.Intersect(y), x.Union(y), x.Within(y))
			}
		}
	}
	big := MakeTags(70000, 3, 256, 3)
	if got := big.String(); got != "{3,256,70000}" || !big.Has(70000) || big.Has(1) || big.Has(65536+70000) {
		t.Errorf("%s", got)
	}
}

func ExampleState_String() {
	fmt.Println(State{Value: Cons}, State{Value: NoSyncP, Tags: MakeTags(4, 1)})
	// Output: Cons NoSyncP{1,4}
}
