package depend

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/procfunc/linalg"
)

// problem is a pair of accesses as a system of equations and inequalities over
// the iteration numbers of the loops and the parameters.
//
// An index is not a column of its own. A loop that starts at the form s and has
// step 2 gives its index the value s + 2*t for a column t >= 0, its iteration
// number, so that strides are part of the equations.
type problem struct {
	src, dst      Access
	common, outer int

	sys  *system
	last []bool // per inequality of sys: it is the last value of a loop
	// params gives each parameter its column; nextCol is the first unused one.
	params  map[string]int
	nextCol int
	// quotients are the columns of quotients, by what is divided. Of those in loose
	// it is not known in which direction they are rounded.
	quotients map[string]row
	loose     map[int]bool
	indices   map[string]bool // every index of either access
	products  map[int]product // by column
	counted   map[string]bool // loops of a step that is no constant, with iteration numbers nevertheless

	// inexact is the first reason why a solution of sys need not be a pair of
	// instances, "" when it always is.
	inexact  string
	overflow bool
	solver   *solver // arithmetic only
	subEq    []dimEq
}

// dimEq is the equation of one dimension: dst's subscript minus src's.
type dimEq struct {
	dim int // from 0
	r   row
}

// side is one access while its rows are built.
type side struct {
	env       map[string]row // indices in scope
	quotients linalg.Quotients
	// Per loop: iteration number, and start value where it is a column.
	trips, start []row
}

// The tracked rows of sys: for each common loop the differences, dst minus src,
// of the iteration number, of the start value, and of the index.

func (p *problem) trips(k int) int { return 3 * k }
func (p *problem) start(k int) int { return 3*k + 1 }
func (p *problem) dist(k int) int  { return 3*k + 2 }

func newProblem(src, dst Access, common, outer int) *problem {
	p := &problem{src: src, dst: dst, common: common, outer: outer,
		params: map[string]int{}, indices: map[string]bool{}, solver: newSolver(), quotients: map[string]row{}, loose: map[int]bool{}, products: map[int]product{}, counted: map[string]bool{}}
	for _, a := range []Access{src, dst} {
		for _, l := range a.Loops {
			p.indices[l.Index] = true
		}
	}
	rounded := 0
	for _, a := range []Access{src, dst} {
		rounded += p.collect(a)
	}
	p.nextCol = len(p.params)
	// A loop uses up to two columns: its iteration number, and its start or a product.
	p.sys = &system{n: len(p.params) + 2*(len(src.Loops)+len(dst.Loops)) + rounded}

	s := &side{env: map[string]row{}, quotients: src.Quotients}
	d := &side{env: map[string]row{}, quotients: dst.Quotients}
	for k := range src.Loops {
		p.loop(s, src.Loops[k])
		if k < outer { // the same iteration on both sides
			d.env[src.Loops[k].Index] = s.env[src.Loops[k].Index]
			d.trips = append(d.trips, s.trips[k])
			d.start = append(d.start, s.start[k])
		}
	}
	for k := outer; k < len(dst.Loops); k++ {
		p.loop(d, dst.Loops[k])
	}
	p.guards(s, src)
	p.guards(d, dst)
	p.equations(s, d)
	for k := range common {
		p.sys.track = append(p.sys.track,
			p.solver.combine(1, d.trips[k], -1, s.trips[k]),
			p.solver.combine(1, d.start[k], -1, s.start[k]),
			p.solver.combine(1, d.env[dst.Loops[k].Index], -1, s.env[src.Loops[k].Index]))
	}
	if p.solver.failed {
		p.overflow = true
	}
	return p
}

// collect gives columns to the parameters of a, and counts its quotients.
func (p *problem) collect(a Access) (quotients int) {
	forms := append(slices.Clone(a.Guard), a.Zero...)
	for _, l := range a.Loops {
		forms = append(append(forms, l.Lo...), l.Hi...)
		if l.By != nil {
			forms = append(forms, *l.By)
		}
	}
	for _, f := range a.Subs {
		if f != nil {
			forms = append(forms, *f)
		}
	}
	for _, f := range forms {
		for _, v := range a.Quotients.Vars(f) {
			if _, seen := p.params[v]; !seen && !p.indices[v] {
				p.params[v] = len(p.params)
			}
		}
	}
	return len(a.Quotients.Used(forms...))
}

// usesParams reports whether r has a parameter with a coefficient other than 0.
func (p *problem) usesParams(r row) bool {
	for _, c := range r[:len(p.params)] {
		if c != 0 {
			return true
		}
	}
	return false
}

func (p *problem) doubt(format string, args ...any) {
	if p.inexact == "" {
		p.inexact = fmt.Sprintf(format, args...)
	}
}

