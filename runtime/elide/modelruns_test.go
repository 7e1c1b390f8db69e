package elide

import (
	"flag"
	"slices"
	"testing"

	"github.com/spmdc/spmdc/internal/effort"
)

// setting is one way to run traces.
type setting struct {
	name string
	config
	plan map[Site]bool
}

func (s setting) withPlan() config {
	c := s.config
	c.begin = func(path []Site) Why {
		if s.plan[path[0]-1] {
			return Planned
		}
		return 0
	}
	return c
}

func settings() []setting {
	a, ab := map[Site]bool{0: true}, map[Site]bool{0: true, 1: true}
	return []setting{
		{"threshold 1", config{threshold: 1, online: true}, nil},
		{"threshold 2", config{threshold: 2, online: true}, nil},
		{"relearn", config{threshold: 1, relearn: 1, online: true}, nil},
		{"plan of A", config{threshold: 1}, a},
		{"plan of A and B, pessimistic", config{threshold: 1, pessimistic: true}, ab},
		{"plan of A, the rest online", config{threshold: 1, online: true, relearn: 2}, a},
	}
}

// all calls visit with every list of n elements of choices.
func all(n int, choices []op, visit func([]op)) {
	list := make([]op, n)
	var fill func(i int)
	fill = func(i int) {
		if i == n {
			visit(list)
			return
		}
		for _, c := range choices {
			list[i] = c
			fill(i + 1)
		}
	}
	fill(0)
}

// checkTraces explores traces from generate in every setting.
func checkTraces(t *testing.T, fine bool, generate func(visit func(trace))) {
	for _, s := range settings() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			c := s.withPlan()
			traces, states, fails := 0, 0, 0
			sample := effort.Sample(6)
			generate(func(tr trace) {
				want := reference(tr, c, s.plan)
				if !want.fails && !sample() {
					return
				}
				traces++
				if want.fails {
					fails++
				}
				w := newModel(tr, c, len(s.plan) > 0)
				w.fine = fine
				states += explore(t, w, func(end *model) { checkEnd(t, end, want) })
			})
			t.Logf("%d traces, %d misspeculate, %d states", traces, fails, states)
			if fails == 0 || fails == traces {
				t.Errorf("%d of %d traces fail: the checker decides nothing", fails, traces)
			}
		})
	}
}

// aligned generates traces in which n PEs come to the same barriers, with all
// combinations of accesses.
func aligned(n, length int, sites []op, accesses []Access) func(visit func(trace)) {
	return func(visit func(trace)) {
		all(length, sites, func(ops []op) {
			total := 1
			for range n * length {
				total *= len(accesses)
			}
			for code := range total {
				tr := make(trace, n)
				for pe := range tr {
					tr[pe] = slices.Clone(ops)
					for i := range tr[pe] {
						tr[pe][i].access = accesses[code%len(accesses)]
						code /= len(accesses)
					}
				}
				visit(tr)
			}
		})
	}
}

// unaligned generates traces in which every PE does anything of up to length ops.
func unaligned(n, least, most int, choices []op) func(visit func(trace)) {
	var lists [][]op
	for length := least; length <= most; length++ {
		all(length, choices, func(ops []op) { lists = append(lists, slices.Clone(ops)) })
	}
	return func(visit func(trace)) {
		tr := make(trace, n)
		var fill func(pe int)
		fill = func(pe int) {
			if pe == n {
				visit(tr)
				return
			}
			for _, l := range lists {
				tr[pe] = l
				fill(pe + 1)
			}
		}
		fill(0)
	}
}

// deep explores longer traces, for a minute instead of seconds.
var deep = flag.Bool("deep", false, "explore longer traces in the model checker")

var (
	barriersAB = []op{{site: 0}, {site: 1}}
	withColl   = []op{{site: 0}, {site: 1}, {site: 2, collective: true}}
	anyOp      = []op{{Private, 0, false}, {Private, 1, false}, {Remote, 0, false}, {Remote, 1, false}}
	privateOp  = []op{{Private, 0, false}, {Private, 1, false}}
)

// No hang, no missed misspeculation, no false one, in any interleaving.
func TestModelAligned2(t *testing.T) {
	if *deep {
		checkTraces(t, false, aligned(2, 4, barriersAB, []Access{Private, Remote}))
		return
	}
	checkTraces(t, false, aligned(2, 3, barriersAB, []Access{Private, Remote}))
	checkTraces(t, false, aligned(2, 4, barriersAB[:1], []Access{Private, Remote}))
}

func TestModelAligned2Local(t *testing.T) {
	checkTraces(t, false, aligned(2, 3, barriersAB[:1], []Access{Private, Local, Remote}))
}

func TestModelAligned3(t *testing.T) {
	checkTraces(t, false, aligned(3, 3, barriersAB[:1], []Access{Private, Remote}))
}

// The same down to the single reads of the transport: a PE may run far ahead
// while another has read half of the votes.
func TestModelTransport(t *testing.T) {
	checkTraces(t, true, aligned(2, 3, barriersAB, []Access{Private, Remote}))
	checkTraces(t, true, func(visit func(trace)) {
		aligned(3, 2, barriersAB[:1], []Access{Private, Remote})(func(tr trace) {
			for pe := range tr { // one private barrier first, so that threshold 2 is reached
				tr[pe] = append([]op{{Private, 0, false}}, tr[pe]...)
			}
			visit(tr)
		})
	})
}

func TestModelCollectives(t *testing.T) {
	checkTraces(t, false, aligned(2, 3, withColl, []Access{Private, Remote}))
}

// PEs whose barriers are in different contexts, and of different number.
func TestModelUnaligned2(t *testing.T) {
	if *deep {
		checkTraces(t, false, unaligned(2, 0, 3, anyOp))
		return
	}
	checkTraces(t, false, unaligned(2, 0, 3, anyOp[:3]))
}

func TestModelUnaligned3(t *testing.T) {
	if *deep {
		checkTraces(t, false, unaligned(3, 0, 2, anyOp[:3]))
		return
	}
	checkTraces(t, false, unaligned(3, 1, 2, anyOp[1:3]))
}

// Long enough that PEs meet in a context in which only some of them were
// misaligned before, and learn it.
func TestModelUnalignedThenLearned(t *testing.T) {
	checkTraces(t, false, func(visit func(trace)) {
		sample := effort.Sample(2)
		unaligned(3, 3, 3, privateOp)(func(tr trace) {
			if !sample() {
				return
			}
			visit(tr)
			broke := trace{slices.Clone(tr[0]), tr[1], tr[2]}
			broke[0][2].access = Remote
			visit(broke)
		})
	})
}

// A PE goes into a collective where another has a barrier. Without elision that
// is a hang of the program; with a plan it is found.
func TestModelUnalignedCollectives(t *testing.T) {
	for _, s := range settings() {
		if len(s.plan) == 0 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			fails := 0
			unaligned(2, 0, 2, append(slices.Clone(anyOp), op{Private, 2, true}))(func(tr trace) {
				want := reference(tr, s.withPlan(), s.plan)
				if want.fails {
					fails++
				}
				explore(t, newModel(tr, s.withPlan(), true), func(end *model) { checkEnd(t, end, want) })
			})
			if fails == 0 {
				t.Error("no trace fails")
			}
		})
	}
}
