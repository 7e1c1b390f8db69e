package scalar

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// coverage goes through the uses of array sym, to find those that may get a value from
// an iteration of loop that is not their own.
type coverage struct {
	in      *Info
	sym     *ir.Symbol
	loop    *ir.Do
	around  map[ir.Stmt]bool // what loop is in
	scope   []*event         // DO loops around where we are
	inside  bool             // we are in an iteration of loop
	after   bool             // one may have been executed
	used    bool             // in loop
	covered bool
}

// maxBoxes bounds the boxes that are kept.
const maxBoxes = 48

// list goes through events, where the elements in have are assigned, and returns those
// that are behind them.
func (c *coverage) list(events []*event, have []box) []box {
	for _, x := range events {
		for _, use := range x.uses {
			c.used = c.used || c.inside
			if c.after && !c.holds(have, use) {
				c.covered = false
			}
		}
		if !c.covered {
			return nil
		}
		have = c.statement(x, have)
	}
	return have
}

func (c *coverage) statement(x *event, have []box) []box {
	switch s := x.stmt.(type) {
	case *ir.Do:
		switch {
		case s == c.loop:
			c.after, c.inside = true, true
			c.enter(x, func() { c.list(x.body(0), nil) })
			c.inside = false
			return nil
		case c.around[s]:
			c.after = true
			var left []box
			c.enter(x, func() { left = c.list(x.body(0), nil) })
			if x.jumps || !x.bounds.Runs() {
				return nil
			}
			return slices.DeleteFunc(left, func(b box) bool { return b.uses(s.Index.Name) })
		}
		each := c.iteration(x)
		if c.after {
			c.enter(x, func() { c.list(x.body(0), c.add(have, c.before(x, each)...)) })
		}
		return c.add(have, c.behind(x, each)...)
	case *ir.While:
		if c.around[s] {
			c.after = true
			c.list(x.body(0), nil)
			return nil
		}
		for _, b := range x.bodies {
			c.list(b, have)
		}
		return have
	case *ir.If:
		then, other := c.list(x.body(0), have), c.list(x.body(1), have)
		if x.jumps && !c.around[s] {
			return have
		}
		return slices.DeleteFunc(slices.Clone(then), func(b box) bool {
			return !slices.ContainsFunc(other, b.equal)
		})
	case *ir.Critical:
		for _, b := range x.bodies {
			have = c.list(b, have)
		}
		return have
	}
	if b := c.box(x.write); b != nil {
		return c.add(have, b)
	}
	return have
}

// body is what is in the kth list of statements inside.
func (x *event) body(k int) []*event {
	if x.bodies == nil {
		return nil
	}
	return x.bodies[k]
}

func (c *coverage) enter(x *event, f func()) {
	c.scope = append(c.scope, x)
	f()
	c.scope = c.scope[:len(c.scope)-1]
}

// iteration is what an iteration of x, a DO loop, surely assigns.
func (c *coverage) iteration(x *event) (all []box) {
	if x.jumps {
		return nil
	}
	after := c.after
	c.after = false // what it uses is looked at elsewhere
	c.enter(x, func() { all = c.list(x.body(0), nil) })
	c.after = after
	return all
}

// before is what the iterations before one of x have assigned, if each assigns the boxes
// in list: of elements at a distance from the index, those of the first to the last one.
func (c *coverage) before(x *event, list []box) (out []box) {
	d, one := x.stmt.(*ir.Do), linalg.Const(1)
	if !x.bounds.LoOK || x.bounds.Step != 1 && x.bounds.Step != -1 || !c.steady(x.bounds.Lo) {
		return nil
	}
	for _, b := range list {
		k, sign, off, ok := b.point(d.Index.Name)
		if !ok {
			continue
		}
		last, okL := linalg.Var(d.Index.Name).AddScaled(one, -x.bounds.Step)
		from, okF := off.AddScaled(x.bounds.Lo, sign)
		to, okT := off.AddScaled(last, sign)
		if sign*x.bounds.Step < 0 {
			from, to = to, from
		}
		if okL && okF && okT {
			out = append(out, b.with(k, stretch{from, to}))
		}
	}
	return out
}

