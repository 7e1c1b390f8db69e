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
	var lists func(l *[]*stmt) (bool, bool)
	lists = func(l *[]*stmt) (bool, bool) {
		for k, s := range *l {
			if hit() {
				*l = slices.Delete(*l, k, k+1)
				return true, true
			}
			if hit() {
				*l = slices.Replace(*l, k, k+1, slices.Concat(s.flight, s.body, s.other)...)
				return true, true
			}
			if c, e := s.reduce(hit); e {
				return c, e
			}
			for _, inner := range []*[]*stmt{&s.flight, &s.body, &s.other} {
				if c, e := lists(inner); e {
					return c, e
				}
			}
		}
		return false, false
	}
	return lists(&p.body)
}

// reduce simplifies the statement itself.
func (s *stmt) reduce(hit func() bool) (changed, exists bool) {
	for k, c := range s.comms {
		if hit() {
			if len(s.comms) == 1 {
				return false, true // the statement goes as a whole
			}
			s.comms = slices.Delete(s.comms, k, k+1)
			return true, true
		}
		for _, simpler := range []func(){
			func() { c.class = 0 },
			func() { c.shape.by = nil },
			func() { c.shape.holes = nil },
			func() { c.shape.maybe = false },
			func() { c.shape.offset = 0 },
		} {
			if hit() {
				was := *c.shape
				class := c.class
				simpler()
				return was != *c.shape || class != c.class, true
			}
		}
	}
	if hit() {
		if s.kind == usedTwice || s.kind == usedEither || s.kind == oneOf {
			s.kind = group
			s.body, s.other = append(s.body, s.other...), nil
			return true, true
		}
		return false, true
	}
	if hit() {
		if s.kind == doLoop && !s.endless && (s.least < s.most || s.most > 2) {
			s.least = min(2, s.most)
			s.most = s.least
			return s.most > 0, true
		}
		return false, true
	}
	return false, false
}

// clone copies a program. Shapes keep pointing at the loops of the copy.
func clone(p *Program) *Program {
	made := map[*stmt]*stmt{}
	var list func(l []*stmt) []*stmt
	list = func(l []*stmt) []*stmt {
		var out []*stmt
		for _, s := range l {
			c := *s
			made[s] = &c
			c.flight, c.body, c.other = list(s.flight), list(s.body), list(s.other)
			c.comms = nil
			for _, m := range s.comms {
				shape := *m.shape
				c.comms = append(c.comms, &communication{m.class, &shape})
			}
			out = append(out, &c)
		}
		return out
	}
	q := &Program{PEs: p.PEs, body: list(p.body)}
	for _, c := range made {
		c.target = made[c.target]
		for _, m := range c.comms {
			m.shape.by, m.shape.holes = made[m.shape.by], made[m.shape.holes]
		}
	}
	return q
}
