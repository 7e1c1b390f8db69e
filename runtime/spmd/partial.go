package spmd

import (
	"bytes"
	"slices"
	"unsafe"
)

// Spread sets all partial values to x.
func Spread[T summable](partial []T, x T) {
	for i := range partial {
		partial[i] = x
	}
}

// Fold combines a power of two of partial values: each of the first half with that so
// many behind it, until one is left. It may overwrite them.
func Fold[T summable](partial []T, f func(x, y T) T) T {
	for n := len(partial) / 2; n > 0; n /= 2 {
		for i, x := range partial[n : 2*n] {
			partial[i] = f(partial[i], x)
		}
	}
	return partial[0]
}

// FoldSum is Fold with the sum.
func FoldSum[T summable](partial []T) T {
	if len(partial) == 16 { // nearly all: in one expression
		p := (*[16]T)(partial)
		return (((p[0] + p[8]) + (p[4] + p[12])) + ((p[2] + p[10]) + (p[6] + p[14]))) +
			(((p[1] + p[9]) + (p[5] + p[13])) + ((p[3] + p[11]) + (p[7] + p[15])))
	}
	for n := len(partial) / 2; n > 0; n /= 2 {
		for i, x := range partial[n : 2*n] {
			partial[i] += x
		}
	}
	return partial[0]
}

// FoldProduct is Fold with the product.
func FoldProduct[T summable](partial []T) T {
	return Fold(partial, func(x, y T) T { return x * y })
}

// Changed reports whether some partial value is another than the x that Spread has set.
func Changed[T summable](partial []T, x T) bool {
	bits := func(z *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(z)), unsafe.Sizeof(x)) }
	return slices.ContainsFunc(partial, func(y T) bool { return !bytes.Equal(bits(&x), bits(&y)) })
}

// Row is the place of index i on an axis of the piece, from 0.
func (v *View[T]) Row(axis, i int) int {
	d := &v.Dims[axis]
	if i -= d.Lo; d.Step != 1 {
		i /= d.Step
	}
	return i
}

// Apart reports whether n elements from offset a and n from b are different ones.
func Apart(a, b, n int) bool { return a-b >= n || b-a >= n }

// Within reports whether n elements from offset at are among the first so many.
func Within(at, n, size int) bool { return at >= 0 && at+n <= size }

// WithinBy reports whether, of n > 0 elements by apart from offset at on, each one and the
// more elements behind it are among the first so many.
func WithinBy(at, n, by, more, size int) bool {
	last := at + (n-1)*by
	return min(at, last) >= 0 && max(at, last)+more < size
}

// Near reports whether kernels take a stride that they are passed.
func Near(by int) bool { return -1<<26 < by && by < 1<<26 }

// From is the elements of x from offset at on, none if at lies outside.
func From[T any](x []T, at int) []T {
	if at < 0 || at > len(x) {
		return nil
	}
	return x[at:]
}
