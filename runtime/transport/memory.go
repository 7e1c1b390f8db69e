package transport

import "unsafe"

// MaxRank is the highest rank of a section: Fortran's limit of array rank.
const MaxRank = 7

// Move describes the elements that one message carries: a product of Rank
// loops, each with its number of steps and its stride (in elements) at both
// ends. The innermost loop is number 0.
type Move struct {
	Src, Dst  int // offset of the first element at the source, at the target
	Rank      int
	N         [MaxRank]int
	SrcStride [MaxRank]int
	DstStride [MaxRank]int
}

// Loop adds a loop outside those there are. Loops of one step vanish, and a
// loop that continues the one inside it at both ends is merged with it, so that
// whole columns become one run.
func (m *Move) Loop(n, srcStride, dstStride int) {
	if n == 1 {
		return
	}
	if r := m.Rank - 1; r >= 0 && m.SrcStride[r]*m.N[r] == srcStride && m.DstStride[r]*m.N[r] == dstStride {
		m.N[r] *= n
		return
	}
	m.N[m.Rank], m.SrcStride[m.Rank], m.DstStride[m.Rank] = n, srcStride, dstStride
	m.Rank++
}

// Count is the number of elements moved.
func (m *Move) Count() int {
	n := 1
	for d := range m.Rank {
		n *= m.N[d]
	}
	return n
}

// Memory is local memory that a transport can address by sections. Slice is the
// implementation that holds elements, others stand before one; the interface
// hides the element type.
type Memory interface {
	// Len is the number of elements, ElemSize the size of one in bytes.
	Len() int
	ElemSize() int
	// CopyFrom copies the elements m from src, which must hold the same type.
	CopyFrom(src Memory, m *Move)
	// Bytes is the memory itself, At the memory of another PE that has the same place there:
	// its type is the same, and its bytes are b.
	Bytes() []byte
	At(pe int, b []byte) Memory
	// Pointers reports whether elements have pointers, so that bytes are not all of them.
	Pointers() bool
	// Pack adds to b, as bytes that another process understands, the elements that m names at
	// its source. Unpacked is the n elements that have been packed at the beginning of b, and
	// how many bytes these take. CopyPacked is CopyFrom of them, without another Memory.
	Pack(b []byte, m *Move) []byte
	Unpacked(b []byte, n int) (elements Memory, used int)
	CopyPacked(b []byte, m *Move) (used int)
	// Digest is a checksum of the elements that m names at its source, or at its
	// target, in the order in which they are moved.
	Digest(m *Move, target bool) uint64
}

// Slice is a Go slice as Memory.
type Slice[T any] struct{ Data []T }

// Len is the number of elements.
func (s *Slice[T]) Len() int { return len(s.Data) }

// ElemSize is the size of one element in bytes.
func (s *Slice[T]) ElemSize() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

// Bytes is the bytes of the elements.
func (s *Slice[T]) Bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s.Data))), len(s.Data)*s.ElemSize())
}

// At is a *Slice[T] over b.
func (s *Slice[T]) At(_ int, b []byte) Memory {
	if len(b) == 0 {
		return &Slice[T]{}
	}
	return &Slice[T]{Data: unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/s.ElemSize())}
}

// CopyFrom copies the elements m from src, which must be a *Slice[T].
func (s *Slice[T]) CopyFrom(src Memory, m *Move) {
	Copy(s.Data, src.(*Slice[T]).Data, m)
}

// Digest is a checksum of the bits of the elements that m names, or of what the texts are.
func (s *Slice[T]) Digest(m *Move, target bool) uint64 {
	if s.Pointers() {
		read := *m
		if target {
			read.Src, read.SrcStride = m.Dst, m.DstStride
		}
		packed := s.Pack(nil, &read)
		return digest(packed, &Move{Rank: 1, N: [MaxRank]int{len(packed)}}, &[MaxRank]int{1}, 0, 0, digestStart)
	}
	at, stride := m.Src, &m.SrcStride
	if target {
		at, stride = m.Dst, &m.DstStride
	}
	return digest(s.Data, m, stride, m.Rank-1, at, digestStart)
}

// The checksum is FNV-1a over the bytes of the elements (Fowler, Noll, Vo).
const (
	digestStart uint64 = 14695981039346656037
	digestPrime uint64 = 1099511628211
)

func digest[T any](data []T, m *Move, stride *[MaxRank]int, level, at int, sum uint64) uint64 {
	if level < 0 {
		x := &data[at]
		for _, b := range unsafe.Slice((*byte)(unsafe.Pointer(x)), unsafe.Sizeof(*x)) {
			sum = (sum ^ uint64(b)) * digestPrime
		}
		return sum
	}
	for range m.N[level] {
		sum = digest(data, m, stride, level-1, at, sum)
		at += stride[level]
	}
	return sum
}

// Copy copies the elements m from src to dst. Contiguous runs are copied as
// such; it panics (index out of range) if a section leaves its slice.
func Copy[T any](dst, src []T, m *Move) {
	switch m.Rank {
	case 0:
		dst[m.Dst] = src[m.Src]
	case 1:
		copyRun(dst, src, m, m.Dst, m.Src)
	case 2:
		d, s := m.Dst, m.Src
		for range m.N[1] {
			copyRun(dst, src, m, d, s)
			d += m.DstStride[1]
			s += m.SrcStride[1]
		}
	default:
		copyNested(dst, src, m, m.Rank-1, m.Dst, m.Src)
	}
}

// copyNested performs loop level of m and those inside it.
func copyNested[T any](dst, src []T, m *Move, level, d, s int) {
	if level == 0 {
		copyRun(dst, src, m, d, s)
		return
	}
	for range m.N[level] {
		copyNested(dst, src, m, level-1, d, s)
		d += m.DstStride[level]
		s += m.SrcStride[level]
	}
}

// copyRun performs the innermost loop of m.
func copyRun[T any](dst, src []T, m *Move, d, s int) {
	n, ds, ss := m.N[0], m.DstStride[0], m.SrcStride[0]
	if ds == 1 && ss == 1 {
		copy(dst[d:d+n], src[s:s+n])
		return
	}
	if n <= 0 {
		return
	}
	// The first and the last element bound the others.
	_, _, _, _ = dst[d], dst[d+(n-1)*ds], src[s], src[s+(n-1)*ss]
	if ds == 1 {
		row := dst[d : d+n]
		for i := range row {
			row[i] = *at(src, s)
			s += ss
		}
		return
	}
	for range n {
		*at(dst, d) = *at(src, s)
		d += ds
		s += ss
	}
}

// at is element i of list, which is known to have one.
func at[T any](list []T, i int) *T {
	var zero T
	return (*T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(list)), i*int(unsafe.Sizeof(zero))))
}
