package cfg

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// The text form has one line per loop, then one line per node, both in the
// order of their numbers:
//
//	loop L1 line 1 index "i" lo "2" hi "n" step "1"
//	loop L2 in L1 line 2
//	0 entry -> 1
//	2 comm line 2 in L1 ref 1 shift "b(i-1)" -> 3
//
// A number, then the kind; what is zero or empty is left out. The flavour is the
// bare word, the text the quoted one (quoted as in Go); successors follow the
// arrow. A flavour that is not a plain word or that would be read as a keyword is
// written as flavour "…". Blank lines and lines that start with // mean nothing.

// String returns the text form.
func (g *Graph) String() string {
	var b bytes.Buffer
	_ = g.WriteText(&b) // a buffer takes everything
	return b.String()
}

// WriteText writes the text form. The error is that of w.
func (g *Graph) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, l := range g.Loops {
		fmt.Fprintf(out, "loop L%d", l.ID)
		if l.Parent != nil {
			fmt.Fprintf(out, " in L%d", l.Parent.ID)
		}
		writeNumber(out, "line", l.Line)
		writeQuoted(out, "index", l.Index)
		writeQuoted(out, "lo", l.Lo)
		writeQuoted(out, "hi", l.Hi)
		writeQuoted(out, "step", l.Step)
		out.WriteByte('\n')
	}
	for _, n := range g.Nodes {
		fmt.Fprintf(out, "%d %v", n.ID, n.Kind)
		writeNumber(out, "line", n.Line)
		if n.Loop != nil {
			fmt.Fprintf(out, " in L%d", n.Loop.ID)
		}
		writeNumber(out, "ref", n.Ref)
		if isWord(n.Flavour) && !keywords[n.Flavour] {
			out.WriteString(" " + n.Flavour)
		} else {
			writeQuoted(out, "flavour", n.Flavour)
		}
		if n.Text != "" {
			out.WriteString(" " + strconv.Quote(n.Text))
		}
		if len(n.Succs) > 0 {
			out.WriteString(" ->")
		}
		for _, s := range n.Succs {
			fmt.Fprintf(out, " %d", s.ID)
		}
		out.WriteByte('\n')
	}
	return out.Flush()
}

func writeNumber(out *bufio.Writer, key string, n int) {
	if n != 0 {
		fmt.Fprintf(out, " %s %d", key, n)
	}
}

func writeQuoted(out *bufio.Writer, key, text string) {
	if text != "" {
		fmt.Fprintf(out, " %s %s", key, strconv.Quote(text))
	}
}

// keywords of a node line, which a bare flavour cannot be.
var keywords = map[string]bool{"line": true, "in": true, "ref": true, "flavour": true}

// isWord reports whether s is lower-case letters, digits, "-" and "_", starting
// with a letter.
func isWord(s string) bool {
	for i, c := range s {
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || !('0' <= c && c <= '9' || c == '-' || c == '_')) {
			return false
		}
	}
	return s != ""
}
