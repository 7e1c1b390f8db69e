package search

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm/choose"
	"github.com/spmdc/spmdc/dataflow/hb"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/procfunc"
)

// This file leaves out ready messages where the number of PEs is one of those that
// the plan is made for in particular: what happens before what is then known
// exactly, also over chains of messages, and of messages that answer some pairs of
// PEs only. The program runs on other numbers of PEs as well, with the ready
// messages that these need.

// knownPEs are the provers for the numbers of PEs that a plan is made for.
type knownPEs struct {
	f       *procfunc.Functions
	pes     []int
	provers map[int]*hb.Prover
	shares  [][]int // by number, the communications that may fill the same cells, it included
	synch   *synch.Solver
}

// newKnown is nil where no number of PEs is given, or nothing is known but guesses.
func newKnown(p *plan.Plan, rel Relations, pes []int) *knownPEs {
	f, ok := rel.(*procfunc.Functions)
	if !ok || len(pes) == 0 {
		return nil
	}
	k := &knownPEs{f: f, pes: pes, provers: map[int]*hb.Prover{}, shares: p.Sharing()}
	k.synch = synch.NewSolver(p.Graph)
	return k
}

// severalPEs are the numbers of PEs of a list for which there is something to prove,
// ascending: one PE has no messages.
func severalPEs(list []int) []int {
	var out []int
	for _, n := range list {
		if n > 1 && n <= proof.MaxPEs {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (k *knownPEs) prover(pes int) *hb.Prover {
	if k.provers[pes] == nil {
		k.provers[pes] = hb.NewProver(k.f, pes)
	}
	return k.provers[pes]
}

// free reports whether the puts of a communication need no ready messages, with
// slots of some form.
func (k *knownPEs) free(pes, x, count int, staged bool) bool {
	prover := k.prover(pes)
	if o := proof.Ring(x, count, staged); o.Own() {
		return prover.Free(o, []int{x})[0]
	}
	// Each use counts, and not only the last: who does not take part in that one is
	// not known to be over by it.
	for _, use := range k.shares[x] {
		if !k.over(prover, use, x) && !k.anyway(use, x) {
			return false
		}
	}
	return true
}

// over reports whether a use is over before a put into the same cells. What may be
// put after one use is found for all such puts at once.
func (k *knownPEs) over(prover *hb.Prover, use, put int) bool {
	return prover.Free(proof.Shared(use, use), k.shares[use])[slices.Index(k.shares[use], put)]
}

// anyway reports whether a use is over before a put on any number of PEs.
func (k *knownPEs) anyway(use, put int) bool {
	w := worker{rel: k.f, solver: k.synch}
	return w.ordered(proof.Shared(use, put)) != synch.NeedsSync
}

// at are the numbers of PEs on which the puts of x need no ready messages.
func (k *knownPEs) at(x, count int, staged bool) []int {
	var out []int
	for _, n := range k.pes {
		if k.free(n, x, count, staged) {
			out = append(out, n)
		}
	}
	return out
}

// known leaves out what ready messages it can on the numbers of PEs that the plan
// is for: with the slots as they are chosen; or, where some of these numbers still
// need them, with the staging buffers or slots that save most on the average of them.
//
// What is left out so has yet to be proved (settle).
func (s *searcher) known(a *attempt) *knownPEs {
	k := newKnown(a.plan, a.rel, s.PEs)
	if k == nil {
		return nil
	}
	left := max(0, s.Memory)
	for i := range a.plan.Slots {
		left -= s.ringBytesOf(&a.plan.Slots[i])
	}
	for i := range a.plan.Slots {
		slot := &a.plan.Slots[i]
		if slot.Ready == plan.Always {
			slot.At = k.at(slot.Comm.ID, slot.Ring, slot.Staged)
			left -= s.knownForm(a, k, i, left)
		}
	}
	return k
}

// asTheyStand leaves out the ready messages that are not needed with the slots as they
// are.
func (k *knownPEs) asTheyStand(p *plan.Plan) {
	if k == nil {
		return
	}
	for i := range p.Slots {
		if slot := &p.Slots[i]; slot.Ready == plan.Always {
			slot.At = k.at(slot.Comm.ID, slot.Ring, slot.Staged)
		}
	}
}

// settle writes down the proofs, and the reasons, for what known has left out.
func (k *knownPEs) settle(p *plan.Plan) {
	if k == nil {
		return
	}
	certify(p, k)
	for i := range p.Slots {
		if slot := &p.Slots[i]; len(slot.At) > 0 {
			slot.Why += "; none on " + plan.NumbersOf(slot.At) + ", where messages order every use before the next put"
		}
	}
	for _, f := range p.Finite {
		for _, x := range f.Ready {
			p.Slots[x-1].Why += "; on " + plan.NumbersOf([]int{f.PEs}) + " it acknowledges uses of other slots too"
		}
	}
}

// ringBytesOf is what the slots that the plan adds for a communication take.
func (s *searcher) ringBytesOf(slot *plan.Slot) int64 {
	if !slot.Own() && slot.Strip == nil {
		return 0
	}
	return s.ringBytes(slot.Comm, slot.Strip, slot.Ring, slot.Planes)
}

// knownForm looks for a form of the slots of a communication with ready messages
// that needs fewer of them, and returns what memory that takes.
func (s *searcher) knownForm(a *attempt, k *knownPEs, i int, left int64) int64 {
	slot := &a.plan.Slots[i]
	c, trials := slot.Comm, &a.trials[i]
	weight := s.weights.Comms[c.ID]
	base := (*trials)[0].Cost - weight*choose.ReadyCost
	share := func(at []int) float64 {
		return weight * choose.ReadyCost * float64(len(k.pes)-len(at)) / float64(len(k.pes))
	}
	var taken *option
	best, cost := -1, base+share(slot.At)
	try := func(f plan.Form, at []int, cost float64) {
		t := (*trials)[0]
		t.Form, t.PEs, t.Cost, t.Note = f, at, cost, ""
		*trials = append(*trials, t)
	}
	if len(slot.At) > 0 {
		best = len(*trials)
		try(plan.Form{Ring: 1}, slot.At, cost)
	}
	if len(slot.At) < len(k.pes) {
		for _, f := range s.forms(a.plan, c) {
			at := k.at(c.ID, f.slots.Ring, f.slots.Staged)
			if len(at) == 0 {
				continue
			}
			f.bytes = s.ringBytes(c, slot.Strip, f.slots.Ring, f.planes)
			costs := base + share(at) + byteCost*float64(f.bytes)
			if f.slots.Staged {
				costs += weight * copyCost
			}
			try(f.form(plan.Never), at, costs)
			switch last := len(*trials) - 1; {
			case costs >= cost:
			case f.bytes > left:
				(*trials)[last].Note = fmt.Sprintf("but takes up to %d bytes, of %d that are left", f.bytes, left)
			default:
				best, cost, taken, slot.At = last, costs, &f, at
			}
			if len(at) == len(k.pes) {
				break
			}
		}
	}
	if best < 0 {
		return 0
	}
	for j := range *trials {
		if (*trials)[j].Note == chosen {
			(*trials)[j].Note = ""
		}
	}
	(*trials)[best].Note = chosen
	if taken == nil {
		return 0
	}
	slot.Take(taken.form(plan.Always))
	return taken.bytes
}

// certify writes down the proofs for what is left out on the numbers of PEs.
func certify(p *plan.Plan, k *knownPEs) {
	proved, w := map[[2]int]bool{}, &worker{graph: p.Graph, rel: k.f, solver: k.synch}
	for _, n := range k.pes {
		var order []proof.Obligation // without Put
		puts := map[proof.Obligation][]int{}
		need := func(o proof.Obligation, put int) {
			o.Put = 0
			if puts[o] == nil {
				order = append(order, o)
			}
			puts[o] = append(puts[o], put)
		}
		for i := range p.Slots {
			s := &p.Slots[i]
			x := s.Comm.ID
			switch {
			case !slices.Contains(s.At, n):
			case s.Own():
				need(proof.Ring(x, s.Ring, s.Staged), x)
			default:
				for _, use := range k.shares[x] {
					if k.over(k.prover(n), use, x) {
						need(proof.Shared(use, x), x)
					} else if !proved[[2]int{use, x}] {
						proved[[2]int{use, x}] = true
						s.Proofs = append(s.Proofs, w.certify(proof.Shared(use, x), k.f.KillsAfter))
					}
				}
			}
		}
		if len(order) == 0 {
			continue
		}
		f := plan.Finite{Unfolding: k.prover(n).Unfolding()}
		for _, o := range order {
			f.Certificates = append(f.Certificates, certified(k.prover(n).Certificate(o, puts[o])))
		}
		p.Finite = append(p.Finite, f)
	}
}
