package procfunc

import (
	"math/rand"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/internal/randprog"
)

// earlier is an instance of a communication, and how often another one has come
// since.
type earlier struct {
	messages map[Pair]bool
	passed   int
}

// TestKillsAfterAgainstTraces is TestKillsAgainstTraces for the instances of x that
// come second and third behind y, and for y = x; and where y is said to be always
// alike, all its instances in a run have the same messages.
func TestKillsAfterAgainstTraces(t *testing.T) {
	var claims, answered, alike [4]int
	for k := range *programs {
		w := rand.New(rand.NewSource(*seed + 5000 + int64(k)))
		text := randprog.Subscripts(w)
		f := analyze(t, text)
		for np := 2; np <= 5; np++ {
			for run := range 2 {
				env := map[string]int64{"m": int64(run*2 + w.Intn(2)), "f": int64(w.Intn(2))}
				s := NewPESpace(np, nil, func(v string) (int64, bool) { x, ok := env[v]; return x, ok })
				before := map[int]map[int][]*earlier{} // by x, then by y: since three instances of x
				first := map[int]map[Pair]bool{}
				front.Trace(f.Program, f.Graph, env, 2000, func(n *cfg.Node) {
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
					if before[n.Ref] == nil {
						before[n.Ref] = map[int][]*earlier{}
					}
					for y, instances := range before[n.Ref] {
						var recent []*earlier
						for _, in := range instances {
							if in.passed++; in.passed <= 3 {
								recent = append(recent, in)
							}
							if in.passed > 3 || !f.KillsAfter(y, n.Ref, in.passed) {
								continue
							}
							claims[in.passed]++
							for p := range now {
								answered[in.passed]++
								if !in.messages[Pair{p.To, p.From}] {
									t.Fatalf("program %d, %d PEs, env %v: C_%d (%v) is said to answer C_%d (%v) when it comes as number %d, but %d does not send to %d\n%s",
										*seed+5000+int64(k), np, env, y, f.Relations[y-1], n.Ref, f.Relations[n.Ref-1], in.passed, p.To, p.From, text)
								}
							}
						}
						before[n.Ref][y] = recent
					}
					for x := range f.Relations {
						if before[x+1] == nil {
							before[x+1] = map[int][]*earlier{}
						}
						before[x+1][n.Ref] = append(before[x+1][n.Ref], &earlier{messages: now})
					}
					if was, ok := first[n.Ref]; !ok {
						first[n.Ref] = now
					} else if f.Alike(n.Ref, n.Ref) {
						alike[0]++
						same := len(was) == len(now)
						for p := range now {
							same = same && was[p]
						}
						if len(now) > 0 {
							alike[1]++
						}
						if !same {
							t.Fatalf("program %d, %d PEs, env %v: C_%d (%v) is said to be always alike, and has the messages %v, then %v\n%s", *seed+5000+int64(k), np, env, n.Ref, f.Relations[n.Ref-1], was, now, text)
						}
					}
				})
			}
		}
	}
	t.Logf("by number of the instance: claims %v, messages answered %v; %d instances alike, %d of them with messages", claims[1:], answered[1:], alike[0], alike[1])
	if *programs >= 300 && (claims[2] < 2000 || answered[2] < 1500 || claims[3] < 1000 || answered[3] < 1000 || alike[1] < 1000) {
		t.Error("too little was claimed")
	}
}

// TestWaysThen: ways one after the other, against the definition: what counts is
// the outermost loop whose back edge is crossed, and whether once.
func TestWaysThen(t *testing.T) {
	// A way is the number of crossings by loop, outermost first.
	abstract := func(counts [3]int) waySet {
		for i, n := range counts {
			switch {
			case n == 1:
				return once(i)
			case n > 1:
				return often(i)
			}
		}
		return straight
	}
	var all [][3]int
	for a := range 3 {
		for b := range 3 {
			for c := range 3 {
				all = append(all, [3]int{a, b, c})
			}
		}
	}
	for _, x := range all {
		for _, y := range all {
			sum := [3]int{x[0] + y[0], x[1] + y[1], x[2] + y[2]}
			if got := abstract(x).then(abstract(y)); got&abstract(sum) == 0 {
				t.Errorf("%v then %v: %b lacks %b", x, y, got, abstract(sum))
			}
			if got := abstract(x).then(abstract(y)); got != abstract(sum) {
				t.Errorf("%v then %v: %b, want %b", x, y, got, abstract(sum))
			}
			both := (abstract(x) | straight).then(abstract(y))
			if both != abstract(sum)|abstract(y) {
				t.Errorf("%v or straight, then %v: %b", x, y, both)
			}
		}
	}
}
