package spmd

import (
	"fmt"

	"github.com/spmdc/spmdc/runtime/dist"
	"github.com/spmdc/spmdc/runtime/transport"
)

// Place allocates a distributed array whose bounds are not known before run time: it lies as m says,
// on the grid that it was made for. What its elements were is lost. Collective, between executions of
// communications.
//
// Where m is what it was before, nothing else changes, and nobody waits: each PE has
// its memory, and neighbours may have filled the overlap for what comes next. Else the
// communications of the array get memory that fits it, which no PE may put into before all have got
// theirs, and none may take from a PE that still uses what came before.
func (a *Array[T]) Place(m dist.Map) {
	a.live = true
	a.aligned(m)
	if a.placed && a.Layout.Is(m, a.Layout.Shape) {
		if a.pe.prog.Check {
			a.undefineOwn(make([]int, len(a.own)), len(a.own)-1)
		}
		return
	}
	a.placed = true
	a.pe.assemble()
	a.relay(dist.NewLayout(m, a.Layout.Shape))
	for _, s := range a.pe.state {
		if c, ok := s.(fitted); ok {
			c.fit(a)
		}
	}
	a.pe.assemble()
}

// fitted is implemented by what depends on the layout of an array.
type fitted interface {
	// fit does what it takes when the array has got another layout.
	fit(array any)
}

// Vacate deallocates a distributed array. Its memory stays, for the next time that it is allocated.
func (a *Array[T]) Vacate() { a.live = false }

// Follow ends the program if the array is allocated and does not lie as m says, since
// what it is aligned with has got other bounds.
func (a *Array[T]) Follow(m dist.Map) {
	if a.live && !a.Layout.Is(m, a.Layout.Shape) {
		panic(&Fault{Msg: a.Name + " is allocated while what it is aligned with gets other bounds", Hint: "deallocate " + a.Name + " before"})
	}
}

// Extent is the number of elements along an axis (from 0), on all PEs together.
func (a *Array[T]) Extent(axis int) int {
	ax := &a.Layout.Axes[axis]
	return max(0, ax.Hi-ax.Lo+1)
}

// aligned ends the program if an element has no position in what the array is aligned with.
func (a *Array[T]) aligned(m dist.Map) {
	p := m.Misplaced()
	switch {
	case p == nil:
	case p.Axis < 0:
		panic(&Fault{Msg: fmt.Sprintf("%s is aligned with position %d, outside of %d:%d", a.Name, p.At, p.TLo, p.THi)})
	default:
		panic(&Fault{
			Msg:  fmt.Sprintf("element %d of dimension %d of %s is aligned with position %d, outside of %d:%d", p.Element, p.Axis+1, a.Name, p.At, p.TLo, p.THi),
			Hint: "allocate what " + a.Name + " is aligned with before, with room for it",
		})
	}
}

// undefineOwn makes the elements that the PE owns undefined, whose index along axes above axis is idx.
func (a *Array[T]) undefineOwn(idx []int, axis int) {
	if !a.lies {
		return
	}
	own := a.own[axis]
	for k := range own.N {
		idx[axis] = own.Lo + k*own.Step
		if axis == 0 {
			at := a.At(idx...)
			undefine(a.Data[at : at+1])
		} else {
			a.undefineOwn(idx, axis-1)
		}
	}
}

// assemble returns when all PEs have called it, and is never left out.
func (pe *PE) assemble() {
	pe.t.Barrier(-1)
	pe.acks.met()
}

func (c *Comm[T]) fit(array any) {
	if array != any(c.src) {
		return
	}
	for _, s := range c.stages {
		vacate(c.pe, s.Data)
		s.Data = exchanged[T](c.pe, c.src.outside(c.plan.axis))
	}
	if c.dst != nil {
		c.dst.enlarge()
		c.view = c.view && c.src.unit
	}
	for i, b := range c.bufs {
		c.pe.t.Rebind(b, c.target(i))
	}
	if c.strips != nil {
		c.pe.t.Rebind(c.strips.source, c.src.mem)
	}
	c.plan.valid, c.claim = false, nil
}

// target is the memory that slot i of the communication fills.
func (c *Comm[T]) target(i int) transport.Memory {
	switch {
	case c.stages != nil:
		return c.stages[i]
	case c.dst != nil:
		return c.dst.mems[i]
	}
	return c.src.mem
}

func (c *Irregular[T]) fit(array any) {
	if array == any(c.src) {
		c.inspections = 0
	}
}

// enlarge gives the temporary memory for as many elements as are needed now.
func (t *Temp[T]) enlarge() {
	if t.capacity == nil {
		return
	}
	n := t.capacity()
	for _, m := range t.mems {
		vacate(t.pe, m.Data)
		m.Data = allocate[T](t.pe, "a temporary for messages", n, 0)
	}
	t.Data, t.owner = t.mems[0].Data, nil
}

// Sized says that the temporary is for boxes of at most so many elements as capacity says, which is
// called whenever the array that it is for is allocated. It returns t.
func (t *Temp[T]) Sized(capacity func() int) *Temp[T] {
	t.capacity = capacity
	return t
}
