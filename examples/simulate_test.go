package examples_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
)

// simulatedSite is a site as -stats-json and simulate --format=json write it.
type simulatedSite struct {
	Line, Column int
	Kind         string
	Data, Ready  float64
	Bytes        float64
}

// traffic sums up the messages of sites by place.
func traffic(sites []simulatedSite) map[string][3]float64 {
	sum := map[string][3]float64{}
	for _, s := range sites {
		if s.Data != 0 || s.Ready != 0 || s.Bytes != 0 {
			key := fmt.Sprint(s.Line, ":", s.Column, " ", s.Kind)
			v := sum[key]
			sum[key] = [3]float64{v[0] + s.Data, v[1] + s.Ready, v[2] + s.Bytes}
		}
	}
	return sum
}

// TestSimulatedCounts: what simulate counts of each communication is what a run counts: stencils in two and three dimensions,
// broadcasts, reductions of scalars and arrays, pipelines' neighbours, ready messages always and on demand.
func TestSimulatedCounts(t *testing.T) {
	for name, flags := range map[string][]string{"jacobi": {"--trips=410"}, "heat3d": nil, "lu": nil, "matmul": nil, "floyd": nil, "transpose": nil} {
		source := filepath.Join(name, name+".hpf")
		for _, plan := range []string{plans[0], "handshake"} {
			t.Run(name+" "+plan, func(t *testing.T) {
				program := build(t, source, plan)
				for _, n := range []string{"2", "4", "8"} {
					file := filepath.Join(t.TempDir(), "stats")
					if out, err := program.Command("-n", n, "-stats-json="+file).CombinedOutput(); err != nil {
						t.Fatalf("%v\n%s", err, out)
					}
					var counted struct{ Sites []simulatedSite }
					readJSON(t, file, &counted)
					var predicted struct {
						Rows []struct{ Sites []simulatedSite }
					}
					args := append([]string{"simulate", "-q", "--prove=none", "--format=json", "--plans=" + plan, "-n", n, source}, flags...)
					if err := json.Unmarshal(spmdc(t, args...), &predicted); err != nil {
						t.Fatal(err)
					}
					want, got := traffic(counted.Sites), traffic(predicted.Rows[0].Sites)
					for key, w := range want {
						if got[key] != w {
							t.Errorf("%s PEs, %s: data messages, ready messages and bytes %v, in a run %v", n, key, got[key], w)
						}
					}
					for key, g := range got {
						if _, ok := want[key]; !ok {
							t.Errorf("%s PEs, %s: %v, in a run nothing", n, key, g)
						}
					}
				}
			})
		}
	}
}
