package procfunc

import (
	"fmt"

	"github.com/spmdc/spmdc/procfunc/linalg"
)

// solution is the iteration of y that would serve a pair of x: values of y's
// Vars that follow from the positions, and the conditions under which this is
// an iteration that y has.
type solution struct {
	t     *test
	eqs   []linalg.Affine          // zero; over Vars of y and what is given
	value map[string]linalg.Affine // of Vars of y, in terms of what is given
	zero  []condition              // forms that have to be zero
	// quotients are Vars whose value is a form divided by a number, in the order
	// in which they follow from each other.
	quotients []quotient
	multiples []multiple  // forms that have to be divisible
	atLeast   []condition // forms that have to be >= 0
}

type condition struct {
	form linalg.Affine
	why  string // what it means if it does not hold
}

type multiple struct {
	form linalg.Affine
	by   int64
	why  string
}

// quotient is a multiple, and the equation that gives the result of the division
// its name.
type quotient struct {
	multiple
	equation linalg.Affine
}

// open lists the Vars of y that occur in f and have no value.
func (s *solution) open(f linalg.Affine) []string {
	var out []string
	for _, v := range s.t.y.Vars {
		if f.Uses(yside + v.Name) {
			if _, done := s.value[yside+v.Name]; !done {
				out = append(out, yside+v.Name)
			}
		}
	}
	return out
}

// put gives v a value, everywhere.
func (s *solution) put(v string, f linalg.Affine) {
	s.value[v] = f
	for i := range s.eqs {
		g, ok := s.eqs[i].Subst(v, f)
		s.t.overflow = s.t.overflow || !ok
		s.eqs[i] = g
	}
}

// solve finds the values; the text says why it cannot.
func (s *solution) solve() string {
	for len(s.eqs) > 0 {
		i, v := s.pick()
		if i < 0 {
			break
		}
		e := s.eqs[i]
		s.eqs = append(s.eqs[:i], s.eqs[i+1:]...)
		// e = c*v + rest = 0
		c := e.Coef(v)
		rest, ok := e.Subst(v, linalg.Const(0))
		s.t.overflow = s.t.overflow || !ok
		switch {
		case c == 1:
			rest, ok = rest.Scale(-1)
			s.t.overflow = s.t.overflow || !ok
			s.put(v, rest)
		case c == -1:
			s.put(v, rest)
		case len(s.open(rest)) > 0:
			return "which iteration of {y} answers is not decided"
		default:
			q := s.t.new()
			prod, ok := q.Scale(c)
			s.t.overflow = s.t.overflow || !ok
			sum, ok := prod.Add(rest)
			s.t.overflow = s.t.overflow || !ok
			s.quotients = append(s.quotients, quotient{multiple{rest, max(c, -c), "its positions have a stride"}, sum})
			s.put(v, q)
		}
	}
	for _, e := range s.eqs {
		if len(s.open(e)) > 0 {
			return "which iteration of {y} answers is not decided"
		}
		s.zero = append(s.zero, condition{e, "it goes elsewhere"})
	}
	return s.ranges()
}

// pick chooses an equation and a Var of y in it, one with coefficient 1 or -1
// where there is one, else one that is alone.
func (s *solution) pick() (int, string) {
	at, name := -1, ""
	for i, e := range s.eqs {
		open := s.open(e)
		for _, v := range open {
			if c := e.Coef(v); c == 1 || c == -1 {
				return i, v
			}
			if at < 0 && len(open) == 1 {
				at, name = i, v
			}
		}
	}
	return at, name
}

