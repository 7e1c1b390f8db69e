package cfg

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/golden"
)

// build makes a graph from a small source language, one construct per line; the
// line numbers are those of the source:
//
//	do i = 2, n | while COND | forever … end do
//	if COND … else … end if
//	exit, cycle, exit 2 (the second loop counted from inside), stop
//	C 1 shift b(i-1), CO 1, UO 1, reduce 3 max, barrier
//
// Anything else is a statement.
func build(source string) *Graph {
	b := NewBuilder()
	var loops []*Loop // open ones
	line := 0
	for text := range strings.Lines(source) {
		line++
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		word := append(strings.Fields(text), "", "")
		depth := func() *Loop {
			if word[1] == "2" {
				return loops[len(loops)-2]
			}
			return loops[len(loops)-1]
		}
		comm := func(kind Kind) {
			n := b.Node(kind, line, int(word[1][0]-'0'), strings.Join(word[3:], " "))
			n.Text = strings.TrimSpace(n.Text)
			n.Flavour = word[2]
		}
		switch word[0] {
		case "do":
			l := b.BeginLoop(line, text)
			part := strings.Split(strings.Join(word[3:], ""), ",")
			l.Index, l.Lo, l.Hi, l.Step = word[1], part[0], part[1], "1"
			if len(part) == 3 {
				l.Step = part[2]
			}
			loops = append(loops, l)
		case "while":
			loops = append(loops, b.BeginLoop(line, text))
		case "forever":
			loops = append(loops, b.BeginEndless(line, "do"))
		case "if":
			b.BeginIf(line, strings.TrimPrefix(text, "if "))
		case "else":
			b.Else()
		case "end":
			if word[1] == "if" {
				b.EndIf()
			} else {
				b.EndLoop()
				loops = loops[:len(loops)-1]
			}
		case "exit":
			b.Exit(depth())
		case "cycle":
			b.Cycle(depth())
		case "stop":
			b.Stop()
		case "C":
			comm(Comm)
		case "CO":
			comm(CommOver)
		case "UO":
			comm(UseOver)
		case "reduce":
			comm(Reduce)
		case "barrier":
			b.Node(Barrier, line, 0, "")
		default:
			b.Node(Stmt, line, 0, text)
		}
	}
	return b.Finish()
}

// facts lists what the algorithms find out about g, one line each.
func facts(g *Graph) string {
	var out strings.Builder
	list := func(what string, nodes []*Node) {
		out.WriteString(what)
		for _, n := range nodes {
			out.WriteString(" " + n.Name())
		}
		out.WriteString("\n")
	}
	list("rpo:", g.RPO())
	dom, post := g.Dominators(), g.PostDominators()
	name := func(n *Node) string {
		if n == nil {
			return "none"
		}
		return n.Name()
	}
	for _, n := range g.Nodes {
		fmt.Fprintf(&out, "%s: dominator %s, post-dominator %s\n", n.Name(), name(dom.Idom(n)), name(post.Idom(n)))
	}
	for _, l := range g.NaturalLoops() {
		var body, back []*Node
		for _, n := range g.Nodes {
			if l.Body[n] {
				body = append(body, n)
			}
		}
		for _, e := range l.Back {
			back = append(back, e.From)
		}
		list("natural loop of "+l.Head.Name()+":", body)
		list("  back edges from:", back)
	}
	return out.String()
}

// TestGolden builds each testdata/*.txtar file's "source" and compares all
// forms with the other sections. go test -update rewrites these.
func TestGolden(t *testing.T) {
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		if a.Files[0].Name != "source" {
			t.Fatal("the first section is not the source")
		}
		g := build(a.Files[0].Text)
		if err := g.Check(); err != nil {
			t.Error(err)
		}
		a.Compare(t, golden.File{Name: "text", Text: g.String()}, golden.File{Name: "facts", Text: facts(g)}, golden.File{Name: "dot", Text: g.DOT()})
	})
}

// TestPackageComment keeps the example of the package comment true.
func TestPackageComment(t *testing.T) {
	doc, err := os.ReadFile("graph.go")
	if err != nil {
		t.Fatal(err)
	}
	g := build("do i = 2, n\nC 1 shift b(i-1)\nCO 1\na(i) = b(i-1)\nif a(i) > top\nexit\nend if\nend do\nprint *, a(n)\n")
	// The comment has the lines of its own source, where communication has none.
	line := map[int]int{1: 1, 2: 2, 3: 2, 4: 2, 5: 3, 9: 5}
	for _, n := range g.Nodes {
		n.Line = line[n.Line]
	}
	want := "//\t" + strings.ReplaceAll(strings.TrimSpace(g.String()), "\n", "\n//\t") + "\n"
	if !strings.Contains(string(doc), want) {
		t.Errorf("the package comment does not show\n%s", want)
	}
}