// form is f as a row, or false when f uses an index outside of its loop: that
// variable has no single value.
func (p *problem) form(s *side, f linalg.Affine) (row, bool) {
	r := p.sys.zero()
	r[p.sys.n] = p.solver.add(0, f.C)
	for v, c := range f.T {
		if x, ok := s.env[v]; ok {
			p.solver.addScaled(r, c, x)
		} else if col, ok := p.params[v]; ok {
			r[col] = p.solver.add(r[col], c)
		} else if q, ok := s.quotients[v]; ok {
			x, ok := p.quotient(s, q)
			if !ok {
				return nil, false
			}
			p.solver.addScaled(r, c, x)
		} else if c != 0 {
			return nil, false
		}
	}
	return r, true
}

func (p *problem) column() row {
	r := p.sys.zero()
	r[p.nextCol] = 1
	p.nextCol++
	return r
}

// atLeast adds a - b >= 0.
func (p *problem) atLeast(a, b row, last bool) {
	p.sys.ge = append(p.sys.ge, p.solver.combine(1, a, -1, b))
	p.last = append(p.last, last)
}

// loop adds a loop's columns and bounds to the system and its index to the
// scope of s.
func (p *problem) loop(s *side, l Loop) {
	bounds := func(forms []linalg.Affine) []row {
		var rows []row
		for _, f := range forms {
			if r, ok := p.form(s, f); ok {
				rows = append(rows, r)
			} else {
				p.doubt("a bound of loop %s is unknown", l.Index)
			}
		}
		return rows
	}
	first, last := bounds(l.Lo), bounds(l.Hi)
	start, trips := p.sys.zero(), p.column()
	index := trips
	loose := false
	if len(first) > 0 {
		for col := range p.loose {
			loose = loose || first[0][col] != 0
		}
	}
	of, by := p.multiple(l)
	switch {
	case of >= 0 && len(l.Lo) == 1 && len(first) == 1:
		p.atLeast(trips, p.sys.zero(), false)
		index = p.solver.combine(1, first[0], by, p.product(trips, of))
		p.counted[l.Index] = true
		p.doubt("the step of loop %s is not constant", l.Index)
		if loose {
			start = first[0]
		}
		first, last = nil, nil // in which direction it runs is not known
	case l.Step == 0:
		// Without a direction the bounds say nothing.
		p.doubt("the step of loop %s is unknown", l.Index)
		first, last = nil, nil
	case len(l.Lo) == 1 && len(first) == 1:
		p.atLeast(trips, p.sys.zero(), false)
		index = p.solver.combine(1, first[0], l.Step, trips)
		if loose {
			start = first[0] // equal for equal indices of the loops around, if in no other way
		}
		first = nil
	case l.Step == 1 || l.Step == -1:
		// The iteration number is the index itself, up to sign: only
		// differences of it are used.
		index = p.solver.combine(l.Step, trips, 0, nil)
	default:
		// The start is one of several values or unknown.
		start = p.column()
		p.atLeast(trips, p.sys.zero(), false)
		index = p.solver.combine(1, start, l.Step, trips)
		p.doubt("where loop %s starts is not known exactly", l.Index)
	}
	if l.Step != 0 && (len(l.Lo) == 0 || len(l.Hi) == 0) {
		p.doubt("a bound of loop %s is unknown", l.Index)
	}
	// What holds for a start column holds for the index, the reverse does not.
	from := index
	if !start.isZero() {
		from = start
	}
	for _, f := range first {
		if l.Step > 0 {
			p.atLeast(from, f, false)
		} else {
			p.atLeast(f, from, false)
		}
	}
	for _, f := range last {
		if l.Step > 0 {
			p.atLeast(f, index, true)
		} else {
			p.atLeast(index, f, true)
		}
	}
	s.env[l.Index] = index
	s.trips = append(s.trips, trips)
	s.start = append(s.start, start)
}

func (p *problem) guards(s *side, a Access) {
	for _, g := range a.Guard {
		if r, ok := p.form(s, g); ok {
			p.atLeast(r, p.sys.zero(), false)
		} else {
			p.doubt("a guard uses a variable of no single value")
		}
	}
	for _, z := range a.Zero {
		if r, ok := p.form(s, z); ok {
			p.sys.eq = append(p.sys.eq, r)
		} else {
			p.doubt("an equation uses a variable of no single value")
		}
	}
	if a.Partial {
		p.doubt("an access runs under a condition that is not affine")
	}
}

// equations adds "the subscripts are equal" for every known dimension.
func (p *problem) equations(s, d *side) {
	if len(p.src.Subs) != len(p.dst.Subs) {
		p.doubt("the accesses have %d and %d subscripts", len(p.src.Subs), len(p.dst.Subs))
		return
	}
	for k, f := range p.src.Subs {
		g := p.dst.Subs[k]
		if f == nil || g == nil {
			p.doubt("subscript %d is not affine", k+1)
			continue
		}
		a, ok := p.form(s, *f)
		b, ok2 := p.form(d, *g)
		if !ok || !ok2 {
			p.doubt("subscript %d uses a variable of no single value", k+1)
			continue
		}
		r := p.divided(p.solver.combine(1, b, -1, a))
		p.subEq = append(p.subEq, dimEq{k, r})
		p.sys.eq = append(p.sys.eq, r)
	}
}
