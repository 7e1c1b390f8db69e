package spmd

import (
	"fmt"
	"unsafe"

	"github.com/spmdc/spmdc/runtime/check"
	"github.com/spmdc/spmdc/runtime/dist"
	"github.com/spmdc/spmdc/runtime/transport"
)

// Array is a distributed (or replicated) array on one PE: its own section, with
// the overlap (shadow) around it.
type Array[T any] struct {
	View[T]
	Layout *dist.Layout
	Name   string

	pe   *PE
	own  []dist.Triplet // of this PE, per axis
	lies bool           // on this PE, as far as the fixed template positions go
	geo  geometry
	mem  *transport.Slice[T]
	fold any // *fold[T], once its elements have been reduced

	window *Window[T] // once it has been handed over by columns

	shadow [][2]int // as given to NewArray
	first  []int    // the same

	live   bool // of one with Place: it is allocated
	placed bool // it has been
}

// geometry is what the producer and the consumers of an array's elements must
// know of each other: the pieces of all PEs.
type geometry struct {
	layout *dist.Layout
	dims   []Dim // [pe*rank+axis]
}

// piece is the axes of the piece of a PE.
func (g *geometry) piece(pe int) []Dim {
	rank := g.layout.Rank()
	return g.dims[pe*rank : (pe+1)*rank]
}

// NewArray makes this PE's piece of an array, zeroed, or filled with the
// undefined value in check builds. shadow gives the width of the overlap below
// and above the block on each axis; nil means none. The first element that the PE owns of a
// column begins a cache line, or that with index first along the first axis.
func NewArray[T any](pe *PE, name string, l *dist.Layout, shadow [][2]int, first ...int) *Array[T] {
	if l.Shape.Size() != pe.n {
		panic(&Fault{Msg: fmt.Sprintf("internal error: array %s lies on %d PEs of %d", name, l.Shape.Size(), pe.n)})
	}
	a := &Array[T]{Name: name, pe: pe, mem: &transport.Slice[T]{}, shadow: shadow, first: first}
	a.lay(l, pe.piecesOf(l, shadow, int(unsafe.Sizeof(*new(T)))))
	pe.keep(a)
	return a
}

// lay gives the array memory for its piece in layout l; pieces are those of all PEs.
func (a *Array[T]) lay(l *dist.Layout, pieces []Dim) {
	pe, rank := a.pe, l.Rank()
	a.Layout, a.geo.layout, a.geo.dims = l, l, pieces
	a.own = a.own[:0]
	for d := range rank {
		a.own = append(a.own, l.Owned(pe.id, d))
	}
	a.lies = l.Holds(pe.id)
	mine := a.geo.piece(pe.id)
	before := 0
	switch {
	case rank == 0:
	case len(a.first) > 0:
		before = a.first[0] - mine[0].Lo
	case a.own[0].N > 0:
		before = a.own[0].Lo - mine[0].Lo
	}
	vacate(pe, a.Data)
	a.Data = allocate[T](pe, "array "+a.Name, extent(mine), before)
	a.setDims(mine)
	if pe.prog.Check {
		undefine(a.Data)
	}
	a.mem.Data = a.Data
}

// outside is how many cells of this PE's piece lie, along an axis, outside of what
// it owns; with -1 along any axis.
func (a *Array[T]) outside(axis int) int {
	mine := a.geo.piece(a.pe.id)
	inner := 1
	for d := range mine {
		switch {
		case axis < 0 || d == axis:
			inner *= a.own[d].N
		default:
			inner *= mine[d].N
		}
	}
	return cells(mine) - inner
}

// NewLocal makes a replicated array: every PE has all of it. bounds are the
// declared bounds of each dimension.
func NewLocal[T any](pe *PE, name string, bounds ...[2]int) *Array[T] {
	var m dist.Map
	for _, b := range bounds {
		m.Axes = append(m.Axes, dist.Axis{Lo: b[0], Hi: b[1], Grid: -1, A: 1})
	}
	return NewArray[T](pe, name, pe.Layout(m, dist.Grid{pe.n}), nil)
}

// Owned is the set of indices of an axis (from 0) that this PE owns.
func (a *Array[T]) Owned(axis int) dist.Triplet { return a.own[axis] }

// Iters is the iterations x of loop for which a*x+b, a subscript of the axis,
// is owned by PE q.
func (a *Array[T]) Iters(q, axis, coef, off int, loop dist.Triplet) dist.Triplet {
	return a.Layout.Iters(q, axis, coef, off, loop)
}

// Owns reports whether this PE owns the element with the given subscripts.
func (a *Array[T]) Owns(idx ...int) bool {
	for d, i := range idx {
		if !a.own[d].Contains(i) {
			return false
		}
	}
	return a.lies
}

// Holds reports whether index i of the axis is owned by PE q.
func (a *Array[T]) Holds(q, axis, i int) bool { return a.Layout.Owned(q, axis).Contains(i) }

// Temp is a temporary that a communication fills with what this PE needs. Its
// index space is that of the communication; the piece that it holds changes
// with every Post.
type Temp[T any] struct {
	View[T]

	pe    *PE
	rank  int
	mems  []*transport.Slice[T] // the slots; Data is that of the last Post
	dims  []Dim
	owner any         // the communication that laid it out last
	order *check.Slot // of that communication, in check builds

	capacity func() int // see Sized; nil: it is a constant
}

// NewTemp makes a temporary for boxes of at most capacity elements, with one slot.
func NewTemp[T any](pe *PE, rank int, capacity int) *Temp[T] {
	return NewTemps[T](pe, rank, capacity, 1)
}

// NewTemps makes a temporary with several slots, which the executions of its
// communication fill in turn: a put need only come after the use of what was put
// that many executions before.
func NewTemps[T any](pe *PE, rank, capacity, slots int) *Temp[T] {
	t := &Temp[T]{pe: pe, rank: rank, dims: make([]Dim, rank)}
	for range slots {
		t.mems = append(t.mems, &transport.Slice[T]{Data: allocate[T](pe, "a temporary for messages", capacity, 0)})
	}
	t.Data = t.mems[0].Data
	pe.keep(t)
	return t
}

// layOut makes the temporary hold exactly box, or nothing.
func (t *Temp[T]) layOut(site int, box []dist.Triplet, none bool) {
	if none {
		return
	}
	boxDims(t.dims, box)
	if n := cells(t.dims); n > len(t.Data) {
		t.pe.internal(site, "%d elements are needed, the temporary holds %d", n, len(t.Data))
	}
	t.setDims(t.dims)
}

// boxDims is the packed layout of a box.
func boxDims(dims []Dim, box []dist.Triplet) {
	for d, t := range box {
		dims[d] = Dim{Lo: t.Lo, Step: max(1, t.Step), N: max(0, t.N)}
	}
	pack(dims)
}
