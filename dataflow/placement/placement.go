// Package placement says which PEs should share a host: those that exchange most. It is the first
// of the two phases of mapping, hosts before cores, of CRESTA deliverable D4.3 ("Graph partitioning for
// mapping", 2013); the second is the operating system's.
package placement

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/simulate"
	"github.com/spmdc/spmdc/procfunc"
)

// Traffic is the bytes that PEs send each other in a run, or in its first part, which is executed
// without the arithmetic (see simulate): numbers that the program reads are made up, and of
// conditions that depend on data some way is taken.
type Traffic struct {
	PEs     int
	bytes   [][]float64         // by PE and PE, both directions together
	unknown map[*comm.Comm]bool // whose messages are not known before run time
	cut     bool                // the run is longer
	guessed bool
}

// Events bound what is executed: with many PEs each takes long.
const (
	mostEvents  = 2000
	leastEvents = 50
	eventPairs  = 40e6 // pairs of PEs, in all events
)

// guesses is how many executions there are where ways are guessed: the one with the most bytes counts.
const guesses = 8

// Measure executes the communications of p on some PEs.
func Measure(p *plan.Plan, pes int) *Traffic {
	var most *Traffic
	for seed := range uint64(guesses) {
		t := measure(p, pes, seed)
		if most == nil || t.all() > most.all() {
			most = t
		}
		if !t.guessed {
			break
		}
	}
	return most
}

// all is the bytes between PEs.
func (t *Traffic) all() float64 { return t.Between(Block(t.PEs, Hosts{t.PEs, 1})) }

func measure(p *plan.Plan, pes int, seed uint64) *Traffic {
	t := &Traffic{PEs: pes, bytes: make([][]float64, pes), unknown: map[*comm.Comm]bool{}}
	for q := range t.bytes {
		t.bytes[q] = make([]float64, pes)
	}
	w := &watcher{Traffic: t}
	events := min(max(int(eventPairs)/(pes*pes), leastEvents), mostEvents)
	r := simulate.New(p, pes, seed, events, w)
	w.space = procfunc.NewPESpace(pes, p.Program.IR.Ends, r.Value)
	r.Execute()
	t.guessed = r.Guessed() || r.Invented()
	t.cut = r.Exhausted()
	return t
}

type watcher struct {
	*Traffic
	space *procfunc.PESpace
}

// Put adds what communication c puts.
func (w *watcher) Put(r *simulate.Run, c *comm.Comm, _ []procfunc.Pair, _ bool) {
	pairs, elements, known := w.space.Elements(c)
	if !known {
		w.unknown[c] = true
		return
	}
	for i, m := range pairs {
		b := float64(elements[i]) * float64(c.Array.Type.Size())
		w.bytes[m.From][m.To] += b
		w.bytes[m.To][m.From] += b
	}
}

// Hosts is so many hosts with room for so many PEs each.
type Hosts struct{ Count, Each int }

// Place is on which host each PE is.
type Place []int

// Block fills one host after the other; RoundRobin deals PEs out to hosts like cards.
func Block(pes int, h Hosts) Place {
	p := make(Place, pes)
	for q := range p {
		p[q] = q / h.Each
	}
	return p
}

func RoundRobin(pes int, h Hosts) Place {
	p := make(Place, pes)
	for q := range p {
		p[q] = q % h.Count
	}
	return p
}

// Between is the bytes that go between hosts.
func (t *Traffic) Between(p Place) (bytes float64) {
	for a := range p {
		for b := range a {
			if p[a] != p[b] {
				bytes += t.bytes[a][b]
			}
		}
	}
	return bytes
}

// Choose is a placement with few bytes between hosts, and no more than with Block and RoundRobin. From each of these,
// from one that grows host by host, and from others, PEs of different hosts change places as long as that is
// better (Kernighan and Lin 1970).
func (t *Traffic) Choose(h Hosts, others ...Place) Place {
	best := Block(t.PEs, h)
	for _, p := range append(others, Block(t.PEs, h), RoundRobin(t.PEs, h), t.grown(h)) {
		t.refine(p)
		if t.Between(p) < t.Between(best) {
			best = p
		}
	}
	return best
}

