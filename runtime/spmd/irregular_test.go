package spmd

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

func TestIrregularGather(t *testing.T) {
	maps := map[string]dist.Map{
		"block":      axes(block(1, 10, 0)),
		"cyclic":     axes(cyclic(0, 12, 0)),
		"2-D":        axes(block(1, 5, 0), cyclic(1, 4, 1)),
		"replicated": axes(whole(1, 10)),
		"fixed":      {Axes: []dist.Axis{block(1, 7, 0)}, Fixed: []dist.Fixed{{Grid: 1, Format: dist.Block, TLo: 1, THi: 4, Pos: 3}}},
	}
	for name, m := range maps {
		for _, np := range peCounts {
			for _, mode := range []Mode{Handshake, Elided} {
				spmd(t, np, "", func(pe *PE) {
					l := dist.NewLayout(m, pe.Grid(2, 2))
					a := NewArray[float64](pe, "a", l, nil)
					g := NewIrregular(pe, 0, a).Sync(mode)
					pe.Start()
					rank := l.Rank()
					var idx []int
					for step := range 8 {
						if step%3 == 0 { // else the schedule of the last step serves
							r := rand.New(rand.NewSource(int64(100*step + pe.ID())))
							idx = idx[:0]
							for range r.Intn(12) { // some PEs may want nothing
								for d := range rank { // bounds are missed now and then
									idx = append(idx, l.Axes[d].Lo-1+r.Intn(l.Axes[d].Hi-l.Axes[d].Lo+3))
								}
							}
						}
						pe.Barrier(1)
						set(a, step)
						g.Post(slices.Clone(idx), false)
						g.Wait()
						var want []float64
						for x := range slices.Chunk(idx, rank) {
							if inside(l, x) {
								want = append(want, value(step, x...))
							} else {
								want = append(want, 0)
							}
						}
						var got []float64
						for _, at := range g.At {
							got = append(got, g.Data[at])
						}
						if !slices.Equal(got, want) {
							t.Errorf("%s: PE %d of %d step %d: %v gives %v, want %v", name, pe.ID(), np, step, idx, got, want)
						}
						g.Done()
					}
				})
			}
		}
	}
}

// The lists of wanted elements are exchanged only when one of them changes, and
// then by all PEs.
func TestIrregularScheduleIsKept(t *testing.T) {
	spmd(t, 3, "", func(pe *PE) {
		l := dist.NewLayout(axes(block(1, 8, 0)), pe.Grid(3))
		a := NewArray[float64](pe, "a", l, nil)
		g := NewIrregular(pe, 0, a)
		pe.Start()
		set(a, 0)
		for step, want := range []int{1, 1, 1, 2, 3, 3} {
			idx := []int{1, 8, 4, 5}
			if pe.ID() == 1 && step == 3 {
				idx[0] = 2
			}
			g.Post(idx, false)
			g.Wait()
			g.Done()
			if g.inspections != want {
				t.Errorf("PE %d step %d: %d schedules built, want %d", pe.ID(), step, g.inspections, want)
			}
		}
	})
}
