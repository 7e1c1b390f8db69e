package synch

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
)

// Tables are the tables of the analysis, printed and sound: the meet of two values (Table
// 1 of the paper), and what each kind of node makes of a value (Figures 7 and 8). They are
// computed by the functions that the analyses use.
func Tables() string {
	var b strings.Builder
	order := []Value{U, CS, NoSync, NoSyncP, Cons, Sync} // as in Table 1
	meet := func(title string, meet func(a, b State) State) {
		fmt.Fprintf(&b, "%s\n\n%-10s", title, "SynchMeet")
		for _, v := range order {
			fmt.Fprintf(&b, "%-9s", v)
		}
		for _, x := range order {
			fmt.Fprintf(&b, "\n%-10s", x)
			for _, y := range order {
				fmt.Fprintf(&b, "%-9s", meet(exemplar(x), exemplar(y)).Value)
			}
		}
		b.WriteString("\n\n")
	}
	meet("Table 1, as printed (CS above NoSync; of tags it says nothing, here they are united)", LiteralMeet)
	meet("Table 1, sound (CS below Cons; NoSyncP with tags in common, else Cons)", SynchMeet)

	const x, y = 1, 2
	nodes := []struct {
		name string
		node cfg.Node
	}{
		{"C_x", cfg.Node{Kind: cfg.Comm, Ref: x}},
		{"CO_x", cfg.Node{Kind: cfg.CommOver, Ref: x}},
		{"UO_x", cfg.Node{Kind: cfg.UseOver, Ref: x}},
		{"C_y, which kills", cfg.Node{Kind: cfg.Comm, Ref: y}},
		{"CO_y, a tag", cfg.Node{Kind: cfg.CommOver, Ref: y}},
		{"reduction, barrier", cfg.Node{Kind: cfg.Reduce, Ref: 3}},
	}
	apply := func(title string, apply func(in State, n *cfg.Node) State) {
		fmt.Fprintf(&b, "%s\n\n%-20s", title, "SynchApply")
		for _, v := range order {
			fmt.Fprintf(&b, "%-9s", v)
		}
		for _, n := range nodes {
			fmt.Fprintf(&b, "\n%-20s", n.name)
			for _, v := range order {
				to := apply(exemplar(v), &n.node).Value
				if text := to.String(); to == v {
					fmt.Fprintf(&b, "%-9s", "·")
				} else {
					fmt.Fprintf(&b, "%-9s", text)
				}
			}
		}
		b.WriteString("\n\n")
	}
	apply("Figures 7 and 8, as printed: what becomes of the value of x at a node (· it stays)",
		func(in State, n *cfg.Node) State {
			return LiteralApply(in, n, x, func(k, _ int) bool { return k == y })
		})
	apply("Figures 7 and 8, sound, with one slot",
		func(in State, n *cfg.Node) State {
			return SynchApply(in, n, proof.Shared(x, x), func(k, _, _ int) bool { return k == y })
		})
	return strings.TrimRight(trimLines(b.String()), "\n") + "\n"
}

// exemplar is a state with a value; NoSyncP waits for communication 2.
func exemplar(v Value) State {
	s := State{Value: v}
	if v == NoSyncP {
		s.Tags = MakeTags(2)
	}
	return s
}

// trimLines removes those at the ends of lines.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}
