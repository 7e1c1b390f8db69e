package cfg

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// programs draws sources of build's language: nested loops and conditionals of
// random shape, with jumps anywhere.
func programs() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var out strings.Builder
		// Drawn evenly: rapid's own ranges favour small numbers, which makes
		// most programs empty.
		among := func(what string, n uint64) int {
			return int(rapid.Uint64().Draw(t, what) * 0x9e3779b97f4a7c15 >> 33 % n)
		}
		left := 1 + among("size", 25)
		var block func(depth, loops int)
		block = func(depth, loops int) {
			indent := strings.Repeat("  ", depth)
			line := func(format string, args ...any) { fmt.Fprintf(&out, indent+format+"\n", args...) }
			for range among("length", 6) {
				if left--; left < 0 {
					return
				}
				choice := among("statement", 13)
				switch {
				case choice <= 3 && depth < 5:
					line([]string{"do i = 1, n", "do j = n, 1, -2", "while p", "forever"}[choice])
					block(depth+1, loops+1)
					line("end do")
				case choice == 4 || choice == 5:
					line("if p")
					block(depth+1, loops)
					if choice == 5 {
						line("else")
						block(depth+1, loops)
					}
					line("end if")
				case choice == 6 && loops > 0:
					line("exit")
				case choice == 7 && loops > 0:
					line("cycle")
				case choice == 8 && loops > 1:
					line("%s 2", rapid.SampledFrom([]string{"exit", "cycle"}).Draw(t, "jump"))
				case choice == 9 && depth > 0:
					line("stop")
				case choice == 10:
					line("C %d shift a(i-1)", rapid.IntRange(1, 9).Draw(t, "ref"))
				default:
					line("x = x + 1")
				}
			}
		}
		for left > 0 {
			block(0, 0)
		}
		return out.String()
	})
}

// reaches reports for every node whether a path from root along next leads to
// it that avoids the node without.
func reaches(root, without *Node, next func(*Node) []*Node) map[*Node]bool {
	seen := map[*Node]bool{}
	var walk func(n *Node)
	walk = func(n *Node) {
		if n == without || seen[n] {
			return
		}
		seen[n] = true
		for _, s := range next(n) {
			walk(s)
		}
	}
	walk(root)
	return seen
}

func succs(n *Node) []*Node { return n.Succs }
func preds(n *Node) []*Node { return n.Preds }

// TestBuilderProperties: every built graph is well formed, its dominators are
// those of the definition, and its cycles are its loops.
func TestBuilderProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := build(programs().Draw(t, "source"))
		if err := g.Check(); err != nil {
			t.Fatalf("%v\n%v", err, g)
		}
		checkTree(t, g, g.Dominators(), g.Entry, succs)
		checkTree(t, g, g.PostDominators(), g.Exit, preds)
		checkLoops(t, g)

		at := map[*Node]int{}
		for i, n := range g.RPO() {
			at[n] = i
		}
		back := map[Edge]bool{}
		for _, e := range g.BackEdges() {
			back[e] = true
		}
		for n := range at {
			for slot, s := range n.Succs {
				if back[Edge{n, slot}] != (at[s] <= at[n]) {
					t.Fatalf("edge %d to %d goes back in one of order and dominators only\n%v", n.ID, s.ID, g)
				}
			}
		}
	})
}

// checkTree compares a tree with the definition: a dominates b when removing a
// cuts b off from the root.
func checkTree(t *rapid.T, g *Graph, tree *Tree, root *Node, next func(*Node) []*Node) {
	reached := reaches(root, nil, next)
	for _, a := range g.Nodes {
		without := reaches(root, a, next)
		for _, b := range g.Nodes {
			want := reached[a] && reached[b] && !without[b]
			if got := tree.Dominates(a, b); got != want {
				t.Fatalf("from %s: %d dominates %d: %v, want %v\n%v", root.Name(), a.ID, b.ID, got, want, g)
			}
			// The immediate one is the strict dominator that all others dominate.
			if want && a != b && !tree.Dominates(a, tree.Idom(b)) {
				t.Fatalf("from %s: %d is between %d and its immediate dominator\n%v", root.Name(), a.ID, b.ID, g)
			}
		}
	}
	for _, n := range g.Nodes {
		if p := tree.Idom(n); (p == nil) != (n == root || !reached[n]) {
			t.Fatalf("node %d has the immediate dominator %v\n%v", n.ID, p, g)
		}
	}
}

