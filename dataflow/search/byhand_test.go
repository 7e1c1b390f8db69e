package search_test

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/internal/prooftext"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/verify"
)

// needs is the words of forms.
var needs = map[string]plan.Ready{"ready": plan.Always, "elided": plan.Never}

// byHand is a plan with slots that are ready or elided, and proofs as in its text form.
func byHand(t *testing.T, kind plan.Kind, moods, proofs, graph string) *plan.Plan {
	t.Helper()
	g, err := cfg.Parse(strings.TrimLeft(graph, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	d := &plan.Plan{Kind: kind, Graph: g}
	for i, mood := range strings.Fields(moods) {
		d.Slots = append(d.Slots, plan.Slot{Comm: &comm.Comm{ID: i + 1}, Form: plan.Form{Ready: needs[mood], Ring: 1}})
	}
	list, err := prooftext.Parse(proofs)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		s := &d.Slots[c.Puts[0]-1]
		s.Proofs = append(s.Proofs, c)
	}
	return d
}

// TestProofsByHand: small plans with their proofs, right and wrong, and what the
// verifier says.
func TestProofsByHand(t *testing.T) {
	const (
		// x is repeated, and a reduction follows its use.
		reduced = `
loop L1
0 entry -> 1
1 loop in L1 -> 2 6
2 comm line 3 in L1 ref 1 shift "a(i-1)" -> 3
3 commover line 3 in L1 ref 1 -> 4
4 useover line 4 in L1 ref 1 -> 5
5 reduce line 5 in L1 ref 9 sum "s" -> 1
6 exit
`
		// The reduction lies on one way round only.
		branched = `
loop L1
0 entry -> 1
1 loop in L1 -> 2 7
2 comm line 3 in L1 ref 1 shift "a(i-1)" -> 3
3 commover line 3 in L1 ref 1 -> 4
4 useover line 4 in L1 ref 1 -> 5
5 branch line 5 in L1 -> 6 1
6 reduce line 5 in L1 ref 9 sum "s" -> 1
7 exit
`
		// y answers x, in the same round or with x posted before y has arrived.
		answered = `
loop L1
0 entry -> 1
1 loop in L1 -> 2 8
2 comm line 3 in L1 ref 1 shift "a(i-1)" -> 3
3 commover line 3 in L1 ref 1 -> 4
4 useover line 4 in L1 ref 1 -> 5
5 comm line 6 in L1 ref 2 shift "b(i+1)" -> 6
6 commover line 6 in L1 ref 2 -> 7
7 useover line 7 in L1 ref 2 -> 1
8 exit
`
		early = `
loop L1
0 entry -> 1
1 comm line 2 ref 2 shift "b(i+1)" -> 2
2 loop in L1 -> 3 6
3 comm line 3 in L1 ref 1 shift "a(i-1)" -> 4
4 commover line 3 in L1 ref 1 -> 5
5 useover line 4 in L1 ref 1 -> 2
6 commover line 6 ref 2 -> 7
7 useover line 7 ref 2 -> 8
8 exit
`
		pipelined = `
loop L1
0 entry -> 1
1 loop in L1 -> 2 9
2 comm line 3 in L1 ref 1 shift "a(i-1)" -> 3
3 commover line 3 in L1 ref 1 -> 4
4 useover line 4 in L1 ref 1 -> 5
5 comm line 6 in L1 ref 2 recv "b(i+1)" -> 6
6 commover line 6 in L1 ref 2 -> 7
7 comm line 7 in L1 ref 2 send "b(i+1)" -> 8
8 useover line 7 in L1 ref 2 -> 1
9 exit
`
		// x itself is pipelined: it puts behind the loop that uses what came.
		pipe = `
loop L1
0 entry -> 1
1 loop in L1 -> 2 7
2 comm line 3 in L1 ref 1 recv "a(i-1)" -> 3
3 commover line 3 in L1 ref 1 -> 4
4 comm line 4 in L1 ref 1 send "a(i-1)" -> 5
5 useover line 4 in L1 ref 1 -> 6
6 reduce line 5 in L1 ref 9 sum "s" -> 1
7 exit
`
		// Two communications into the same cells, one behind the other.
		shared = `
0 entry -> 1
1 comm line 3 ref 1 shift "a(i-1)" -> 2
2 commover line 3 ref 1 -> 3
3 useover line 4 ref 1 -> 4
4 reduce line 5 ref 9 sum "s" -> 5
5 comm line 6 ref 2 shift "a(i-1)" -> 6
6 commover line 6 ref 2 -> 7
7 useover line 7 ref 2 -> 8
8 exit
`
		// Two communications together answer x, one behind the other, or both at once.
		chained = `
loop L1
0 entry -> 1
1 loop in L1 -> 2 11
2 comm line 3 in L1 ref 1 remap "a(i-2)" -> 3
3 commover line 3 in L1 ref 1 -> 4
4 useover line 4 in L1 ref 1 -> 5
5 comm line 6 in L1 ref 2 remap "b(i+1)" -> 6
6 commover line 6 in L1 ref 2 -> 7
7 useover line 7 in L1 ref 2 -> 8
8 comm line 8 in L1 ref 3 remap "c(i+1)" -> 9
9 commover line 8 in L1 ref 3 -> 10
10 useover line 9 in L1 ref 3 -> 1
11 exit
`
		together = `
loop L1
0 entry -> 1
1 loop in L1 -> 2 11
2 comm line 3 in L1 ref 1 remap "a(i-2)" -> 3
3 commover line 3 in L1 ref 1 -> 4
4 useover line 4 in L1 ref 1 -> 5
5 comm line 6 in L1 ref 2 remap "b(i+1)" -> 6
6 comm line 8 in L1 ref 3 remap "c(i+1)" -> 7
7 commover line 6 in L1 ref 2 -> 8
8 commover line 8 in L1 ref 3 -> 9
9 useover line 7 in L1 ref 2 -> 10
10 useover line 9 in L1 ref 3 -> 1
11 exit
`
	)
	const (
		inTurn = "proof 1 1: 0-2 NoSync, 5 Cons, 6 Cons+>1, 7-8 Cons+1, 9 NoSyncP{3}, 10 NoSync"
		links  = " kills 3+1 relays 2+0\n"
	)
	const right = "proof 1 1: 0-2 NoSync, 3-4 CS, 5 Cons\n"
	const answer = "proof 1 1: 0-2 NoSync, 3-4 CS, 5 Cons, 6 NoSyncP{2}, 7 NoSync"
	for _, c := range []struct{ name, slots, proofs, graph, want string }{
		{"a reduction in each round", "elided", right, reduced, ""},
		{"more is claimed than need be, and true", "elided", "proof 1 1: 0 U, 1-2 NoSync, 3-4 CS, 5 Cons\n", reduced, ""},
		{"no proof", "elided", "", reduced, "line 3: C_1 puts without ready message, and no proof says that the value of #1 is dead by then"},
		{"an empty proof", "elided", "proof 1 1:\n", reduced, "fails: C_1: nothing is claimed to have let the next producers know that the use of #1 is over"},
		{"Cons is not enough", "elided", "proof 1 1: 0-2 Cons, 5 Cons\n", reduced, "fails: C_1: nothing is claimed to have let the next producers know that the use of #1 is over"},
		{"the use forgotten", "elided", "proof 1 1: 0-6 NoSync\n", reduced, "CO_1 behind C_1: the consumer and the next producers need not know of the use of generation 0"},
		{"once, in a loop", "elided", "proof 1 1: 0-2 U, 3-4 CS, 5 Cons\n", reduced, "loop 1 behind reduce 5: everybody need not know of the use of generation 0"},
		{"a claim about no node", "elided", "proof 1 1: 0-2 NoSync, 3-4 CS, 5 Cons, 7 U\n", reduced, "points ascend from 0 to 6"},
		{"claims out of order", "elided", "proof 1 1: 3-4 CS, 0-2 NoSync, 5 Cons\n", reduced, "points ascend from 0 to 6"},
		{"a reduction on one way only", "elided", "proof 1 1: 0-2 NoSync, 3-4 CS, 5-6 Cons\n", branched, "loop 1 behind branch 5: the next producers need not know of the use of generation 0"},
		{"an answer", "elided ready", answer + " kills 2\n", answered, ""},
		{"an answer that is not among the kills", "elided ready", answer + "\n", answered, "CO_2 behind C_2: the next producers need not know of the use of generation 0 when C_2 has arrived"},
		{"a message that is not among the kills, where nothing was used", "elided", "proof 1 1: 0 NoSyncP{2}, 1-2 NoSync, 3-4 CS, 5 Cons\n", reduced, ""},
		{"an answer that nobody sends", "elided ready", answer + " kills 2 3\n", answered, "there is no communication #3"},
		{"its own messages", "elided ready", answer + " kills 1 2\n", answered, "#1 counts on its own messages"},
		{"an answer sent, and not there yet", "elided ready", "proof 1 1: 0-2 NoSync, 3-4 CS, 5 Cons, 6-7 NoSync kills 2\n", answered, "CO_2 behind C_2: the next producers need not know of the use of generation 0"},
		{"an answer from before the use", "elided ready", "proof 1 1: 0-1 NoSync, 2-3 NoSync, 4 CS, 5 CS kills 2\n", early, "loop 2 behind UO_1: the next producers need not know of the use of generation 0"},
		{"a pipelined answer", "elided ready", "proof 1 1: 0-2 NoSync, 3-4 CS, 5 Cons, 6 NoSyncP{2}, 7-8 NoSync kills 2\n", pipelined, "#2 is pipelined"},
		{"pipelined, a reduction in each round", "elided", "proof 1 1: 0-4 NoSync, 5 CS, 6 Cons\n", pipe, ""},
		{"pipelined, the put taken for where it waits", "elided", "proof 1 1: 0-2 NoSync, 3-5 CS, 6 Cons\n", pipe, "fails: C_1: nothing is claimed to have let the next producers know that the use of #1 is over"},
		{"a chain", "elided ready ready", inTurn + links, chained, ""},
		{"a chain without its last link", "elided ready ready", inTurn + " kills 2 relays 2+0\n", chained, "CO_3 behind C_3: the next producers need not know of the use of generation 0 when C_3 has arrived"},
		{"a chain the other way round", "elided ready ready", inTurn + " kills 2+1 relays 3+0\n", chained, "the receivers of C_3 in a chain"},
		{"a relay without messages", "elided ready ready", inTurn + " kills 3+1 relays 1+0\n", chained, "#1 counts on its own messages, or those of the put, in a chain"},
		{"a chain by way of a relay that there is not", "elided ready ready", inTurn + " kills 3+2 relays 2+0\n", chained, "there is no relay 2"},
		{"a relay behind itself", "elided ready ready", inTurn + " kills 3+1 relays 2+1\n", chained, "relay 1 of chains comes behind relay 1"},
		{"a relay that knows before the message has arrived", "elided ready ready", "proof 1 1: 0-2 NoSync, 5 Cons, 6-8 Cons+1, 9 NoSyncP{3}, 10 NoSync" + links, chained, "CO_2 behind C_2: the receivers of C_2 in a chain need not know"},
		{"links under way together", "elided ready ready", "proof 1 1: 0-2 NoSync, 5 Cons, 6 Cons+>1, 7 NoSyncP{3}, 8-10 NoSync" + links, together, "need not know of the use of generation 0"},
		{"a chain over a message from before the use", "elided ready ready", "proof 1 1: 0-2 NoSync, 3 -+1, 4 -+1, 5-8 Cons+1, 9 NoSyncP{3}, 10 NoSync" + links, chained, "CO_1 behind C_1: the receivers of C_2 in a chain need not know"},
		{"shared cells", "ready elided", "proof 1 2: 0-1 CS, 2-3 CS, 4 Cons, 5 NoSync\nclass 1 2\n", shared, ""},
		{"shared cells, a proof for itself only", "ready elided", "proof 2 2: 0-5 U\nclass 1 2\n", shared, "no proof says that the value of #1 is dead"},
		{"shared cells, of which the class does not know", "ready elided", "proof 2 2: 0-5 U\n", shared, ""},
		{"shared cells, use under way", "ready elided", "proof 1 2: 0-1 CS, 2-4 CS, 5 NoSync\nclass 1 2\n", shared, "C_2 behind reduce 4: the consumer and the next producers need not know of the use of generation 0"},
	} {
		proofs, _, shared := strings.Cut(c.proofs, "class")
		d := byHand(t, plan.PopL96, c.slots, proofs, c.graph)
		if shared {
			d.Classes = [][]int{{1, 2}}
		}
		err := verify.Graph(d)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
