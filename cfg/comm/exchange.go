package comm

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/procfunc/linalg"
)

// side is the exchange with the neighbours in direction dir along dimension
// dim: which distances it covers, and how far it reaches into the overlaps of
// the dimensions before.
type side struct {
	dim, dir int
	window   [][2]int // per array dimension; of those before dim, and dim
}

// exchanges are the sides that serve s in phases.
func (s *distances) exchanges() []*side {
	var out []*side
	find := func(dim, dir int) *side {
		for _, x := range out {
			if x.dim == dim && x.dir == dir {
				return x
			}
		}
		return nil
	}
	for _, d := range s.dims {
		for _, dir := range []int{-1, +1} {
			var x *side
			for _, c := range s.olds {
				if sign(c.Window[d][0]) != dir {
					continue
				}
				if x == nil {
					x = &side{d, dir, slices.Clone(c.Window)}
				}
				for e := range x.window {
					x.window[e] = hull(x.window[e], c.Window[e])
				}
			}
			if x != nil {
				out = append(out, x)
			}
		}
	}
	// What a phase forwards has to be there: an earlier side brings every
	// distance of its direction that a later one reaches into, and reaches as far
	// into those before it.
	for i := len(out) - 1; i >= 0; i-- {
		x := out[i]
		for _, e := range s.dims {
			if e >= x.dim {
				break
			}
			for _, dir := range []int{-1, +1} {
				w := x.window[e]
				if dir < 0 {
					w[1] = min(w[1], -1)
				} else {
					w[0] = max(w[0], 1)
				}
				if w[0] > w[1] {
					continue
				}
				y := find(e, dir)
				y.window[e] = hull(y.window[e], w)
				for f := range e {
					y.window[f] = hull(y.window[f], x.window[f])
				}
			}
		}
	}
	return out
}

// separable reports whether what a PE wants along a dimension that is exchanged
// depends on its coordinate there, and on those that are not exchanged, alone:
// then H(q,d) of the proof above is the same for PEs that differ in other exchanged dimensions. A
// pipelined region is left out: its overlap is filled from one side only.
func (s *distances) separable() bool {
	c := s.narrow
	if c.Region != nil && c.Region.Pipe != nil {
		return false
	}
	m := c.Array.Mapping
	exchanged := map[int]bool{}
	for _, d := range s.dims {
		exchanged[m.Map.Axes[d].Grid] = true
	}
	// outside reports whether cons say nothing of exchanged dimensions but dim.
	outside := func(cons []Constraint, dim int) bool {
		for _, k := range cons {
			p := k.place()
			if p.grid != m.Grid || exchanged[p.dim] && p.dim != dim {
				return false
			}
		}
		return true
	}
	if !outside(c.Guard, -1) {
		return false
	}
	for _, r := range c.Ranges {
		if !c.Varies(r) && !outside(r.Cons, -1) {
			return false
		}
	}
	for d, ax := range c.Axes {
		g := m.Map.Axes[d].Grid
		if slices.Contains(s.dims, d) {
			if ax.All || len(ax.Terms) != 1 || len(ax.Terms[0].Range.Cons) == 0 {
				return false
			}
		}
		for _, t := range ax.Terms {
			if !outside(t.Range.Cons, g) {
				return false
			}
		}
	}
	return true
}

// forwarding is the communication of one side.
func (s *distances) forwarding(x *side) *Comm {
	base := s.narrow
	c := *base
	c.Refs, c.Axes, c.Ranges, c.Window = nil, nil, nil, nil
	for d := range base.Axes {
		w := [2]int{}
		switch {
		case !slices.Contains(s.dims, d):
			c.Axes = append(c.Axes, base.Axes[d])
		case d <= x.dim:
			w = x.window[d]
			c.Axes = append(c.Axes, s.moved(&c, d, w))
			if d < x.dim && w != [2]int{} {
				c.Forward = append(c.Forward, d)
			}
		default:
			c.Axes = append(c.Axes, s.owned(&c, d))
		}
		c.Window = append(c.Window, w)
	}
	var ranges []*Range
	for _, r := range base.Ranges {
		if c.Varies(r) || !base.Varies(r) {
			ranges = append(ranges, r)
		}
	}
	c.Ranges = append(ranges, c.Ranges...)
	var from []*Comm
	for _, old := range s.olds {
		if sign(old.Window[x.dim][0]) == x.dir {
			from = append(from, old)
		}
	}
	c.references(from)
	return &c
}

// owned is axis d as what a PE owns of the elements that any PE wants: a later
// phase may want them from it.
func (s *distances) owned(c *Comm, d int) Axis {
	index := fmt.Sprintf("%s%d", ownPrefix, d+1)
	dim := c.Array.Dims[d]
	r := &Range{Index: index, Lo: End(s.program, dim.Lo), Hi: End(s.program, dim.Hi), Step: 1,
		Cons: []Constraint{{c.Array, d, linalg.Var(index)}}}
	if lo, hi, ok := s.reach(d); ok {
		r.Lo, r.Hi = lo, hi
	}
	c.Ranges = append(c.Ranges, r)
	return Axis{Terms: []AxisTerm{{r, 1}}}
}

// reach is the least and greatest element along d that any PE wants.
func (s *distances) reach(d int) (lo, hi linalg.Affine, ok bool) {
	ax := s.narrow.Axes[d]
	t := ax.Terms[0]
	if t.Range.Unknown {
		return lo, hi, false
	}
	lo, hi = t.Range.Lo, t.Range.Hi
	if (t.Range.Step < 0) != (t.Coef < 0) {
		lo, hi = hi, lo
	}
	w := [2]int{}
	for _, c := range s.olds {
		w = hull(w, c.Window[d])
	}
	end := func(f linalg.Affine, by int) (linalg.Affine, bool) {
		f, ok1 := f.Scale(int64(t.Coef))
		f, ok2 := f.Add(ax.Off)
		f, ok3 := f.Add(linalg.Const(int64(by - s.narrow.Window[d][0])))
		return f, ok1 && ok2 && ok3
	}
	lo, ok1 := end(lo, w[0])
	hi, ok2 := end(hi, w[1])
	return lo, hi, ok1 && ok2
}
