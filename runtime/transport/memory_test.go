package transport

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A Move copies exactly the elements of its loops, however Loop merged them.
func TestCopyIsTheNestOfLoops(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rank := rapid.IntRange(0, 4).Draw(r, "rank")
		n, ss, ds := make([]int, rank), make([]int, rank), make([]int, rank)
		m := Move{Src: rapid.IntRange(0, 5).Draw(r, "src"), Dst: rapid.IntRange(0, 5).Draw(r, "dst")}
		srcLen, dstLen := m.Src+1, m.Dst+1
		run := 1 // packed stride of the target, so that no two elements meet
		for d := range rank {
			n[d] = rapid.IntRange(1, 4).Draw(r, "n")
			ss[d] = rapid.SampledFrom([]int{0, 1, 2, 3, 5, run}).Draw(r, "stride")
			ds[d] = run
			run *= n[d] + rapid.IntRange(0, 1).Draw(r, "gap")
			m.Loop(n[d], ss[d], ds[d])
			srcLen += (n[d] - 1) * ss[d]
			dstLen += (n[d] - 1) * ds[d]
		}
		src := Slice[int]{Data: make([]int, srcLen)}
		for i := range src.Data {
			src.Data[i] = i + 1
		}
		want := make([]int, dstLen)
		count := 0
		var walk func(level, s, d int)
		walk = func(level, s, d int) {
			if level < 0 {
				want[d] = src.Data[s]
				count++
				return
			}
			for k := range n[level] {
				walk(level-1, s+k*ss[level], d+k*ds[level])
			}
		}
		walk(rank-1, m.Src, m.Dst)
		got := Slice[int]{Data: make([]int, dstLen)}
		got.CopyFrom(&src, &m)
		for i := range want {
			if got.Data[i] != want[i] {
				t.Fatalf("%+v: element %d is %d, want %d", m, i, got.Data[i], want[i])
			}
		}
		texts := Slice[string]{}
		for _, x := range src.Data {
			texts.Data = append(texts.Data, strings.Repeat("x", x))
		}
		numbers, lengths := throughBytes(&src, dstLen, m), throughBytes(&texts, dstLen, m)
		for i := range want {
			if numbers[i] != want[i] || len(lengths[i]) != want[i] {
				t.Fatalf("%+v: element %d is %d, and %q, through bytes, want %d", m, i, numbers[i], lengths[i], want[i])
			}
		}
		if m.Count() != count {
			t.Fatalf("%+v counts %d, moves %d", m, m.Count(), count)
		}
	})
}

// throughBytes is n elements, to some of which those that m names are copied as another process gets them.
func throughBytes[T any](src *Slice[T], n int, m Move) []T {
	b := append(src.Pack(nil, &m), "more"...)
	m.Src = 0
	gap := 1
	for d := range m.Rank {
		m.SrcStride[d] = gap
		gap *= m.N[d]
	}
	dst := &Slice[T]{Data: make([]T, n)}
	if used := dst.CopyPacked(b, &m); string(b[used:]) != "more" {
		panic("what comes behind the elements is not left")
	}
	return dst.Data
}

// Whole columns that follow each other are one run.
func TestLoopsMerge(t *testing.T) {
	var m Move
	m.Loop(4, 1, 1)
	m.Loop(1, 99, 7)
	m.Loop(3, 4, 4)
	if m.Rank != 1 || m.N[0] != 12 {
		t.Errorf("columns are not merged: %+v", m)
	}
	m.Loop(2, 12, 20)
	if m.Rank != 2 {
		t.Errorf("a gap at the target is lost: %+v", m)
	}
}

func TestSliceIsMemory(t *testing.T) {
	if s := (&Slice[float32]{Data: make([]float32, 3)}); s.Len() != 3 || s.ElemSize() != 4 {
		t.Errorf("%d elements of %d bytes", s.Len(), s.ElemSize())
	}
}