// ranges states that the values are ones that the loops have.
func (s *solution) ranges() string {
	t := s.t
	for _, v := range t.y.Vars {
		if v.Unknown {
			continue // a coordinate, whatever it is; others are in no killer
		}
		lo, hi := t.side(v.Lo, t.y, false), t.side(v.Hi, t.y, false)
		if v.Step < 0 {
			lo, hi = hi, lo
		}
		e, ok := s.value[yside+v.Name]
		if !ok {
			if !v.Idle {
				return "which iteration of {y} answers is not decided"
			}
			s.atLeast = append(s.atLeast, condition{t.sub(hi, lo), fmt.Sprintf("the loop over %s may run zero times", v.Name)})
			continue
		}
		// A value may itself be a form in Vars that got theirs later.
		e = s.closed(e)
		why := fmt.Sprintf("%s = %v is not certain to be in %v", v.Name, display(e), v)
		s.atLeast = append(s.atLeast, condition{t.sub(e, lo), why}, condition{t.sub(hi, e), why})
		if v.Step != 1 && v.Step != -1 {
			from := lo
			if v.Step < 0 {
				from = hi
			}
			s.multiples = append(s.multiples, multiple{t.sub(e, from), max(v.Step, -v.Step), why})
		}
	}
	for _, e := range t.y.Elements {
		// A Var without a value may take any: its first one serves.
		f := s.closed(t.side(e.Sub, t.y, false))
		for _, v := range t.y.Vars {
			if n := yside + v.Name; f.Uses(n) {
				if v.Unknown {
					return fmt.Sprintf("the range of %s is not known", v.Name)
				}
				g, ok := f.Subst(n, t.side(v.Lo, t.y, false))
				t.overflow = t.overflow || !ok
				f = g
			}
		}
		why := t.y.Clip + fmt.Sprintf(": %s is not certain to be in %d:%d", display(f), e.Lo, e.Hi)
		s.atLeast = append(s.atLeast, condition{t.plus(f, -int64(e.Lo)), why}, condition{t.plus(t.negated(f), int64(e.Hi)), why})
	}
	return ""
}

// closed replaces Vars of y in f by their values.
func (s *solution) closed(f linalg.Affine) linalg.Affine {
	for range len(s.t.y.Vars) {
		for _, v := range s.t.y.Vars {
			n := yside + v.Name
			if val, ok := s.value[n]; ok && f.Uses(n) {
				g, ok := f.Subst(n, val)
				s.t.overflow = s.t.overflow || !ok
				f = g
			}
		}
	}
	return f
}

// check is why a condition need not hold, "" if all are proved.
func (s *solution) check() string {
	t := s.t
	answer := func(why string) string {
		return fmt.Sprintf("{y} does not answer every pair of the next {x}%s: %s", t.when(), why)
	}
	for _, q := range s.quotients {
		if !s.divides(q.multiple) {
			return answer(q.why)
		}
		t.eqs = append(t.eqs, s.closed(q.equation))
	}
	for _, c := range s.zero {
		f := s.closed(c.form)
		if !t.impossible(nil, []linalg.Affine{t.plus(f, -1)}) || !t.impossible(nil, []linalg.Affine{t.plus(t.negated(f), -1)}) {
			return answer(c.why)
		}
	}
	for _, m := range s.multiples {
		if !s.divides(m) {
			return answer(m.why)
		}
	}
	for _, c := range s.atLeast {
		f := s.closed(c.form)
		// not f >= 0: f <= -1
		if !t.impossible(nil, []linalg.Affine{t.plus(t.negated(f), -1)}) {
			return answer(c.why)
		}
	}
	if t.overflow {
		return "numbers too large"
	}
	return ""
}

// divides reports whether m is proved: no k and r with form = by*k + r and
// 0 < r < by.
func (s *solution) divides(m multiple) bool {
	t := s.t
	k, r := t.new(), t.new()
	prod, ok := k.Scale(m.by)
	t.overflow = t.overflow || !ok
	eq := t.sub(t.sub(s.closed(m.form), prod), r)
	return t.impossible([]linalg.Affine{eq}, []linalg.Affine{t.plus(r, -1), t.sub(linalg.Const(m.by-1), r)})
}

func (t *test) negated(f linalg.Affine) linalg.Affine {
	g, ok := f.Scale(-1)
	t.overflow = t.overflow || !ok
	return g
}

// when says which instance of x is meant.
func (t *test) when() string {
	if t.cross < len(t.common) {
		l := t.common[t.cross]
		if l.Index != "" {
			return fmt.Sprintf(" in a later iteration of %s (line %d)", l.Index, l.Line)
		}
		return fmt.Sprintf(" in a later iteration of the loop in line %d", l.Line)
	}
	return ""
}

// display strips the marks of sides from names.
func display(f linalg.Affine) string {
	g, ok := f.Rename(func(v string) string {
		if len(v) > 2 && (v[:2] == xside || v[:2] == yside) {
			return v[2:]
		}
		return v
	})
	if !ok {
		return f.String()
	}
	return g.String()
}