// behind is what all iterations of x have assigned together.
func (c *coverage) behind(x *event, list []box) (out []box) {
	d, b := x.stmt.(*ir.Do), x.bounds
	ends := b.Affine() && (b.Step == 1 || b.Step == -1) && c.steady(b.Lo) && c.steady(b.Hi)
	low, high := b.Lo, b.Hi
	if b.Step < 0 {
		low, high = high, low
	}
	for _, one := range list {
		if !one.uses(d.Index.Name) {
			if b.Runs() {
				out = append(out, one)
			}
			continue
		}
		if k, sign, off, ok := one.point(d.Index.Name); ok && ends {
			lo, okLo := off.AddScaled(low, sign)
			hi, okHi := off.AddScaled(high, sign)
			if sign < 0 {
				lo, hi = hi, lo
			}
			if okLo && okHi {
				out = append(out, one.with(k, stretch{lo, hi}))
			}
			continue
		}
		if !ends {
			continue
		}
		for _, other := range list {
			if s, ok := one.square(other, d.Index.Name, low, high); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// steady reports whether f is the same wherever we are in the iteration of loop.
func (c *coverage) steady(f linalg.Affine) bool {
	return !slices.ContainsFunc(f.Vars(), func(v string) bool {
		if slices.ContainsFunc(c.scope, func(x *event) bool { return x.stmt.(*ir.Do).Index.Name == v }) {
			return false
		}
		return !c.inside || !c.in.unchanged(c.loop, v)
	})
}

// box is the element with subscripts subs, nil if that is not known.
func (c *coverage) box(subs []form) box {
	var b box
	for _, f := range subs {
		if !f.ok || !c.steady(f.Affine) {
			return nil
		}
		b = append(b, stretch{f.Affine, f.Affine})
	}
	return b
}

// add adds boxes to have, and what they are together with those that are next to them.
func (c *coverage) add(have []box, more ...box) []box {
	have = slices.Clone(have)
	for len(more) > 0 && len(have) < maxBoxes {
		b := more[0]
		more = more[1:]
		if slices.ContainsFunc(have, b.equal) {
			continue
		}
		for _, h := range have {
			for _, pair := range [][2]box{{h, b}, {b, h}} {
				if u, ok := pair[0].before(pair[1]); ok {
					more = append(more, u)
				}
			}
		}
		have = append(have, b)
	}
	return have
}

// holds reports whether an element, with any values of the indices around, is in a box. Of
// a subscript without a form nothing is known but that it is in bounds.
func (c *coverage) holds(have []box, subs []form) bool {
	return slices.ContainsFunc(have, func(b box) bool {
		for d, s := range b {
			lo, hi := subs[d].Affine, subs[d].Affine
			if f := subs[d]; !f.ok || !c.steady(f.Affine) || !c.atMost(s.lo, lo) || !c.atMost(hi, s.hi) {
				dim := c.sym.Dims[d]
				if dim.Open() {
					return false
				}
				lo, hi = linalg.Const(int64(dim.Lo)), linalg.Const(int64(dim.Hi))
				if !c.atMost(s.lo, lo) || !c.atMost(hi, s.hi) {
					return false
				}
			}
		}
		return true
	})
}

// atMost reports whether a <= b for all values of the indices of the loops around.
func (c *coverage) atMost(a, b linalg.Affine) bool {
	f, ok := a.Sub(b)
	for _, x := range slices.Backward(c.scope) {
		i := x.stmt.(*ir.Do).Index.Name
		k := f.Coef(i)
		if !ok || k == 0 {
			continue
		}
		end, is := x.bounds.Hi, x.bounds.HiOK
		if k > 0 != (x.bounds.Step > 0) {
			end, is = x.bounds.Lo, x.bounds.LoOK
		}
		if !is || x.bounds.Step == 0 {
			return false
		}
		f, ok = f.Subst(i, end)
	}
	return ok && f.IsConst() && f.C <= 0
}

// unchanged reports whether the scalar called name is the same everywhere in loop.
func (in *Info) unchanged(loop *ir.Do, name string) bool {
	sym := in.arrays.scalars[name]
	return sym != nil && !in.modified[loop][sym]
}

func (b box) uses(v string) bool {
	return slices.ContainsFunc(b, func(s stretch) bool { return s.lo.Uses(v) || s.hi.Uses(v) })
}

func (b box) equal(o box) bool {
	for d := range b { // most differ in a number, which is seen at once
		if b[d].lo.C != o[d].lo.C || b[d].hi.C != o[d].hi.C {
			return false
		}
	}
	return slices.EqualFunc(b, o, func(x, y stretch) bool { return x.lo.Equal(y.lo) && x.hi.Equal(y.hi) })
}

// with is b with s along dimension k.
func (b box) with(k int, s stretch) box {
	b = slices.Clone(b)
	b[k] = s
	return b
}

// point finds the one dimension along which b has, in each iteration, one element: that at
// off plus index v, or minus it, as sign says. Nothing else of b depends on v.
func (b box) point(v string) (k int, sign int64, off linalg.Affine, ok bool) {
	for d, s := range b {
		if !s.lo.Uses(v) && !s.hi.Uses(v) {
			continue
		}
		sign = s.lo.Coef(v)
		if ok || !s.lo.Equal(s.hi) || sign != 1 && sign != -1 {
			return 0, 0, off, false
		}
		k = d
		off, ok = s.lo.AddScaled(linalg.Var(v), -sign)
	}
	return k, sign, off, ok
}

// before is the box of b and what follows it along one dimension, if o is that, or overlaps
// with it.
func (b box) before(o box) (box, bool) {
	at, apart := -1, 0
	for d := range b {
		if b[d].lo.C != o[d].lo.C || b[d].hi.C != o[d].hi.C {
			apart++
		}
	}
	if apart > 1 {
		return nil, false
	}
	for d := range b {
		if b[d].lo.Equal(o[d].lo) && b[d].hi.Equal(o[d].hi) {
			continue
		}
		gap, ok := o[d].lo.Sub(b[d].hi)
		if at >= 0 || !ok || !gap.IsConst() || gap.C > 1 {
			return nil, false
		}
		at = d
	}
	if at < 0 {
		return nil, false
	}
	return b.with(at, stretch{b[at].lo, o[at].hi}), true
}

// square is what the iterations of a loop over v from lo to hi leave that assign a row and
// a column up to the diagonal, or from it on: b is [lo, v] along one dimension and v along
// another, where o is v and [lo, v].
func (b box) square(o box, v string, lo, hi linalg.Affine) (box, bool) {
	at := linalg.Var(v)
	up, down, point := stretch{lo, at}, stretch{at, hi}, stretch{at, at}
	same := func(x, y stretch) bool { return x.lo.Equal(y.lo) && x.hi.Equal(y.hi) }
	var sides [2]int
	n := 0
	for d := range b {
		if same(b[d], o[d]) && !b[d].lo.Uses(v) && !b[d].hi.Uses(v) {
			continue
		}
		if n == 2 {
			return nil, false
		}
		sides[n] = d
		n++
	}
	if n != 2 {
		return nil, false
	}
	p, q := sides[0], sides[1]
	for _, side := range []stretch{up, down} {
		if same(b[p], side) && same(b[q], point) && same(o[p], point) && same(o[q], side) {
			return b.with(p, stretch{lo, hi}).with(q, stretch{lo, hi}), true
		}
	}
	return nil, false
}
