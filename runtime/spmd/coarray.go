package spmd

import (
	"fmt"
	"sync"

	"github.com/spmdc/spmdc/runtime/elide"
	"github.com/spmdc/spmdc/runtime/transport"
)

// Coarray is a coarray on one image: its own part, of which every image has one
// with the same bounds, and the way to those of the others. A put is complete,
// and what others have put is seen, behind the next synchronisation; in between
// two images must not use an element that one of them changes.
type Coarray[T any] struct {
	Array[T]

	buffer transport.Buffer
	puts   uint64
	one    transport.Slice[T] // an element on its way
	apart  []any              // of NewApart: *Coarray[T] of each PE
	moving sync.RWMutex       // of NewApart: its memory is moved only while no other image is at it
	move   transport.Move     // of the transfer in hand; here so that it is not allocated
}

// NewCoarray makes this image's part. bounds are the declared bounds of each
// dimension; a scalar has [1, 1]. All images make the same coarrays in the same order.
func NewCoarray[T any](pe *PE, name string, bounds ...[2]int) *Coarray[T] {
	if !bare[T]() {
		if p := pe.t.Alloc(line); p != nil {
			pe.t.Free(p)
			pe.t.Abort(&Error{File: pe.prog.File, PE: pe.id, Images: true, Msg: "coarray " + name + " is CHARACTER, and the images are processes, which cannot reach the texts of each other",
				Hint: "run it without mpirun, or use an INTEGER coarray of character codes (ichar)"})
		}
	}
	c := &Coarray[T]{Array: *NewLocal[T](pe, name, bounds...), one: transport.Slice[T]{Data: make([]T, 1)}}
	c.buffer = pe.t.Register(-1, c.mem)
	return c
}

// NewApart makes this image's part of a coarray of which each image allocates its own, with other
// bounds than others. It has no elements at first. Images that are processes cannot have one.
func NewApart[T any](pe *PE, name string, bounds ...[2]int) *Coarray[T] {
	c := NewCoarray[T](pe, name, bounds...)
	if p := pe.t.Alloc(line); p != nil {
		pe.t.Free(p)
		pe.t.Abort(&Error{File: pe.prog.File, PE: pe.id, Images: true, Msg: name + " is an allocatable component of a coarray, and the images are processes, which cannot reach the memory that others allocate",
			Hint: "run it without mpirun, or give the component constant bounds"})
	}
	c.apart = pe.sharedBy(c.buffer)
	c.apart[pe.id] = c
	return c
}

// Extend is that of Array, while other images may use the elements that there are.
func (c *Coarray[T]) Extend(bounds ...[2]int) []T {
	c.moving.Lock()
	defer c.moving.Unlock()
	return c.Array.Extend(bounds...)
}

// on is the part of the coarray on PE q.
func (c *Coarray[T]) on(q int) *Array[T] {
	if c.apart == nil {
		return &c.Array
	}
	return &c.apart[q].(*Coarray[T]).Array
}

// hold keeps the part on PE q where it is, until the lock is unlocked; nil where it is never moved.
func (c *Coarray[T]) hold(q int) *sync.RWMutex {
	if c.apart == nil || q == c.pe.id {
		return nil
	}
	l := &c.apart[q].(*Coarray[T]).moving
	l.RLock()
	return l
}

// Marked is off, the place of an element of this image that the program is about
// to use. Check builds call it, to find out whether the compiler has marked that.
func (c *Coarray[T]) Marked(off int) int {
	c.pe.marked(elide.Local, c.Name)
	return off
}

// image is the PE that a cosubscript means.
func (c *Coarray[T]) image(p int) int {
	c.pe.marked(elide.Remote, c.Name)
	if n := c.pe.n; p < 1 || p > n {
		panic(&Fault{Msg: fmt.Sprintf("%s[%d]: there is no such image", c.Name, p), Hint: imageHint(n)})
	}
	return p - 1
}

func imageHint(n int) string {
	if n == 1 {
		return "there is one image, number 1"
	}
	return fmt.Sprintf("images are counted from 1 to num_images(), here %d", n)
}

// offset is where the element is on every image.
func (a *Array[T]) offset(idx []int) int {
	off := 0
	for d, i := range idx {
		dim := &a.Dims[d]
		if i < dim.Lo || i >= dim.Lo+dim.N {
			panic(&Fault{
				Msg:  fmt.Sprintf("index out of range: subscript %d of %s is %d", d+1, a.Name, i),
				Hint: fmt.Sprintf("the declared bounds are %d:%d", dim.Lo, dim.Lo+dim.N-1),
			})
		}
		off += (i - dim.Lo) * dim.Stride
	}
	return off
}

