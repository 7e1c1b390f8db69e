package comm

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/ir"
)

// Strips says how a temporary can be filled strip by strip (strip mining, Gupta and
// Schonberg, section 4 and Figure 9): instead of
//
//	Post  #1 a(i,j), for all j
//	Wait  #1
//	do j = lo, hi ... uses a(i,j)
//	Done  #1
//
// the loop is divided into strips of some iterations, and the temporary holds what
// one of them needs. Post sends what the first needs; with it everybody knows that
// the owners have come to Post, and gets from them what each later strip needs when
// it comes to it. So the communication has the messages that it had, at the same
// places, be it that some are empty; a strip more costs no synchronisation. But the
// owners have to keep their elements until the value is dead on all PEs that get
// some.
type Strips struct {
	Comm  *Comm
	Loop  *ir.Do
	Range *Range // that of the loop
	Axis  int    // of the index space of Comm: the elements along it follow the loop
	// Divided: each PE executes its own iterations of the loop, and its strips are of
	// these; else all execute all, and have the same strips.
	Divided bool
	// Down: the iterations go through the values of the index in descending order.
	Down bool
}

// Strips describes the strips of c, or says why there are none.
func (p *Program) Strips(c *Comm) (*Strips, string) {
	switch {
	case c.Overlap:
		return nil, "it fills an overlap, which holds what lies next to a PE's own elements"
	case c.Kind == Irregular || c.Kind == Whole || c.Kind == Pipeline || c.pipe:
		return nil, "its elements do not follow a loop"
	}
	list, at := p.find(p.Body, c)
	if list == nil {
		return nil, "it is not posted as part of a group"
	}
	k := at + 1
	for k < len(list) && opens(list[k]) {
		k++
	}
	if k == len(list) {
		return nil, "no loop follows it directly"
	}
	s := &Strips{Comm: c}
	var region *Region
	switch n := list[k].(type) {
	case *Loop:
		s.Loop = n.Do
	case *Region:
		region = n
		if len(n.Stmts) == 1 {
			s.Loop, _ = n.Stmts[0].(*ir.Do)
		}
		if n.Fallback || n.Pipe != nil {
			s.Loop = nil
		}
	}
	if s.Loop == nil {
		return nil, "no loop follows it directly"
	}
	ends := false
	for _, n := range list[k+1:] {
		if !opens(n) {
			break // it may overwrite the elements, and nobody would be done with them
		}
		if d, ok := n.(*Done); ok && slices.Contains(d.Comms, c) {
			ends = true
		}
	}
	if !ends {
		return nil, fmt.Sprintf("it is used behind the loop in line %d too", s.Loop.Pos.Line)
	}
	if why := p.plainLoop(s.Loop, c); why != "" {
		return nil, why
	}
	return s, s.along(p, region)
}

// find is the list of nodes with the Post of c in it, and where.
func (p *Program) find(list []Node, c *Comm) ([]Node, int) {
	for i, n := range list {
		if n, ok := n.(*Post); ok && slices.Contains(n.Comms, c) {
			return list, i
		}
		for _, l := range Lists(n) {
			if found, at := p.find(*l, c); found != nil {
				return found, at
			}
		}
	}
	return nil, 0
}

// opens reports whether n computes nothing but starts or ends communications, or starts
// reductions.
func opens(n Node) bool {
	switch n.(type) {
	case *Post, *Barrier, *Wait, *Done, *Start:
		return true
	}
	return false
}

