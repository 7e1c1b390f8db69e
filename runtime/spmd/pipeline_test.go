package spmd

import (
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// b(i) = b(i-1) + b(i+1), upwards or downwards: the old values of one
// neighbour are put before the loop, the new ones of the other as it proceeds.
func TestPipelinedRecurrence(t *testing.T) {
	const n, sweeps = 13, 4
	for _, dir := range []int{1, -1} {
		seq := make([]float64, n+2)
		for i := 1; i <= n; i++ {
			seq[i] = float64(i * i)
		}
		for range sweeps {
			for k := range n - 2 {
				i := 2 + k
				if dir < 0 {
					i = n - 1 - k
				}
				seq[i] = seq[i-1] + seq[i+1]/2
			}
		}
		for _, np := range peCounts {
			_, stats := spmd(t, np, "", func(pe *PE) {
				l := dist.NewLayout(axes(block(1, n, 0)), pe.Grid(4))
				b := NewArray[float64](pe, "b", l, [][2]int{{1, 1}})
				olds, news := NewComm(pe, 0, b, nil), NewComm(pe, 1, b, nil)
				pe.Start()
				mine := b.Iters(pe.ID(), 0, 1, 0, dist.Range(1, n, 1))
				for i := mine.Lo; i < mine.Lo+mine.N; i++ {
					b.Data[b.At1(i)] = float64(i * i)
				}
				mine = b.Iters(pe.ID(), 0, 1, 0, dist.Range(2, n-1, 1))
				before := func(q int) Box { return pe.Box(b.Iters(q, 0, 1, 0, dist.Range(2, n-1, 1)).Image(1, -dir)) }
				after := func(q int) Box { return pe.Box(b.Iters(q, 0, 1, 0, dist.Range(2, n-1, 1)).Image(1, dir)) }
				for range sweeps {
					olds.NeedsFrom(0, -dir, after)
					olds.Post()
					olds.Wait()
					news.NeedsFrom(0, dir, before)
					news.PipeRecv()
					for k := range mine.N {
						i := mine.Lo + k
						if dir < 0 {
							i = mine.Hi() - k
						}
						b.Data[b.At1(i)] = b.Data[b.At1(i-1)] + b.Data[b.At1(i+1)]/2
					}
					pe.PipeSend(news)
					news.Done()
					olds.Done()
				}
				for i := mine.Lo; i < mine.Lo+mine.N; i++ {
					if got := b.Data[b.At1(i)]; got != seq[i] {
						t.Errorf("%d PEs, direction %d: b(%d) = %g, want %g", np, dir, i, got, seq[i])
					}
				}
			})
			olds, news := stats.Site(0), stats.Site(1)
			if olds.Ready != olds.Data || news.Ready != news.Data {
				t.Errorf("%d PEs: old values %+v, new values %+v", np, olds, news)
			}
		}
	}
}

// A wavefront over both dimensions of a 2-D grid: w(i,j) = w(i-1,j) + w(i,j-1)
// + w(i-1,j-1), whose corner comes through either neighbour's side.
func TestWavefront(t *testing.T) {
	const n = 9
	var seq [n + 1][n + 1]float64
	for i := 0; i <= n; i++ {
		seq[i][0], seq[0][i] = 1, 1
	}
	for i := 1; i <= n; i++ {
		for j := 1; j <= n; j++ {
			seq[i][j] = seq[i-1][j] + seq[i][j-1] + seq[i-1][j-1]
		}
	}
	for _, np := range peCounts {
		spmd(t, np, "", func(pe *PE) {
			l := dist.NewLayout(axes(block(0, n, 0), block(0, n, 1)), pe.Grid(2, 2))
			w := NewArray[float64](pe, "w", l, [][2]int{{1, 0}, {1, 0}})
			up, left := NewComm(pe, 0, w, nil), NewComm(pe, 1, w, nil)
			pe.Start()
			each(ownedBox(l, pe.ID()), func(x []int) { w.Data[w.At(x...)] = 1 })
			need := func(q int) Box {
				return pe.Box(l.Owned(q, 0).Grow(1, 0), l.Owned(q, 1).Grow(1, 0))
			}
			// PEs above send rows (and the corner beyond), PEs to the left columns.
			up.NeedsFrom(0, 1, need)
			up.PipeRecv()
			left.NeedsFrom(1, 1, need)
			left.PipeRecv()
			rows := w.Iters(pe.ID(), 0, 1, 0, dist.Range(1, n, 1))
			cols := w.Iters(pe.ID(), 1, 1, 0, dist.Range(1, n, 1))
			each(Box{rows, cols}, func(x []int) {
				i, j := x[0], x[1]
				w.Data[w.At2(i, j)] = w.Data[w.At2(i-1, j)] + w.Data[w.At2(i, j-1)] + w.Data[w.At2(i-1, j-1)]
			})
			pe.PipeSend(up, left)
			each(Box{rows, cols}, func(x []int) {
				if got := w.Data[w.At(x...)]; got != seq[x[0]][x[1]] {
					t.Errorf("%d PEs: w%v = %g, want %g", np, x, got, seq[x[0]][x[1]])
				}
			})
		})
	}
}