// Load is the element with subscripts idx of image p, from 1.
func (c *Coarray[T]) Load(site, p int, idx ...int) T {
	q := c.image(p)
	if l := c.hold(q); l != nil {
		defer l.RUnlock()
	}
	off := c.on(q).offset(idx)
	if q == c.pe.id {
		return c.Data[off]
	}
	c.move = transport.Move{Src: off}
	c.pe.carried(site, c.one.ElemSize())
	c.pe.t.Get(site, c.buffer, q, &c.one, &c.move)
	return c.one.Data[0]
}

// Store assigns x to the element with subscripts idx of image p, from 1.
func (c *Coarray[T]) Store(site, p int, x T, idx ...int) {
	q := c.image(p)
	if l := c.hold(q); l != nil {
		defer l.RUnlock()
	}
	off := c.on(q).offset(idx)
	if q == c.pe.id {
		c.Data[off] = x
		return
	}
	c.move = transport.Move{Dst: off}
	c.one.Data[0] = x
	c.put(site, q, &c.one)
}

// put sends what c.move says.
func (c *Coarray[T]) put(site, q int, src transport.Memory) {
	c.puts++
	c.pe.carried(site, c.move.Count()*c.one.ElemSize())
	c.pe.t.Put(site, c.buffer, q, c.puts, src, &c.move)
}

// carried counts a message of this image.
func (pe *PE) carried(site, bytes int) {
	n := pe.count(site)
	n.Calls++
	n.Data++
	n.Bytes += int64(bytes)
}

// Span is one dimension of a section: N elements from Lo on by Step, or with Step 0
// the element Lo alone, which is no dimension of the section.
type Span struct{ Lo, N, Step int }

// One is the span of a single subscript.
func One(i int) Span { return Span{i, 1, 0} }

// section checks spans against the bounds of a and returns the offset of the first
// element. It is -1 for a section without elements.
func (a *Array[T]) section(spans []Span) int {
	off := 0
	for _, s := range spans {
		if s.N <= 0 {
			return -1
		}
	}
	for d, s := range spans {
		dim := &a.Dims[d]
		lo, hi := dim.Lo, dim.Lo+dim.N-1
		for _, i := range [2]int{s.Lo, s.Lo + (s.N-1)*s.Step} {
			if i < lo || i > hi {
				panic(&Fault{
					Msg:  fmt.Sprintf("index out of range: dimension %d of a section of %s comes to %d", d+1, a.Name, i),
					Hint: fmt.Sprintf("the declared bounds are %d:%d", lo, hi),
				})
			}
		}
		off += (s.Lo - dim.Lo) * dim.Stride
	}
	return off
}

// between describes the copy of section from of src to section to of dst; false
// when there is nothing to copy.
func between[T any](m *transport.Move, dst *Array[T], to []Span, src *Array[T], from []Span) bool {
	*m = transport.Move{Src: src.section(from), Dst: dst.section(to)}
	if m.Src < 0 || m.Dst < 0 {
		return false
	}
	e := 0
	for d, s := range from {
		if s.Step == 0 {
			continue
		}
		for to[e].Step == 0 {
			e++
		}
		m.Loop(s.N, src.Stride(d, s.Step), dst.Stride(e, to[e].Step))
		e++
	}
	return true
}

// Put copies section from of src, which lies here, to section to of c on image p.
// Both have the same extents.
func (c *Coarray[T]) Put(site, p int, to []Span, src *Array[T], from []Span) {
	q := c.image(p)
	if l := c.hold(q); l != nil {
		defer l.RUnlock()
	}
	if !between(&c.move, c.on(q), to, src, from) {
		return
	}
	if q == c.pe.id && src == &c.Array {
		c.within()
		return
	}
	c.put(site, q, src.mem)
}

// Get copies section from of c on image p to section to of dst, which lies here.
func (c *Coarray[T]) Get(site, p int, from []Span, dst *Array[T], to []Span) {
	q := c.image(p)
	if l := c.hold(q); l != nil {
		defer l.RUnlock()
	}
	if !between(&c.move, dst, to, c.on(q), from) {
		return
	}
	if q == c.pe.id && dst == &c.Array {
		c.within()
		return
	}
	c.pe.carried(site, c.move.Count()*c.one.ElemSize())
	c.pe.t.Get(site, c.buffer, q, dst.mem, &c.move)
}

// within copies a part of this image's own coarray to another, which may overlap it.
func (c *Coarray[T]) within() {
	old := make([]T, len(c.Data))
	copy(old, c.Data)
	transport.Copy(c.Data, old, &c.move)
}

// Elements is the elements of a section of rank 1.
func (a *Array[T]) Elements(part ...Span) []T {
	off := a.section(part)
	if off < 0 {
		return nil
	}
	for d, s := range part {
		if s.Step == 0 {
			continue
		}
		list := make([]T, s.N)
		for i := range list {
			list[i] = a.Data[off+i*a.Stride(d, s.Step)]
		}
		return list
	}
	return a.Data[off : off+1]
}
