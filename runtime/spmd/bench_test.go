package spmd

import (
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// onPEs runs a benchmark on 2 PEs and on more than there are processors.
// prepare makes, on each PE, the function of one iteration.
func onPEs(b *testing.B, prepare func(pe *PE) func()) {
	for _, np := range []int{2, 2 * runtime.NumCPU()} {
		b.Run(fmt.Sprintf("PEs=%d", np), func(b *testing.B) {
			b.ReportAllocs()
			p := sites(4)
			p.Check = false
			_, err := Run(p, np, nil, io.Discard, func(pe *PE) {
				step := prepare(pe)
				step()
				pe.Barrier(3)
				if pe.ID() == 0 {
					b.ResetTimer()
				}
				for range b.N {
					step()
				}
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

func BenchmarkBarrier(b *testing.B) {
	onPEs(b, func(pe *PE) func() { return func() { pe.Barrier(0) } })
}

func BenchmarkReduction(b *testing.B) {
	onPEs(b, func(pe *PE) func() { return func() { Sum(pe, 0, 1.5) } })
}

func BenchmarkBroadcastScalar(b *testing.B) {
	onPEs(b, func(pe *PE) func() { return func() { Bcast(pe, 0, 0, 1.5) } })
}

func BenchmarkShadow(b *testing.B) {
	for name, m := range map[string]dist.Map{
		"1-D": axes(block(1, 4096, 0)),
		"2-D": axes(block(1, 256, 0), block(1, 256, 1)),
		"3-D": axes(block(1, 48, 0), block(1, 48, 1), block(1, 48, 2)),
	} {
		rank := len(m.Axes)
		wide := [][2]int{{1, 1}, {1, 1}, {1, 1}}[:rank]
		b.Run(name, func(b *testing.B) {
			onPEs(b, func(pe *PE) func() {
				l := dist.NewLayout(m, pe.Grid([]int{2, 2, 2}[:rank]...))
				a := NewArray[float64](pe, "a", l, wide)
				c := NewComm(pe, 0, a, nil)
				pe.Start()
				var box [3]dist.Triplet
				need := func(q int) Box {
					for d := range rank {
						box[d] = l.Owned(q, d).Grow(1, 1)
					}
					return pe.Box(box[:rank]...)
				}
				return func() {
					c.Needs(need)
					c.Post()
					c.Wait()
					c.Done()
				}
			})
		})
	}
}

// The broadcast of a column whose number and length change with every step, as
// in a factorisation: the schedule is computed anew each time.
func BenchmarkColumnBroadcast(b *testing.B) {
	const n = 128
	onPEs(b, func(pe *PE) func() {
		l := dist.NewLayout(axes(whole(1, n), cyclic(1, n, 0)), pe.Grid(4))
		a := NewArray[float64](pe, "a", l, nil)
		tmp := NewTemp[float64](pe, 1, n)
		c := NewComm(pe, 0, a, tmp)
		pe.Start()
		k := 0
		need := func(int) Box { return pe.Box(dist.Range(k, n, 1)) }
		return func() {
			k = k%n + 1
			c.Needs(need, Sub{0, 1, 0}, Sub{-1, 0, k})
			c.Post()
			c.Wait()
			c.Done()
		}
	})
}

func BenchmarkIrregular(b *testing.B) {
	onPEs(b, func(pe *PE) func() {
		const n = 1024
		a := NewArray[float64](pe, "a", dist.NewLayout(axes(block(1, n, 0)), pe.Grid(4)), nil)
		g := NewIrregular(pe, 0, a)
		pe.Start()
		var idx []int
		for i := range n / pe.N() {
			idx = append(idx, 1+(i*37+pe.ID())%n)
		}
		return func() {
			g.Post(idx, false)
			g.Wait()
			g.Done()
		}
	})
}

// Addressing must inline: the sum over a piece by At2 and by Stride.
func BenchmarkAddressing(b *testing.B) {
	b.Run("At2", func(b *testing.B) {
		onPE(b, func(a *Array[float64]) float64 {
			s := 0.0
			for j := 1; j <= 100; j++ {
				for i := 1; i <= 100; i++ {
					s += a.Data[a.At2(i, j)]
				}
			}
			return s
		})
	})
	b.Run("columns", func(b *testing.B) {
		onPE(b, func(a *Array[float64]) float64 {
			s := 0.0
			for j := 1; j <= 100; j++ {
				for _, x := range a.Data[a.At2(1, j) : a.At2(100, j)+1] {
					s += x
				}
			}
			return s
		})
	})
}

func onPE(b *testing.B, f func(a *Array[float64]) float64) {
	_, err := Run(sites(1), 1, nil, nil, func(pe *PE) {
		a := NewLocal[float64](pe, "a", [2]int{1, 100}, [2]int{1, 100})
		fill(a.Data, 1)
		b.ResetTimer()
		for range b.N {
			if f(a) != 10000 {
				b.Fatal("wrong sum")
			}
		}
	})
	if err != nil {
		b.Fatal(err)
	}
}
