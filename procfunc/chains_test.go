package procfunc

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/front"
)

// chainProgram is a loop of shifts by a few positions, some of them short of the ends of
// the arrays, some by indices or scalars that change.
func chainProgram(w *rand.Rand) string {
	dist := []string{"BLOCK", "CYCLIC"}[w.Intn(2)]
	text := "program p\ninteger, parameter :: n = 12\ninteger :: i, j, t, m, f\nreal :: a(-20:40), b(-20:40), c(-20:40), d(-20:40)\n" +
		"!HPF$ DISTRIBUTE (" + dist + ") :: a, b, c, d\nread *, m, f\ndo t = 1, m\n"
	names, count, sum := []string{"a", "b", "c", "d"}, 3+w.Intn(2), 0
	narrow := w.Intn(count)
	for k := range count {
		// One is inside of what the others reach, most often, and their steps are
		// likely to lead back.
		lo, hi, step := 2, 11, w.Intn(5)-2
		if k != narrow {
			lo, hi = -6+w.Intn(10), 20-w.Intn(10)
		}
		if k == count-1 && w.Intn(3) > 0 {
			step = -sum
		}
		sum += step
		by := fmt.Sprint(step)
		if w.Intn(10) == 0 {
			by = []string{"t", "f"}[w.Intn(2)]
		}
		from := fmt.Sprint(lo)
		if k != narrow && w.Intn(4) == 0 { // a range that moves with the loop around
			from = fmt.Sprintf("%d-%d*t", lo+3, 1+w.Intn(3))
		}
		nest := fmt.Sprintf("do i = %s, %d\n%s(i) = %s(i+(%s))\nend do\n", from, hi, names[(k+1)%4], names[k], by)
		if w.Intn(8) == 0 {
			nest = "do j = 1, f\n" + nest + "end do\n"
		}
		text += nest
	}
	return text + "end do\nend\n"
}

// TestChainsAgainstTraces: where a sequence of communications is said to kill what none of
// them kills, then in every run, for each message p to q, what q knew before the latest
// executions of the sequence comes to p by its messages.
func TestChainsAgainstTraces(t *testing.T) {
	claims, messages, longer := 0, 0, 0
	for seed := range int64(effort.Of(2500, 600)) {
		w := rand.New(rand.NewSource(seed))
		text := chainProgram(w)
		f := analyze(t, text)
		for np := 2; np <= 6; np++ {
			env := map[string]int64{"m": 3, "f": int64(w.Intn(3))}
			s := NewPESpace(np, nil, func(v string) (int64, bool) { x, ok := env[v]; return x, ok })
			latest := map[int][]Pair{}
			front.Trace(f.Program, f.Graph, env, 2000, func(n *cfg.Node) {
				if n.Kind != cfg.Comm {
					return
				}
				list, ok := s.Messages(f.Program.Comms[n.Ref-1])
				if !ok {
					return
				}
				for _, chain := range f.Chains(n.Ref) {
					if slices.ContainsFunc(chain, func(y int) bool { return latest[y] == nil }) {
						continue
					}
					if claims++; len(chain) > 2 {
						longer++
					}
					who := map[Pair]bool{} // what From knows comes to To
					for q := range np {
						who[Pair{q, q}] = true
					}
					for _, y := range chain {
						next := maps.Clone(who)
						for _, m := range latest[y] {
							for q := range np {
								if who[Pair{q, m.From}] {
									next[Pair{q, m.To}] = true
								}
							}
						}
						who = next
					}
					for _, m := range list {
						if messages++; !who[Pair{m.To, m.From}] {
							t.Fatalf("program %d, %d PEs, %v: %v are said to kill C_%d together, but nothing of PE %d comes to PE %d\n%s", seed, np, env, chain, n.Ref, m.To, m.From, text)
						}
					}
				}
				latest[n.Ref] = append([]Pair{}, list...)
			})
		}
	}
	t.Logf("%d claims, %d of them of three links, about %d messages", claims, longer, messages)
	if claims < 200 || longer < 20 || messages < 500 {
		t.Errorf("only %d claims, %d of three links, about %d messages", claims, longer, messages)
	}
}
