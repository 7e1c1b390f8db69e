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

// What one communication has found out serves others: of arrays that lie in the same way, and of
// others with the same map, which have an overlap.
func TestIrregularAsAnother(t *testing.T) {
	for _, np := range peCounts {
		for _, mode := range []Mode{Handshake, Elided} {
			spmd(t, np, "", func(pe *PE) {
				l := dist.NewLayout(axes(block(1, 23, 0)), pe.Grid(np))
				a, b, w := NewArray[float64](pe, "a", l, nil), NewArray[float64](pe, "b", l, nil), NewArray[float64](pe, "w", l, [][2]int{{1, 1}})
				ga, gb, gw := NewIrregular(pe, 0, a).Sync(mode), NewIrregular(pe, 1, b).Sync(mode), NewIrregular(pe, 2, w).Sync(mode)
				pe.Start()
				var idx []int
				for step := range 9 {
					if step%3 == 0 {
						r := rand.New(rand.NewSource(int64(100*step + pe.ID())))
						idx = idx[:0]
						for range r.Intn(40) {
							idx = append(idx, r.Intn(25))
						}
					}
					pe.Barrier(3)
					set(a, step)
					set(b, step+1)
					set(w, step+2)
					ga.Post(slices.Clone(idx), false)
					gb.PostAs(ga)
					gw.PostAs(ga)
					for k, g := range []*Irregular[float64]{ga, gb, gw} {
						g.Wait()
						for i, x := range idx {
							want := 0.0
							if inside(l, []int{x}) {
								want = value(step+k, x)
							}
							if got := g.Data[g.At[i]]; got != want {
								t.Errorf("PE %d of %d, step %d, array %d: element %d is %v, want %v", pe.ID(), np, step, k, x, got, want)
							}
						}
						g.Done()
					}
					if gb.inspections != ga.inspections || len(idx) > 0 && &gb.At[0] != &ga.At[0] || len(idx) > 0 && np > 1 && &gw.At[0] == &ga.At[0] {
						t.Errorf("PE %d of %d, step %d: the list is not the one, or is the other one's", pe.ID(), np, step)
					}
				}
			})
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

// An element is sent once, however often it is picked, and where half of what a PE has is
// picked, all of it is sent.
func TestIrregularSendsOnce(t *testing.T) {
	spmd(t, 2, "", func(pe *PE) {
		l := dist.NewLayout(axes(block(1, 40, 0)), pe.Grid(2))
		a := NewArray[float64](pe, "a", l, nil)
		apart := NewArray[float64](pe, "apart", l, [][2]int{{1, 1}}) // others put into its overlap
		few, most, picked := NewIrregular(pe, 0, a), NewIrregular(pe, 1, a), NewIrregular(pe, 2, apart)
		pe.Start()
		set(a, 0)
		set(apart, 0)
		others := 1 + 20*(1-pe.ID())
		var idx []int
		for k := range 60 {
			idx = append(idx, others+13*k%10)
		}
		for _, x := range []struct {
			g    *Irregular[float64]
			idx  []int
			sent int
		}{{few, idx[:9], 9}, {few, append(slices.Clone(idx[:9]), idx[:9]...), 9}, {most, idx, 20}, {picked, idx, 10}} {
			x.g.Post(slices.Clone(x.idx), false)
			x.g.Wait()
			for k, at := range x.g.At {
				if got, want := x.g.Data[at], value(0, x.idx[k]); got != want {
					t.Errorf("PE %d: element %d is %v, want %v", pe.ID(), x.idx[k], got, want)
				}
			}
			x.g.Done()
			if got := len(x.g.requests.Data); got != x.sent {
				t.Errorf("PE %d: %d elements sent for %v, want %d", pe.ID(), got, x.idx, x.sent)
			}
		}
	})
}

func TestDistinct(t *testing.T) {
	spmd(t, 1, "", func(pe *PE) {
		r := rand.New(rand.NewSource(1))
		var d distinct
		for _, n := range []int{5000, 0, 1, 70000} {
			d.reset(pe, n)
			numbers := map[int]int{}
			for range n {
				key := r.Intn(3000) << r.Intn(40)
				want, known := numbers[key]
				if !known {
					want = len(numbers)
					numbers[key] = want
				}
				if id, first := d.number(key); id != want || first == known {
					t.Fatalf("key %d: number %d, new %v; want %d, new %v", key, id, first, want, !known)
				}
			}
		}
	})
}

// Runs are along the first axis, wherever columns lie, also while elements change.
func TestIrregularRuns(t *testing.T) {
	maps := map[string]dist.Map{
		"block":      axes(whole(1, 10), block(1, 7, 0)),
		"cyclic":     axes(whole(-2, 4), cyclic(0, 8, 0)),
		"3-D":        axes(whole(1, 5), block(1, 3, 0), cyclic(1, 4, 1)),
		"replicated": axes(whole(1, 10), whole(1, 3)),
	}
	for name, m := range maps {
		for _, np := range peCounts {
			for _, copied := range []bool{false, true} {
				spmd(t, np, "", func(pe *PE) {
					l := dist.NewLayout(m, pe.Grid(2, 2))
					a := NewArray[float64](pe, "a", l, nil)
					g := NewIrregular(pe, 0, a).Sync(Elided).Runs()
					if copied {
						g.Copied()
					}
					pe.Start()
					var list []int
					for step := range 9 {
						if step%3 == 0 { // else the schedule of the last step serves
							r := rand.New(rand.NewSource(int64(100*step + pe.ID())))
							list = list[:0]
							for range r.Intn(9) { // some PEs may want nothing
								rows := l.Axes[0]
								first := rows.Lo - 1 + r.Intn(rows.Hi-rows.Lo+2)
								list = append(list, 1+r.Intn(rows.Hi-first+1), first)
								for _, ax := range l.Axes[1:] {
									list = append(list, ax.Lo+r.Intn(ax.Hi-ax.Lo+2))
								}
							}
						}
						pe.Barrier(1)
						set(a, step)
						g.Post(slices.Clone(list), false)
						g.Wait()
						if copied {
							set(a, -1)
						}
						for x := range slices.Chunk(list, l.Rank()+1) {
							g.Next(x[1])
							if len(g.Data) != x[0] {
								t.Errorf("%s: PE %d of %d step %d: %d elements of run %v", name, pe.ID(), np, step, len(g.Data), x)
							}
							whole := inside(l, x[1:])
							for i := range x[0] {
								at := slices.Clone(x[1:])
								at[0] += i
								whole = whole && inside(l, at)
							}
							for i := range x[0] {
								at, want := slices.Clone(x[1:]), 0.0
								if at[0] += i; whole {
									want = value(step, at...)
								}
								if got := g.Data[g.At1(at[0])]; got != want {
									t.Errorf("%s: PE %d of %d step %d: %v of %v is %v, want %v", name, pe.ID(), np, step, at, x, got, want)
								}
							}
						}
						g.Done()
					}
				})
			}
		}
	}
}
