package comm

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Title names c in sentences: "#5 (broadcast of d(k), line 90)".
func (c *Comm) Title() string {
	return fmt.Sprintf("#%d (%s of %s, line %d)", c.ID, c.Kind, ir.ExprString(c.Refs[0]), c.Line)
}

// Witness names a node that acknowledges uses: "the sum of h in line 104", or
// the communication that arrives there.
func (p *Program) Witness(n *cfg.Node) string {
	switch {
	case n.Kind == cfg.Barrier:
		return fmt.Sprintf("the barrier in line %d", n.Line)
	case n.Kind == cfg.Reduce && n.Flavour == Agree:
		return fmt.Sprintf("the agreement on the list of #%d in line %d", n.Ref, n.Line)
	case n.Kind == cfg.Reduce:
		return fmt.Sprintf("the %s of %s in line %d", n.Flavour, n.Text, n.Line)
	}
	return p.Comms[n.Ref-1].Title()
}

// Moves says in words which elements c brings to whom.
func (c *Comm) Moves() string {
	elements := c.Array.Name + "(" + c.section() + ")"
	switch {
	case c.Kind == Irregular:
		return "the elements of " + c.Array.Name + " that each PE has listed"
	case c.Kind == Pipeline:
		return "new values of the PEs before, into the overlap of " + c.Array.Name
	case len(c.Forward) > 0:
		return elements + " of the neighbours and of their overlap in " + c.forwarded() + " into the overlap of " + c.Array.Name
	case c.Overlap:
		return elements + " of the neighbours into the overlap of " + c.Array.Name
	case c.RootOnly:
		return elements + " to PE 0"
	}
	return elements + " to " + c.consumers()
}

// forwarded names the dimensions whose overlap producers send too.
func (c *Comm) forwarded() string {
	var names []string
	for _, d := range c.Forward {
		names = append(names, fmt.Sprint(d+1))
	}
	if len(names) == 1 {
		return "dimension " + names[0]
	}
	return "dimensions " + strings.Join(names, " and ")
}

// section writes the elements as a Fortran section.
func (c *Comm) section() string {
	axis := func(ax Axis) string {
		if ax.All {
			return ":"
		}
		return ax.String()
	}
	var parts []string
	if c.Subs != nil {
		for _, s := range c.Subs {
			f := s.Off
			if s.Axis >= 0 {
				f, _ = f.Add(linalg.Term(int64(s.Coef), c.Axes[s.Axis].Terms[0].Range.Index))
			}
			parts = append(parts, f.String())
		}
	} else {
		for _, ax := range c.Axes {
			parts = append(parts, axis(ax))
		}
	}
	return strings.Join(parts, ",")
}

// consumers names the PEs that want values.
func (c *Comm) consumers() string {
	var who []string
	for _, k := range c.Guard {
		who = append(who, "the "+k.String())
	}
	for _, r := range c.Ranges {
		for _, k := range r.Cons {
			who = append(who, "the "+k.String())
		}
	}
	if len(who) == 0 {
		return "every PE"
	}
	return strings.Join(who, " and ")
}

// bounds lists the ranges that the elements' indices take.
func (c *Comm) bounds() string {
	var parts []string
	for _, r := range c.Ranges {
		if !c.Varies(r) || r.isHalo() || r.OfOwner() {
			continue
		}
		switch {
		case r.Unknown && r.By == nil:
			parts = append(parts, r.Index+" = all")
		case r.By == nil && r.Step == 1:
			parts = append(parts, fmt.Sprintf("%s = %v:%v", r.Index, r.Lo, r.Hi))
		default:
			parts = append(parts, fmt.Sprintf("%s = %v:%v:%s", r.Index, r.Lo, r.Hi, r.by()))
		}
	}
	return strings.Join(parts, ", ")
}

// by is the step of r in words.
func (r *Range) by() string {
	if r.By != nil {
		return r.By.String()
	}
	return strconv.Itoa(r.Step)
}

