package procfunc

import (
	"fmt"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
	"github.com/spmdc/spmdc/runtime/dist"
)

// Space says how the template positions of one grid dimension are dealt out to
// its coordinates. Equal positions of one space lie on equal coordinates.
type Space struct {
	Grid     *ir.Grid // nil for arrangements of rank 1, which are all the same
	Dim      int
	Format   dist.Format // Collapsed: the positions are the coordinates themselves
	TLo, THi int
}

// String is like "BLOCK(1:100)".
func (s Space) String() string {
	if s.Format == dist.Collapsed {
		return "coordinates"
	}
	return fmt.Sprintf("%v(%s:%s)", s.Format, ir.EndString(s.TLo), ir.EndString(s.THi))
}

// PosKind says how much is known of a position.
type PosKind uint8

const (
	// At: the position is Pos.Form.
	At PosKind = iota
	// All: every position (the paper's U).
	All
	// Same: the coordinate of the other party. The array is replicated along the
	// dimension, and the copy on the consumer's side is the one that is sent.
	Same
	// Nowhere: no template position says it. It may be any, and is never proved
	// to be one.
	Nowhere
)

// Pos is the position of producer or consumer in one grid dimension.
type Pos struct {
	Kind  PosKind
	Form  linalg.Affine // of At: over scalars, indices of loops around, and Vars
	Space Space         // of At
}

func (p Pos) String() string {
	switch p.Kind {
	case At:
		return p.Form.String()
	case All:
		return "U"
	case Same:
		return "="
	}
	return "?"
}

// Var is the index of a loop that the communication was moved out of, or the
// index of an array dimension that is sent whole: it takes the values Lo,
// Lo+Step, ... up to Hi (down to Hi if Step is negative). Lo and Hi are forms
// over scalars and indices of loops around the communication.
type Var struct {
	Name    string
	Lo, Hi  linalg.Affine
	Step    int64
	Unknown bool // no bounds are known
	// Idle: neither position depends on it. Messages go also where its range is
	// empty.
	Idle bool
	// Of is the index whose values this one takes independently, because what is
	// sent is a box; "" for the index itself.
	Of string
}

// Relation is who sends to whom in one instance of a communication: for all
// values of Vars, position P to position Q. It never holds less than the
// messages that there are.
type Relation struct {
	Ref  int // number of the communication
	Comm *comm.Comm
	Grid *ir.Grid
	P, Q []Pos // per grid dimension
	Vars []Var
	// Must: a message (or none because it is one PE) is certain for each pair,
	// as long as no Var has an empty range and all of Elements are in the array.
	Must bool
	Why  string // why not
	// Elements, of communications that may fetch what lies outside of the array,
	// which is not sent, or for what lies outside of another one, are the
	// subscripts; Clip says why they may.
	Elements []Element
	Clip     string

	shape   int       // number among those that say the same, 0 before it is asked for
	scalars *[]string // of Functions.scalars, nil before
}

// Element is one subscript, and the array's bounds.
type Element struct {
	Sub    linalg.Affine // over Vars and what positions are over
	Lo, Hi linalg.Affine // constants, or over scalars
}

// Dims is the number of grid dimensions, the paper's k.
func (r *Relation) Dims() int { return len(r.P) }

// String is like "i - 1 -> i; i = 2:n".
func (r *Relation) String() string {
	s := tuple(r.P) + " -> " + tuple(r.Q)
	sep := "; "
	for _, v := range r.Vars {
		if v.Idle {
			continue
		}
		s += sep + v.String()
		sep = ", "
	}
	return s
}

func (v Var) String() string {
	switch {
	case v.Unknown:
		return v.Name + " = any"
	case v.Step == 1:
		return fmt.Sprintf("%s = %v:%v", v.Name, v.Lo, v.Hi)
	}
	return fmt.Sprintf("%s = %v:%v:%d", v.Name, v.Lo, v.Hi, v.Step)
}

func tuple(ps []Pos) string {
	s := ""
	for i, p := range ps {
		if i > 0 {
			s += ","
		}
		s += p.String()
	}
	if len(ps) == 1 {
		return s
	}
	return "(" + s + ")"
}

// relationOf describes what communication c does, in the terms in which its own
// needs are computed at run time.
func (f *Functions) relationOf(c *comm.Comm) *Relation {
	r := &Relation{Ref: c.ID, Comm: c, Grid: c.Array.Mapping.Grid, Must: true}
	b := &relationBuilder{f: f, r: r, c: c, vars: map[*comm.Range]int{}, driven: map[*comm.Range]bool{}, hulls: map[int]string{}}
	for range r.Grid.Rank {
		r.P = append(r.P, Pos{Kind: Same})
		r.Q = append(r.Q, Pos{Kind: All})
	}
	if c.Kind == comm.Irregular {
		for d := range r.P {
			r.P[d].Kind, r.Q[d].Kind = Nowhere, Nowhere
		}
		b.fails("its elements are known at run time only")
		return r
	}
	b.ranges()
	b.consumers()
	b.producers()
	b.certainty()
	b.settle()
	return r
}

