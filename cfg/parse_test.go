package cfg

import (
	"strings"
	"testing"
)

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "line 0: the text has no nodes"},
		{"// nothing\n", "line 1: the text has no nodes"},
		{"0 entry -> 2\n1 exit", "line 1: successor 2 does not exist"},
		{"0 entry -> 1\n2 exit", "line 2: node 2 stands where node 1 is expected"},
		{"0 entry -> 1\n\n// here\n1 jump -> 2\n2 exit", "line 4: node 1 has an unknown kind, expected one of entry, exit, stmt, branch, loop, join, comm, commover, useover, reduce, barrier"},
		{"0 entry -> 1\n1 stmt \"open -> 2\n2 exit", `line 2: the quotes of "open -> 2 do not end, or it has a bad escape`},
		{"0 entry -> 1\n1 stmt line x -> 2\n2 exit", "line 2: found x, expected a line number"},
		{"0 entry -> 1\n1 stmt line -> 2\n2 exit", "line 2: found ->, expected a line number"},
		{"0 entry -> 1\n1 stmt line 01 -> 2\n2 exit", "line 2: found 01, expected a line number"},
		{"0 entry -> 1\n1 stmt -> 2 \"x\"\n2 exit", `line 2: found "x", expected a node number`},
		{"0 entry -> 1\n1 stmt ->\n2 exit", "line 2: no successor follows the arrow"},
		{"0 entry -> 1\n1 stmt \"a\" \"b\" -> 2\n2 exit", `line 2: node 1 has a second text, "b"`},
		{"0 entry -> 1\n1 comm send recv -> 2\n2 exit", "line 2: node 1 has a second flavour, recv"},
		{"0 entry -> 1\n1 comm Send -> 2\n2 exit", "line 2: node 1: unexpected Send"},
		{"0 entry -> 1\n1 comm flavour send -> 2\n2 exit", "line 2: found send, expected a flavour in quotes"},
		{"0 entry -> 1\n1 stmt -> 2 2\n2 exit", "line 2: node 1, stmt, has 2 successors"},
		{"0 entry -> 1\n1 branch -> 2\n2 exit", "line 2: node 1, branch, has 1 successors"},
		{"0 entry -> 1\n1 exit -> 0", "line 2: node 1, exit, has 1 successors"},
		{"0 stmt -> 1\n1 exit", "line 1: node 0 is of kind stmt; the first node and no other is entry, the last and no other exit"},
		{"0 entry -> 1\n1 stmt -> 2\n2 stmt -> 1", "line 3: node 2 is of kind stmt; the first node and no other is entry, the last and no other exit"},
		{"0 entry -> 1\n1 stmt -> 3\n2 stmt -> 3\n3 exit", "line 4: node 2 is unreachable"},
		{"0 entry -> 1\n1 stmt -> 0\n2 exit", "line 2: node 1 leads back to entry"},
		{"0 entry -> 0", "line 1: node 0 is of kind entry; the first node and no other is entry, the last and no other exit"},
		{"0 entry -> 1\n1 stmt in L1 -> 2\n2 exit", "line 2: loop L1 is not declared before"},
		{"0 entry -> 1\n1 stmt in 1 -> 2\n2 exit", "line 2: found 1, expected a loop such as L1"},
		{"0 entry -> 1\nloop L1\n1 exit", "line 2: loops stand before nodes"},
		{"loop L2\n0 entry -> 1\n1 exit", "line 1: found L2, expected L1, the next loop"},
		{"loop L1 in L1\n0 entry -> 1\n1 exit", "line 1: loop L1 is not declared before"},
		{"loop L1 index i\n0 entry -> 1\n1 exit", "line 1: found i, expected an index in quotes"},
		{"loop L1 by 2\n0 entry -> 1\n1 exit", "line 1: found by, expected one of in, line, index, lo, hi, step"},
		{"loop L1 line 1 line 2\n0 entry -> 1\n1 exit", "line 1: unexpected line"},
		{"\nloop L1\n0 entry -> 1\n1 exit", "line 2: loop L1 has no head"},
		{"loop L1\n0 entry -> 1\n1 loop in L1 -> 2 3\n2 loop in L1 -> 1 1\n3 exit", "line 4: loop L1 has a second head, node 2"},
		{"0 entry -> 1\n1 loop -> 1 2\n2 exit", "line 2: node 1 is not the head of the loop it lies in"},
		{"loop L1\n0 entry -> 1\n1 branch -> 2 3\n2 loop in L1 -> 3 4\n3 stmt in L1 -> 2\n4 exit", "line 3: node 1 enters loop L1 at node 3, not at its head"},
	} {
		g, err := Parse(c.text)
		if err == nil {
			t.Errorf("read without an error:\n%s\nas\n%v\nwant %s", c.text, g, c.want)
		} else if err.Error() != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.text, err, c.want)
		}
	}
}

