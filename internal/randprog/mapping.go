package randprog

import (
	"fmt"
	"slices"
	"strings"
)

// place says how an array is mapped.
type place struct {
	kind    placeKind
	formats []string   // distributed
	onto    *grid      // or nil
	target  *template  // aligned with a template
	base    *array     // aligned with an array
	source  []bool     // which dimensions have a dummy; nil: identity without list
	subs    []alignSub // one per dimension of the target
	colons  bool       // written in the form with "::", where equal ones merge
}

type placeKind int

const (
	replicated placeKind = iota
	distributed
	aligned
)

// alignSub is a target subscript: coef*dummy+off, the constant off when coef
// is 0, or "*".
type alignSub struct {
	star           bool
	dim, coef, off int
}

func (s alignSub) String() string {
	switch {
	case s.star:
		return "*"
	case s.coef == 0:
		return fmt.Sprint(s.off)
	}
	return affine(s.coef, indexNames[s.dim], fmt.Sprint(abs(s.off)), s.off)
}

// over returns the range of s over the whole of a. A "*" needs no room.
func (s alignSub) over(a *array) (int, int) {
	switch {
	case s.star:
		return 1, 2
	case s.coef == 0:
		return s.off, s.off
	}
	x, y := s.coef*a.dims[s.dim].lo+s.off, s.coef*a.dims[s.dim].hi+s.off
	return min(x, y), max(x, y)
}

// grid is a PROCESSORS arrangement.
type grid struct {
	name  string
	rank  int
	shape string
}

// template grows until it holds all that is aligned with it. A fixed one has
// the bounds of an array that is aligned by identity, and stays so.
type template struct {
	name    string
	dims    []bounds
	set     bool
	fixed   bool
	formats []string
	onto    *grid
}

// cover grows t to hold a under subs.
func (t *template) cover(a *array, subs []alignSub) {
	for d, s := range subs {
		lo, hi := s.over(a)
		b := &t.dims[d]
		if t.set {
			lo, hi = min(lo, b.lo), max(hi, b.hi)
		}
		b.lo, b.hi = lo, hi
	}
	t.set = true
}

// distributedDims counts the formats that are not "*".
func distributedDims(formats []string) int {
	n := 0
	for _, f := range formats {
		if f != "*" {
			n++
		}
	}
	return n
}

// formatsFor draws a distribution of the given rank with at least one
// distributed dimension, and a grid or nil.
func (g *gen) formatsFor(u *unit, rank int) ([]string, *grid) {
	formats := make([]string, rank)
	for d := range formats {
		formats[d] = oneOf(u, "block", "cyclic", "*", "block", "cyclic", "block(2)", "block(5)", "cyclic(2)", "cyclic(3)",
			"gen_block([3, 100000000])", "gen_block([2, 0, 100000000])", "gen_block([0, 4, 0, 3, 100000000])")
	}
	if distributedDims(formats) == 0 {
		formats[u.pick(rank)] = oneOf(u, "cyclic", "block")
	}
	for _, f := range formats {
		g.feat("dist:" + f)
	}
	g.feat(fmt.Sprintf("dist:%d dimensions", distributedDims(formats)))
	sized := slices.ContainsFunc(formats, func(f string) bool { return strings.HasPrefix(f, "gen_block") })
	if !sized && u.chance(1, 2) { // GEN_BLOCK must fit the arrangement
		g.feat("dist:onto")
		return formats, g.gridOf(u, distributedDims(formats))
	}
	g.feat("dist:without onto")
	return formats, nil
}

// gridOf returns a processor arrangement of the rank, mostly one already there.
func (g *gen) gridOf(u *unit, rank int) *grid {
	for _, p := range g.grids {
		if p.rank == rank && !u.chance(1, 4) {
			return p
		}
	}
	const nop = "number_of_processors()"
	var shape string
	switch rank {
	case 1:
		shape = oneOf(u, nop, "4", "3", nop, "1", "5", "7")
	case 2:
		shape = oneOf(u, "2, 2", "1, "+nop, nop+", 1", "2, 3", "4, 2", "1, 3", "3, 1")
	default:
		shape = oneOf(u, "2, 2, 1", "2, 1, 2", "1, 1, "+nop, "2, 2, 2", "3, 1, 2", nop+", 1, 1")
	}
	if strings.Contains(shape, nop) {
		g.feat("processors:number_of_processors()")
	} else {
		g.feat("processors:fixed shape")
	}
	g.feat(fmt.Sprintf("processors:rank %d", rank))
	p := &grid{name: fmt.Sprintf("p%d", len(g.grids)+1), rank: rank, shape: shape}
	g.grids = append(g.grids, p)
	return p
}

// placeArray decides the mapping of a; that of earlier arrays is known.
func (g *gen) placeArray(a *array) {
	u := a.u
	var mapped []*array
	for _, b := range g.arrays {
		if b != a && !b.own && b.place.kind != replicated {
			mapped = append(mapped, b)
		}
	}
	switch u.pick(9) {
	case 0:
		g.feat("align:none, replicated")
	case 1, 2:
		g.feat("dist:array")
		for _, b := range mapped {
			if b.place.kind == distributed && b.rank() == a.rank() && u.chance(1, 2) {
				b.place.colons = true
				a.place = b.place
				return
			}
		}
		a.place.kind = distributed
		a.place.formats, a.place.onto = g.formatsFor(u, a.rank())
		a.place.colons = u.chance(1, 2)
	case 3, 4:
		if len(mapped) > 0 && g.alignWithArray(a, mapped[u.pick(len(mapped))]) {
			return
		}
		g.alignWithTemplate(a)
	default:
		g.alignWithTemplate(a)
	}
}