type relationBuilder struct {
	f    *Functions
	r    *Relation
	c    *comm.Comm
	vars map[*comm.Range]int // index into r.Vars
	// driven: some dimension of the section follows the index.
	driven map[*comm.Range]bool
	owned  []Element      // what consumers have, as their constraints say
	hulls  map[int]string // the Vars of axes whose sums of indices are sent as progressions
}

func (b *relationBuilder) fails(why string) {
	if b.r.Must {
		b.r.Must, b.r.Why = false, why
	}
}

// ranges makes a Var of each expanded loop.
func (b *relationBuilder) ranges() {
	for _, g := range b.c.Ranges {
		b.vars[g] = len(b.r.Vars)
		b.r.Vars = append(b.r.Vars, Var{Name: g.Index, Lo: g.Lo, Hi: g.Hi, Step: int64(g.Step), Unknown: g.Unknown, Idle: true})
		// An index that the bounds mention is that of another loop of the
		// same name: the value before the loop.
		for _, f := range []linalg.Affine{g.Lo, g.Hi} {
			for _, h := range b.c.Ranges {
				if !g.Unknown && f.Uses(h.Index) {
					b.r.Vars[b.vars[g]].Unknown = true
				}
			}
		}
	}
}

// variable is the Var of a range of the communication.
func (b *relationBuilder) variable(g *comm.Range) Var {
	i, ok := b.vars[g]
	if !ok {
		panic(fmt.Sprintf("procfunc: an axis of #%d has a range of another communication", b.c.ID))
	}
	return b.r.Vars[i]
}

// consumers: the constraints of the loops and of the region say where q is.
func (b *relationBuilder) consumers() {
	if b.c.RootOnly {
		for d := range b.r.Q {
			b.r.Q[d].Kind = Nowhere
		}
		b.fails("PE 0, which alone consumes, has no template position")
		return
	}
	for _, k := range b.c.Guard {
		b.consumer(k)
	}
	for _, g := range b.c.Ranges {
		for _, k := range g.Cons {
			b.consumer(k)
		}
	}
}

func (b *relationBuilder) consumer(k comm.Constraint) {
	if k.Axis >= 0 {
		// Nobody executes what would assign outside of the array.
		dim := k.Array.Dims[k.Axis]
		b.owned = append(b.owned, b.element(k.Sub, dim))
	}
	grid, dim, pos := position(k)
	if dim < 0 {
		return // a template dimension that is not divided: no restriction
	}
	if !sameGrid(grid, b.r.Grid) {
		// Consumers lie on another arrangement: their coordinates on this one
		// are not known.
		for d := range b.r.Q {
			b.r.Q[d].Kind = Nowhere
		}
		b.fails("producers and consumers lie on different processor arrangements")
		return
	}
	q := &b.r.Q[dim]
	switch {
	case q.Kind == All:
		*q = pos
	case q.Kind == At && q.Space == pos.Space && q.Form.Equal(pos.Form):
	default:
		// The first of two conditions alone holds more PEs than both.
		b.fails("its consumers have to own two elements at once")
	}
}

func (b *relationBuilder) end(n int) linalg.Affine { return comm.End(b.f.Program.IR, n) }

func (b *relationBuilder) element(sub linalg.Affine, dim ir.Bound) Element {
	return Element{sub, b.end(dim.Lo), b.end(dim.Hi)}
}

// producers: the subscripts say where p is.
func (b *relationBuilder) producers() {
	m := b.c.Array.Mapping
	for d, ax := range m.Map.Axes {
		form, known := b.subscript(d)
		switch {
		case known:
			b.r.Elements = append(b.r.Elements, b.element(form, b.c.Array.Dims[d]))
		case ax.Grid < 0:
			b.fails("its subscripts are too large")
		}
		if ax.Grid < 0 {
			continue
		}
		p := Pos{Kind: All, Space: space(m.Grid, ax.Grid, ax.Format, ax.TLo, ax.THi)}
		if known {
			if g, ok := form.Scale(int64(ax.A)); ok {
				if g, ok = g.Add(linalg.Const(int64(ax.B))); ok {
					p.Kind, p.Form = At, g
				}
			}
		}
		b.r.P[ax.Grid] = p
	}
	for _, d := range b.c.Forward {
		// The neighbour with the consumer's own coordinate forwards it.
		if g := m.Map.Axes[d].Grid; g >= 0 {
			b.r.P[g] = Pos{Kind: Same}
		}
	}
	for _, fx := range m.Map.Fixed {
		if fx.Grid >= 0 {
			b.r.P[fx.Grid] = Pos{Kind: At, Form: linalg.Const(int64(fx.Pos)), Space: space(m.Grid, fx.Grid, fx.Format, fx.TLo, fx.THi)}
		}
	}
}

