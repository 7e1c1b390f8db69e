package comm

import (
	"fmt"

	"github.com/spmdc/spmdc/ir"
)

// partition gives each loop the ownership constraints that it controls, and
// rejects regions whose statements disagree.
func (t *attempt) partition() string {
	loops, picked := map[*ir.Do]*shared{}, map[*ir.Do]*shared{}
	guards := &shared{}
	for _, p := range t.placed {
		perLoop, perPick := map[*ir.Do][]Constraint{}, map[*ir.Do][]Constraint{}
		var guard []Constraint
		for _, c := range p.cons {
			if d, _ := t.picking(c.Sub, t.loopsOf[p.stmt]); c.Axis >= 0 && d != nil {
				perPick[d] = append(perPick[d], c)
			} else if d := controlling(c, t.loopsOf[p.stmt]); d != nil {
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
				loops[d], picked[d] = &shared{}, &shared{}
			}
			for _, why := range []string{loops[d].agree(perLoop[d], line), picked[d].agree(perPick[d], line)} {
				if why != "" {
					return why
				}
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
		if len(picked[d].cons) == 0 {
			continue
		}
		if len(s.cons) > 0 {
			return fmt.Sprintf("the loop in line %d is divided by its index and by what that picks", d.Pos.Line)
		}
		t.region.Picks[d] = &Pick{Set: t.picks[d], Own: picked[d].cons}
	}
	for d := range t.region.Part {
		if st, ok := t.a.affine(d.Step); ok && st.IsConst() && st.C == 0 {
			return fmt.Sprintf("the step of the loop in line %d is zero", d.Pos.Line)
		}
	}
	for _, r := range t.reduced {
		for d := range loops {
			for _, c := range t.sharers(d) {
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
func (t *attempt) divided() bool { return t.region.Loops() || len(t.region.Guard) > 0 }

// sharers are the constraints on the PEs that execute an iteration of d.
func (t *attempt) sharers(d *ir.Do) []Constraint {
	if k := t.region.Picks[d]; k != nil {
		return k.Own
	}
	return t.region.Part[d]
}

// executors are the constraints on PEs that execute code inside the loops.
func (t *attempt) executors(loops []ir.Stmt) []Constraint {
	cons := append([]Constraint(nil), t.region.Guard...)
	for _, l := range loops {
		if d, ok := l.(*ir.Do); ok {
			cons = append(cons, t.sharers(d)...)
		}
	}
	return cons
}