// newTemplate makes a distributed template without bounds.
func (g *gen) newTemplate(u *unit, rank int) *template {
	t := &template{name: fmt.Sprintf("t%d", len(g.templates)+1), dims: make([]bounds, rank)}
	t.formats, t.onto = g.formatsFor(u, rank)
	g.feat(fmt.Sprintf("template:rank %d", rank))
	g.feat("dist:template")
	g.templates = append(g.templates, t)
	return t
}

// templateOf returns a template of the rank that may grow, mostly one already
// there.
func (g *gen) templateOf(u *unit, rank int) *template {
	for _, t := range g.templates {
		if len(t.dims) == rank && !t.fixed && !u.chance(1, 4) {
			return t
		}
	}
	return g.newTemplate(u, rank)
}

func sameBounds(a, b []bounds) bool {
	if len(a) != len(b) {
		return false
	}
	for d := range a {
		if a[d].lo != b[d].lo || a[d].hi != b[d].hi {
			return false
		}
	}
	return true
}

func (g *gen) alignWithTemplate(a *array) {
	u := a.u
	a.place.kind = aligned
	a.place.colons = u.chance(1, 2)
	switch u.pick(8) {
	case 1, 2:
		// The same words as an earlier array, so that several stand in one directive.
		for _, b := range g.arrays {
			if b != a && b.place.target != nil && b.rank() == a.rank() && b.place.source != nil {
				b.place.colons = true
				a.place = b.place
				a.place.target.cover(a, a.place.subs)
				return
			}
		}
	case 3:
		if a.own {
			break // it has other bounds each time
		}
		// Identity: the template has the array's own bounds.
		var t *template
		for _, old := range g.templates {
			if old.fixed && sameBounds(old.dims, a.dims) {
				t = old
			}
		}
		if t == nil {
			t = g.newTemplate(u, a.rank())
			t.fixed, t.set = true, true
			copy(t.dims, a.dims)
		}
		a.place.target = t
		return
	}

	rank := a.rank()
	want := rank
	switch {
	case rank == 1 && u.chance(2, 5):
		want = 2
	case rank == 2 && u.chance(1, 4):
		want = oneOf(u, 1, 3)
	case rank == 3 && u.chance(1, 3):
		want = oneOf(u, 2, 1)
	}
	t := g.templateOf(u, want)
	a.place.target = t
	a.place.source, a.place.subs = g.alignment(u, a, want)
	t.cover(a, a.place.subs)
}

// alignment draws source and target lists for an alignment of a with a target
// of the given rank.
func (g *gen) alignment(u *unit, a *array, want int) ([]bool, []alignSub) {
	rank := a.rank()
	order := make([]int, rank)
	for d := range order {
		order[d] = d
	}
	if rank > 1 && u.chance(1, 3) {
		r := 1 + u.pick(rank-1)
		order = append(append([]int(nil), order[r:]...), order[:r]...)
		if want > 1 {
			g.feat("align:permutation")
		}
	}
	source, subs := make([]bool, rank), make([]alignSub, want)
	next := 0
	for d := range subs {
		// Target dimensions in excess hold a constant or are replicated.
		if next < rank && (want-d <= rank-next || u.chance(1, 2)) {
			s := order[next]
			next++
			source[s] = true
			c := oneOf(u, 1, 1, 1, 1, 2, -1, 3, -2, -3)
			o := oneOf(u, 0, 0, 1, -1, 3)
			switch {
			case c < 0:
				o -= c * (a.dims[s].hi + 1)
				g.feat(fmt.Sprintf("align:stride %d", c))
			case c > 1:
				g.feat(fmt.Sprintf("align:stride %d", c))
			}
			if u.chance(1, 10) {
				// The template is as long as the way between its arrays.
				o += oneOf(u, 1000000, -3000000, 2500001)
				g.feat("align:far")
			}
			if o == 0 && c == 1 {
				g.feat("align:identity")
			} else if c > 0 && o != 0 {
				g.feat("align:offset")
			}
			subs[d] = alignSub{dim: s, coef: c, off: o}
			continue
		}
		if u.chance(1, 2) {
			subs[d] = alignSub{off: 1 + u.pick(3)}
			g.feat("align:constant")
		} else {
			subs[d] = alignSub{star: true}
			g.feat("align:replication")
		}
	}
	if next < rank {
		g.feat("align:collapse")
	}
	return source, subs
}

// alignWithArray aligns a with b where b's bounds hold all images. It reports
// whether it did.
func (g *gen) alignWithArray(a, b *array) bool {
	u := a.u
	source := make([]bool, a.rank())
	subs := make([]alignSub, b.rank())
	for d := range subs {
		bd := b.dims[d]
		if d >= a.rank() {
			if bd.extent() == 0 {
				return false // no position of b is at any subscript of it
			}
			subs[d] = oneOf(u, alignSub{star: true}, alignSub{off: bd.lo + u.pick(bd.extent())})
			continue
		}
		room := bd.extent() - a.dims[d].extent()
		if room < 0 {
			return false
		}
		source[d] = true
		subs[d] = alignSub{dim: d, coef: 1, off: bd.lo - a.dims[d].lo + u.pick(room+1)}
	}
	for _, s := range subs {
		if s.star {
			g.feat("align:replication")
		} else if s.coef == 0 {
			g.feat("align:constant")
		}
	}
	if a.rank() > b.rank() {
		g.feat("align:collapse")
	}
	g.feat("align:with array")
	if b.place.kind == aligned {
		g.feat("align:chain")
	}
	a.place = place{kind: aligned, base: b, source: source, subs: subs, colons: u.chance(1, 2)}
	if sameBounds(a.dims, b.dims) && !a.own && u.chance(1, 2) {
		a.place.source, a.place.subs = nil, nil
	}
	return true
}
