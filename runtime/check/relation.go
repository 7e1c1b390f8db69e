package check

import (
	"slices"

	"github.com/spmdc/spmdc/runtime/dist"
)

// Relation is what the compiler's analysis says of the messages of one instance of a
// communication, in template positions. For the values of Vars, a PE that owns the
// position From puts to one that owns To:
//
//	b(i) = a(i-1), i = 2, n     Vars {2, n, 1}   From i-1   To i
//
// A message outside of it must not be (needs are over-approximated); with Must,
// one that it has must be (proofs are under-approximated), apart from those of a PE
// to itself. That is invariant I7.
type Relation struct {
	Shape    dist.Grid // of the arrangement that both lie on
	Must     bool
	Vars     []Span
	From, To []Place // by grid dimension
	// Inside are the subscripts that have to be in their array for a message to be
	// certain.
	Inside []Bounded
	// Next is what is said of the instance that comes next, by loops around.
	Next []Next
}

// Span is the values of an index: Lo, Lo+Step, ... up to Hi, or down to it.
type Span struct {
	Lo, Hi, Step int
	Unknown      bool // any values
}

// Form is a constant and the coefficients of Vars; those that are left out are 0.
type Form []int

// Place is a template position, and how the template is dealt out. Without At it is
// every coordinate; with the format dist.Collapsed it is the coordinate itself.
type Place struct {
	At       Form
	Format   dist.Format
	TLo, THi int
}

// Bounded is a subscript with the bounds of its dimension.
type Bounded struct {
	At     Form
	Lo, Hi int
}

// mostTuples is how many values of indices that depend on each other are tried. A
// relation that has more is taken for any in those dimensions, and for none that is
// certain.
const mostTuples = 1 << 14

// Equal reports whether two relations say the same.
func (r *Relation) Equal(s *Relation) bool {
	place := func(a, b Place) bool {
		return slices.Equal(a.At, b.At) && (a.At == nil) == (b.At == nil) && a.Format == b.Format && a.TLo == b.TLo && a.THi == b.THi
	}
	return r.Must == s.Must && equalNext(r.Next, s.Next) && slices.Equal(r.Shape, s.Shape) && slices.Equal(r.Vars, s.Vars) &&
		slices.EqualFunc(r.From, s.From, place) && slices.EqualFunc(r.To, s.To, place) &&
		slices.EqualFunc(r.Inside, s.Inside, func(a, b Bounded) bool { return slices.Equal(a.At, b.At) && a.Lo == b.Lo && a.Hi == b.Hi })
}

// Pairs are the messages from PE p to PE q of a relation, at p*PEs+q: those that may
// be, and those that must.
type Pairs struct{ May, Must []bool }

// Pairs enumerates the relation. Dimensions that have no index in common are
// independent of each other: each group of them is enumerated alone.
func (r *Relation) Pairs() Pairs {
	np := r.Shape.Size()
	out := Pairs{May: make([]bool, np*np), Must: make([]bool, np*np)}
	certain := r.Must
	for _, v := range r.Vars {
		certain = certain && (v.Unknown || v.count() > 0)
	}
	if !certain {
		r = &Relation{Shape: r.Shape, Vars: r.Vars, From: r.From, To: r.To}
	}
	at := make([]int, 2*len(r.From)) // coordinates of sender and receiver
	groups := r.groups()
	var choose func(k int, sure bool)
	choose = func(k int, sure bool) {
		if k < len(groups) {
			for _, x := range groups[k].ends {
				for i, d := range groups[k].dims {
					at[2*d], at[2*d+1] = x.at[2*i], x.at[2*i+1]
				}
				choose(k+1, sure && x.sure)
			}
			return
		}
		p, q := r.pe(at, 0), r.pe(at, 1)
		out.May[p*np+q] = true
		out.Must[p*np+q] = out.Must[p*np+q] || sure
	}
	choose(0, certain)
	return out
}

// pe is the PE at coordinates 0 or 1 of each dimension.
func (r *Relation) pe(at []int, which int) int {
	pe, weight := 0, 1
	for d, extent := range r.Shape {
		pe += at[2*d+which] * weight
		weight *= extent
	}
	return pe
}

// count is how many values there are.
func (v Span) count() int { return dist.Range(v.Lo, v.Hi, v.Step).N }

// group is grid dimensions that depend on the same indices, and the coordinates that
// sender and receiver may have in them.
type group struct {
	dims []int
	vars []int
	in   []Bounded
	ends []ends
}

// ends is the coordinates of sender and receiver in each dimension of a group.
type ends struct {
	at   []int
	sure bool
}