// grown fills each host with the PE that exchanges most with those it has.
func (t *Traffic) grown(h Hosts) Place {
	p := slices.Repeat(Place{-1}, t.PEs)
	for host := range h.Count {
		gain := make([]float64, t.PEs)
		for range h.Each {
			next := -1
			for q := range p {
				if p[q] < 0 && (next < 0 || gain[q] > gain[next]) {
					next = q
				}
			}
			if next < 0 {
				return p
			}
			p[next] = host
			for q := range gain {
				gain[q] += t.bytes[next][q]
			}
		}
	}
	return p
}

// refine lets pairs of PEs change places while some pair gains by it.
func (t *Traffic) refine(p Place) {
	hosts := slices.Max(p) + 1
	toward := make([][]float64, t.PEs) // by PE and host
	for q := range toward {
		toward[q] = make([]float64, hosts)
		for r, b := range t.bytes[q] {
			toward[q][p[r]] += b
		}
	}
	move := func(q, to int) {
		for r, b := range t.bytes[q] {
			toward[r][p[q]] -= b
			toward[r][to] += b
		}
		p[q] = to
	}
	for better := true; better; {
		better = false
		for a := range p {
			for b := range a {
				if p[a] == p[b] {
					continue
				}
				gain := toward[a][p[b]] - toward[a][p[a]] + toward[b][p[a]] - toward[b][p[b]] - 2*t.bytes[a][b]
				if gain > 0.5 { // bytes
					pa, pb := p[a], p[b]
					move(a, pb)
					move(b, pa)
					better = true
				}
			}
		}
	}
}

// Text compares placements. Where Scotch is installed the chosen one begins with its own, unless that
// is worse.
func (t *Traffic) Text(h Hosts) (string, error) {
	var b strings.Builder
	var others []Place
	if program := Scotch(); program != "" && t.all() > 0 {
		p, err := t.scotch(program, h)
		if err != nil {
			return "", err
		}
		others = append(others, p)
	}
	what := "a run"
	if t.cut {
		what = "the first part of a run"
	}
	fmt.Fprintf(&b, "bytes between hosts in %s of %d PEs on %d hosts of %d, of %.0f between PEs\n\n", what, t.PEs, h.Count, h.Each, t.all())
	chosen := t.Choose(h, others...)
	for _, x := range []struct {
		name string
		p    Place
	}{{"block", Block(t.PEs, h)}, {"round-robin", RoundRobin(t.PEs, h)}, {"chosen", chosen}} {
		fmt.Fprintf(&b, "  %-12s %14.0f\n", x.name, t.Between(x.p))
	}
	b.WriteString("\nchosen:\n")
	for host := range h.Count {
		var list []int
		for q, on := range chosen {
			if on == host {
				list = append(list, q)
			}
		}
		fmt.Fprintf(&b, "  host %d: PEs %s\n", host, ranges(list))
	}
	b.WriteString("\nReductions and broadcasts, which reach all hosts however PEs are placed, are not counted.\n")
	if t.guessed {
		b.WriteString("Some ways of the program, or sizes, depend on data: they are guesses.\n")
	}
	lines := map[int]bool{}
	for c := range t.unknown {
		lines[c.Line] = true
	}
	if len(lines) > 0 {
		fmt.Fprintf(&b, "What the run alone knows is not counted: the communications of lines %s.\n", ranges(keys(lines)))
	}
	return b.String(), nil
}

func keys(m map[int]bool) (list []int) {
	for k := range m {
		list = append(list, k)
	}
	slices.SortFunc(list, cmp.Compare[int])
	return list
}

// ranges writes numbers in ascending order as 0-3,8.
func ranges(list []int) string {
	var words []string
	for i := 0; i < len(list); {
		k := i
		for k+1 < len(list) && list[k+1] == list[k]+1 {
			k++
		}
		if k > i {
			words = append(words, fmt.Sprintf("%d-%d", list[i], list[k]))
		} else {
			words = append(words, fmt.Sprint(list[i]))
		}
		i = k + 1
	}
	return strings.Join(words, ",")
}
