package spmd

import "github.com/spmdc/spmdc/runtime/dist"

// Where arrays lie in memory is decided here: they do not begin at the same place of a page,
// lest a load from one is taken for what has just been stored in another.
const (
	line = 64   // bytes of a cache line
	page = 4096 // bytes after which places of the first cache come again
	// colours is after how many bytes places of the second cache come again.
	colours = 16 * page
	// hugePage is the bytes of a huge page, and shares is how many bytes a slice has at least
	// that shares one with others, in programs that have many of them.
	hugePage = 2 << 20
	shares   = 2 * page
)

// spread sets column-major strides of pieces of arrays whose elements have the given size.
// They depend on the extents alone: others address the piece too.
func spread(dims []Dim, size int) {
	stride := 1
	for d := range dims {
		dims[d].Stride = stride
		stride = dist.NextStride(stride, dims[d].N, size)
	}
}

// pack sets column-major strides without gaps.
func pack(dims []Dim) {
	stride := 1
	for d := range dims {
		dims[d].Stride = stride
		stride *= dims[d].N
	}
}

// cells is the number of cells of a piece.
func cells(dims []Dim) int {
	n := 1
	for d := range dims {
		n *= dims[d].N
	}
	return n
}

// extent is the number of elements that the memory of a piece has, gaps included.
func extent(dims []Dim) int {
	if len(dims) == 0 {
		return 1
	}
	last := &dims[len(dims)-1]
	return last.Stride * last.N
}

// stagger is how many bytes behind the beginning of its memory the next array of so many
// bytes begins.
func (pe *PE) stagger(bytes int) int {
	if bytes < page {
		return 0
	}
	if bytes < colours {
		pe.arrays++
		return pe.arrays * 5 * line % page
	}
	pe.arrays++
	return pe.arrays * (page + 5*line) % colours
}

// stripElements is how many elements of an array a strip of a nest touches that is
// fused with others: 16 KB of REAL(8), so that the first cache holds what one
// nest leaves for the next, and that one's own.
const stripElements = 2048

// StripSize is the number of iterations of a strip, if each touches so many elements: a
// multiple of 8, since kernels may take 4 or 8 at once.
func StripSize(elements int) int {
	return (stripElements/max(1, elements) + 8) &^ 7
}

// reducedElements is stripElements of strips behind each of which there is a reduction on
// one PE, which takes as long as some columns.
const reducedElements = 16384

// sharedElements is half of what a second cache holds: what a strip touches behind which all
// PEs reduce, so that there are few, and what a block loads again and again.
const sharedElements = 65536

// BlockSize is the number of iterations of a loop in a block which another loop goes through
// many times, if each loads so many elements: they stay in the second cache.
func BlockSize(elements int) int { return (sharedElements/max(1, elements) + 8) &^ 7 }

// loadTime is about how much longer it takes to load an element from the third cache than
// from the second, in ns.
const loadTime = 0.2

// ReductionStrip is StripSize for n iterations with a reduction of all PEs behind each
// strip. Each touches so many elements on one PE. It is the same on all PEs if its arguments
// are; where a reduction takes longer than the strip saves, it is n.
func (pe *PE) ReductionStrip(n, elements int) int {
	if pe.n == 1 {
		return (reducedElements/max(1, elements) + 8) &^ 7
	}
	size := BlockSize(elements)
	if n > size && 4*pe.latency() < loadTime*float64(size*elements) {
		return size
	}
	return max(1, n)
}
