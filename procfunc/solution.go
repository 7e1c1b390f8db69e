package procfunc

import (
	"fmt"
	"strings"

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
	why  string // what it means if it does not hold; "": it goes elsewhere
	// of is, where y has no iteration that answers, the range that it lies outside of.
	of string
}

type multiple struct {
	form linalg.Affine
	by   int64
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
			return "which iteration of {y} acknowledges is not decided"
		default:
			q := s.t.new()
			prod, ok := q.Scale(c)
			s.t.overflow = s.t.overflow || !ok
			sum, ok := prod.Add(rest)
			s.t.overflow = s.t.overflow || !ok
			s.quotients = append(s.quotients, quotient{multiple{rest, max(c, -c)}, sum})
			s.put(v, q)
		}
	}
	for _, e := range s.eqs {
		if len(s.open(e)) > 0 {
			return "which iteration of {y} acknowledges is not decided"
		}
		s.zero = append(s.zero, condition{form: e})
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
				return "which iteration of {y} acknowledges is not decided"
			}
			s.atLeast = append(s.atLeast, condition{form: t.sub(hi, lo), why: fmt.Sprintf("the loop over %s around it may run zero times", v.Name)})
			continue
		}
		// A value may itself be a form in Vars that got theirs later.
		e = s.closed(e)
		of := v.String()
		why := fmt.Sprintf("to acknowledge, it would need %s = %v, which is not certain to lie in %v", v.Name, display(e), v)
		s.atLeast = append(s.atLeast, condition{t.sub(e, lo), why, of}, condition{t.sub(hi, e), why, of})
		if v.Step != 1 && v.Step != -1 {
			from := lo
			if v.Step < 0 {
				from = hi
			}
			s.multiples = append(s.multiples, multiple{t.sub(e, from), max(v.Step, -v.Step)})
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
		lo, hi := t.side(e.Lo, t.y, false), t.side(e.Hi, t.y, false)
		why := t.y.Clip + fmt.Sprintf(": %s is not certain to be in %s:%s", display(f), display(lo), display(hi))
		s.atLeast = append(s.atLeast, condition{form: t.sub(f, lo), why: why}, condition{form: t.sub(hi, f), why: why})
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
	for _, q := range s.quotients {
		if !s.divides(q.multiple) {
			return s.elsewhere()
		}
		t.eqs = append(t.eqs, s.closed(q.equation))
	}
	for _, c := range s.zero {
		f := s.closed(c.form)
		if t.impossible(nil, []linalg.Affine{t.plus(f, -1)}) && t.impossible(nil, []linalg.Affine{t.plus(t.negated(f), -1)}) {
			continue
		}
		if c.why == "" {
			return s.elsewhere()
		}
		return s.partly(c.why)
	}
	for _, m := range s.multiples {
		if !s.divides(m) {
			return s.elsewhere()
		}
	}
	for _, c := range s.atLeast {
		f := s.closed(c.form)
		// not f >= 0: f <= -1
		if t.impossible(nil, []linalg.Affine{t.plus(t.negated(f), -1)}) {
			continue
		}
		if why := s.example(c, f); why != "" {
			return why
		}
		return s.partly(c.why)
	}
	if t.overflow {
		return "numbers too large"
	}
	return ""
}

// partly is a reason why not every pair is answered.
func (s *solution) partly(why string) string {
	return fmt.Sprintf("{y} is not certain to acknowledge every pair of the next {x}%s: %s", s.t.when(), why)
}

// elsewhere sets what y sends beside what it would have to send.
func (s *solution) elsewhere() string {
	t := s.t
	same := func(f linalg.Affine) linalg.Affine { return f }
	text := fmt.Sprintf("{y} does not acknowledge the next {x}%s: its messages go %v, and an acknowledgement would go %s", t.when(), t.y, t.answer(same))
	if ranges := t.x.ranges(); ranges != "" {
		text += "; " + ranges
	}
	return t.marked(text)
}

// ranges are those of the Vars that positions depend on, "i = 1:n, j = 1:m".
func (r *Relation) ranges() string {
	_, ranges, _ := strings.Cut(r.String(), "; ")
	return ranges
}

// answer is what would answer a pair of x: its consumer to its producer.
func (t *test) answer(put func(linalg.Affine) linalg.Affine) string {
	return t.at(t.x.Q, put) + " -> " + t.at(t.x.P, put)
}

// at shows positions of x; put replaces Vars by values.
func (t *test) at(positions []Pos, put func(linalg.Affine) linalg.Affine) string {
	parts := make([]string, len(positions))
	for d, p := range positions {
		if parts[d] = p.String(); p.Kind == At {
			parts[d] = display(put(t.side(p.Form, t.x, true)))
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, ",") + ")"
}

// marked explains the name in text that has another value at x, if there is one.
func (t *test) marked(text string) string {
	if t.cross == len(t.common) || t.common[t.cross].Index == "" {
		return text
	}
	name := t.common[t.cross].Index
	if at := t.atX(name); at != name && strings.Contains(text, at) {
		return fmt.Sprintf("%s, where %s is the later %s", text, at, name)
	}
	return text
}

// example looks for a pair that y does not answer since f, which belongs to c and
// had to be at least zero, is less: at the end of the ranges of x where f is least.
func (s *solution) example(c condition, f linalg.Affine) string {
	t := s.t
	if c.of == "" || !t.x.Must {
		return ""
	}
	values := map[string]linalg.Affine{}
	var where []string
	for _, v := range t.x.Vars {
		name := xside + v.Name
		if v.Idle || v.Unknown || !f.Uses(name) {
			continue
		}
		lo, hi := v.Lo, v.Hi
		if v.Step < 0 {
			lo, hi = hi, lo
		}
		// The last value in the direction of the step may not be reached.
		if v.Step != 1 && v.Step != -1 {
			return ""
		}
		if values[name] = t.side(lo, t.x, true); f.Coef(name) < 0 {
			values[name] = t.side(hi, t.x, true)
		}
		where = append(where, fmt.Sprintf("%s = %s", v.Name, display(values[name])))
	}
	put := func(g linalg.Affine) linalg.Affine {
		for name, v := range values {
			h, ok := g.Subst(name, v)
			t.overflow = t.overflow || !ok
			g = h
		}
		return g
	}
	if least := put(f); !least.IsConst() || least.C >= 0 || t.overflow {
		return ""
	}
	pair := t.at(t.x.P, put) + " -> " + t.at(t.x.Q, put)
	if len(where) > 0 {
		pair += " for " + strings.Join(where, ", ")
	}
	return t.marked(fmt.Sprintf("{y} does not acknowledge every pair of the next {x}%s: {x} goes %s, and nothing of {y} goes %s, since it has %s",
		t.when(), pair, t.answer(put), c.of))
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
