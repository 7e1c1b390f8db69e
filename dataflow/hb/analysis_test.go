package hb

import (
	"slices"

	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/procfunc"
)

// slots says how the slots of a communication are laid out.
type slots struct {
	n      int  // number of slots in its ring, from 1
	staged bool // values are copied away at CO: the use is over there
}

// of is the obligation of a communication with slots like these.
func (h slots) of(use int) proof.Obligation { return proof.Ring(use, h.n, h.staged) }

// layout is the slots of all communications, by number-1.
type layout []slots

// own reports whether x has slots that no other communication fills.
func (l layout) own(x int) bool { return l[x-1].n > 1 || l[x-1].staged }

// item is an obligation: the uses of a communication have to be over before a
// put into the slots.
type item struct {
	use int
	how slots
}

// items are the obligations of the puts of x. class are the communications that may
// fill the same cells, x included: each of them counts, and not only those whose use
// may be the last, since who does not take part in that one is not told of by it.
func (l layout) items(x int, class []int) []item {
	if l.own(x) {
		return []item{{x, l[x-1]}}
	}
	var out []item
	for _, m := range class {
		// What is copied from a staging slot is in the cells that x fills.
		if l[m-1].staged || l[m-1].n == 1 {
			out = append(out, item{m, slots{n: 1}})
		}
	}
	return out
}

// verdict says whether the puts of a communication may go without ready messages
// as far as the uses that f is about are concerned.
func (f *fixpoint) verdict(put int) synch.Verdict {
	v := synch.Once
	for _, n := range f.s.nodes[put] {
		if !puts(n) {
			continue
		}
		in := f.at(n)
		switch {
		case !in.posted:
		case f.free(&in, f.s.need[n]):
			v = min(v, synch.NoReady)
		default:
			return synch.NeedsSync
		}
	}
	return v
}

// analyzed is the verdicts on the communications of a program, by number-1, for a number
// of PEs or, with 0, for any: each by proofs for that number, or, use by use, for any.
func analyzed(f *procfunc.Functions, pes int, l layout) []synch.Verdict {
	class := make([][]int, len(l)+1)
	for x := range class {
		class[x] = []int{x}
	}
	for _, group := range f.Shared() {
		for _, x := range group {
			class[x] = append(class[x], group...)
		}
	}
	var s *solver
	if pes > 0 {
		s = newSolver(newProgram(f, pes))
	}
	symbolic := synch.NewSolver(f.Graph)
	fixed := map[item]map[int]synch.Verdict{}
	out := make([]synch.Verdict, len(l))
	for x := range out {
		slices.Sort(class[x+1])
		class[x+1] = slices.Compact(class[x+1])
	}
	for x := 1; x <= len(l); x++ {
		out[x-1] = synch.Once
		for _, it := range l.items(x, class[x]) {
			v := synch.NeedsSync
			if s != nil {
				if fixed[it] == nil {
					fixed[it] = map[int]synch.Verdict{}
					fix := s.solve(s.rules(it.how.of(it.use)))
					for _, put := range class[it.use] {
						fixed[it][put] = fix.verdict(put)
					}
				}
				v = fixed[it][x]
			}
			if v == synch.NeedsSync {
				v = anyNumber(symbolic, f, it, x)
			}
			out[x-1] = min(out[x-1], v)
		}
	}
	return out
}

// anyNumber is the verdict for any number of PEs.
func anyNumber(s *synch.Solver, f *procfunc.Functions, it item, put int) synch.Verdict {
	o := it.how.of(it.use)
	o.Put = put
	v, _ := s.Verdict(o, f.KillsAfter)
	return v
}
