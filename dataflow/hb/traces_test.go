package hb

import (
	"flag"
	"math/rand"
	"strconv"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/internal/randprog"
	"github.com/spmdc/spmdc/procfunc"
)

var hpfs = flag.Int("programs", effort.Of(150, 50), "random programs of TestAgainstTraces")

// tracer follows an execution of a program with a vector clock per PE.
type tracer struct {
	f      *procfunc.Functions
	layout layout
	np     int
	space  *procfunc.PESpace
	clock  [][]int // [p][q]: how many events of q p knows of
	state  []traced
	early  [][2]int // use, put: a put that came before the use was known to be over
	puts   []int    // messages, by communication
	again  []int    // … to a PE that had used the cells
	lost   bool     // some messages are not known
}

// traced is the state of one communication: of its slots and of the cells that
// it shares.
type traced struct {
	epoch    int
	slots    []ends
	cells    ends
	held     []bool
	messages []procfunc.Pair
	carried  [][]int
}

// ends is, by PE, the event that ended the last use; -1 while it is in use, 0 for
// never used.
type ends []int

func newTracer(f *procfunc.Functions, l layout, np int, space *procfunc.PESpace) *tracer {
	t := &tracer{f: f, layout: l, np: np, space: space, puts: make([]int, len(l)), again: make([]int, len(l))}
	for range np {
		t.clock = append(t.clock, make([]int, np))
	}
	for _, s := range l {
		st := traced{cells: make(ends, np), held: make([]bool, np)}
		for range s.n {
			st.slots = append(st.slots, make(ends, np))
		}
		t.state = append(t.state, st)
	}
	return t
}

func (t *tracer) join(p int, c []int) {
	for q, e := range c {
		t.clock[p][q] = max(t.clock[p][q], e)
	}
}

func (t *tracer) snapshot() [][]int {
	var out [][]int
	for _, c := range t.clock {
		out = append(out, append([]int(nil), c...))
	}
	return out
}

func (t *tracer) at(n *cfg.Node) {
	switch n.Kind {
	case cfg.Comm:
		t.comm(n)
	case cfg.CommOver:
		st := &t.state[n.Ref-1]
		for _, m := range st.messages {
			t.join(m.To, st.carried[m.From])
		}
		st.messages = nil
		if t.layout[n.Ref-1].staged {
			t.over(n.Ref, st.slots[st.epoch%len(st.slots)])
		}
	case cfg.UseOver:
		st := &t.state[n.Ref-1]
		t.over(n.Ref, st.cells)
		if !t.layout[n.Ref-1].staged {
			t.over(n.Ref, st.slots[st.epoch%len(st.slots)])
		}
	case cfg.Reduce, cfg.Barrier:
		for range 2 {
			for p := range t.np {
				t.join(0, t.clock[p])
			}
			for p := range t.np {
				t.join(p, t.clock[0])
			}
		}
	}
}

// over is the end of a use on all PEs that have one.
func (t *tracer) over(r int, e ends) {
	for q := range t.np {
		if t.state[r-1].held[q] {
			t.clock[q][q]++
			e[q] = t.clock[q][q]
		}
	}
}

func (t *tracer) comm(n *cfg.Node) {
	c, st := t.f.Program.Comms[n.Ref-1], &t.state[n.Ref-1]
	messages, ok := t.space.Messages(c)
	users, ok2 := t.space.Consumers(c)
	if !ok || !ok2 {
		t.lost = true
		return
	}
	if n.Flavour == recv {
		// PE after PE: each sends on what it has heard.
		for range t.np {
			for _, m := range messages {
				t.join(m.To, t.clock[m.From])
			}
		}
		return
	}
	st.epoch++
	slot := st.slots[st.epoch%len(st.slots)]
	for _, m := range messages {
		t.check(n.Ref, m, slot)
		users[m.To] = true
	}
	for q, uses := range users {
		if st.held[q] = uses; uses {
			slot[q], st.cells[q] = -1, -1
		}
	}
	if n.Flavour != send {
		st.messages, st.carried = messages, t.snapshot()
	}
}