// checkLoops: the natural loops are the loops as written that repeat, each is
// inside the written body, and what it lacks never comes back to the head.
func checkLoops(t *rapid.T, g *Graph) {
	natural := map[*Node]*NaturalLoop{}
	for _, l := range g.NaturalLoops() {
		natural[l.Head] = l
		if l.Head.Kind != LoopHead {
			t.Fatalf("node %d heads a cycle but is no loop\n%v", l.Head.ID, g)
		}
	}
	for _, l := range g.Loops {
		n := natural[l.Head]
		for _, x := range g.Nodes {
			// Does x repeat: is it on a cycle through the head inside the body?
			repeats := false
			for _, s := range x.Succs {
				repeats = repeats || s == l.Head
			}
			if repeats && l.Body[x] && (n == nil || !n.Body[x]) {
				t.Fatalf("node %d leads back to the head of L%d, outside of its natural loop\n%v", x.ID, l.ID, g)
			}
			if n != nil && n.Body[x] && !l.Body[x] {
				t.Fatalf("node %d repeats with L%d and is not written in it\n%v", x.ID, l.ID, g)
			}
			if l.Body[x] != l.Contains(x.Loop) {
				t.Fatalf("node %d: body and nesting of L%d differ\n%v", x.ID, l.ID, g)
			}
		}
		if l.Depth() != l.Parent.Depth()+1 {
			t.Fatalf("L%d has depth %d", l.ID, l.Depth())
		}
	}
}

// TestTextRoundTrip: reading what was written gives an equal graph, whatever the
// texts contain.
func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := build(programs().Draw(t, "source"))
		anything := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "line", "in", "->", "ref", "flavour", "-> 1", "\"", "L1", "a\nb", "\xff", "send-1"}))
		for _, n := range g.Nodes {
			n.Text = anything.Draw(t, "text")
			n.Flavour = anything.Draw(t, "flavour")
			n.Line = rapid.IntRange(0, 3).Draw(t, "line")
		}
		for _, l := range g.Loops {
			l.Index, l.Lo, l.Hi, l.Step = anything.Draw(t, "index"), anything.Draw(t, "lo"), anything.Draw(t, "hi"), anything.Draw(t, "step")
		}
		text := g.String()
		h, err := Parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(flatten(g), flatten(h)); diff != "" {
			t.Fatalf("(-written +read):\n%s", diff)
		}
		if again := h.String(); again != text {
			t.Fatalf("written again:\n%s\nfirst:\n%s", again, text)
		}
	})
}

// flatten turns a graph into plain values, with IDs for pointers, that show all
// that two graphs can differ in.
func flatten(g *Graph) any {
	type node struct {
		Node         Node
		Succs, Preds []int
		Loop         int
	}
	type loop struct {
		Loop         Loop
		Head, Parent int
		Body         []int
	}
	ids := func(nodes []*Node) []int {
		out := []int{}
		for _, n := range nodes {
			out = append(out, n.ID)
		}
		return out
	}
	loopID := func(l *Loop) int {
		if l == nil {
			return 0
		}
		return l.ID
	}
	var all []any
	for _, n := range g.Nodes {
		f := node{*n, ids(n.Succs), ids(n.Preds), loopID(n.Loop)}
		f.Node.Succs, f.Node.Preds, f.Node.Loop = nil, nil, nil
		all = append(all, f)
	}
	for _, l := range g.Loops {
		f := loop{*l, l.Head.ID, loopID(l.Parent), nil}
		for _, n := range g.Nodes {
			if l.Body[n] {
				f.Body = append(f.Body, n.ID)
			}
		}
		f.Loop.Head, f.Loop.Parent, f.Loop.Body = nil, nil, nil
		all = append(all, f)
	}
	return append(all, g.Entry.ID, g.Exit.ID)
}

// TestParseNeverPanics damages written graphs: the reader answers with a graph
// that checks, or with an error that names a line.
func TestParseNeverPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := build(programs().Draw(t, "source")).String()
		for range rapid.IntRange(1, 3).Draw(t, "damages") {
			words := strings.SplitAfter(text, " ")
			at := rapid.IntRange(0, len(words)-1).Draw(t, "at")
			words[at] = rapid.OneOf(rapid.SampledFrom([]string{"", "0 ", "1 ", "99 ", "-> ", "\n", "L1 ", "in ", "loop ", "exit ", "entry ", "\"", "branch "}), rapid.String()).Draw(t, "by")
			text = strings.Join(words, "")
		}
		g, err := Parse(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Fatalf("no line in %q", err)
			}
			return
		}
		if err := g.Check(); err != nil {
			t.Fatalf("accepted a bad graph: %v\n%s", err, text)
		}
	})
}
