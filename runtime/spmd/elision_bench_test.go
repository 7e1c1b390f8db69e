package spmd

import (
	"fmt"
	"testing"
	"time"

	"github.com/spmdc/spmdc/runtime/elide"
)

// BenchmarkElision is a barrier of an emitted program on two PEs, in that many
// contexts alternately: plain, with elision where each is needed, and where none is. Run
// it with -benchtime=1x.
func BenchmarkElision(b *testing.B) {
	for _, contexts := range []int{1, 1000} {
		for _, how := range []string{"plain", "needed", "redundant"} {
			b.Run(fmt.Sprintf("contexts=%d/%s", contexts, how), func(b *testing.B) {
				p := sites(contexts)
				p.Check = false
				p.Version = "bench 1"
				if how != "plain" {
					p.Elide = &Elision{Mode: elide.Online}
				}
				const barriers = 300_000
				for b.Loop() {
					var took time.Duration
					_, err := Run(p, 2, nil, nil, func(pe *PE) {
						pe.Start()
						begin := time.Now()
						for i := range barriers + 20*contexts {
							if i == 20*contexts { // learned
								begin = time.Now()
							}
							if how != "redundant" {
								pe.MarkLocal()
							}
							pe.Barrier(i % contexts)
						}
						if pe.ID() == 0 {
							took = time.Since(begin)
						}
					})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(float64(took)/barriers, "ns/barrier")
				}
			})
		}
	}
}
