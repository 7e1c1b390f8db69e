package examples_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/effort"
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

// TestSimGrid: SMPI, the simulator of MPI programs of SimGrid, takes as long for the exported traces as the model: for stencils,
// broadcasts, reductions, pipelines, all plans. Both have the same latency, overhead and bandwidth. What SMPI has and
// LogGP does not is that messages which a PE sends or receives at the same time share its link: that is under 1 % while
// messages are short, and more where bandwidth is low: most where all PEs send to all, as in tred2.
func TestSimGrid(t *testing.T) {
	effort.Tool(t, "smpirun", "libsimgrid-dev")
	finished := regexp.MustCompile(`Simulation time ([0-9.]+)`)
	slow := "--bandwidth=300MB/s"
	for _, x := range []struct {
		name  string
		plans []string
		flags []string
		most  float64 // relative difference
	}{
		{"jacobi", plans[:], nil, 0.01},
		{"tred2", plans[:], []string{"--read=n=100"}, 0.01},
		{"heat3d", plans[:1], nil, 0.01},
		{"lu", plans[:1], nil, 0.01},
		{"sweep", plans[:], nil, 0.01},
		{"jacobi", plans[:1], []string{"--set=n=2000", slow}, 0.1},
		{"tred2", plans[:1], []string{"--read=n=200", slow}, 0.15},
		{"matmul", plans[:1], []string{slow}, 0.1},
	}[:effort.Of(8, 1)] {
		for _, plan := range x.plans {
			for _, n := range []string{"2", "7"} {
				t.Run(strings.Join(slices.Concat([]string{x.name, plan, n}, x.flags), " "), func(t *testing.T) {
					dir := filepath.Join(t.TempDir(), "trace")
					args := slices.Concat([]string{"simulate", "-q", "--format=json", "--plans=" + plan, "-n", n, "--smpi=" + dir, filepath.Join(x.name, x.name+".hpf")}, x.flags)
					var predicted struct{ Rows []struct{ Seconds float64 } }
					if err := json.Unmarshal(spmdc(t, args...), &predicted); err != nil {
						t.Fatal(err)
					}
					out, err := exec.Command(filepath.Join(dir, "replay.sh")).CombinedOutput()
					at := finished.FindSubmatch(out)
					if err != nil || at == nil {
						t.Fatalf("%v\n%s", err, out)
					}
					want, _ := strconv.ParseFloat(string(at[1]), 64)
					if got := predicted.Rows[0].Seconds; math.Abs(got-want) > x.most*want+1e-6 { // it prints microseconds
						t.Errorf("the model takes %.6f s, SMPI %.6f", got, want)
					}
				})
			}
		}
	}
}
