package spmd

import (
	"math"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// TestParts: each element becomes what its owner had, and what all PEs have accumulated into it,
// in the order of PEs, whatever the layout is; again and again.
func TestParts(t *testing.T) {
	everyBuild(t, func(t *testing.T, run func(np int, body func(pe *PE))) {
		for _, np := range peCounts {
			for _, format := range []dist.Format{dist.Block, dist.Cyclic} {
				run(np, func(pe *PE) {
					l := pe.Layout(dist.Map{Axes: []dist.Axis{
						{Lo: -1, Hi: 2, Grid: -1, A: 1},
						{Lo: 0, Hi: 6, Grid: 0, Format: format, TLo: 0, THi: 6, A: 1},
					}}, dist.Grid{np})
					overlap := [][2]int{{0, 0}, {1, 1}}
					if format == dist.Cyclic {
						overlap = nil
					}
					a := NewArray[float64](pe, "a", l, overlap)
					n := NewArray[int32](pe, "n", l, nil)
					z := NewArray[complex128](pe, "z", l, nil)
					q := NewArray[bool](pe, "q", l, nil)
					most, least := NewArray[float64](pe, "most", l, overlap), NewArray[int32](pe, "least", l, nil)
					aParts, nParts, zParts, qParts := NewParts(pe, a), NewParts(pe, n), NewParts(pe, z), NewParts(pe, q)
					mostParts, leastParts := NewParts(pe, most), NewParts(pe, least)
					pe.Start()
					each := func(f func(i, j int)) {
						for j := 0; j <= 6; j++ {
							for i := -1; i <= 2; i++ {
								f(i, j)
							}
						}
					}
					value := func(p, i, j int) float64 { return float64((p*7+i*3+j*5)%11-5) / 3 }
					each(func(i, j int) {
						if a.Owns(i, j) {
							a.Data[a.At2(i, j)] = value(-1, i, j)
							n.Data[n.At2(i, j)] = int32(i + j)
							z.Data[z.At2(i, j)] = complex(1, float64(j))
							q.Data[q.At2(i, j)] = false
							most.Data[most.At2(i, j)] = math.NaN()
							least.Data[least.At2(i, j)] = 120
						}
					})
					want, owner := map[[2]int]float64{}, map[[2]int]int{}
					each(func(i, j int) {
						want[[2]int{i, j}] = value(-1, i, j)
						for p := range np {
							if l.Owned(p, 1).Contains(j) {
								owner[[2]int{i, j}] = p
							}
						}
					})
					for round := range 5 {
						aParts.Start(0)
						nParts.Start(0)
						zParts.Start(1)
						qParts.Start(false)
						StartMax(mostParts)
						StartMin(leastParts)
						each(func(i, j int) {
							aParts.Data[aParts.At2(i, j)] += value(pe.ID()+round, i, j)
							nParts.Data[nParts.At2(i, j)] += int32(pe.ID() + 1)
							zParts.Data[zParts.At2(i, j)] *= 1i
							qParts.Data[qParts.At2(i, j)] = qParts.Data[qParts.At2(i, j)] || round == 2 && i == pe.ID()
							if at := mostParts.At2(i, j); j > 0 { // of column 0 no number is seen
								mostParts.Data[at] = Larger(mostParts.Data[at], value(pe.ID()+round, i, j))
							} else {
								mostParts.Data[at] = Larger(mostParts.Data[at], math.NaN())
							}
							if at := leastParts.At2(i, j); j > 0 {
								leastParts.Data[at] = min(leastParts.Data[at], int32(125-10*i-pe.ID()-round))
							}
						})
						MaxParts(pe, 0, mostParts)
						MinParts(pe, 0, leastParts)
						SumParts(pe, 0, aParts)
						SumParts(pe, 0, nParts)
						ProdParts(pe, 0, zParts)
						OrParts(pe, 0, qParts)
						each(func(i, j int) {
							at := [2]int{i, j}
							total := 0.0
							for p := range np {
								x := value(p+round, i, j)
								if owner[at] == p {
									x = want[at] + x
								}
								if total += x; p == 0 {
									total = x
								}
							}
							want[at] = total
							if !a.Owns(i, j) {
								return
							}
							largest := math.NaN()
							for r := range round + 1 {
								for p := range np {
									if j > 0 {
										largest = Larger(largest, value(p+r, i, j))
									}
								}
							}
							if got := most.Data[most.At2(i, j)]; got != largest && (got == got || j > 0) {
								t.Errorf("the largest of %d,%d on PE %d of %d is %v in round %d, want %v", i, j, pe.ID(), np, got, round, largest)
							}
							smallest := int32(120)
							if j > 0 {
								smallest = min(120, int32(125-10*i-(np-1)-round))
							}
							if got := least.Data[least.At2(i, j)]; got != smallest {
								t.Errorf("the smallest of %d,%d on PE %d of %d is %d in round %d, want %d", i, j, pe.ID(), np, got, round, smallest)
							}
							if got := a.Data[a.At2(i, j)]; got != total {
								t.Errorf("element %d,%d on PE %d of %d is %v in round %d, want %v", i, j, pe.ID(), np, got, round, total)
							}
							if got, want := n.Data[n.At2(i, j)], i+j+(round+1)*np*(np+1)/2; int(got) != want {
								t.Errorf("integer %d,%d on PE %d of %d is %d in round %d, want %d", i, j, pe.ID(), np, got, round, want)
							}
							product := complex(1, float64(j))
							for range (round + 1) * np {
								product *= 1i
							}
							if got := z.Data[z.At2(i, j)]; got != product {
								t.Errorf("product %d,%d on PE %d of %d is %v in round %d, want %v", i, j, pe.ID(), np, got, round, product)
							}
							if got, want := q.Data[q.At2(i, j)], round >= 2 && i >= 0 && i < np; got != want {
								t.Errorf("logical %d,%d on PE %d of %d is %v in round %d", i, j, pe.ID(), np, got, round)
							}
						})
					}
				})
			}
		}
	})
}
