package hb

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/procfunc"
)

// Options say for what programs are analysed.
type Options struct {
	// PEs is the number of PEs, where it is known and at most MaxPEs; else 0. Then
	// only what holds for all numbers of PEs is proved.
	PEs int
	// Slots is the number of slots of a communication, from 1; nil stands for one
	// each. The slots of a communication with several are its own, and used until
	// UO. They are filled in turn by the number of its instances, which every PE
	// counts, whether or not it takes part.
	Slots func(put int) int
	// Staged reports whether values are copied out of the slots at CO; nil stands
	// for no. Staging slots are the communication's own. What they are copied to
	// is that which would be filled without them, and used until UO.
	Staged func(put int) bool
}

// Analysis is what was found for all communications of a program.
type Analysis struct {
	Functions *procfunc.Functions
	// System is the messages between the PEs; nil if their number is not known.
	System *System
	Comms  []Result // of communication r at r-1
	// Sweeps is the most passes over the graph that a fixpoint took.
	Sweeps int

	layout layout
	exact  *solver
	forms  *symbolic
}

// Result is what was found for the puts of one communication.
type Result struct {
	Verdict synch.Verdict
	// Proofs has, for each communication whose use has to be over before the put,
	// what proves it. Against is the first one for which nothing does, 0 if there
	// is none.
	Proofs  []Proof
	Against int
}

// Proof says how the order of the uses of one communication and the puts of
// another one is known.
type Proof struct {
	Use   int
	Exact bool // for the number of PEs at hand; else by forms, for any
}

// slots says how the slots of a communication are laid out.
type slots struct {
	n      int  // number of slots in its ring, from 1
	staged bool // values are copied away at CO: the use is over there
}

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

// items are the obligations of the puts of x. mates are the communications that may
// fill the same cells, x included: each of them counts, and not only those whose use
// may be the last, since who does not take part in that one is not told of by it.
func (l layout) items(x int, mates []int) []item {
	if l.own(x) {
		return []item{{x, l[x-1]}}
	}
	var out []item
	for _, m := range mates {
		// What is copied from a staging slot is in the cells that x fills.
		if l[m-1].staged || l[m-1].n == 1 {
			out = append(out, item{m, slots{n: 1}})
		}
	}
	return out
}

// Analyze decides for each communication whether its puts need ready messages.
func Analyze(f *procfunc.Functions, o Options) *Analysis {
	a := &Analysis{Functions: f, Comms: make([]Result, len(f.Program.Comms))}
	for r := 1; r <= len(a.Comms); r++ {
		s := slots{n: 1}
		if o.Slots != nil {
			s.n = max(1, o.Slots(r))
		}
		s.staged = o.Staged != nil && o.Staged(r)
		a.layout = append(a.layout, s)
	}
	if o.PEs > 0 && o.PEs <= MaxPEs {
		a.System = newProgram(f, o.PEs)
		a.exact = newSolver(a.System)
	}
	a.forms = newSymbolic(f)
	a.decide()
	return a
}

// decide finds all verdicts.
func (a *Analysis) decide() {
	mates := make([][]int, len(a.Comms)+1)
	for x := range mates {
		mates[x] = []int{x}
	}
	for _, group := range a.Functions.Shared() {
		for _, x := range group {
			mates[x] = append(mates[x], group...)
		}
	}
	for _, class := range a.Functions.Classes() {
		items := map[int][]item{}
		for _, x := range class {
			slices.Sort(mates[x])
			items[x] = a.layout.items(x, slices.Compact(mates[x]))
		}
		exact := a.byPEs(class, items)
		// Put by put, as procfunc likes to be asked.
		for _, x := range class {
			a.put(x, items[x], exact)
		}
	}
}

// obligation is an item of a put.
type obligation struct {
	item
	put int
}

// byPEs is the verdicts for the number of PEs at hand, use by use: the fixpoint of
// a use serves all puts into the same cells.
func (a *Analysis) byPEs(class []int, items map[int][]item) map[obligation]synch.Verdict {
	out := map[obligation]synch.Verdict{}
	if a.exact == nil {
		return out
	}
	puts := map[item][]int{}
	var order []item
	for _, x := range class {
		for _, it := range items[x] {
			if puts[it] == nil {
				order = append(order, it)
			}
			puts[it] = append(puts[it], x)
		}
	}
	for _, it := range order {
		f := a.exact.solve(a.exact.rules(it.use, it.how))
		a.Sweeps = max(a.Sweeps, f.sol.Sweeps)
		for _, x := range puts[it] {
			out[obligation{it, x}] = f.verdict(x)
		}
	}
	return out
}

// put is the verdict on the puts of x. One use that nothing orders before them
// settles it; what is not proved for the number of PEs may be so for all.
func (a *Analysis) put(x int, items []item, exact map[obligation]synch.Verdict) {
	r := &a.Comms[x-1]
	r.Verdict = synch.Once
	for _, it := range ownFirst(x, items) {
		v := exact[obligation{it, x}] // NeedsSync where nothing is known
		proof := Proof{Use: it.use, Exact: v != synch.NeedsSync}
		if !proof.Exact {
			s := a.forms.solve(it, x, true)
			a.Sweeps = max(a.Sweeps, s.sol.Sweeps)
			if !s.refuted {
				v = s.verdict()
			}
		}
		if v == synch.NeedsSync {
			*r = Result{Verdict: v, Against: it.use}
			return
		}
		r.Verdict = min(r.Verdict, v)
		r.Proofs = append(r.Proofs, proof)
	}
	slices.SortFunc(r.Proofs, func(p, q Proof) int { return p.Use - q.Use })
}

// ownFirst has the uses by x itself, the likeliest ones to need a ready message, in
// front.
func ownFirst(x int, items []item) []item {
	i := slices.IndexFunc(items, func(it item) bool { return it.use == x })
	if i <= 0 {
		return items
	}
	return slices.Concat(items[i:i+1], items[:i], items[i+1:])
}

// Verdict is that on communication r.
func (a *Analysis) Verdict(r int) synch.Verdict { return a.Comms[r-1].Verdict }

// String is like "#3 NoSync".
func (a *Analysis) String() string {
	s := ""
	for i, r := range a.Comms {
		s += fmt.Sprintf("#%d %v\n", i+1, r.Verdict)
	}
	return s
}
