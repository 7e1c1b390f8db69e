package dataflow_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/dataflow/verify"
)

// Rows 7, 8 and 16 are about graphs that this compiler does not make, row 17
// about a theorem that no pass uses, row 18 about passes that do not exist. Their
// tests change a graph, and show by a program that is compiled without a ready
// message what the changed graph stands for.

// elided is the handshake plan without the ready messages of communications refs.
func (a *analysis) elided(refs []int) *plan.Plan {
	p := a.plan(plan.Handshake)
	for _, r := range refs {
		p.Slots[r-1].Ready = plan.Never
	}
	return p
}

// trusting are programs without the ready messages of some communications. (In
// row 17 each of the three has the other two as its answer, and the ready messages
// of the second would order what is to be shown.)
var trusting = []struct {
	name, args string
	refs       []int
	edit       func(source string) string // nil: as it stands
	early      bool
}{
	{"07-cycle", "-n 2 -hold 1,1,1", []int{1}, nil, true},
	{"08-one-branch", "-n 2 -hold 1,1,2", []int{1}, nil, true},
	{"16-zero-trip", "-n 2 -hold 1,1,1", []int{1}, nil, true},
	{"17-in-flight", "-n 4 -hold 2,1,1", []int{1, 2, 3}, nil, true},
	{"17-in-flight", "-n 4 -hold 2,1,1", []int{1, 2, 3}, inSequence, false},
	{"18-witness", "-n 2 -hold 1,1,1", []int{1}, nil, false},
	{"18-witness", "-n 2 -hold 1,1,1", []int{1}, withoutWitness, true},
}

// inSequence completes the transposition before the reflection starts.
func inSequence(source string) string {
	return strings.Replace(source, "        d(i,j) = b(j,i) + c(n+1-i,j)", `        d(i,j) = b(j,i)
      end do
    end do
    do j = 1, n
      do i = 1, n
        d(i,j) = d(i,j) + c(n+1-i,j)`, 1)
}

// withoutWitness takes out the shift that answers the other one.
func withoutWitness(source string) string {
	return strings.Replace(source, "c(i) = b(i+1)", "c(i) = b(i)", 1)
}

