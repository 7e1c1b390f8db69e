package cfg

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
)

// DOT returns the graph in the language of graphviz: see WriteDOT.
func (g *Graph) DOT() string {
	var b bytes.Buffer
	_ = g.WriteDOT(&b) // a buffer takes everything
	return b.String()
}

// look is how a kind is drawn: communication in colour, everything else plain.
var look = [...]string{
	Entry:    `shape=circle, label=""`,
	Exit:     `shape=doublecircle, label=""`,
	Stmt:     `shape=box`,
	Branch:   `shape=diamond`,
	LoopHead: `shape=hexagon`,
	Join:     `shape=point`,
	Comm:     `shape=cds, style=filled, fillcolor=lightblue`,
	CommOver: `shape=cds, style=filled, fillcolor=palegreen`,
	UseOver:  `shape=cds, style=filled, fillcolor=khaki`,
	Reduce:   `shape=invtrapezium, style=filled, fillcolor=plum`,
	Barrier:  `shape=octagon, style=filled, fillcolor=salmon`,
}

// WriteDOT writes the graph for graphviz. Loops are clusters, back edges dashed,
// the edges of conditions labelled T and F. The error is that of w.
func (g *Graph) WriteDOT(w io.Writer) error {
	return g.WriteDOTWith(w, func(*Node) string { return "" })
}

// WriteDOTWith is WriteDOT with further attributes of each node, such as
// "color=red", which replace those that it has; "" adds none.
func (g *Graph) WriteDOTWith(w io.Writer, attributes func(n *Node) string) error {
	out := bufio.NewWriter(w)
	out.WriteString("digraph cfg {\n\tnode [fontname=\"monospace\"];\n")
	inner := map[*Loop][]*Loop{}
	for _, l := range g.Loops {
		inner[l.Parent] = append(inner[l.Parent], l)
	}
	own := map[*Loop][]*Node{}
	for _, n := range g.Nodes {
		own[n.Loop] = append(own[n.Loop], n)
	}
	var cluster func(l *Loop, indent string)
	cluster = func(l *Loop, indent string) {
		for _, n := range own[l] {
			drawing := n.drawing()
			if more := attributes(n); more != "" {
				drawing += ", " + more
			}
			fmt.Fprintf(out, "%sn%d [%s];\n", indent, n.ID, drawing)
		}
		for _, in := range inner[l] {
			fmt.Fprintf(out, "%ssubgraph cluster_L%d {\n%s\tlabel=%s;\n", indent, in.ID, indent, dotQuote(in.caption()))
			cluster(in, indent+"\t")
			fmt.Fprintf(out, "%s}\n", indent)
		}
	}
	cluster(nil, "\t")
	back := map[Edge]bool{}
	for _, e := range g.BackEdges() {
		back[e] = true
	}
	for _, n := range g.Nodes {
		for slot, s := range n.Succs {
			var attrs []string
			if len(n.Succs) == 2 {
				attrs = append(attrs, "label="+[]string{"T", "F"}[slot])
			}
			if back[Edge{n, slot}] {
				attrs = append(attrs, "style=dashed")
			}
			fmt.Fprintf(out, "\tn%d -> n%d", n.ID, s.ID)
			if attrs != nil {
				fmt.Fprintf(out, " [%s]", strings.Join(attrs, ", "))
			}
			out.WriteString(";\n")
		}
	}
	out.WriteString("}\n")
	return out.Flush()
}

// drawing is the attribute list of n.
func (n *Node) drawing() string {
	switch n.Kind {
	case Entry, Exit, Join:
		return look[n.Kind]
	}
	var parts []string
	if n.Kind >= Comm {
		name := n.Name()
		if n.Kind == Reduce || n.Kind == Barrier {
			name = n.Kind.String()
		}
		if n.Flavour != "" {
			name += " " + n.Flavour
		}
		parts = append(parts, name)
	}
	if n.Text != "" {
		parts = append(parts, n.Text)
	}
	if n.Line != 0 {
		parts = append(parts, fmt.Sprintf("line %d", n.Line))
	}
	return look[n.Kind] + ", label=" + dotQuote(strings.Join(parts, "\n"))
}

// caption names a loop: "do i = 2, n", by its index where it has one.
func (l *Loop) caption() string {
	text := fmt.Sprintf("L%d", l.ID)
	if l.Index != "" {
		text += fmt.Sprintf(": %s = %s, %s", l.Index, l.Lo, l.Hi)
		if l.Step != "" && l.Step != "1" {
			text += ", " + l.Step
		}
	}
	return text
}

// dotQuote quotes a label. In graphviz a backslash starts an escape and \n is a
// line break; nothing else is special between quotes.
func dotQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", "").Replace(s) + `"`
}
