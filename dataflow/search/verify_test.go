package search_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/verify"
	"github.com/spmdc/spmdc/internal/effort"
)

// check puts s together and verifies it.
func check(t *testing.T, s *sketch) error {
	t.Helper()
	return verify.Graph(s.document(t))
}

// spoilt is a plan with one fault.
type spoilt struct {
	what string
	s    *sketch
	want string // part of the error
}

// faults spoils a plan in every place where a kind of fault can be.
func faults(s *sketch) []spoilt {
	var out []spoilt
	add := func(want, what string, node int, change func(c *sketch)) {
		c := s.clone()
		change(c)
		out = append(out, spoilt{fmt.Sprintf("%s of node %d, %q", what, node, s.nodes[node].text), c, want})
	}
	for _, n := range s.find("commover") {
		add("CO_", "dropped CO", n, func(c *sketch) { c.drop(n) })
	}
	for _, n := range s.find("useover") {
		add("UO_", "dropped UO", n, func(c *sketch) { c.drop(n) })
	}
	for _, n := range s.find("commover") {
		ref := reference(s.nodes[n].text)
		for _, k := range s.find("comm") {
			if reference(s.nodes[k].text) != ref || strings.Contains(s.nodes[k].text, " send ") {
				continue
			}
			// UO follows C at once, before CO.
			add("without CO_", "UO before CO", n, func(c *sketch) {
				c.insert(c.nodes[k].succs[0], "useover"+loop(c.nodes[k].text)+" ref "+ref)
			})
			// CO stands before C, and nowhere behind.
			add("CO_", "CO before C", n, func(c *sketch) {
				text := c.nodes[n].text
				c.drop(n)
				at := k
				if n < k {
					at--
				}
				c.insert(at, text)
			})
		}
	}
	for _, n := range s.find("barrier") {
		// A barrier that follows another group at once is not missed: nothing
		// was used since the barrier before that group.
		if !strings.HasPrefix(s.nodes[n-1].text, "commover ") {
			add("no barrier stands before it", "dropped barrier", n, func(c *sketch) { c.drop(n) })
		}
		add("no barrier stands before it", "a statement behind the barrier", n, func(c *sketch) {
			c.insert(c.nodes[n].succs[0], "stmt"+loop(c.nodes[n].text)+` "x = a(1)"`)
		})
	}
	return out
}

// reference is the number of the communication that a node's text names.
func reference(text string) string {
	_, rest, _ := strings.Cut(text, " ref ")
	number, _, _ := strings.Cut(rest, " ")
	return number
}

// loop is the part of a node's text that says which loop the node is in.
func loop(text string) string {
	if _, rest, ok := strings.Cut(text, " in L"); ok {
		number, _, _ := strings.Cut(rest, " ")
		return " in L" + number
	}
	return ""
}

// TestVerifyRejects: of every plan of every program, no spoilt form passes.
func TestVerifyRejects(t *testing.T) {
	tried := map[string]int{}
	sample := effort.Sample(5)
	all := ordinary(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, k := range plan.Kinds {
			if !sample() {
				continue
			}
			s := takeApart(t, makePlan(t, all[name], k))
			if err := check(t, s); err != nil {
				t.Errorf("%s, %s: %v", name, k, err)
				continue
			}
			for _, f := range faults(s) {
				what, _, _ := strings.Cut(f.what, " of node")
				tried[what]++
				err := check(t, f.s)
				if err == nil {
					t.Errorf("%s, %s: accepted: %s", name, k, f.what)
				} else if !strings.Contains(err.Error(), f.want) && !strings.Contains(err.Error(), "the proof for the value of") && !strings.Contains(err.Error(), "the proof over its slots fails") {
					t.Errorf("%s, %s: %s: %v, want %q", name, k, f.what, err, f.want)
				}
			}
			// Slots: without a ready message, without a line.
			for i, slot := range s.slots {
				if k == plan.Handshake {
					c := s.clone()
					c.slots[i].Ready = plan.Never
					tried["dropped ready message"]++
					if err := check(t, c); err == nil || !strings.Contains(err.Error(), "puts without ready message") {
						t.Errorf("%s: no ready message of #%d: %v", name, slot.Comm.ID, err)
					}
				}
				if i+1 == len(s.slots) {
					c := s.clone()
					c.slots = c.slots[:i]
					c.proofs = slices.DeleteFunc(c.proofs, func(p sketchProof) bool { return p.put() == i+1 })
					c.classes = nil
					tried["dropped slot"]++
					if err := check(t, c); err == nil || !strings.Contains(err.Error(), "has no slot") && !strings.Contains(err.Error(), "no proof") {
						t.Errorf("%s: no slot for #%d: %v", name, slot.Comm.ID, err)
					}
				}
			}
		}
	}
	for _, what := range []string{"dropped CO", "dropped UO", "UO before CO", "CO before C", "dropped barrier", "a statement behind the barrier", "dropped ready message", "dropped slot"} {
		if tried[what] < effort.Of(50, 10) {
			t.Errorf("%s: only %d plans were spoilt so", what, tried[what])
		}
	}
}

