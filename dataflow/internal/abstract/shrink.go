package abstract

import "slices"

// Shrink makes a program smaller as long as it fails: statements go, loops and
// branches give way to what they contain, messages get simpler, PEs fewer.
func Shrink(p *Program, fails func(*Program) bool) *Program {
	for {
		smaller := false
		for i := 0; ; i++ {
			q := clone(p)
			changed, more := q.reduce(i)
			if !more {
				break
			}
			if changed && fails(q) {
				p, smaller = q, true
				i--
			}
		}
		if !smaller {
			return p
		}
	}
}

// reduce applies reduction number i. It reports whether it changed anything, and
// whether there are that many.
func (p *Program) reduce(i int) (changed, exists bool) {
	count := 0
	hit := func() bool { count++; return count == i+1 }
	if hit() {
		if p.PEs > 2 {
			p.PEs--
			return true, true
		}
		return false, true
	}
	var lists func(l *[]*Stmt) (bool, bool)
	lists = func(l *[]*Stmt) (bool, bool) {
		for k, s := range *l {
			if hit() {
				*l = slices.Delete(*l, k, k+1)
				return true, true
			}
			if hit() {
				*l = slices.Replace(*l, k, k+1, slices.Concat(s.Flight, s.Body, s.Other)...)
				return true, true
			}
			if c, e := s.reduce(hit); e {
				return c, e
			}
			for _, inner := range []*[]*Stmt{&s.Flight, &s.Body, &s.Other} {
				if c, e := lists(inner); e {
					return c, e
				}
			}
		}
		return false, false
	}
	return lists(&p.Body)
}

// reduce simplifies the statement itself.
func (s *Stmt) reduce(hit func() bool) (changed, exists bool) {
	for k, c := range s.Comms {
		if hit() {
			if len(s.Comms) == 1 {
				return false, true // the statement goes as a whole
			}
			s.Comms = slices.Delete(s.Comms, k, k+1)
			return true, true
		}
		for _, simpler := range []func(){
			func() { c.Class = 0 },
			func() { c.Shape.By = nil },
			func() { c.Shape.Holes = nil },
			func() { c.Shape.Maybe = false },
			func() { c.Shape.Offset = 0 },
		} {
			if hit() {
				was := *c.Shape
				class := c.Class
				simpler()
				return was != *c.Shape || class != c.Class, true
			}
		}
	}
	if hit() {
		if s.Kind == UsedTwice || s.Kind == UsedEither || s.Kind == OneOf {
			s.Kind = Group
			s.Body, s.Other = append(s.Body, s.Other...), nil
			return true, true
		}
		return false, true
	}
	if hit() {
		if s.Kind == Loop && !s.Endless && (s.Least < s.Most || s.Most > 2) {
			s.Least = min(2, s.Most)
			s.Most = s.Least
			return s.Most > 0, true
		}
		return false, true
	}
	return false, false
}

// clone copies a program. Shapes keep pointing at the loops of the copy.
func clone(p *Program) *Program {
	made := map[*Stmt]*Stmt{}
	var list func(l []*Stmt) []*Stmt
	list = func(l []*Stmt) []*Stmt {
		var out []*Stmt
		for _, s := range l {
			c := *s
			made[s] = &c
			c.Flight, c.Body, c.Other = list(s.Flight), list(s.Body), list(s.Other)
			c.Comms = nil
			for _, m := range s.Comms {
				shape := *m.Shape
				c.Comms = append(c.Comms, &Communication{m.Class, &shape})
			}
			out = append(out, &c)
		}
		return out
	}
	q := &Program{PEs: p.PEs, Body: list(p.Body)}
	for _, c := range made {
		c.Target = made[c.Target]
		for _, m := range c.Comms {
			m.Shape.By, m.Shape.Holes = made[m.Shape.By], made[m.Shape.Holes]
		}
	}
	return q
}
