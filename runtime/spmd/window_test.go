package spmd

import (
	"slices"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// TestWindow: in a window, a strip has the columns that it assigns and those before it that
// are still read; the memory of the others is not touched, and behind it all columns are
// where they were. A piece that is small, or has few columns, has no window.
func TestWindow(t *testing.T) {
	const rows, untouched = 300, -1
	for _, tt := range []struct {
		columns, size, keep int
		moves               bool
	}{
		{1000, 7, 0, true}, {1000, 7, 1, true}, {1000, 3, 4, true}, {1000, 250, 250, true},
		{1000, 250, 251, false}, // more than half of the columns
		{400, 7, 1, false},      // less than a mebibyte
	} {
		if _, err := Run(sites(1), 2, nil, nil, func(pe *PE) {
			m := dist.Map{Axes: []dist.Axis{
				{Lo: 1, Hi: rows, Grid: -1, A: 1},
				{Lo: 1, Hi: 2 * tt.columns, Grid: 0, Format: dist.Block, TLo: 1, THi: 2 * tt.columns, A: 1},
			}}
			a := NewArray[float64](pe, "a", dist.NewLayout(m, pe.Grid(0)), nil)
			for i := range a.Data {
				a.Data[i] = untouched
			}
			dims, own := slices.Clone(a.Dims), a.Owned(1)
			value := func(i, j int) float64 { return float64(1000*j + i) }
			for range 2 {
				w := a.Window(tt.size, tt.keep)
				for lo := own.Lo; lo <= own.Hi(); lo += tt.size {
					w.Slide(lo)
					hi := min(lo+tt.size-1, own.Hi())
					for j := lo; j <= hi; j++ {
						for i := 1; i <= rows; i++ {
							a.Data[a.At2(i, j)] = value(i, j)
						}
					}
					for j := max(own.Lo, lo-tt.keep); j <= hi; j++ {
						for i := 1; i <= rows; i += 13 {
							if got := a.Data[a.At2(i, j)]; got != value(i, j) {
								t.Errorf("%+v: a(%d,%d) is %v in the strip from %d", tt, i, j, got, lo)
								return
							}
						}
					}
				}
				w.Close()
			}
			if !slices.Equal(a.Dims, dims) || a.At2(1, own.Lo) != 0 {
				t.Errorf("%+v: the columns are not where they were: %v, before %v", tt, a.Dims, dims)
			}
			if behind := a.Data[a.At2(1, own.Lo+tt.size+tt.keep):]; tt.moves == slices.ContainsFunc(behind, func(x float64) bool { return x != untouched }) {
				t.Errorf("%+v: moves %v, and memory behind the window is otherwise", tt, tt.moves)
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
}