// TestVerifyByHand: small graphs, right and wrong, with what the verifier says.
func TestVerifyByHand(t *testing.T) {
	for _, c := range []struct{ name, slots, graph, want string }{
		{"in line", "ready", `
0 entry -> 1
1 comm line 3 ref 1 shift "a(i-1)" -> 2
2 commover line 3 ref 1 -> 3
3 useover line 5 ref 1 -> 4
4 exit
`, ""},
		{"in a loop", "ready", `
loop L1
0 entry -> 1
1 loop in L1 -> 2 5
2 comm line 3 in L1 ref 1 -> 3
3 commover line 3 in L1 ref 1 -> 4
4 useover line 5 in L1 ref 1 -> 1
5 exit
`, ""},
		{"one way round the loop misses UO", "ready", `
loop L1
0 entry -> 1
1 loop in L1 -> 2 6
2 comm line 3 in L1 ref 1 -> 3
3 commover line 3 in L1 ref 1 -> 4
4 branch line 4 in L1 -> 5 1
5 useover line 5 in L1 ref 1 -> 1
6 exit
`, "C_1 is reached again before UO_1"},
		{"UO on both ways", "ready", `
0 entry -> 1
1 comm line 3 ref 1 -> 2
2 commover line 3 ref 1 -> 3
3 branch line 4 -> 4 5
4 useover line 5 ref 1 -> 6
5 useover line 6 ref 1 -> 6
6 join -> 7
7 exit
`, ""},
		{"CO on one way only", "ready", `
0 entry -> 1
1 comm line 3 ref 1 -> 2
2 branch line 4 -> 3 4
3 commover line 5 ref 1 -> 4
4 join -> 5
5 useover line 6 ref 1 -> 6
6 exit
`, "UO_1 is reached from C_1 in line 3 without CO_1"},
		{"a barrier on every way to C", "elided", `
0 entry -> 1
1 branch line 2 -> 2 3
2 barrier -> 4
3 barrier -> 4
4 join -> 5
5 comm line 3 ref 1 -> 6
6 commover line 3 ref 1 -> 7
7 useover line 6 ref 1 -> 8
8 exit
`, "no barrier stands before it"}, // a join is not passed: Make puts the barrier at C itself
		{"a barrier on one way only", "elided", `
0 entry -> 1
1 branch line 2 -> 2 3
2 barrier -> 3
3 comm line 3 ref 1 -> 4
4 commover line 3 ref 1 -> 5
5 useover line 6 ref 1 -> 6
6 exit
`, "line 3: C_1 puts without ready message, and no barrier stands before it"},
		{"one barrier for two", "elided elided", `
0 entry -> 1
1 barrier -> 2
2 comm line 3 ref 1 -> 3
3 comm line 3 ref 2 -> 4
4 commover line 3 ref 1 -> 5
5 commover line 3 ref 2 -> 6
6 useover line 6 ref 1 -> 7
7 useover line 6 ref 2 -> 8
8 exit
`, ""},
		{"the use of the first group between", "elided elided", `
0 entry -> 1
1 barrier -> 2
2 comm line 3 ref 1 -> 3
3 commover line 3 ref 1 -> 4
4 useover line 4 ref 1 -> 5
5 comm line 5 ref 2 -> 6
6 commover line 5 ref 2 -> 7
7 useover line 6 ref 2 -> 8
8 exit
`, "line 5: C_2 puts without ready message, and no barrier stands before it"},
		{"CO of a slot that is not", "ready", `
0 entry -> 1
1 commover line 3 ref 7 -> 2
2 exit
`, "line 3: CO_7 has no slot"},
		{"the end of the program before UO", "ready", `
0 entry -> 1
1 comm line 3 ref 1 -> 2
2 commover line 3 ref 1 -> 3
3 exit
`, "UO_1"},
		{"STOP needs no UO", "ready", `
0 entry -> 1
1 comm line 3 ref 1 -> 2
2 commover line 3 ref 1 -> 3
3 branch line 4 -> 4 5
4 stmt line 4 stop "stop" -> 6
5 useover line 5 ref 1 -> 6
6 exit
`, ""},
		{"CO without C", "ready", `
0 entry -> 1
1 commover line 3 ref 1 -> 2
2 useover line 3 ref 1 -> 3
3 exit
`, "C_1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := verify.Plan(byHand(t, plan.Handshake, c.slots, "", c.graph))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
