//go:build !race

package spmd

import (
	"runtime"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// TestManyPEs: the memory that a program takes grows with what its PEs have and send, not
// with the square of their number.
func TestManyPEs(t *testing.T) {
	taken := func(np int) uint64 {
		p := sites(8)
		p.Check = false
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		_, err := Run(p, np, nil, nil, func(pe *PE) {
			l := pe.Layout(axes(whole(1, 4), block(1, 4*np, 0)), pe.Grid(0))
			a := NewArray[float64](pe, "a", l, [][2]int{{0, 0}, {1, 1}})
			b := NewArray[float64](pe, "b", pe.Layout(axes(whole(1, 4), block(1, 4*np, 0)), pe.Grid(0)), nil)
			tmp := NewTemp[float64](pe, 1, 4)
			shadow, column := NewStaged(pe, 0, a, 2, 1), NewComm(pe, 1, b, tmp)
			pe.Start()
			shadow.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0), l.Owned(q, 1).Grow(1, 1)) })
			column.NeedsAll(pe.Box(dist.Range(1, 4, 1)), Sub{0, 1, 0}, Sub{-1, 0, 1})
			for range 3 {
				shadow.Post()
				shadow.Wait()
				shadow.Done()
			}
			column.Post()
			column.Wait()
			column.Done()
		})
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := taken(64), taken(1024)
	if many > 32*few { // 16 times as many PEs
		t.Errorf("64 PEs take %d bytes, 1,024 take %d", few, many)
	}
	t.Logf("%d bytes a PE of 64, %d of 1,024", few/64, many/1024)
}

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
		all := NewComm(pe, 2, a, NewTemp[float64](pe, 1, n))
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
			all.NeedsAll(pe.Box(dist.Range(k, n, 1)), Sub{0, 1, 0}, Sub{-1, 0, k})
			all.Post()
			shadow.Wait()
			column.Wait()
			all.Wait()
			all.Done()
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
