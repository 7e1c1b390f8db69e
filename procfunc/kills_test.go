package procfunc

import (
	"flag"
	"math/rand"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/internal/randprog"
)

var (
	programs = flag.Int("programs", effort.Of(300, 100), "random programs of TestKillsAgainstTraces")
	seed     = flag.Int64("seed", 1, "of the first random program")
)

// analyze reads a program up to its functions.
func analyze(t testing.TB, text string) *Functions {
	t.Helper()
	c := front.Must(t, front.SPMD, text)
	return Analyze(c, c.Graph())
}

// TestKillsAgainstTraces runs random programs in the space of PEs: where y is
// said to kill the synchronisation of x, every message p to q of x has to be
// answered by q to p in each y since the x before.
func TestKillsAgainstTraces(t *testing.T) {
	claims, checked, kinds := 0, 0, map[string]int{}
	for k := range *programs {
		w := rand.New(rand.NewSource(*seed + int64(k)))
		text := randprog.Subscripts(w)
		f := analyze(t, text)
		for np := 1; np <= 5; np++ {
			for run := range 3 {
				env := map[string]int64{"m": int64(run*2 + w.Intn(2)), "f": int64(w.Intn(2))}
				s := NewPESpace(np, nil, func(v string) (int64, bool) { x, ok := env[v]; return x, ok })
				messages := map[int]map[Pair]bool{} // of the latest instance
				since := map[int]map[int][]map[Pair]bool{}
				front.Trace(f.Program, f.Graph, env, 4000, func(n *cfg.Node) {
					if n.Kind != cfg.Comm || n.Flavour == "recv" {
						return
					}
					list, ok := s.Messages(f.Program.Comms[n.Ref-1])
					if !ok {
						return
					}
					now := map[Pair]bool{}
					for _, p := range list {
						now[p] = true
					}
					for y, instances := range since[n.Ref] {
						if y == n.Ref || !f.KillsAfter(y, n.Ref, 1) {
							continue
						}
						claims++
						for _, m := range instances {
							for p := range now {
								checked++
								if !m[Pair{p.To, p.From}] {
									t.Fatalf("program %d, %d PEs, env %v: C_%d (%v) is said to kill C_%d (%v), but %d does not send to %d\n%s\n%s",
										*seed+int64(k), np, env, y, f.Relations[y-1], n.Ref, f.Relations[n.Ref-1], p.To, p.From, f.KillReason(y, n.Ref, n.Ref).Text, text)
								}
							}
							kinds[string(f.Program.Comms[y-1].Kind)]++
						}
					}
					since[n.Ref] = map[int][]map[Pair]bool{}
					for x := range since {
						if x != n.Ref {
							since[x][n.Ref] = append(since[x][n.Ref], now)
						}
					}
					messages[n.Ref] = now
				})
			}
		}
	}
	t.Logf("%d claims on executed instances, %d messages answered; killers: %v", claims, checked, kinds)
	if *programs >= 300 && (claims < 8000 || checked < 6000 || len(kinds) < 4) {
		t.Errorf("too little was claimed: %d claims, %d messages, killers %v", claims, checked, kinds)
	}
}
