package search_test

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/procfunc"
)

var costComms = flag.Int("costcomms", 300, "communications of TestCost")

// changing is a program of n or a few more communications in nests of depth 4, most
// with messages that depend on the iteration, which no proof for any number of PEs
// frees.
func changing(n int) string {
	var b strings.Builder
	b.WriteString("program changing\n integer :: t, k, l, i, m\n double precision :: a(96), b(96), c(96), s\n!HPF$ DISTRIBUTE a(CYCLIC)\n!HPF$ ALIGN b(i) WITH a(i)\n!HPF$ ALIGN c(i) WITH a(i)\n read *, m\n do t = 1, m\n")
	for r := 0; r < n; r += 10 {
		b.WriteString(" do k = 1, 4\n do l = k, 4\n")
		for j := range 10 {
			x, y := "abc"[j%3:j%3+1], "abc"[(j+1)%3:(j+1)%3+1]
			switch j % 4 {
			case 0:
				fmt.Fprintf(&b, " do i = 1, 96\n %s(i) = %s(i) + %s(l)\n end do\n", x, x, y)
			case 1:
				fmt.Fprintf(&b, " %s(l) = %s(k+%d) + 1\n", x, y, j)
			case 2:
				fmt.Fprintf(&b, " if (mod(l,2) == 0) then\n %s(l+1) = %s(k) + 1\n end if\n", x, y)
			case 3:
				fmt.Fprintf(&b, " do i = 2, 95\n %s(i) = %s(i-1) + %s(i)\n end do\n", x, y, x)
			}
		}
		b.WriteString(" end do\n end do\n")
	}
	b.WriteString(" end do\nend program\n")
	return b.String()
}

// watchMemory looks at the memory that the process has from the system until the
// function that it returns is called, which says what was the most.
func watchMemory() func() uint64 {
	stop, most := make(chan struct{}), make(chan uint64)
	go func() {
		kinds := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		var peak uint64
		for {
			metrics.Read(kinds)
			peak = max(peak, kinds[0].Value.Uint64()-kinds[1].Value.Uint64())
			select {
			case <-stop:
				most <- peak
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(stop); return <-most }
}

// TestCost is the cost of plan elide for any number of PEs and for 8, with proofs,
// of communications in nests of depth 4. Of 2,000 it takes less than 10 s and 1 GB:
//
//	go test ./dataflow/plan -run TestCost$ -v -costcomms 2000
func TestCost(t *testing.T) {
	if !effort.All() {
		t.Skip("long: it measures the cost of the analysis")
	}
	for name, text := range map[string]string{"changing": changing(*costComms), "nests": nests(*costComms, true)} {
		c := transformed(t, text)
		f := procfunc.Analyze(c, c.Graph())
		for _, pes := range [][]int{nil, {8}} {
			var before, after runtime.MemStats
			debug.FreeOSMemory() // what other tests, and the program before, leave
			runtime.ReadMemStats(&before)
			peak := watchMemory()
			start := time.Now()
			p := search.Make(c, plan.Elide, f, search.Options{PEs: pes, BarrierThreshold: -1})
			took, most := time.Since(start), peak()
			runtime.ReadMemStats(&after)
			bytes := after.TotalAlloc - before.TotalAlloc
			quiet, copies, claims := 0, 0, 0
			for i := range p.Slots {
				if len(p.Slots[i].At) > 0 {
					quiet++
				}
			}
			for _, f := range p.Finite {
				copies += len(f.Copies)
				for _, c := range f.Certificates {
					claims += len(c.Claims)
				}
			}
			t.Logf("%s, PEs %v: %d communications, %d nodes, %d copies of them with %d claims: %v, %d MB at most, %d MB allocated; quiet on 8 PEs: %d",
				name, pes, len(c.Comms), len(p.Graph.Nodes), copies, claims, took.Round(time.Millisecond), most>>20, bytes>>20, quiet)
			if most > 1<<30 {
				t.Errorf("%s: %d MB of memory, more than 1 GB", name, most>>20)
			}
			if took > 10*time.Second && *costComms <= 2000 {
				t.Errorf("%s: %v, more than 10 s", name, took)
			}
			if bytes > 1<<30 && *costComms <= 300 {
				t.Errorf("%s: %d bytes allocated", name, bytes)
			}
			if pes != nil && quiet < *costComms/4 && *costComms <= 300 {
				t.Errorf("%s: only %d of %d are quiet on 8 PEs: another program", name, quiet, len(c.Comms))
			}
		}
	}
}
