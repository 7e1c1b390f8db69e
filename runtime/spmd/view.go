package spmd

import "unsafe"

// Dim is one axis of a local piece: the indices Lo, Lo+Step, ... (N of them;
// the overlap is included), Stride elements apart in memory.
type Dim struct{ Lo, Step, N, Stride int }

// at is the offset of index i along the axis.
func (d *Dim) at(i int) int {
	i -= d.Lo
	if d.Step != 1 {
		i /= d.Step
	}
	return i * d.Stride
}

// holds reports whether lo..hi, both members of the axis' grid of indices, are
// inside the piece.
func (d *Dim) holds(lo, hi int) bool {
	return lo >= d.Lo && hi <= d.Lo+(d.N-1)*d.Step
}

// View addresses a rectangular local piece of an array by the array's own
// (global) indices. Data is column-major: the first index varies fastest.
type View[T any] struct {
	Data []T
	Dims []Dim

	// Offsets for pieces with Step 1 on every axis are base plus index times
	// stride, which inlines into the caller.
	unit           bool
	base           int
	s0, s1, s2, s3 int
}

// setDims makes the view address a piece with the given axes.
func (v *View[T]) setDims(dims []Dim) {
	v.Dims = dims
	v.unit, v.base = true, 0
	v.s0, v.s1, v.s2, v.s3 = 0, 0, 0, 0
	for d := range dims {
		if dims[d].Step != 1 {
			v.unit = false
		}
		v.base -= dims[d].Lo * dims[d].Stride
		switch d {
		case 0:
			v.s0 = dims[d].Stride
		case 1:
			v.s1 = dims[d].Stride
		case 2:
			v.s2 = dims[d].Stride
		case 3:
			v.s3 = dims[d].Stride
		}
	}
}

// At1 is the offset in Data of element (i) of a piece of rank 1.
func (v *View[T]) At1(i int) int {
	if v.unit {
		return v.base + i*v.s0
	}
	return v.strided1(i)
}

// At2 is the offset in Data of element (i, j) of a piece of rank 2.
func (v *View[T]) At2(i, j int) int {
	if v.unit {
		return v.base + i*v.s0 + j*v.s1
	}
	return v.strided2(i, j)
}

// At3 is the offset in Data of element (i, j, k) of a piece of rank 3.
func (v *View[T]) At3(i, j, k int) int {
	if v.unit {
		return v.base + i*v.s0 + j*v.s1 + k*v.s2
	}
	return v.strided3(i, j, k)
}

// At4 is the offset in Data of element (i, j, k, m) of a piece of rank 4.
func (v *View[T]) At4(i, j, k, m int) int {
	if v.unit {
		return v.base + i*v.s0 + j*v.s1 + k*v.s2 + m*v.s3
	}
	return v.At(i, j, k, m)
}

func (v *View[T]) strided1(i int) int { return v.Dims[0].at(i) }

func (v *View[T]) strided2(i, j int) int { return v.Dims[0].at(i) + v.Dims[1].at(j) }

func (v *View[T]) strided3(i, j, k int) int {
	return v.Dims[0].at(i) + v.Dims[1].at(j) + v.Dims[2].at(k)
}

// At is the offset in Data of an element of a piece of any rank.
func (v *View[T]) At(idx ...int) int {
	off := 0
	for d, i := range idx {
		off += v.Dims[d].at(i)
	}
	return off
}

// Stride is by how much an offset changes when the index of an axis (from 0)
// changes by di, a multiple of the Step of that axis.
func (v *View[T]) Stride(axis, di int) int {
	d := &v.Dims[axis]
	if d.Step == 1 {
		return di * d.Stride
	}
	return di / d.Step * d.Stride
}

// Spaced cuts from Data what n iterations touch (n > 0) whose elements are by apart, the
// first one at offset at, and the more elements behind each. That of iteration t is
// part[k+t*by].
func (v *View[T]) Spaced(at, n, by, more int) (part []T, k int) {
	return Spaced(v.Data, at, n, by, more)
}

// Spaced is View.Spaced of any elements.
func Spaced[T any](data []T, at, n, by, more int) (part []T, k int) {
	last := at + (n-1)*by
	if by < 0 {
		return data[last : at+more+1], at - last
	}
	return data[at : last+more+1], 0
}

// Parts64 are the real and imaginary parts of numbers, in turn, in the same memory.
func Parts64(z []complex64) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(z))), 2*len(z))
}

// Parts128 are the real and imaginary parts of numbers, in turn, in the same memory.
func Parts128(z []complex128) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(z))), 2*len(z))
}

// Every cuts from Data the part that holds n elements (n > 0), by apart, of
// which the first is at offset at. It begins and ends with the outermost of them.
// Element t is part[k+t*step] in the arithmetic of uint, and there is no index
// k+t*step in part for t = n. A loop over the elements thus needs no count, and
// its condition is all that the compiler asks for part[k] to need no check:
//
//	for ; k < uint(len(part)); k += step {
//
// Every panics if an element is outside of Data. So it does if by is 0 and n is
// not 1: elements of a piece that have different indices are apart.
func (v *View[T]) Every(at, n, by int) (part []T, k, step uint) {
	if by == 0 {
		by = len(v.Data) // to a second element outside
	}
	last := at + (n-1)*by
	if by < 0 {
		return v.Data[last : at+1], uint(at - last), uint(by)
	}
	return v.Data[at : last+1], 0, uint(by)
}

// Before is the index before the first one of the piece along an axis.
func (v *View[T]) Before(axis int) int { return v.Dims[axis].Lo - v.Dims[axis].Step }

// Last is the last index of the piece along an axis.
func (v *View[T]) Last(axis int) int { return v.Dims[axis].Lo + (v.Dims[axis].N-1)*v.Dims[axis].Step }
