package search_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/procfunc"
)

// nests is a program with n or a few more communications in nests of depth 4:
// two sequential loops around parallel ones, 20 communications in each nest,
// all nests in one time loop if nested is set. The arrays are few, so that many
// communications fill the same overlaps.
func nests(n int, nested bool) string {
	var b strings.Builder
	b.WriteString(`program nests
 integer :: t, s, i, j
 double precision :: a(64,64), b(64,64), c(64,64), v(64), w(64)
!HPF$ PROCESSORS p(2,2)
!HPF$ DISTRIBUTE a(BLOCK,BLOCK) ONTO p
!HPF$ ALIGN b(i,j) WITH a(i,j)
!HPF$ ALIGN c(i,j) WITH a(i,j)
!HPF$ ALIGN v(i) WITH a(i,*)
!HPF$ ALIGN w(j) WITH a(*,j)
`)
	outer := func() { b.WriteString(" do t = 1, 10\n") }
	if nested {
		outer()
	}
	statements := []string{"b(i,j) = a(i-1,j)", "a(i,j) = b(i+1,j)", "c(i,j) = a(i,s)", "a(i,j) = c(j,i)", "c(i,j) = b(s,j)"}
	for k := 0; k < n; k += 20 {
		if !nested {
			outer()
		}
		b.WriteString(" do s = 2, 9\n")
		for m := range 20 {
			fmt.Fprintf(&b, " do j = 2, 63\n do i = 2, 63\n %s\n end do\n end do\n", statements[m%len(statements)])
		}
		b.WriteString(" end do\n")
		if !nested {
			b.WriteString(" end do\n")
		}
	}
	if nested {
		b.WriteString(" end do\n")
	}
	b.WriteString("end program\n")
	return b.String()
}

// BenchmarkPlan is the cost of the analysis: processor functions, data flow of
// all items, proofs. comms is the number of communications, sweeps the most that an
// item took, MB what is allocated in all, live-MB what is in use at the end.
func BenchmarkPlan(b *testing.B) {
	for _, nested := range []bool{false, true} {
		for _, n := range []int{500, 1000, 2000} {
			name := fmt.Sprintf("apart-%d", n)
			if nested {
				name = fmt.Sprintf("nested-%d", n)
			}
			b.Run(name, func(b *testing.B) {
				p := makePlan(b, nests(n, nested), plan.Handshake)
				b.ReportAllocs()
				var made *plan.Plan
				for b.Loop() {
					made = search.Make(p.Program, plan.PopL96, procfunc.Analyze(p.Program, p.Program.Graph()), search.Options{})
				}
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				b.ReportMetric(float64(m.HeapInuse)/(1<<20), "live-MB")
				b.ReportMetric(float64(len(made.Slots)), "comms")
				f := procfunc.Analyze(p.Program, made.Graph)
				solver, sweeps := synch.NewSolver(made.Graph), 0
				for _, it := range f.Items() {
					_, k := solver.Verdict(proof.Shared(it[0], it[1]), f.KillsAfter)
					sweeps = max(sweeps, k)
				}
				b.ReportMetric(float64(sweeps), "sweeps")
			})
		}
	}
}