// TestParseFreedom: what a person may write otherwise than WriteText does.
func TestParseFreedom(t *testing.T) {
	g, err := Parse(`
		// A pipelined loop.
		loop L1 hi "n" lo "2" index "i" line 4

		0 entry -> 1
		1 loop "do i = 2, n" in L1 -> 2 3
		2 comm "b(i-1)" recv ref 1 in L1 line 5 -> 1
		3 exit`)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		`loop L1 line 4 index "i" lo "2" hi "n"`,
		`0 entry -> 1`,
		`1 loop in L1 "do i = 2, n" -> 2 3`,
		`2 comm line 5 in L1 ref 1 recv "b(i-1)" -> 1`,
		`3 exit`, ""}, "\n")
	if got := g.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestUnreachableNodesStayOut(t *testing.T) {
	b := NewBuilder()
	l := b.BeginLoop(1, "do")
	b.Cycle(l)
	if b.Reachable() {
		t.Error("the point behind CYCLE is reachable")
	}
	dead := b.Node(Stmt, 2, 0, "x = 1")
	branch := b.BeginIf(3, "p")
	inner := b.BeginLoop(4, "do")
	b.Exit(inner)
	b.EndLoop()
	b.Else()
	b.EndIf()
	b.EndLoop()
	g := b.Finish()
	if dead.ID != -1 || branch.ID != -1 || inner.Head.ID != -1 || inner.ID != 0 {
		t.Errorf("unreachable nodes have the IDs %d, %d, %d, loop %d", dead.ID, branch.ID, inner.Head.ID, inner.ID)
	}
	if want := "loop L1 line 1\n0 entry -> 1\n1 loop line 1 in L1 \"do\" -> 1 2\n2 exit\n"; g.String() != want {
		t.Errorf("got\n%vwant\n%s", g, want)
	}
}

func TestBuilderMisusePanics(t *testing.T) {
	for name, misuse := range map[string]func(b *Builder){
		"EndIf without IF":     func(b *Builder) { b.EndIf() },
		"EndLoop closes IF":    func(b *Builder) { b.BeginIf(1, "p"); b.EndLoop() },
		"EndIf closes loop":    func(b *Builder) { b.BeginLoop(1, "do"); b.EndIf() },
		"second Else":          func(b *Builder) { b.BeginIf(1, "p"); b.Else(); b.Else() },
		"Else in a loop":       func(b *Builder) { b.BeginLoop(1, "do"); b.Else() },
		"open at the end":      func(b *Builder) { b.BeginLoop(1, "do"); b.Finish() },
		"EXIT of a closed one": func(b *Builder) { l := b.BeginLoop(1, "do"); b.EndLoop(); b.Exit(l) },
		"CYCLE of nothing":     func(b *Builder) { b.BeginIf(1, "p"); b.Cycle(nil) },
		"Node of a branch":     func(b *Builder) { b.Node(Branch, 1, 0, "p") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			misuse(NewBuilder())
		}()
	}
}
