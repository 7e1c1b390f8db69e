package spmd

import "unsafe"

// Nests that are fused in strips may hand an array from one to the next of which
// nothing is read anywhere else:
//
//	do j = 2, n-1                        do j = 2, n-1
//	   w(:,j) = a(:,j-1) + a(:,j+1)         a(:,j) = w(:,j)
//	end do                               end do
//
// Of w the columns of a strip are in use at a time, and those that the second nest is
// behind. They all lie where the first columns of the piece are, so that they stay in the
// cache, and the memory of the others is never touched:
//
//	wF := w.Window(size, keep)    strips of up to size columns, keep before them are still read
//	for each strip of columns lo..hi {
//		wF.Slide(lo)
//		...
//	}
//	wF.Close()

// Window is the part of an array's last axis that is in use.
type Window[T any] struct {
	array  *Array[T]
	keep   int
	dims   []Dim // of the array, nil for one that stays where it is
	base   int
	first  bool
	moving []Dim // of the columns in use
}

// windowBytes is how large a piece has to be for a window to pay: a smaller one stays in the
// cache as it is. So it must have twice the columns that are in use.
const windowBytes = 1 << 20

// Window opens a window over the columns of this PE's piece. Nothing but what follows may
// refer to the array until it is closed. A strip has up to size columns, and keep before
// those are still read.
func (a *Array[T]) Window(size, keep int) *Window[T] {
	w := a.window
	if w == nil {
		w = &Window[T]{array: a}
		a.window = w
	}
	w.keep, w.dims, w.base, w.first = keep, a.Dims, a.base, true
	if !a.unit || len(a.Data) == 0 || len(a.Data)*int(unsafe.Sizeof(a.Data[0])) < windowBytes || a.Dims[len(a.Dims)-1].N < 2*(size+keep) {
		w.dims = nil
		return w
	}
	w.moving = append(w.moving[:0], a.Dims...)
	a.Dims = w.moving
	return w
}

// Slide moves the window to the strip that begins with column lo. What it has of the columns
// before that are still read stays in it.
func (w *Window[T]) Slide(lo int) {
	if w.dims == nil {
		return
	}
	a := w.array
	d := &w.moving[len(w.moving)-1]
	from := lo - w.keep
	if !w.first && w.keep > 0 {
		at := (from - d.Lo) * d.Stride
		copy(a.Data[:w.keep*d.Stride], a.Data[at:])
	}
	a.base += (d.Lo - from) * d.Stride
	d.Lo, w.first = from, false
}

// Close gives the array its own columns back.
func (w *Window[T]) Close() {
	if w.dims != nil {
		w.array.Dims, w.array.base = w.dims, w.base
	}
}