// groups takes the relation apart.
func (r *Relation) groups() []*group {
	of := make([]int, len(r.Vars)) // the group of an index
	for v := range of {
		of[v] = v
	}
	join := func(forms ...Form) {
		first := -1
		for _, f := range forms {
			for v := 1; v < len(f); v++ {
				switch {
				case f[v] == 0:
				case first < 0:
					first = v - 1
				default:
					from, to := of[v-1], of[first]
					for u := range of {
						if of[u] == from {
							of[u] = to
						}
					}
				}
			}
		}
	}
	for d := range r.From {
		join(r.From[d].At, r.To[d].At)
	}
	for _, b := range r.Inside {
		join(b.At)
	}
	byVar := map[int]*group{}
	var list []*group
	find := func(forms ...Form) *group {
		for _, f := range forms {
			for v := 1; v < len(f); v++ {
				if f[v] != 0 {
					g := byVar[of[v-1]]
					if g == nil {
						g = &group{}
						for u, k := range of {
							if k == of[v-1] {
								g.vars = append(g.vars, u)
							}
						}
						byVar[of[v-1]] = g
						list = append(list, g)
					}
					return g
				}
			}
		}
		g := &group{} // no index at all
		list = append(list, g)
		return g
	}
	for d := range r.From {
		g := find(r.From[d].At, r.To[d].At)
		g.dims = append(g.dims, d)
	}
	for _, b := range r.Inside {
		g := find(b.At)
		g.in = append(g.in, b)
	}
	for _, g := range list {
		r.enumerate(g)
	}
	return list
}

// enumerate fills in the coordinates of a group.
func (r *Relation) enumerate(g *group) {
	values := make([]int, 1+len(r.Vars)) // of the indices, behind the factor of the constant
	values[0] = 1
	spans := make([]dist.Triplet, len(g.vars))
	tuples, open := 1, false
	for i, v := range g.vars {
		if s := r.Vars[v]; !s.Unknown {
			spans[i] = dist.Range(s.Lo, s.Hi, s.Step)
		} else if extent := r.coordinates(g, v); extent > 0 {
			spans[i] = dist.Range(0, extent-1, 1)
		} else {
			open = true
		}
		if n := spans[i].N; n > 0 {
			tuples = min(tuples*n, mostTuples+1)
		}
	}
	if open || tuples > mostTuples {
		g.any(r)
		return
	}
	seen := map[string]int{} // ends by coordinates
	add := func(at []int, sure bool) {
		key := make([]byte, 0, 16)
		for _, c := range at {
			key = append(key, byte(c), byte(c>>8))
		}
		k, ok := seen[string(key)]
		if !ok {
			k = len(g.ends)
			seen[string(key)] = k
			g.ends = append(g.ends, ends{slices.Clone(at), false})
		}
		g.ends[k].sure = g.ends[k].sure || sure
	}
	at := make([]int, 2*len(g.dims))
	var place func(i int, sure bool)
	place = func(i int, sure bool) {
		if i == len(at) {
			add(at, sure)
			return
		}
		d := g.dims[i/2]
		x := r.From[d]
		if i%2 == 1 {
			x = r.To[d]
		}
		if x.At != nil {
			if c := x.coordinate(values, r.Shape[d]); c >= 0 {
				at[i] = c
				place(i+1, sure)
			}
			return
		}
		for c := range r.Shape[d] {
			at[i] = c
			place(i+1, sure)
		}
	}
	var run func(i int)
	run = func(i int) {
		if i < len(spans) {
			for k := range spans[i].N {
				values[1+g.vars[i]] = spans[i].Lo + k*spans[i].Step
				run(i + 1)
			}
			return
		}
		sure := true
		for _, b := range g.in {
			x := b.At.value(values)
			sure = sure && b.Lo <= x && x <= b.Hi
		}
		place(0, sure)
	}
	run(0)
}

// any makes every coordinate possible, and none certain.
func (g *group) any(r *Relation) {
	at := make([]int, 2*len(g.dims))
	var place func(i int)
	place = func(i int) {
		if i == len(at) {
			g.ends = append(g.ends, ends{slices.Clone(at), false})
			return
		}
		for c := range r.Shape[g.dims[i/2]] {
			at[i] = c
			place(i + 1)
		}
	}
	place(0)
}

// coordinates is the extent of the grid dimension of which an index is the
// coordinate; 0 if it is something else.
func (r *Relation) coordinates(g *group, v int) int {
	extent := 0
	for _, d := range g.dims {
		for _, x := range []Place{r.From[d], r.To[d]} {
			if v+1 < len(x.At) && x.At[v+1] != 0 {
				if x.Format != dist.Collapsed {
					return 0
				}
				extent = max(extent, r.Shape[d])
			}
		}
	}
	return extent
}

func (f Form) value(values []int) int {
	sum := 0
	for i, k := range f {
		sum += k * values[i]
	}
	return sum
}

// coordinate is where the position is, -1 for one that nobody has.
func (x *Place) coordinate(values []int, extent int) int {
	pos := x.At.value(values)
	if x.Format == dist.Collapsed {
		if pos < 0 || pos >= extent {
			return -1
		}
		return pos
	}
	if pos < x.TLo || pos > x.THi {
		return -1
	}
	return dist.CoordOf(x.Format, x.TLo, x.THi, pos, extent)
}
