package synch

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/spmdc/spmdc/dataflow/internal/abstract"
	"github.com/spmdc/spmdc/dataflow/proof"
)

// sparse says that one in eight pairs kills; cheap, so that what is measured is
// the solver.
func sparse(y, put, nth int) bool { return (y*2654435761+put*40503)>>7&7 == 0 }

// cost is what solving all items of nests took.
type cost struct {
	nodes, items, visits, kills int
	sweeps                      int // the most that one item took
	noSync                      int
	time                        time.Duration
	bytes                       uint64 // allocated in all, freed or not
}

func (c cost) String() string {
	return fmt.Sprintf("%d nodes, %d items, %d NoSync: %v, %.0f MB allocated, at most %d sweeps, %.2f visits of blocks per node and item, %.1f million tests of kills",
		c.nodes, c.items, c.noSync, c.time.Round(time.Millisecond), float64(c.bytes)/1e6, c.sweeps, float64(c.visits)/float64(c.items)/float64(c.nodes), float64(c.kills)/1e6)
}

// solveAll solves the items of n communications, perClass to a class of cells.
func solveAll(n, perClass int) (c cost) {
	g := abstract.Nests(n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	s := NewSolver(g)
	kills := func(y, put, nth int) bool {
		c.kills++
		return sparse(y, put, nth)
	}
	for x := 1; x <= n; x++ {
		first := (x-1)/perClass*perClass + 1
		for m := first; m < first+perClass && m <= n; m++ {
			v, sweeps := s.Verdict(proof.Shared(m, x), kills)
			if v == NoReady {
				c.noSync++
			}
			c.items++
			c.sweeps = max(c.sweeps, sweeps)
			c.visits += s.single.blocks.Visits
		}
	}
	c.time = time.Since(start)
	runtime.ReadMemStats(&after)
	c.nodes, c.bytes = len(g.Nodes), after.TotalAlloc-before.TotalAlloc
	return c
}

// TestCost: 2,000 communications in nests of depth 4, four to a class of cells,
// take less than 1 GB; the benchmarks tell the time. The number of items grows with the program and so
// does the work for each, so that four times the program take sixteen times as
// long; anything beyond that shows up here.
func TestCost(t *testing.T) {
	small := solveAll(500, 4)
	t.Logf(" 500 communications: %v", small)
	large := solveAll(2000, 4)
	t.Logf("2000 communications: %v", large)
	if large.bytes > 1e9 {
		t.Errorf("%d bytes allocated", large.bytes)
	}
	if large.items != 8000 || large.noSync == 0 || large.noSync == large.items {
		t.Errorf("%d items, %d of them NoSync", large.items, large.noSync)
	}
	if growth := float64(large.visits) / float64(small.visits); growth > 20 {
		t.Errorf("%.1f times the visits for 4 times the program", growth)
	}
}

func benchmarkSolve(b *testing.B, n int) {
	b.ReportAllocs()
	for b.Loop() {
		c := solveAll(n, 4)
		b.ReportMetric(float64(c.items), "items")
		b.ReportMetric(float64(c.nodes), "nodes")
		b.ReportMetric(float64(c.sweeps), "sweeps")
	}
}

func BenchmarkSolve500(b *testing.B)  { benchmarkSolve(b, 500) }
func BenchmarkSolve1000(b *testing.B) { benchmarkSolve(b, 1000) }
func BenchmarkSolve2000(b *testing.B) { benchmarkSolve(b, 2000) }

// BenchmarkKeep2000 keeps the values of one item of each communication, as
// explaining all of them does.
func BenchmarkKeep2000(b *testing.B) {
	b.ReportAllocs()
	g := abstract.Nests(2000)
	for b.Loop() {
		s := NewSolver(g)
		var all []*Solution
		for x := 1; x <= 2000; x++ {
			all = append(all, s.Solve(proof.Shared(x, x), sparse, false))
		}
		runtime.KeepAlive(all)
	}
}
