package kernel

import (
	"fmt"
	"strings"
)

// String is the kernel as text, for tests and messages.
func (k *Kernel) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d lanes", k.Name, k.Lanes())
	if k.Columns {
		b.WriteString(", columns")
	}
	b.WriteString("\n")
	name := func(n *Node) string {
		if n == nil {
			return "-"
		}
		return fmt.Sprintf("%%%d", n.id)
	}
	for _, n := range k.order(true) {
		fmt.Fprintf(&b, "  %s = %s %s", name(n), n.Op, n.Type.Go())
		switch n.Op {
		case Pick:
			fmt.Fprintf(&b, " %s", k.Streams[n.N].Name)
		case Load:
			fmt.Fprintf(&b, " %s+%d", k.Streams[n.N].Name, n.Off)
		case Scalar:
			fmt.Fprintf(&b, " %s", k.value(n))
		case Const:
			fmt.Fprintf(&b, " %s", constant(n))
		case Acc:
			fmt.Fprintf(&b, " %s", k.Reductions[n.N].Name)
		case Shl, Shr:
			fmt.Fprintf(&b, " by %d", n.N)
		case InWindow:
			fmt.Fprintf(&b, " %d", n.N)
		}
		for _, a := range n.Args {
			fmt.Fprintf(&b, " %s", name(a))
		}
		b.WriteString("\n")
	}
	for _, s := range k.Stores {
		fmt.Fprintf(&b, "  %s+%d = %s where %s", k.Streams[s.Stream].Name, s.Off, name(s.Value), name(s.Mask))
		if s.Window > 0 {
			fmt.Fprintf(&b, " in %d", s.Window)
		}
		b.WriteString("\n")
	}
	for _, r := range k.Reductions {
		if !r.Ordered {
			fmt.Fprintf(&b, "  %s = %s\n", r.Name, name(r.Update))
			continue
		}
		fmt.Fprintf(&b, "  %s in order:", r.Name)
		for _, s := range r.Steps {
			fmt.Fprintf(&b, " %s %s", s.Op, name(s.Term))
		}
		b.WriteString("\n")
	}
	return b.String()
}