// check is the oracle for one put.
func (t *tracer) check(x int, m procfunc.Pair, slot ends) {
	t.puts[x-1]++
	late := func(use int, e ends) {
		if e[m.To] != 0 {
			t.again[x-1]++
		}
		if e[m.To] < 0 || e[m.To] > t.clock[m.From][m.To] {
			t.early = append(t.early, [2]int{use, x})
		}
	}
	if t.layout.own(x) {
		late(x, slot)
		return
	}
	for _, class := range t.f.Classes() {
		for _, y := range class {
			if y != x {
				continue
			}
			for _, use := range class {
				if l := t.layout[use-1]; l.n == 1 || l.staged {
					late(use, t.state[use-1].cells)
				}
			}
		}
	}
}

// TestAgainstTraces runs random HPF programs with the messages of every instance
// enumerated, and a vector clock per PE: no put that the analysis elides comes
// before the uses of the slot are known to be over; neither with m a constant, nor
// with m read.
func TestAgainstTraces(t *testing.T) {
	type sum struct{ references, safe, kept, again, keptAgain int }
	var constant, symbolic sum
	for k := range *hpfs {
		rng := rand.New(rand.NewSource(int64(*seed)*1_000_003 + int64(k)))
		text := randprog.Subscripts(rng)
		m := rng.Intn(6)
		fixed := strings.NewReplacer("j, m, f", "j, f\n integer, parameter :: m = "+strconv.Itoa(m), "read *, m, f", "read *, f").Replace(text)
		for j, text := range []string{fixed, text} {
			f, err := tryFunctions(text)
			if err != nil {
				if j == 1 {
					t.Fatalf("program %d: %v\n%s", k, err, text)
				}
				continue // with this m a subscript is out of bounds
			}
			slot := make([]slots, len(f.Program.Comms))
			for i := range slot {
				slot[i] = slots{n: 1}
				if k%2 == 1 {
					slot[i] = slots{1 + rng.Intn(3), rng.Intn(4) == 0}
				}
			}
			for np := 1; np <= 5; np++ {
				pes := np
				if j == 1 && np%2 == 0 {
					pes = 0 // not known to the analysis
				}
				verdicts := analyzed(f, pes, slot)
				early, put, again := map[int]bool{}, map[int]bool{}, map[int]bool{}
				for run := range 4 {
					env := map[string]int64{"m": int64(m), "f": int64(run % 2)}
					if j == 1 {
						env["m"] = int64(rng.Intn(7))
					}
					known := func(v string) (int64, bool) { x, ok := env[v]; return x, ok }
					tr := newTracer(f, slot, np, procfunc.NewPESpace(np, nil, known))
					front.Trace(f.Program, f.Graph, env, 3000, tr.at)
					if tr.lost {
						t.Fatalf("program %d: messages without value\n%s", k, text)
					}
					for _, e := range tr.early {
						early[e[1]] = true
						if v := verdicts[e[1]-1]; v != synch.NeedsSync {
							t.Fatalf("program %d, %d PEs, %d known, env %v: C_%d is %v, but puts come before the use of C_%d is over\nslots %v\n%s\n%v", k, np, pes, env, e[1], v, e[0], slot, text, f.Graph)
						}
					}
					for x := range tr.puts {
						put[x+1] = put[x+1] || tr.puts[x] > 0
						again[x+1] = again[x+1] || tr.again[x] > 0
					}
				}
				s := &constant
				if pes == 0 {
					s = &symbolic
				} else if j == 1 {
					continue
				}
				for x := range put {
					if !put[x] {
						continue
					}
					s.references++
					if early[x] {
						continue
					}
					free := verdicts[x-1] != synch.NeedsSync
					s.safe++
					if free {
						s.kept++
					}
					if again[x] {
						s.again++
						if free {
							s.keptAgain++
						}
					}
				}
			}
		}
	}
	for name, s := range map[string]sum{"P and sizes known": constant, "neither known": symbolic} {
		t.Logf("%s: %d references, %d safe on every path, of these elided %s; of %d into used slots %s", name, s.references, s.safe, percent(s.kept, s.safe), s.again, percent(s.keptAgain, s.again))
	}
	if *hpfs < 150 {
		return // too few for the shares to mean anything
	}
	if constant.keptAgain*100 < constant.again*90 || symbolic.kept*100 < symbolic.safe*50 || constant.again < 250 {
		t.Errorf("less is elided than was: %v where all is known, %v where not", constant, symbolic)
	}
}
