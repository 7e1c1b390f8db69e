package spmd

import (
	"math"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

func TestBits(t *testing.T) {
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"ishft left", Ishft(int32(5), 3), int32(40)},
		{"ishft into the sign", Ishft(int32(1), 31), int32(math.MinInt32)},
		{"ishft out on the left", Ishft(int32(-1), 32), int32(0)},
		{"ishft right fills with zeros", Ishft(int32(-1), -1), int32(math.MaxInt32)},
		{"ishft right by all", Ishft(int32(-1), -32), int32(0)},
		{"ishft by nothing", Ishft(int32(-7), 0), int32(-7)},
		{"ishft8 left", Ishft(1, 40), 1 << 40},
		{"ishft8 right", Ishft(-1, -1), math.MaxInt64},
		{"ishft8 out", Ishft(1, 64), 0},
		{"ishft8 right by all", Ishft(-1, -64), 0},
		{"ishft8 right by more", Ishft(-1, math.MinInt), 0},
		{"btest set", Btest(8, 3), true},
		{"btest clear", Btest(8, 2), false},
		{"btest of the sign", Btest(-1, 31), true},
		{"ichar", Ichar("A"), 65},
		{"char", Char(65), "A"},
		{"ichar of char", Ichar(Char(200)), 200},
		{"merge", Merge(1, 2, true), 1},
		{"merge of the other", Merge("a", "b", false), "b"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
}

// Keep puts the owned elements of a gathered copy back, and only those: what is
// gathered again afterwards is the copy.
func TestKeep(t *testing.T) {
	for _, m := range []dist.Map{
		axes(block(1, 9, 0)),
		axes(cyclic(0, 6, 1), block(2, 5, 0)),
		axes(whole(1, 3), cyclic(1, 5, 0), block(1, 4, 1)),
		{Axes: []dist.Axis{block(1, 9, 1)}, Fixed: []dist.Fixed{{Grid: 0, Format: dist.Block, TLo: 1, THi: 4, Pos: 3}}},
	} {
		for _, np := range peCounts {
			spmd(t, np, "", func(pe *PE) {
				l := dist.NewLayout(m, pe.Grid(2, 2))
				a := NewArray[float64](pe, "a", l, nil)
				tmp := NewTemp[float64](pe, l.Rank(), 100)
				c := NewComm(pe, 0, a, tmp)
				pe.Start()
				var all Box
				for _, ax := range m.Axes {
					all = append(all, dist.Range(ax.Lo, ax.Hi, 1))
				}
				set(a, 0)
				gather := func() {
					c.Needs(func(int) Box { return all })
					c.Post()
					c.Wait()
					c.Done()
				}
				gather()
				each(all, func(x []int) { tmp.Data[tmp.At(x...)] = value(1, x...) })
				a.Keep(tmp)
				clear(tmp.Data)
				gather()
				each(all, func(x []int) {
					if got := tmp.Data[tmp.At(x...)]; got != value(1, x...) {
						t.Errorf("PE %d of %d: a%v = %g, want %g", pe.ID(), np, x, got, value(1, x...))
					}
				})
			})
		}
	}
}
