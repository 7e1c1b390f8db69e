//go:build !race

package spmd

import (
	"runtime"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// In the steady state, communication does not allocate: neither when the same
// schedule serves again nor when it has to be computed anew. (Check builds note
// down what they check.)
func TestNoAllocationInTheSteadyState(t *testing.T) {
	const n, rounds = 32, 300
	p := sites(8)
	p.Check = false
	_, err := Run(p, 3, nil, nil, func(pe *PE) {
		l := dist.NewLayout(axes(whole(1, n), block(1, n, 0)), pe.Grid(3))
		a := NewArray[float64](pe, "a", l, [][2]int{{0, 0}, {1, 1}})
		tmp := NewTemp[float64](pe, 1, n)
		shadow, column := NewComm(pe, 0, a, nil), NewComm(pe, 1, a, tmp)
		gather := NewIrregular(pe, 2, a)
		sums := NewLocal[float64](pe, "sums", [2]int{1, n})
		pe.Start()
		list := []int{1, 1, 7, n, n, 12}
		k := 0
		around := func(q int) Box { return pe.Box(l.Owned(q, 0), l.Owned(q, 1).Grow(1, 1)) }
		below := func(int) Box { return pe.Box(dist.Range(k, n, 1)) }
		round := func() {
			k = k%n + 1
			shadow.Needs(around)
			shadow.Post()
			column.Needs(below, Sub{0, 1, 0}, Sub{-1, 0, k})
			column.Post()
			shadow.Wait()
			column.Wait()
			shadow.Done()
			column.Done()
			gather.Post(list, false)
			gather.Wait()
			gather.Done()
			Sum(pe, 3, 1.0)
			Max(pe, 3, 1)
			SumElements(pe, 7, sums, pe.Box(dist.Range(k, n, 1)))
			pe.ReduceAll(3, SumOf(float64(k)), MaxOf(k))
			k += Reduced(pe, 1, k) - k
			Bcast(pe, 4, k%3, 2.0)
			pe.Barrier(5)
		}
		for range 2 * n {
			round()
		}
		pe.Barrier(6)
		var before, after runtime.MemStats
		if pe.ID() == 0 {
			runtime.ReadMemStats(&before)
		}
		pe.Barrier(6)
		for range rounds {
			round()
		}
		if pe.ID() == 0 {
			runtime.ReadMemStats(&after)
			// The runtime and other tests may allocate a little meanwhile.
			if got := after.Mallocs - before.Mallocs; got > rounds/3 {
				t.Errorf("%d allocations in %d rounds", got, rounds)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
