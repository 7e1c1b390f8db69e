package hb

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/internal/abstract"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/internal/effort"
)

// nests is the system of n communications in nests of depth 4 on 8 PEs. They
// shift, broadcast and gather.
func nests(n int) *System {
	const pes = 8
	sys := newSystem(abstract.Nests(n), pes)
	for _, c := range sys.Graph.Nodes {
		if c.Kind != cfg.Comm {
			continue
		}
		m := make(Messages, pes)
		for p := range pes {
			switch q := p + 1 - c.Ref*7%3; {
			case c.Ref%11 == 0:
				m[3] |= 1 << p &^ (1 << 3)
			case c.Ref%13 == 0:
				m[p] = 1 << 5 &^ (1 << p)
			case q >= 0 && q < pes && q != p:
				m[p] = 1 << q
			}
		}
		sys.set(c, m, m, everyone(pes))
	}
	return sys
}

// cost is what solving nests took.
type cost struct {
	nodes, items, noSync, sweeps, visits int
	time                                 time.Duration
	bytes                                uint64 // allocated in all, freed or not
}

func (c cost) String() string {
	return fmt.Sprintf("%d nodes, %d items, %d NoSync: %v, %.0f MB allocated, at most %d sweeps, %d visits", c.nodes, c.items, c.noSync, c.time.Round(time.Millisecond), float64(c.bytes)/1e6, c.sweeps, c.visits)
}

// solveAll solves n communications, perClass to a class of cells.
func solveAll(n, perClass, slot int) (c cost) {
	sys := nests(n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	s := newSolver(sys)
	for use := 1; use <= n; use++ {
		f := s.solve(s.rules(slots{n: slot}.of(use)))
		c.sweeps, c.visits = max(c.sweeps, f.sol.Sweeps), c.visits+f.sol.Visits
		first := (use-1)/perClass*perClass + 1
		for put := first; put < first+perClass && put <= n; put++ {
			if f.verdict(put) == synch.NoReady {
				c.noSync++
			}
			c.items++
		}
	}
	c.time = time.Since(start)
	runtime.ReadMemStats(&after)
	c.nodes, c.bytes = len(sys.Graph.Nodes), after.TotalAlloc-before.TotalAlloc
	return c
}

// TestCost: 2,000 communications in nests of depth 4 on 8 PEs, four to a class of
// cells, take less than 1 GB; the benchmarks tell
// the time.
func TestCost(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it measures the cost of the analysis")
	}
	t.Logf(" 500 communications: %v", solveAll(500, 4, 1))
	large := solveAll(2000, 4, 1)
	t.Logf("2000 communications: %v", large)
	t.Logf("… with two slots:    %v", solveAll(2000, 1, 2))
	if large.bytes > 1e9 {
		t.Errorf("%d bytes allocated", large.bytes)
	}
	if large.items != 8000 || large.noSync == 0 || large.noSync == large.items {
		t.Errorf("%d items, %d of them NoSync", large.items, large.noSync)
	}
}

// longProgram is a program of some n communications in nests of depth 4.
func longProgram(n int) string {
	var b strings.Builder
	b.WriteString("program long\n integer :: t, k, l, i, j, m\n double precision :: a(400), b(400), c(400), s\n!HPF$ DISTRIBUTE a(BLOCK)\n!HPF$ ALIGN b(i) WITH a(i)\n!HPF$ ALIGN c(i) WITH a(i)\n read *, m\n do t = 1, m\n")
	for k := 0; k < n; k += 8 {
		nest := func(x, y string, by int) {
			fmt.Fprintf(&b, " do i = 3, 398\n %s(i) = %s(i%+d) + 1\n end do\n", x, y, by)
		}
		nest("a", "b", -1)
		nest("b", "a", 2)
		fmt.Fprintf(&b, " do k = 1, m\n")
		nest("c", "a", 1)
		fmt.Fprintf(&b, " do l = 1, 4\n")
		nest("a", "c", -2)
		fmt.Fprintf(&b, " do i = 1, 400\n b(i) = a(l)\n end do\n")
		nest("c", "b", 1)
		b.WriteString(" end do\n")
		nest("b", "c", -1)
		b.WriteString(" end do\n")
		nest("c", "a", -1)
	}
	b.WriteString(" end do\nend program\n")
	return b.String()
}

// TestCostOfPrograms: the same for a program, with its relations.
func TestCostOfPrograms(t *testing.T) {
	if !effort.All() {
		t.Skip("a long program")
	}
	const long = 700
	f := functions(t, longProgram(long))
	for _, pes := range []int{8, 0} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		list := analyzed(f, pes, slices.Repeat(layout{{n: 1}}, len(f.Program.Comms)))
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		bytes := after.TotalAlloc - before.TotalAlloc
		t.Logf("%d PEs: %d communications, %d nodes: %v, %.0f MB allocated; %d NoSync", pes, len(list), len(f.Graph.Nodes), took.Round(time.Millisecond),
			float64(bytes)/1e6, count(list, synch.NoReady))
		if len(list) < long || pes > 0 && count(list, synch.NoReady) < long/2 {
			t.Errorf("%d communications, %d NoSync: another program", len(list), count(list, synch.NoReady))
		}
		if bytes > 4e8 {
			t.Errorf("%d bytes allocated in all", bytes)
		}
	}
}

func BenchmarkSolve2000(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		c := solveAll(2000, 4, 1)
		b.ReportMetric(float64(c.items), "items")
		b.ReportMetric(float64(c.sweeps), "sweeps")
	}
}
