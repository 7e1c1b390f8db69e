package plan

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/ir"
)

// Explain is the text of stage plan: the slots, then the graph with
// communication nodes. Parse reads it.
func (p *Plan) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "plan %s\n", p.Kind)
	for _, s := range p.Slots {
		ready := "quiet"
		if s.Ready {
			ready = "ready"
		}
		fmt.Fprintf(&b, "slot %d %s %s of %s, line %d: %s # %s\n", s.Comm.ID, ready, s.Comm.Kind, ir.ExprString(s.Comm.Refs[0]), s.Comm.Line, s.Cells, s.Why)
	}
	b.WriteString(p.Graph.String())
	return b.String()
}

// Document is a plan as read from its text: enough for the passes that work on
// the graph, without the program that it was made from.
type Document struct {
	Kind  Kind
	Slots []SlotText
	Graph *cfg.Graph
}

// SlotText is a slot line: whether puts of communication ID wait for a ready
// message, and the rest in words.
type SlotText struct {
	ID    int
	Ready bool
	Text  string
}

// String writes d in the form that Parse reads.
func (d *Document) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "plan %s\n", d.Kind)
	for _, s := range d.Slots {
		ready := "quiet"
		if s.Ready {
			ready = "ready"
		}
		fmt.Fprintf(&b, "slot %d %s %s\n", s.ID, ready, s.Text)
	}
	b.WriteString(d.Graph.String())
	return b.String()
}

// Parse reads the text form of a plan. Errors name the line.
func Parse(text string) (*Document, error) {
	d := &Document{}
	sc := bufio.NewScanner(strings.NewReader(text))
	sc.Buffer(nil, len(text)+1)
	n, offset := 0, 0
	for sc.Scan() {
		line := sc.Text()
		n++
		f := strings.SplitN(line, " ", 4)
		switch {
		case n == 1:
			if len(f) != 2 || f[0] != "plan" {
				return nil, fmt.Errorf("line 1: found %q, want \"plan KIND\"", line)
			}
			k, err := ParseKind(f[1])
			if err != nil {
				return nil, fmt.Errorf("line 1: %w", err)
			}
			d.Kind = k
		case f[0] == "slot":
			if len(f) != 4 || f[2] != "ready" && f[2] != "quiet" {
				return nil, fmt.Errorf("line %d: found %q, want \"slot NUMBER ready|quiet TEXT\"", n, line)
			}
			id, err := strconv.Atoi(f[1])
			if err != nil || id != len(d.Slots)+1 {
				return nil, fmt.Errorf("line %d: slot %q out of order, want %d", n, f[1], len(d.Slots)+1)
			}
			d.Slots = append(d.Slots, SlotText{id, f[2] == "ready", f[3]})
		default:
			g, err := cfg.Parse(text[offset:])
			if err != nil {
				return nil, fmt.Errorf("graph that starts in line %d: %w", n, err)
			}
			d.Graph = g
			return d, nil
		}
		offset += len(line) + 1
	}
	return nil, fmt.Errorf("line %d: the graph is missing", n+1)
}

// Document is p without the program behind it.
func (p *Plan) Document() *Document {
	d, err := Parse(p.Explain())
	if err != nil {
		panic("plan: own text does not parse: " + err.Error())
	}
	return d
}

// Verify checks the plan's graph without looking at how it was made.
func (p *Plan) Verify() error { return p.Document().Verify() }

// Verify checks that on every path each communication C_r is followed by CO_r,
// then UO_r, before C_r comes again or the program ends; that neither comes
// without C_r; and that the puts of every communication
// without a ready message come directly behind a barrier, with nothing but
// communications of the same group in between: the last use of the slot, which
// ends at UO_r, then lies before the barrier on every PE.
func (d *Document) Verify() error {
	ready := map[int]bool{}
	for _, s := range d.Slots {
		ready[s.ID] = s.Ready
	}
	for _, n := range d.Graph.Nodes {
		switch n.Kind {
		case cfg.Comm:
			if _, ok := ready[n.Ref]; !ok {
				return fmt.Errorf("line %d: %s has no slot", n.Line, n.Name())
			}
			if n.Flavour == "send" {
				continue
			}
			if err := d.completes(n); err != nil {
				return err
			}
			if !ready[n.Ref] && !behindBarrier(n) {
				return fmt.Errorf("line %d: %s puts without ready message, and no barrier stands before it", n.Line, n.Name())
			}
		case cfg.CommOver, cfg.UseOver:
			if _, ok := ready[n.Ref]; !ok {
				return fmt.Errorf("line %d: %s has no slot", n.Line, n.Name())
			}
		}
	}
	for _, s := range d.Slots {
		if err := d.begins(s.ID); err != nil {
			return err
		}
	}
	return nil
}

// completes walks all paths from c: CO must come before UO, and both before c
// comes again or the program ends, STOP aside.
func (d *Document) completes(c *cfg.Node) error {
	type state struct {
		node *cfg.Node
		over bool
	}
	seen := map[state]bool{}
	work := []state{{c, false}}
	for len(work) > 0 {
		st := work[len(work)-1]
		work = work[:len(work)-1]
		for _, n := range st.node.Succs {
			over := st.over
			switch {
			case n == nil:
				continue
			case n.Kind == cfg.CommOver && n.Ref == c.Ref:
				over = true
			case n.Kind == cfg.UseOver && n.Ref == c.Ref:
				if !over {
					return fmt.Errorf("line %d: UO_%d is reached from C_%d in line %d without CO_%d", n.Line, c.Ref, c.Ref, c.Line, c.Ref)
				}
				continue
			case n == c:
				return fmt.Errorf("line %d: C_%d is reached again before UO_%d", c.Line, c.Ref, c.Ref)
			case n.Kind == cfg.Exit:
				if stops(st.node) {
					continue
				}
				return fmt.Errorf("the program ends behind C_%d in line %d without UO_%d", c.Ref, c.Line, c.Ref)
			}
			if next := (state{n, over}); !seen[next] {
				seen[next] = true
				work = append(work, next)
			}
		}
	}
	return nil
}

// stops reports whether n is a STOP statement.
func stops(n *cfg.Node) bool {
	return n.Kind == cfg.Stmt && (strings.HasPrefix(n.Text, "stop") || strings.HasPrefix(n.Text, "error stop"))
}

// begins walks all paths from the entry that avoid C_r: none may reach CO_r or
// UO_r.
func (d *Document) begins(r int) error {
	seen := map[*cfg.Node]bool{}
	work := []*cfg.Node{d.Graph.Entry}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if n == nil || seen[n] || n.Kind == cfg.Comm && n.Ref == r && n.Flavour != "send" {
			continue
		}
		seen[n] = true
		if (n.Kind == cfg.CommOver || n.Kind == cfg.UseOver) && n.Ref == r {
			return fmt.Errorf("line %d: %s is reached without C_%d before it", n.Line, n.Name(), r)
		}
		work = append(work, n.Succs...)
	}
	return nil
}

// behindBarrier reports whether on every path into c a barrier comes last, other
// communications posted in the same group aside.
func behindBarrier(c *cfg.Node) bool {
	seen := map[*cfg.Node]bool{}
	var up func(n *cfg.Node) bool
	up = func(n *cfg.Node) bool {
		if len(n.Preds) == 0 {
			return false
		}
		for _, p := range n.Preds {
			if seen[p] {
				continue
			}
			seen[p] = true
			switch p.Kind {
			case cfg.Barrier:
			case cfg.Comm, cfg.CommOver:
				if !up(p) {
					return false
				}
			default:
				return false
			}
		}
		return true
	}
	return up(c)
}