// subscript is the subscript of array dimension d in terms of Vars.
func (b *relationBuilder) subscript(d int) (linalg.Affine, bool) {
	if b.c.Subs != nil {
		s := b.c.Subs[d]
		if s.Axis < 0 || s.Coef == 0 {
			return s.Off, true
		}
		// The index space is that of the loops: one value for all subscripts.
		f, ok := b.axis(s.Axis)
		if !ok {
			return f, false
		}
		f, ok = f.Scale(int64(s.Coef))
		if !ok {
			return f, false
		}
		return f.Add(s.Off)
	}
	ax := b.c.Axes[d]
	if ax.All {
		dim := b.c.Array.Dims[d]
		name := fmt.Sprintf("%s.%d", b.c.Array.Name, d+1)
		b.r.Vars = append(b.r.Vars, Var{Name: name, Lo: b.end(dim.Lo), Hi: b.end(dim.Hi), Step: 1, Idle: true})
		return linalg.Var(name), true
	}
	f, ok := b.axis(d)
	if b.c.Array.Mapping.Map.Axes[d].Grid < 0 || b.hulls[d] != "" {
		return f, ok // moves no position, or with no index
	}
	for _, t := range ax.Terms {
		if !b.driven[t.Range] {
			b.driven[t.Range] = true
			continue
		}
		// The section is a box: two dimensions that one index drives take their
		// values independently. The index itself stays with the first one, as a
		// consumer that has the one value has the other ones too.
		b.fails("one index drives two dimensions of the section")
		v := b.variable(t.Range)
		v.Name, v.Of = fmt.Sprintf("%s.%d", t.Range.Index, d+1), t.Range.Index
		b.r.Vars = append(b.r.Vars, v)
		if ok {
			f, ok = f.Subst(t.Range.Index, linalg.Var(v.Name))
		}
	}
	return f, ok
}

// axis is the values along axis i of the index space.
func (b *relationBuilder) axis(i int) (linalg.Affine, bool) {
	ax := b.c.Axes[i]
	if len(ax.Terms) > 1 && !even(ax) {
		return b.hull(i), true
	}
	f := ax.Off
	for _, t := range ax.Terms {
		g, ok := linalg.Var(t.Range.Index).Scale(int64(t.Coef))
		if !ok {
			return f, false
		}
		if f, ok = f.Add(g); !ok {
			return f, false
		}
	}
	return f, true
}

// even reports whether the sums of some indices are a progression on each PE: all of
// them go in steps of one size, also where a PE executes some iterations only.
func even(ax comm.Axis) bool {
	size := func(t comm.AxisTerm) int { return max(t.Coef*t.Range.Step, -t.Coef*t.Range.Step) }
	for _, t := range ax.Terms {
		if size(t) != size(ax.Terms[0]) {
			return false
		}
		for _, k := range t.Range.Cons {
			if _, dim, p := position(k); dim >= 0 && !p.Space.Format.IsBlock() {
				return false // each P-th iteration
			}
		}
	}
	return true
}

// hull is the values along axis i where they are sent as the smallest progression
// that holds all sums (dist.Triplet.Plus), which may hold more: it takes them
// independently of the indices.
func (b *relationBuilder) hull(i int) linalg.Affine {
	if name := b.hulls[i]; name != "" {
		return linalg.Var(name)
	}
	b.fails("a sum of indices is sent as a progression")
	ax := b.c.Axes[i]
	v := Var{Name: fmt.Sprintf("%s.%d", b.c.Array.Name, i+1), Lo: ax.Off, Hi: ax.Off, Idle: true}
	if b.c.Subs != nil {
		v.Name = fmt.Sprintf("sum %d", i+1)
	}
	single := true // all indices go in steps of one
	for _, t := range ax.Terms {
		r := b.variable(t.Range)
		lo, hi := r.Lo, r.Hi
		if (int64(t.Coef) < 0) != (r.Step < 0) {
			lo, hi = hi, lo
		}
		single = single && (r.Step == 1 || r.Step == -1)
		v.Step = linalg.GCD(v.Step, int64(t.Coef))
		for _, end := range []struct{ to, by *linalg.Affine }{{&v.Lo, &lo}, {&v.Hi, &hi}} {
			f, ok := end.by.Scale(int64(t.Coef))
			if ok {
				*end.to, ok = end.to.Add(f)
			}
			v.Unknown = v.Unknown || r.Unknown || !ok
		}
	}
	if !single {
		v.Step = 1 // a range may end before its bound
	}
	b.r.Vars = append(b.r.Vars, v)
	b.hulls[i] = v.Name
	return linalg.Var(v.Name)
}