// plainLoop says why d, which uses c, cannot be divided into strips: then the
// elements have to stay as they are, and control may not leave d but at its end.
func (p *Program) plainLoop(d *ir.Do, c *Comm) (why string) {
	line := d.Pos.Line
	if p.LiveAfter(d, d.Index) {
		return fmt.Sprintf("%s keeps its value behind the loop in line %d", d.Index.Name, line)
	}
	inside := map[ir.Stmt]bool{}
	ir.Walk([]ir.Stmt{d}, func(s ir.Stmt) bool {
		inside[s] = true
		return true
	})
	found := 0
	ir.Walk(d.Body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Exit:
			if s.Loop == ir.Stmt(d) || !inside[s.Loop] {
				why = fmt.Sprintf("EXIT in line %d leaves the loop in line %d", s.Pos.Line, line)
			}
		case *ir.Cycle:
			if !inside[s.Loop] {
				why = fmt.Sprintf("CYCLE in line %d leaves the loop in line %d", s.Pos.Line, line)
			}
		case *ir.Stop:
			why = fmt.Sprintf("STOP in line %d leaves the loop in line %d", s.Pos.Line, line)
		case *ir.Assign:
			if r, ok := s.LHS.(*ir.Ref); ok && r.Sym == c.Array {
				why = fmt.Sprintf("%s is assigned in line %d, inside the loop", c.Array.Name, s.Pos.Line)
			}
		}
		for _, e := range ir.Exprs(s) {
			ir.WalkExpr(e, func(x ir.Expr) bool {
				if r, ok := x.(*ir.Ref); ok {
					if slices.Contains(c.Refs, r) {
						found++
					}
					if a := p.Access[r]; a != nil && a.Mode == Walk {
						why = fmt.Sprintf("subscripts of %s are listed before the loop in line %d", r.Sym.Name, line)
					}
				}
				return true
			})
		}
		return true
	})
	if why == "" && found != len(c.Refs) {
		why = fmt.Sprintf("not all uses are in the loop in line %d", line)
	}
	if why == "" {
		ir.Walk(p.IR.Body, func(s ir.Stmt) bool {
			if _, ok := s.(*ir.Checkpoint); ok {
				why = "the program takes checkpoints"
			}
			return why == ""
		})
	}
	return why
}

// along finds the axis along which the elements follow the loop.
func (s *Strips) along(p *Program, region *Region) (why string) {
	c, d := s.Comm, s.Loop
	line := d.Pos.Line
	for _, r := range c.Ranges {
		if r.Loop == d {
			s.Range = r
		}
	}
	none := fmt.Sprintf("what it brings does not vary with %s, the index of the loop in line %d", d.Index.Name, line)
	if s.Range == nil {
		return none
	}
	r := s.Range
	lo, ok1 := p.Affine(d.Lo)
	hi, ok2 := p.Affine(d.Hi)
	step, ok3 := p.Affine(d.Step)
	if r.Unknown || !ok1 || !ok2 || !ok3 || !step.IsConst() || step.C == 0 || !lo.Equal(r.Lo) || !hi.Equal(r.Hi) || int64(r.Step) != step.C {
		return fmt.Sprintf("the iterations of the loop in line %d are not known where it is posted", line)
	}
	s.Down = r.Step < 0
	s.Axis = -1
	for k, ax := range c.Axes {
		for _, t := range ax.Terms {
			if t.Range != r {
				continue
			}
			if s.Axis >= 0 || len(ax.Terms) != 1 {
				return fmt.Sprintf("%s is not alone in one subscript", d.Index.Name)
			}
			s.Axis = k
		}
	}
	if s.Axis < 0 {
		return none
	}
	if region != nil && region.Picks[d] != nil {
		return fmt.Sprintf("the iterations of a PE of the loop in line %d are those that it has listed", line)
	}
	if region != nil && len(region.Part[d]) > 0 {
		s.Divided = true
		if !slices.EqualFunc(r.Cons, region.Part[d], Constraint.same) {
			return fmt.Sprintf("the iterations of a PE of the loop in line %d are others than those that it brings elements for", line)
		}
	}
	if c.Subs != nil {
		return ""
	}
	// The subscript of every reference has to be the element along the axis.
	ax := c.Axes[s.Axis]
	want, known := ax.Off.AddScaled(affineVar(d.Index), int64(ax.Terms[0].Coef))
	for _, ref := range c.Refs {
		if f, ok := p.Affine(ref.Subs[s.Axis]); !ok || !known || !f.Equal(want) {
			return fmt.Sprintf("references of several elements along %s share it", d.Index.Name)
		}
	}
	return ""
}

// same reports whether two constraints say the same of the same array.
func (c Constraint) same(o Constraint) bool {
	return c.Array == o.Array && c.Axis == o.Axis && c.Sub.Equal(o.Sub)
}

// Cells bounds, for all numbers of PEs, how many elements a strip of so many
// iterations holds on one PE.
func (s *Strips) Cells(iterations int) int64 {
	n := int64(1)
	for d := range s.Comm.Axes {
		m := s.Comm.TempExtent(d)
		if d == s.Axis {
			m = min(m, iterations)
		}
		n *= int64(m)
	}
	return n
}

// Assigns reports whether a statement may assign elements of sym.
func Assigns(s ir.Stmt, sym *ir.Symbol) bool {
	found := false
	ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok {
			if r, ok := a.LHS.(*ir.Ref); ok && r.Sym == sym {
				found = true
			}
		}
		return !found
	})
	return found
}
