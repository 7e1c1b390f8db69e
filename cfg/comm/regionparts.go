package comm

import (
	"fmt"

	"github.com/spmdc/spmdc/ir"
)

// partition gives each loop the ownership constraints that it controls, and
// rejects regions whose statements disagree.
func (t *attempt) partition() string {
	loops := map[*ir.Do]*shared{}
	guards := &shared{}
	for _, p := range t.placed {
		perLoop := map[*ir.Do][]Constraint{}
		var guard []Constraint
		for _, c := range p.cons {
			if d := controlling(c, t.loopsOf[p.stmt]); d != nil {
				perLoop[d] = append(perLoop[d], c)
			} else {
				guard = append(guard, c)
			}
		}
		line := p.stmt.Position().Line
		for _, l := range t.loopsOf[p.stmt] {
			d, ok := l.(*ir.Do)
			if !ok {
				continue
			}
			if loops[d] == nil {
				loops[d] = &shared{}
			}
			if why := loops[d].agree(perLoop[d], line); why != "" {
				return why
			}
		}
		if why := guards.agree(guard, line); why != "" {
			return why
		}
	}
	t.region.Guard = guards.cons
	for d, s := range loops {
		if len(s.cons) > 0 {
			t.region.Part[d] = s.cons
		}
	}
	for d := range t.region.Part {
		if st, ok := t.a.affine(d.Step); ok && st.IsConst() && st.C == 0 {
			return fmt.Sprintf("the step of the loop in line %d is zero", d.Pos.Line)
		}
	}
	for _, r := range t.reduced {
		for d := range t.region.Part {
			for _, c := range t.region.Part[d] {
				if c.place().grid != r.By.Sym.Mapping.Grid {
					return "a reduction over arrays on two processor arrangements"
				}
			}
		}
	}
	if t.divided() {
		for s := range t.loopsOf {
			if _, ok := s.(*ir.Print); ok {
				return fmt.Sprintf("PRINT in line %d needs PE 0", s.Position().Line)
			}
		}
	}
	return ""
}

// shared are the constraints that all statements of a loop, or of the region,
// have in common.
type shared struct {
	cons []Constraint
	keys string
	line int
	set  bool
}

// agree adds the constraints of a statement; the text says why they differ from
// those of the statements before.
func (s *shared) agree(cons []Constraint, line int) string {
	cons = unique(cons)
	keys := keySet(cons)
	if !s.set {
		s.cons, s.keys, s.line, s.set = cons, keys, line, true
		return ""
	}
	if s.keys != keys {
		return fmt.Sprintf("lines %d and %d are computed by the owners of different elements", s.line, line)
	}
	// The same template positions, but perhaps of arrays that do not cover the
	// same part of the template: the owner of a(i) exists only where a(i) does.
	for i, have := range s.cons {
		for _, c := range cons {
			if c.Axis < 0 || have.Axis < 0 || c.key() != have.key() {
				continue
			}
			switch {
			case have.covers(c):
			case c.covers(have):
				s.cons[i] = c
			default:
				return fmt.Sprintf("lines %d and %d assign arrays that cover different parts of the template", s.line, line)
			}
		}
	}
	return ""
}

// divided reports whether PEs execute different parts of the region.
func (t *attempt) divided() bool { return len(t.region.Part) > 0 || len(t.region.Guard) > 0 }

// executors are the constraints on PEs that execute code inside the loops.
func (t *attempt) executors(loops []ir.Stmt) []Constraint {
	cons := append([]Constraint(nil), t.region.Guard...)
	for _, l := range loops {
		if d, ok := l.(*ir.Do); ok {
			cons = append(cons, t.region.Part[d]...)
		}
	}
	return cons
}