// TestTrustingRuns: without the ready message that the sound form asks for, and
// with the PE that uses the value held, the next put comes too early; with a
// true answer, or the ready message, it does not.
func TestTrustingRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("long: a bundle of its own")
	}
	mains := map[string][]byte{}
	name := func(i int, kind string) string {
		return strings.Join([]string{trusting[i].name, kind, string(rune('a' + i))}, ".")
	}
	for i, c := range trusting {
		a := analyze(t, "testdata/defects/"+c.name+".hpf")
		if c.edit != nil {
			text := c.edit(a.source)
			if text == a.source {
				t.Fatalf("%s: nothing to edit", c.name)
			}
			var err error
			if a, err = analyzeText(c.name+".hpf", []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		for kind, p := range map[string]*plan.Plan{"elided": a.elided(c.refs), "handshake": a.plan(plan.Handshake), "popl96": a.plan(plan.PopL96)} {
			code, err := emit(p)
			if err != nil {
				t.Fatal(err)
			}
			mains[name(i, kind)] = code
		}
	}
	b, err := build(filepath.Join(sharedDir, "trusting"), mains)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range trusting {
		args := strings.Fields(c.args)
		r := b.run(t, name(i, "elided"), args...)
		switch {
		case !c.early && !r.clean():
			t.Errorf("%s %s: %v", name(i, "elided"), c.args, r)
		case c.early && (r.status != 1 || !strings.Contains(r.stderr, ": put of #1 ") || !strings.Contains(r.stderr, "comes too early")):
			t.Errorf("%s %s: no put came too early: %v", name(i, "elided"), c.args, r)
		}
		for _, kind := range []string{"handshake", "popl96"} {
			if r := b.run(t, name(i, kind), args...); !r.clean() {
				t.Errorf("%s %s: %v", name(i, kind), c.args, r)
			}
		}
	}
}

// verdictsOn are the two forms' verdicts on communication 1 in a changed graph,
// with the kills that the program has.
func (a *analysis) verdictsOn(g *cfg.Graph) (literal, sound synch.Verdict) {
	return verdictsWith(g, len(a.program.Comms), func(y, x int) bool { return a.functions.LiteralKills(0, y, x) }, a.functions.KillsAfter)
}

func verdictsWith(g *cfg.Graph, refs int, lk synch.LiteralKills, k synch.Kills) (literal, sound synch.Verdict) {
	l := synch.SolveLiteral(g, refs, lk, synch.LiteralLimit, false)[0]
	return l.Verdict(g), synch.NewSolver(g).Solve(proof.Shared(1, 1), k, false).Verdict(g)
}

// change reads the graph of a program from its text, with a replacement that must
// be there.
func (a *analysis) change(t *testing.T, old, new string) *cfg.Graph {
	t.Helper()
	text := a.program.Graph().String()
	if strings.Count(text, old) != 1 {
		t.Fatalf("%q is not once in\n%s", old, text)
	}
	g, err := cfg.Parse(strings.Replace(text, old, new, 1))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Row 7: with the CYCLE as in the source, CS and NoSync meet at the loop's head.
func TestRow7MeetOfCSAndNoSync(t *testing.T) {
	a := analyze(t, "testdata/defects/07-cycle.hpf")
	g := a.change(t, `13 useover line 29 in L3 ref 1 "a(i-1)" -> 5`, `13 stmt line 29 in L3 "cycle steps" -> 5`)
	if l, s := a.verdictsOn(g); l != synch.NoReady || s != synch.NeedsSync {
		t.Errorf("literal %v, sound %v; want NoSync and Sync", l, s)
	}
}

// Row 8: killer 2 is posted on one branch, 3 on the other, and only 2 is awaited
// before the round ends. United tags take the arrival of 2 for that of 3.
func TestRow8TagsMeet(t *testing.T) {
	const text = `loop L1 line 1 index "t" lo "1" hi "9" step "1"
0 entry -> 1
1 loop line 1 in L1 "do t" -> 2 12
2 comm line 2 in L1 ref 1 -> 3
3 commover line 3 in L1 ref 3 -> 4
4 commover line 4 in L1 ref 1 -> 5
5 useover line 5 in L1 ref 1 -> 6
6 branch line 6 in L1 "flag(t)" -> 7 8
7 comm line 7 in L1 ref 2 -> 9
8 comm line 8 in L1 ref 3 -> 9
9 join in L1 -> 10
10 commover line 10 in L1 ref 2 -> 11
11 stmt line 11 in L1 "end of the round" -> 1
12 exit
`
	for _, c := range []struct {
		name, old, new string
		literal        synch.Verdict
	}{
		{"only one of the two has arrived", "", "", synch.NoReady},
		{"both have arrived", `11 stmt line 11 in L1 "end of the round"`, `11 commover line 11 in L1 ref 3`, synch.NoReady},
		{"none has arrived", "10 commover line 10 in L1 ref 2", `10 stmt line 10 in L1 "nothing"`, synch.NeedsSync},
	} {
		g, err := cfg.Parse(strings.Replace(text, c.old, c.new, 1))
		if err != nil {
			t.Fatal(err)
		}
		answers := func(y int) bool { return y > 1 }
		l, s := verdictsWith(g, 3, func(y, x int) bool { return x == 1 && answers(y) }, func(y, put, nth int) bool { return answers(y) })
		if l != c.literal || s != synch.NeedsSync {
			t.Errorf("%s: literal %v, sound %v; want %v and Sync", c.name, l, s, c.literal)
		}
	}
}

// Row 16: where a loop is taken to run at least once, both forms believe in its
// killer; so graphs are while-shaped.
func TestRow16LoopsMayNotRun(t *testing.T) {
	a := analyze(t, "testdata/defects/16-zero-trip.hpf")
	g := a.program.Graph()
	var head *cfg.Node
	for _, n := range g.Nodes {
		if n.Kind == cfg.LoopHead && strings.HasPrefix(n.Text, "do k") {
			head = n
		}
	}
	if head == nil {
		t.Fatal("no loop over k")
	}
	if l, s := a.verdictsOn(g); l != synch.NeedsSync || s != synch.NeedsSync {
		t.Errorf("while-shaped: literal %v, sound %v; want Sync twice", l, s)
	}
	// Whatever leads to the head from outside of the loop now leads to its body.
	body := head.Succs[0]
	for _, p := range slices.Clone(head.Preds) {
		if head.Loop.Contains(p.Loop) {
			continue
		}
		for i, s := range p.Succs {
			if s == head {
				p.Succs[i] = body
			}
		}
		head.Preds = slices.DeleteFunc(head.Preds, func(n *cfg.Node) bool { return n == p })
		body.Preds = append(body.Preds, p)
	}
	if l, s := a.verdictsOn(g); l != synch.NoReady || s != synch.NoReady {
		t.Errorf("repeat-shaped: literal %v, sound %v; want NoSync twice", l, s)
	}
}

// Row 17: the printed matrices accept the two steps as an answer, whether or not
// one follows the other; neither alone is one.
func TestRow17ChainInFlight(t *testing.T) {
	a := analyze(t, "testdata/defects/17-in-flight.hpf")
	f := a.functions
	if test := f.PrintedTest(0, []int{2, 3}, 1); !test.Kills {
		t.Errorf("the chain of 2 and 3 does not kill 1 as printed: %s", test.Why)
	}
	for y := 2; y <= 3; y++ {
		if f.LiteralKills(0, y, 1) || f.KillsAfter(y, 1, 1) {
			t.Errorf("communication %d alone kills 1", y)
		}
	}
	posted := map[int]int{}
	for _, n := range f.Graph.Nodes {
		switch {
		case n.Kind == cfg.Comm:
			posted[n.Ref] = n.ID
		case n.Kind == cfg.CommOver && n.Ref == 2 && posted[3] == 0:
			t.Error("2 is complete before 3 starts: the program no longer shows the defect")
		}
	}
}

// again is a copy of a graph, for a test to change.
func again(t *testing.T, g *cfg.Graph) *cfg.Graph {
	t.Helper()
	out, err := cfg.Parse(g.String())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Row 18: when the message that a proof stands on is gone, the plan no longer
// passes.
func TestRow18WitnessRemoved(t *testing.T) {
	a := analyze(t, "testdata/defects/18-witness.hpf")
	for witness, put := range map[int]string{2: "C_1", 1: "C_2"} {
		p := a.plan(plan.PopL96)
		if err := verify.Plan(p); err != nil {
			t.Fatal(err)
		}
		q := *p
		d := &q
		if d.Graph = again(t, d.Graph); verify.Graph(d) != nil {
			t.Fatal("the graph is another one")
		}
		for _, n := range d.Graph.Nodes {
			if n.Ref == witness && n.Kind.IsComm() {
				n.Kind, n.Ref, n.Text, n.Flavour = cfg.Stmt, 0, "removed", ""
			}
		}
		if err := verify.Graph(d); err == nil || !strings.Contains(err.Error(), put) {
			t.Errorf("without communication %d: %v, want an error about %s", witness, err, put)
		}
	}
}
