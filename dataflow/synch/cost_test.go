package synch

import (
	"fmt"
	"testing"
	"time"

	"github.com/spmdc/spmdc/cfg"
)

// synthetic is a program of n communications in nests of depth 4: a time loop
// around blocks of ten, in each of which two communications stand at every level
// of three more loops, one in front of and one behind the inner loop, two of
// them in branches; every second block ends with a reduction every tenth time.
func synthetic(n int) *cfg.Graph {
	b := cfg.NewBuilder()
	r := 0
	exchange := func() {
		if r == n {
			return
		}
		r++
		b.Node(cfg.Comm, r, r, "")
		b.Node(cfg.CommOver, r, r, "")
		b.Node(cfg.Stmt, r, 0, "")
		b.Node(cfg.UseOver, r, r, "")
	}
	var level func(depth int)
	level = func(depth int) {
		exchange()
		if depth < 4 {
			l := b.BeginLoop(r, "do")
			level(depth + 1)
			if depth == 3 {
				b.BeginIf(r, "converged")
				b.Exit(l)
				b.EndIf()
			}
			b.EndLoop()
		} else {
			b.BeginIf(r, "p")
			exchange()
			b.Else()
			exchange()
			b.EndIf()
		}
		exchange()
	}
	b.BeginLoop(1, "do t")
	for block := 0; r < n; block++ {
		level(1)
		if block%20 == 19 {
			b.Node(cfg.Reduce, r, 1, "s")
		}
	}
	b.EndLoop()
	return b.Finish()
}

// sparse says that one in eight pairs kills; cheap, so that what is measured is
// the solver.
func sparse(y, use, put int) bool { return (y*2654435761+put*40503)>>7&7 == 0 }

// solveAll solves the items of n communications, four to a class of cells, and
// returns how many there were and the most sweeps one took.
func solveAll(n int) (items, sweeps, nodes int) {
	g := synthetic(n)
	s := NewSolver(g)
	for x := 1; x <= n; x++ {
		for m := (x-1)/4*4 + 1; m <= min(n, (x-1)/4*4+4); m++ {
			_, k := s.Verdict(Item{m, x}, sparse)
			items++
			sweeps = max(sweeps, k)
		}
	}
	return items, sweeps, len(g.Nodes)
}

func benchmarkSolve(b *testing.B, n int) {
	b.ReportAllocs()
	for b.Loop() {
		items, sweeps, nodes := solveAll(n)
		b.ReportMetric(float64(items), "items")
		b.ReportMetric(float64(nodes), "nodes")
		b.ReportMetric(float64(sweeps), "sweeps")
	}
}

func BenchmarkSolve500(b *testing.B)  { benchmarkSolve(b, 500) }
func BenchmarkSolve1000(b *testing.B) { benchmarkSolve(b, 1000) }
func BenchmarkSolve2000(b *testing.B) { benchmarkSolve(b, 2000) }

func TestCost(t *testing.T) {
	start := time.Now()
	items, sweeps, nodes := solveAll(500)
	fmt.Println(items, sweeps, nodes, time.Since(start))
}