// Explain is the text of stage comm: every communication with kind, line, C,
// CO and UO, then the reductions, then the loops that all PEs follow together
// and those that fell back, with the reason.
func (p *Program) Explain() string {
	var b strings.Builder
	if len(p.Comms) == 0 {
		b.WriteString("no communication\n")
	}
	for _, c := range p.Comms {
		refs := map[string]bool{}
		var names []string
		for _, r := range c.Refs {
			if s := ir.ExprString(r); !refs[s] {
				refs[s] = true
				names = append(names, s)
			}
		}
		fmt.Fprintf(&b, "#%-3d %-10s %-24s line %-4d C %d  CO %d  UO %d\n", c.ID, c.Kind, strings.Join(names, ", "), c.Line, c.CLine, c.COLine, c.UOLine)
		fmt.Fprintf(&b, "     %s", c.Moves())
		if s := c.bounds(); s != "" {
			fmt.Fprintf(&b, "; %s", s)
		}
		b.WriteString("\n")
	}
	first := map[*Reduction]int{} // of the set with which each travels
	for _, n := range p.nodes() {
		if n, ok := n.(*Combine); ok {
			for _, set := range n.MessageGroups() {
				for _, r := range set[1:] {
					first[r] = set[0].ID
				}
			}
		}
	}
	for _, r := range p.Reduces {
		fmt.Fprintf(&b, "#%-3d %-10s %-24s line %-4d partial values by the owners of %s", r.ID, r.Name, r.What(), r.Line, ir.ExprString(r.By))
		if r.Parted {
			fmt.Fprintf(&b, ", combined by those of %s", r.Sym.Name)
		}
		if r.Moved != nil {
			fmt.Fprintf(&b, ", combined behind the loop in line %d", r.Moved.Position().Line)
		}
		if first[r] > 0 {
			fmt.Fprintf(&b, ", in one message with #%d", first[r])
		}
		b.WriteString("\n")
	}
	p.explainPrivate(&b)
	p.explainRegions(&b)
	return b.String()
}

// explainRegions lists what is not computed in parallel, and why.
func (p *Program) explainRegions(b *strings.Builder) {
	var serial, fallback, kept, pipes, alone []string
	for _, r := range p.Reduces {
		if r.KeptIn != nil {
			kept = append(kept, fmt.Sprintf("#%d, in the loop in line %d: %s", r.ID, r.KeptIn.Position().Line, r.Kept))
		}
	}
	for _, n := range p.nodes() {
		switch n := n.(type) {
		case *Loop:
			if why := p.Notes[n.Do]; why != "" {
				serial = append(serial, fmt.Sprintf("line %d, %s: %s", n.Do.Pos.Line, ir.StmtString(n.Do), why))
			}
			if n.Serial {
				alone = append(alone, fmt.Sprintf("line %d, %s", n.Do.Pos.Line, ir.StmtString(n.Do)))
			}
		case *WhileLoop:
			if n.Serial {
				alone = append(alone, fmt.Sprintf("line %d, %s", n.While.Pos.Line, ir.StmtString(n.While)))
			}
		case *Region:
			if n.Pipe != nil {
				pipes = append(pipes, fmt.Sprintf("line %d, %s: %s", n.Stmts[0].Position().Line, ir.StmtString(n.Stmts[0]), n.Pipe.how()))
			}
			if n.Fallback {
				names := map[string]bool{}
				for _, c := range n.Comms {
					names[c.Array.Name] = true
				}
				list := slices.Sorted(maps.Keys(names))
				fallback = append(fallback, fmt.Sprintf("line %d: gathers %s: %s", n.Stmts[0].Position().Line, strings.Join(list, ", "), n.Why))
			}
		}
	}
	section(b, "loops that are not divided among the PEs", serial)
	section(b, "loops that a PE which runs alone executes without communications", alone)
	section(b, "pipelines, executed PE after PE", pipes)
	section(b, "reductions in each iteration of a loop", kept)
	section(b, "fallback, executed by all PEs on gathered arrays", fallback)
}

// section writes lines below a title, nothing if there are none.
func section(b *strings.Builder, title string, lines []string) {
	if len(lines) > 0 {
		fmt.Fprintf(b, "\n%s:\n  %s\n", title, strings.Join(lines, "\n  "))
	}
}

// how says what goes from PE to PE at a time.
func (p *Pipe) how() string {
	if p.Blocks == nil {
		return "each sends when it has executed all: " + p.Whole
	}
	return fmt.Sprintf("in blocks of iterations of %s, the index of the loop in line %d", p.Blocks.Loop.Index.Name, p.Blocks.Loop.Pos.Line)
}
