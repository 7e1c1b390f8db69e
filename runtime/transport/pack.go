package transport

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"
)

// Pointers reports whether elements are texts.
func (s *Slice[T]) Pointers() bool {
	_, is := any(s).(*Slice[string])
	return is
}

// Pack adds the elements that m names at its source: as they are, or of texts the length and
// the bytes of each.
func (s *Slice[T]) Pack(b []byte, m *Move) []byte {
	n := m.Count()
	move := *m
	move.Dst = 0
	packed := 1
	for d := range m.Rank {
		move.DstStride[d] = packed
		packed *= m.N[d]
	}
	if texts, is := any(s).(*Slice[string]); is {
		list := make([]string, n)
		Copy(list, texts.Data, &move)
		for _, t := range list {
			b = append(binary.AppendUvarint(b, uint64(len(t))), t...)
		}
		return b
	}
	begin := len(b)
	b = slices.Grow(b, n*s.ElemSize())[:begin+n*s.ElemSize()]
	if n > 0 {
		Copy(s.over(b[begin:]), s.Data, &move)
	}
	return b
}

// over is bytes as elements; they begin where an element can.
func (s *Slice[T]) over(b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/s.ElemSize())
}

// Unpacked is the n elements at the beginning of b.
func (s *Slice[T]) Unpacked(b []byte, n int) (elements Memory, used int) {
	if !s.Pointers() {
		used = n * s.ElemSize()
		return s.At(0, b[:used]), used
	}
	list := make([]string, n)
	for i := range list {
		size, bytes := binary.Uvarint(b[used:])
		if bytes <= 0 {
			panic(fmt.Sprintf("text %d of %d is cut", i, n))
		}
		used += bytes
		list[i] = string(b[used : used+int(size)])
		used += int(size)
	}
	return &Slice[string]{Data: list}, used
}

// CopyPacked copies to where m says at the target the elements at the beginning of b; m names them as if they began a Slice.
func (s *Slice[T]) CopyPacked(b []byte, m *Move) (used int) {
	if s.Pointers() {
		elements, used := s.Unpacked(b, m.Count())
		s.CopyFrom(elements, m)
		return used
	}
	if used = m.Count() * s.ElemSize(); used > 0 {
		Copy(s.Data, s.over(b[:used]), m)
	}
	return used
}
