package comm

import (
	"fmt"
	"sort"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
	"github.com/spmdc/spmdc/runtime/dist"
)

// place is where something sits on one grid dimension: the template position
// as an affine form, and how positions are dealt out. Two things with equal
// places are always on the same coordinate.
type place struct {
	grid     *ir.Grid
	dim      int
	format   dist.Format
	tlo, thi int
	pos      linalg.Affine
}

func (p place) key() string {
	return fmt.Sprintf("%d.%d %v %d:%d %v", p.grid.ID, p.dim, p.format, p.tlo, p.thi, p.pos)
}

// from is how many template positions p lies behind q; ok is false where they are not on one
// template dimension, or not always equally far apart.
func (p place) from(q place) (by int64, ok bool) {
	if p.grid != q.grid || p.dim != q.dim || p.format != q.format || p.tlo != q.tlo || p.thi != q.thi {
		return 0, false
	}
	diff, ok := p.pos.Sub(q.pos)
	return diff.C, ok && diff.IsConst()
}

// axisPlace is where subscript sub of an axis of array s sits; ok is false for an
// axis that no grid dimension divides and on overflow.
func axisPlace(s *ir.Symbol, axis int, sub linalg.Affine) (place, bool) {
	ax := s.Mapping.Map.Axes[axis]
	if ax.Grid < 0 {
		return place{}, false
	}
	f, ok := sub.Scale(int64(ax.A))
	if !ok {
		return place{}, false
	}
	f, ok = f.Add(linalg.Const(int64(ax.B)))
	return place{s.Mapping.Grid, ax.Grid, ax.Format, ax.TLo, ax.THi, f}, ok
}

func fixedPlace(s *ir.Symbol, f dist.Fixed) place {
	return place{s.Mapping.Grid, f.Grid, f.Format, f.TLo, f.THi, linalg.Const(int64(f.Pos))}
}

// place is where the PEs are that satisfy c.
func (c Constraint) place() place {
	if c.Axis < 0 {
		return fixedPlace(c.Array, c.Array.Mapping.Map.Fixed[-1-c.Axis])
	}
	p, _ := axisPlace(c.Array, c.Axis, c.Sub)
	return p
}

func (c Constraint) key() string { return c.place().key() }

// covers reports whether c's array has an element wherever that of e, at the
// same template position, has one.
func (c Constraint) covers(e Constraint) bool {
	x, y := c.Array.Mapping.Map.Axes[c.Axis], e.Array.Mapping.Map.Axes[e.Axis]
	if x.A == 1 && y.A == 1 {
		return ir.AtMost(x.Lo+x.B, y.Lo+y.B) && ir.AtMost(y.Hi+y.B, x.Hi+x.B)
	}
	for _, n := range []int{x.Lo, x.Hi, y.Lo, y.Hi} {
		if ir.IsOpen(n) {
			return x == y
		}
	}
	clo, chi := c.reach()
	elo, ehi := e.reach()
	return clo <= elo && ehi <= chi
}

// reach is the range of template positions of the constraint's axis.
func (c Constraint) reach() (lo, hi int) {
	ax := c.Array.Mapping.Map.Axes[c.Axis]
	lo, hi = ax.A*ax.Lo+ax.B, ax.A*ax.Hi+ax.B
	return min(lo, hi), max(lo, hi)
}

// String is for people: "owner of a(i+1,·)".
func (c Constraint) String() string {
	if c.Axis < 0 {
		return "holder of " + c.Array.Name
	}
	s := "owner of " + c.Array.Name + "("
	for d := range c.Array.Dims {
		if d > 0 {
			s += ","
		}
		if d == c.Axis {
			s += c.Sub.String()
		} else {
			s += ":"
		}
	}
	return s + ")"
}

// owners are the constraints that single out the PEs that own ref. known is
// false when a subscript in a distributed dimension is not affine in terms
// that keep their value (unstable names those that do not).
func (a *analyzer) owners(ref *ir.Ref, stable func(linalg.Affine) bool) (cons []Constraint, bad ir.Expr) {
	s := ref.Sym
	if s.Mapping == nil {
		return nil, nil
	}
	for d, ax := range s.Mapping.Map.Axes {
		if ax.Grid < 0 {
			continue
		}
		f, ok := a.affine(ref.Subs[d])
		if !ok || !stable(f) {
			return nil, ref.Subs[d]
		}
		if _, ok := axisPlace(s, d, f); !ok {
			return nil, ref.Subs[d]
		}
		cons = append(cons, Constraint{s, d, f})
	}
	for k := range s.Mapping.Map.Fixed {
		cons = append(cons, Constraint{Array: s, Axis: -1 - k})
	}
	return cons, nil
}

// keySet is a canonical text of a set of constraints: of the places that they are about.
func keySet(cons []Constraint) string {
	return setOf(cons, Constraint.key)
}

// exactSet is keySet with the parts of the template that the arrays cover: the owner of
// a(i) exists only where a(i) does.
func exactSet(cons []Constraint) string {
	return setOf(cons, func(c Constraint) string {
		if c.Axis < 0 {
			return c.key()
		}
		lo, hi := c.reach()
		return fmt.Sprintf("%s within %d:%d", c.key(), lo, hi)
	})
}

func setOf(cons []Constraint, key func(Constraint) string) string {
	keys := make([]string, len(cons))
	for i, c := range cons {
		keys[i] = key(c)
	}
	sort.Strings(keys)
	out, last := "", ""
	for _, k := range keys {
		if k != last {
			out += k + ";"
		}
		last = k
	}
	return out
}

// unique drops constraints that say the same.
func unique(cons []Constraint) []Constraint {
	seen := map[string]bool{}
	var out []Constraint
	for _, c := range cons {
		if k := c.key(); !seen[k] {
			seen[k] = true
			out = append(out, c)
		}
	}
	return out
}

// controlling is the innermost of the loops whose index c's subscript mentions.
func controlling(c Constraint, loops []ir.Stmt) *ir.Do {
	if c.Axis < 0 {
		return nil
	}
	for i := len(loops) - 1; i >= 0; i-- {
		if d, ok := loops[i].(*ir.Do); ok && c.Sub.Uses(d.Index.Name) {
			return d
		}
	}
	return nil
}
