package proof_test

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/internal/prooftext"
	"github.com/spmdc/spmdc/dataflow/proof"
)

// example is that of the package comment.
const example = `on 3 PEs: 0>1; 1>2,9; 2-8>1; 9
sent 1 at 2: 0>1 1>2 to 1-2
sent 2 at 3: 1>0 2>1 to 0-1
known 1*2: 1-2 0@1:1 0@2:2 1@1:0 1@2:1; 3 1@1:1 1@2:2; 4-5 2>1@1:0 2>1@2:1; 6-7 1@1:0 1@2:1; 8 0@1:1 0@2:2 1@1:0 1@2:1
`

const exampleGraph = `loop L1 line 1 index "t" lo "1" hi "m" step "1"
0 entry -> 1
1 loop line 1 in L1 "do t = 1, m" -> 2 9
2 comm line 2 in L1 ref 1 shift "a" -> 3
3 comm line 2 in L1 ref 2 shift "b" -> 4
4 commover line 2 in L1 ref 1 -> 5
5 commover line 2 in L1 ref 2 -> 6
6 stmt line 3 in L1 "use" -> 7
7 useover line 4 in L1 ref 1 -> 8
8 useover line 4 in L1 ref 2 -> 1
9 exit
`

// check checks the proof that #1 may put, with two slots.
func check(t *testing.T, text string) error {
	t.Helper()
	list, err := prooftext.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	g, err := cfg.Parse(exampleGraph)
	if err != nil {
		t.Fatal(err)
	}
	return proof.NewChecker(g).Check(list[0])
}

// TestExample: the example holds, and what is left out of it, or is too much, is
// missed.
func TestExample(t *testing.T) {
	text := example
	if err := check(t, text); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	for _, c := range []struct{ name, old, new, want string }{
		{"a message that answers", "sent 2 at 3: 1>0 2>1", "sent 2 at 3: 1>0", "copy 4 (CO_1) behind copy 3 (C_2): PEs 1 need not know of the use of generation 1 at PE 2 when C_2 has arrived"},
		{"a claim", "; 8 0@1:1 0@2:2 1@1:0 1@2:1", "", "copy 1 (loop 1) behind copy 8 (UO_2): PEs 1 need not know of the use of generation 0 at PE 1"},
		{"the conclusion", "1@1:0 1@2:1; 3", "1@1:0; 3", "copy 2 (C_1): nothing is claimed to have let PEs 1 know that the use of #1 at PE 2 is over"},
		{"another ring", "known 1*2: ", "known 1*3: ", "copy 2 (C_1): nothing is claimed to have let PEs 0 know that the use of #1 at PE 1 is over"},
		{"more puts", "sent 1 at 2: 0>1 1>2 to 1-2", "sent 1 at 2: 0>1 1>2 may 0>1 1>2 2>1 to 1-2", "copy 2 (C_1): nothing is claimed to have let PEs 2 know that the use of #1 at PE 1 is over"},
		{"more that is certain than there can be", "sent 2 at 3: 1>0 2>1", "sent 2 at 3: 1>0 2>1 may 1>0", "messages of #2 are certain and cannot be"},
		{"a way", "1>2,9", "1>9", ""},
		{"no way out of a statement", "2-8>1", "2-8", "copy 8 of node 8 does not go on to all nodes that come next"},
		{"a way that is none", "2-8>1", "2-8>2", "copy 8 of node 8 goes on to copy 2, which is not of a node that comes next"},
		{"a node that is none", "; 9\n", "; 10\n", "copy 9 is of node 10, and there are 10"},
		{"another start", "0>1; 1>", "1>1; 1>", "the first copy is not of the entry"},
		{"messages", "sent 2 at 3: 1>0 2>1 to 0-1\n", "", "copy 3 of C_2 has no messages"},
		{"messages elsewhere", "sent 2 at 3:", "sent 2 at 4:", "copy 4 is not of a C node of #2"},
		{"messages twice", "sent 2 at 3: 1>0 2>1 to 0-1\n", "sent 2 at 3: 1>0 2>1 to 0-1\nsent 2 at 3: 1>0\n", "copy 3 has messages twice"},
		{"claims out of order", "; 3 1@1:1", "; 2 1@1:1", "claims for the points 2-2: points ascend from 0 to 9"},
		{"an idle PE", "6-7 1@1:0 1@2:1", "6-7 1@1:0 1@2:1 idle:1", "copy 6 (stmt 6) behind copy 5 (CO_2): the use at PEs 1 may not be over"},
		{"too many PEs", "on 3 PEs", "on 65 PEs", "no copies, or too many PEs"},
		{"a generation that is none", "3 1@1:1", "3 2@1:1", "claims for the points 3-3: facts out of order or range"},
	} {
		if !strings.Contains(text, c.old) {
			t.Fatalf("%s: nothing to replace", c.name)
		}
		got := ""
		if err := check(t, strings.Replace(text, c.old, c.new, 1)); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}
