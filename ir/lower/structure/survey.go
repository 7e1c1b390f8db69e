package structure

import (
	"slices"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// place is where a statement stands: the loops and other closed constructs around it, the
// outermost first.
type place struct {
	stmt   ast.Stmt
	around []ast.Stmt
}

// reference is a jump to a label.
type reference struct {
	ast.Target
	place
}

// leaving is an EXIT or CYCLE of a loop.
type leaving struct{ stmt, loop ast.Stmt }

// surveyed is what a unit has of jumps and labels.
type surveyed struct {
	labels map[int]place
	jumps  []reference
	to     map[int]bool            // labels that are jumped to
	assign map[string][]ast.Target // of ASSIGN, by variable
	exits  map[ast.Stmt]bool       // IF and SELECT constructs that an EXIT leaves
	has    map[ast.Stmt]bool       // constructs with jumps, or labels that are jumped to, inside
	apart  map[ast.Stmt]bool       // loops that are taken apart: something jumps into them
	owner  map[int]ast.Stmt        // the innermost loop around a label that is not taken apart, nil for the unit
	ends   map[ast.Stmt]ast.Stmt   // the construct that an EXIT or CYCLE is about
	leaves []leaving
	within map[ast.Stmt][]ast.Stmt // the constructs around a statement, the innermost last

	parent []ast.Stmt          // constructs around the statement in hand
	named  map[string]ast.Stmt // the same, by name
	free   []place             // GO TO of a variable without a list
}

func survey(body []ast.Stmt) *surveyed {
	s := &surveyed{labels: map[int]place{}, to: map[int]bool{}, assign: map[string][]ast.Target{}, exits: map[ast.Stmt]bool{},
		has: map[ast.Stmt]bool{}, apart: map[ast.Stmt]bool{}, owner: map[int]ast.Stmt{}, named: map[string]ast.Stmt{}, ends: map[ast.Stmt]ast.Stmt{},
		within: map[ast.Stmt][]ast.Stmt{}}
	s.list(body, nil)
	for _, p := range s.free {
		for _, t := range s.assigned(p.stmt.(*ast.AssignedGoto)) {
			s.jumps = append(s.jumps, reference{t, p})
		}
	}
	for _, j := range s.jumps {
		s.to[j.Label] = j.Label != 0
	}
	for label, p := range s.labels {
		if s.to[label] {
			s.mark(s.within[p.stmt])
		}
	}
	return s
}

// assigned are the labels that a GO TO of a variable may go to: those of its list, or else
// those of statements that ASSIGN gives the variable.
func (s *surveyed) assigned(g *ast.AssignedGoto) []ast.Target {
	if g.To != nil {
		return g.To
	}
	var to []ast.Target
	for _, t := range s.assign[g.Var.Name] {
		if _, ok := s.labels[t.Label]; ok && !slices.ContainsFunc(to, func(u ast.Target) bool { return u.Label == t.Label }) {
			to = append(to, t)
		}
	}
	return to
}

// mark notes that constructs have jumps or labels inside.
func (s *surveyed) mark(list []ast.Stmt) {
	for _, c := range list {
		s.has[c] = true
	}
}

// closed reports whether c is a construct that is not written as jumps and labels: a loop, or
// one with a meaning of its own.
func closed(c ast.Stmt) bool {
	switch c := c.(type) {
	case *ast.If:
		return c.Where
	case *ast.Select:
		return false
	}
	return true
}

func (s *surveyed) list(body []ast.Stmt, around []ast.Stmt) {
	for _, st := range body {
		s.within[st] = slices.Clone(s.parent)
		if label := st.StmtLabel(); label != 0 {
			if _, twice := s.labels[label]; !twice {
				s.labels[label] = place{st, around}
			}
		}
		s.references(st, around)
		inside := around
		list := ast.Bodies(st)
		if len(list) == 0 {
			continue
		}
		if closed(st) {
			inside = append(slices.Clip(around), st)
		}
		name := ast.ConstructName(st)
		outer := s.named[name]
		if name != "" {
			s.named[name] = st
		}
		s.parent = append(s.parent, st)
		for _, b := range list {
			s.list(*b, inside)
		}
		s.parent = s.parent[:len(s.parent)-1]
		if name != "" {
			s.named[name] = outer
		}
	}
}

// references notes the jumps of a statement.
func (s *surveyed) references(st ast.Stmt, around []ast.Stmt) {
	n := len(s.jumps)
	add := func(list ...ast.Target) {
		for _, t := range list {
			s.jumps = append(s.jumps, reference{t, place{st, around}})
		}
	}
	switch st := st.(type) {
	case *ast.Goto:
		add(st.To)
	case *ast.ComputedGoto:
		add(st.To...)
	case *ast.AssignedGoto:
		if add(st.To...); st.To == nil {
			s.free = append(s.free, place{st, around})
			s.mark(s.parent)
		}
	case *ast.ArithmeticIf:
		add(st.To[:]...)
	case *ast.Call:
		add(alternates(st)...)
	case *ast.LabelAssign:
		s.assign[st.Var.Name] = append(s.assign[st.Var.Name], st.To)
	case *ast.Read, *ast.Print, *ast.FileStmt:
		_, c := withControl(st)
		for _, label := range []int{c.End, c.Eor, c.Err} {
			if label != 0 {
				add(ast.Target{Pos: st.Position(), Label: label})
			}
		}
	case *ast.Exit:
		s.leave(st, st.Name, around)
	case *ast.Cycle:
		s.leave(st, st.Name, around)
	}
	if len(s.jumps) > n {
		s.mark(s.parent)
	}
}

// alternates are the places to which alternate returns of s go.
func alternates(s *ast.Call) []ast.Target {
	var list []ast.Target
	for _, a := range s.Args {
		if a, ok := a.(*ast.AltReturn); ok {
			list = append(list, a.To)
		}
	}
	return list
}

// withControl copies a statement of input or output, and returns what its parentheses have too.
func withControl(st ast.Stmt) (ast.Stmt, *ast.Control) {
	switch st := st.(type) {
	case *ast.Read:
		c := *st
		return &c, &c.Control
	case *ast.Print:
		c := *st
		return &c, &c.Control
	case *ast.FileStmt:
		c := *st
		return &c, &c.Control
	}
	panic("structure: no statement of input or output")
}

// leave notes what an EXIT or CYCLE is about.
func (s *surveyed) leave(st ast.Stmt, name string, around []ast.Stmt) {
	c := s.named[name]
	if name == "" {
		for i := len(s.parent) - 1; i >= 0 && c == nil; i-- {
			switch s.parent[i].(type) {
			case *ast.Do, *ast.DoWhile, *ast.Forall:
				c = s.parent[i]
			}
		}
	}
	if c == nil {
		return // an error, which is reported later
	}
	s.ends[st] = c
	if _, exit := st.(*ast.Exit); exit && !closed(c) {
		s.exits[c] = true
		s.jumps = append(s.jumps, reference{place: place{st, around}})
		return
	}
	s.leaves = append(s.leaves, leaving{st, c})
}

// check completes what jumps go to, reports those that go nowhere, and decides which loops are
// taken apart.
func (s *surveyed) check(formats []*ast.Format, report Report) bool {
	ok := true
	for _, j := range s.jumps {
		if j.Label == 0 {
			continue
		}
		to, found := s.labels[j.Label]
		if !found {
			ok = false
			d := report(source.BadLabel, j.Pos, "there is no statement with the label %d here", j.Label)
			for _, f := range formats {
				if f.Label == j.Label {
					d.Msg = "the label is that of a FORMAT, which is not executed"
					d.WithNote(f.Pos, "it is here")
				}
			}
			d.WithHelp("put the label on the statement to go on with: %d continue", j.Label)
			continue
		}
		ok = s.ways(j, to, report) && ok
	}
	for _, l := range s.leaves {
		if s.apart[l.loop] {
			s.mark(s.within[l.stmt])
		}
	}
	for label, p := range s.labels {
		s.owner[label] = nil
		for _, c := range p.around {
			if !s.apart[c] {
				s.owner[label] = c
			}
		}
	}
	return ok
}

// ways decides about the constructs that a jump leaves and enters.
func (s *surveyed) ways(j reference, to place, report Report) bool {
	common := 0
	for common < len(j.around) && common < len(to.around) && j.around[common] == to.around[common] {
		common++
	}
	for _, c := range to.around[common:] {
		switch c.(type) {
		case *ast.Do, *ast.DoWhile:
			s.apart[c] = true
		default:
			report(source.BadLabel, j.Pos, "a jump to label %d, into a construct", j.Label).
				WithNote(c.Position(), "the construct begins here").
				WithHelp("jump to its beginning")
			return false
		}
	}
	for _, c := range j.around[common:] {
		b, isBlock := c.(*ast.Block)
		switch c := c.(type) {
		case *ast.Do, *ast.DoWhile, *ast.Associate:
		default:
			if isBlock && !b.Tasks {
				break
			}
			what := "CRITICAL construct"
			switch c.(type) {
			case *ast.Block:
				what = "TASK_REGION"
			case *ast.Forall:
				what = "DO CONCURRENT"
			case *ast.ChangeTeam:
				what = "CHANGE TEAM construct"
			}
			report(source.BadLabel, j.Pos, "a jump to label %d leaves the %s", j.Label, what).
				WithNote(c.Position(), "it begins here").
				WithHelp("set a LOGICAL variable, and test it behind its end")
			return false
		}
	}
	return true
}
