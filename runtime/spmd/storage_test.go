package spmd

import (
	"testing"
	"unsafe"

	"github.com/spmdc/spmdc/runtime/dist"
)

// TestAllocate: arrays begin on cache lines, large ones not all at the same place of a
// page, and have room for all of their elements.
func TestAllocate(t *testing.T) {
	spmd(t, 2, "", func(pe *PE) {
		l := dist.NewLayout(axes(whole(1, 300), block(1, 40, 0)), pe.Grid(0))
		places := map[uintptr]bool{}
		for range 4 {
			a := NewArray[float64](pe, "a", l, [][2]int{{0, 0}, {1, 1}})
			at := uintptr(unsafe.Pointer(&a.Data[0]))
			if at%line != 0 {
				t.Errorf("an array at %#x", at)
			}
			places[at%page] = true
			each(ownedBox(l, pe.ID()), func(x []int) { a.Data[a.At(x...)] = value(0, x...) })
			each(ownedBox(l, pe.ID()), func(x []int) {
				if got := a.Data[a.At(x...)]; got != value(0, x...) {
					t.Errorf("a%v = %g", x, got)
				}
			})
		}
		if len(places) < 4 {
			t.Errorf("4 arrays at %d places of a page", len(places))
		}
		pe.Start()
	})
}

// TestColumnsOnLines: what the PE owns of each column begins a cache line, or the element with
// the index that is given.
func TestColumnsOnLines(t *testing.T) {
	spmd(t, 3, "", func(pe *PE) {
		begins := func(what string, x *float64) {
			if at := uintptr(unsafe.Pointer(x)); at%line != 0 {
				t.Errorf("%s of PE %d lies at %#x", what, pe.ID(), at)
			}
		}
		a := NewArray[float64](pe, "a", pe.Layout(axes(whole(1, 300), block(1, 9, 0)), pe.Grid(0)), [][2]int{{0, 0}, {1, 1}}, 2)
		b := NewArray[float64](pe, "b", pe.Layout(axes(block(0, 900, 0), whole(1, 3)), pe.Grid(0)), [][2]int{{2, 1}, {0, 0}})
		for j := 1; j <= 3; j++ {
			begins("a(2,j)", &a.Data[a.At2(2, a.Owned(1).Lo+j-1)])
			begins("the first b(i,j)", &b.Data[b.At2(b.Owned(0).Lo, j)])
		}
		begins("an element of one column", &NewArray[float64](pe, "c", pe.Layout(axes(whole(-5, 40)), pe.Grid(0)), nil, 7).Data[12])
		pe.Start()
	})
}

// TestReductionStrip: strips with a reduction behind each are larger than others, and where a message takes long there is one strip.
func TestReductionStrip(t *testing.T) {
	pe := &PE{n: 1}
	if got := pe.ReductionStrip(10_000, 1000); got%4 != 0 || got <= StripSize(1000) || got*1000 > 2*reducedElements {
		t.Errorf("%d iterations on one PE", got)
	}
	pe = &PE{n: 2, messageTime: 200}
	size := pe.ReductionStrip(10_000, 1000)
	if size%8 != 0 || size <= StripSize(1000) || size*1000 > 2*sharedElements {
		t.Errorf("%d iterations of 1000 elements", size)
	}
	if got := pe.ReductionStrip(size-1, 1000); got != size-1 {
		t.Errorf("%d of %d iterations", got, size-1)
	}
	if got := pe.ReductionStrip(0, 1000); got < 1 {
		t.Errorf("%d iterations where there are none", got)
	}
	pe.messageTime = 50_000
	if got := pe.ReductionStrip(10_000, 1000); got != 10_000 {
		t.Errorf("%d iterations where messages are slow", got)
	}
}
