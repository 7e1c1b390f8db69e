package spmd

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// wavefronts repeats w(i,j) = w(i-1,j) + w(i,j-1) + w(i-1,j-1), PE after PE along i, in
// blocks of so many columns, as emitted programs do; between sweeps comes what orders is.
// With stages the values take their way through that many, blocks of all included.
func wavefronts(wrong func(format string, args ...any), size, stages int, mode func(c *Comm[float64]), between func(pe *PE)) func(*PE) {
	const n, sweeps, most = 12, 3, 16
	var seq [n + 1][n + 1]float64
	for i := range seq {
		seq[i][0], seq[0][i] = 1, 1
	}
	return func(pe *PE) {
		l := dist.NewLayout(axes(block(0, n, 0), whole(0, n)), pe.Grid(pe.N()))
		w := NewArray[float64](pe, "w", l, [][2]int{{1, 0}, {0, 0}})
		var up, corner *Comm[float64]
		if stages > 0 {
			up, corner = NewStaged(pe, 0, w, stages*most, 0), NewStaged(pe, 1, w, stages*most, 0)
		} else {
			up, corner = NewBlocks(pe, 0, w, most), NewBlocks(pe, 1, w, most)
		}
		mode(up)
		mode(corner)
		pe.Start()
		each(ownedBox(l, pe.ID()), func(x []int) { w.Data[w.At(x...)] = 1 })
		all := dist.Range(1, n, 1)
		for range sweeps {
			rows := func(q int) dist.Triplet { return w.Iters(q, 0, 1, 0, dist.Range(1, n, 1)).Image(1, -1) }
			for k := range all.Strips(size) {
				up.NeedsFrom(0, 1, func(q int) Box { return pe.Box(rows(q), all.Lag(k, size, 0)) })
				up.PipeRecv()
				corner.NeedsFrom(0, 1, func(q int) Box { return pe.Box(rows(q), all.Lag(k, size, 1).Image(1, -1)) })
				corner.PipeRecv()
				each(Box{w.Iters(pe.ID(), 0, 1, 0, dist.Range(1, n, 1)), all.Strip(k, size)}, func(x []int) {
					i, j := x[0], x[1]
					w.Data[w.At2(i, j)] = w.Data[w.At2(i-1, j)] + w.Data[w.At2(i, j-1)] + w.Data[w.At2(i-1, j-1)]
				})
				pe.PipeSend(up, corner)
			}
			up.Done()
			corner.Done()
			between(pe)
		}
		for range sweeps {
			for i := 1; i <= n && pe.ID() == 0; i++ {
				for j := 1; j <= n; j++ {
					seq[i][j] = seq[i-1][j] + seq[i][j-1] + seq[i-1][j-1]
				}
			}
		}
		pe.Barrier(0)
		each(Box{w.Iters(pe.ID(), 0, 1, 0, dist.Range(1, n, 1)), all}, func(x []int) {
			if got := w.Data[w.At(x...)]; got != seq[x[0]][x[1]] {
				wrong("PE %d: w%v = %g, want %g", pe.ID(), x, got, seq[x[0]][x[1]])
			}
		})
	}
}

// TestBlocks: whatever the size of blocks, and whoever is held, a pipeline computes the same
// and no put comes early; where nothing orders the sweeps, the check finds it.
func TestBlocks(t *testing.T) {
	if raceDetector {
		// Two communications bring the same value into one cell. The program reads it when
		// both are there, the check looks at it in between.
		t.Skip("the check reads what the second of two equal messages writes")
	}
	elided := func(c *Comm[float64]) { c.Sync(Elided) }
	ordered := func(pe *PE) { Sum(pe, 0, 1) }
	free := func(*PE) {}
	for _, np := range []int{1, 2, 3, 5} {
		for _, size := range []int{1, 2, 5, 12, 40} {
			for _, holds := range []string{"0", "random,1 random,2"} {
				for name, c := range map[string]struct {
					stages  int
					mode    func(c *Comm[float64])
					between func(pe *PE)
				}{
					"no ready message, a reduction between sweeps": {0, elided, ordered},
					"ready messages":         {0, func(*Comm[float64]) {}, free},
					"stages, on demand":      {1, func(c *Comm[float64]) { c.OnDemand() }, free},
					"a stage for each sweep": {3, elided, free},
				} {
					if err := heldRun(t, np, holds, "", wavefronts(t.Errorf, size, c.stages, c.mode, c.between)); err != nil {
						t.Errorf("%s: %d PEs, blocks of %d, held %s: %v", name, np, size, holds, err)
					}
				}
			}
		}
	}
	ignore := func(string, ...any) {}
	for _, size := range []int{1, 5, 12} {
		if err := heldRun(t, 2, "1", "", wavefronts(ignore, size, 0, elided, free)); err == nil {
			t.Errorf("blocks of %d: nothing orders the sweeps, and the check finds nothing", size)
		}
	}
}

// TestBlockSize: there are enough iterations in a block, and not too many blocks; all is one
// block where there is little to do or nobody waits.
func TestBlockSize(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	Run(Program{Check: true}, 1, nil, nil, func(pe *PE) {
		pe.Start()
		for range 2000 {
			n, most, pes := r.IntN(5000), 1+r.IntN(64), 1+r.IntN(9)
			operations, entries := r.IntN(200000), r.IntN(1000)
			size := pe.BlockSize(n, most, pes, operations, entries)
			what := fmt.Sprintf("BlockSize(%d, %d, %d, %d, %d) = %d", n, most, pes, operations, entries, size)
			if size < 1 || size > max(1, n) || dist.Range(1, n, 1).Strips(size) > most {
				t.Error(what)
			}
			if (pes == 1 || operationTime*float64(operations)*float64(n)/float64(pes) < dist.LeastBlock) && size < n {
				t.Errorf("%s: there is nothing to gain", what)
			}
		}
		if size := pe.BlockSize(2000, 64, 2, 36000, 1); size > 100 {
			t.Errorf("a column of 9 us each: %d in a block", size)
		}
	})
}
