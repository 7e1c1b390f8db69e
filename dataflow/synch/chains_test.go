package synch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
)

// statesRelays is the states with relays among two, flying or arrived.
func statesRelays() []State {
	var all []State
	for _, s := range states3() {
		if s.Value < Cons || s.Value == U {
			all = append(all, s)
			continue
		}
		for set := range 16 {
			var refs []int
			for i, r := range []int{flying(1), arrived(1), flying(2), arrived(2)} {
				if set>>i&1 != 0 {
					refs = append(refs, r)
				}
			}
			s.Relays = MakeTags(refs...)
			all = append(all, s)
		}
	}
	return all
}

// TestChainLaws: with relays the meet is the greatest lower bound, and the transfer is
// monotone.
func TestChainLaws(t *testing.T) {
	below := func(a, b State) bool {
		bare := func(s State) State { s.Relays = Tags{}; return s }
		return below(bare(a), bare(b)) && (a.Relays.Within(b.Relays) || b.Value == U)
	}
	all := statesRelays()
	for _, a := range all {
		for _, b := range all {
			m := SynchMeet(a, b)
			if m != SynchMeet(b, a) || !below(m, a) || !below(m, b) || !slices.Contains(all, m) || below(a, b) != (m == a) {
				t.Fatalf("meet(%v, %v) = %v", a, b, m)
			}
		}
	}
	chains := &proof.Sequences{Relays: []proof.Relay{{From: 0, Comm: 3}, {From: 1, Comm: 4}}, Ends: []proof.Kill{{Comm: 4, Nth: 1, Via: 1}, {Comm: 3, Nth: 1, Via: 2}}}
	changed := 0
	for _, n := range someNodes() {
		for _, o := range someItems {
			form := (&Solver{chains: chains}).singleForm()
			kills := func(y, put, nth int) bool { return y == 4 }
			for _, a := range all {
				x := form.apply(a, n, o, kills)
				if x.Relays != a.Relays {
					changed++
				}
				if !slices.Contains(all, x) && x.Tags.Within(MakeTags(1, 2, 3)) {
					t.Fatalf("%s makes %v of %v", n.Name(), x, a)
				}
				for _, b := range all {
					if y := form.apply(b, n, o, kills); below(a, b) && !below(x, y) {
						t.Fatalf("%v: %s makes %v of %v and %v of %v", o, n.Name(), x, a, y, b)
					}
				}
			}
		}
	}
	if changed < 1000 {
		t.Errorf("only %d changes of relays", changed)
	}
}

// TestChain: two communications one behind the other answer what none of them does; not
// where they are under way together, where one may be passed by, or in the other order.
func TestChain(t *testing.T) {
	for _, c := range []struct{ name, nodes, want string }{
		{"one behind the other", "C2 O2 C3 O3", "NoSync"},
		{"with another one in between", "C2 O2 C4 C3 O4 O3", "NoSync"},
		{"under way together", "C2 C3 O2 O3", "Sync"},
		{"in the other order", "C3 O3 C2 O2", "Sync"},
		{"the first on one way only", "? C2 O2 C3 O3", "Sync"},
		{"the last is not there yet", "C2 O2 C3", "Sync"},
		{"the first from before the use", "C3 O3", "Sync"},
	} {
		text := "loop L1\n0 entry -> 1\n1 loop line 1 in L1 -> 2 99\n"
		nodes := strings.Fields("C1 O1 U1 " + c.nodes)
		for i, n := range nodes {
			next := fmt.Sprint(i + 3)
			if i == len(nodes)-1 {
				next = "1"
			}
			if n == "?" {
				text += fmt.Sprintf("%d branch line 1 in L1 -> %s %d\n", i+2, next, i+5)
				continue
			}
			kind := map[byte]string{'C': "comm", 'O': "commover", 'U': "useover"}[n[0]]
			text += fmt.Sprintf("%d %s line 1 in L1 ref %c -> %s\n", i+2, kind, n[1], next)
		}
		exit := fmt.Sprint(len(nodes) + 2)
		g, err := cfg.Parse(strings.Replace(text, "99", exit, 1) + exit + " exit\n")
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, text)
		}
		o, kills := proof.Shared(1, 1), func(y, put, nth int) bool { return false }
		s := NewSolver(g).Through(o, [][]int{{2, 3}, {2, 1}})
		sol := s.Solve(o, kills, false)
		fast, _ := s.Verdict(o, kills)
		if got := sol.Verdict(g); got.String() != c.want || fast != got {
			t.Errorf("%s: %v, by blocks %v, want %s", c.name, got, fast, c.want)
		}
	}
}
