package plan

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/procfunc"
)

// Observed is what sampled executions on a number of PEs show of a communication.
type Observed struct {
	Puts  bool // it has put something
	Again bool // … into a slot that the target had used before
	// Early: some put was not ordered, by data messages and collective operations
	// alone, behind the last use of its slot. It needs a ready message.
	Early bool
	// Told: some put waits for a ready message by the plan.
	Told bool
	// Noted: whether one is needed is found out as the program runs (Slot.OnDemand).
	Noted bool
}

// or is what two samples show together.
func (o Observed) or(p Observed) Observed {
	return Observed{o.Puts || p.Puts, o.Again || p.Again, o.Early || p.Early, o.Told || p.Told, o.Noted || p.Noted}
}

// observeEvents is the length of a sampled execution, in events and iterations.
const observeEvents = 3000

// Observe executes the communications of p on np PEs so many times, each time with
// other input and other ways where conditions are not known, with the slots that p
// gives them and no ready messages. It tells what it saw by communication number-1.
// Of executions whose messages are not known, as those with subscripts from
// arrays, it sees nothing.
func (p *Plan) Observe(np, runs int, seed uint64) []Observed {
	out := make([]Observed, len(p.Slots))
	for run := range runs {
		r := newReplay(p, np, seed+uint64(run))
		r.left = observeEvents
		r.seen = out
		r.nodes(p.Program.Body)
	}
	return out
}

// observe notes what the puts of c show, of which the messages are known.
func (r *replay) observe(c *comm.Comm, st *commState, messages []procfunc.Pair) {
	slot, o := &r.p.Slots[c.ID-1], &r.seen[c.ID-1]
	early := func(m procfunc.Pair, end int, live bool) {
		o.Again = o.Again || live || end > 0
		o.Early = o.Early || live || end > r.knows[m.From][m.To]
	}
	for _, m := range messages {
		o.Puts = true
		reused, end := true, 0
		if slot.own() {
			last := len(st.ends) - slot.Count
			if reused = last >= 0; reused {
				end = st.ends[last][m.To]
				early(m, end, end == inUse)
			}
		} else {
			for _, use := range r.class[c.ID] {
				k := &r.state[use]
				early(m, k.used[m.To], k.live[m.To])
			}
			if end = st.used[m.To]; st.live[m.To] {
				end = inUse
			}
		}
		switch {
		case slices.Contains(slot.At, r.np):
		case slot.OnDemand:
			o.Noted = true
			o.Told = o.Told || reused && (end == inUse || end > r.heard[m.From][m.To])
		case slot.Ready:
			o.Told = true
		case len(slot.Pairwise) > 0 && reused && !r.asked(slot, m):
			o.Told = true
		}
	}
}

// Yardstick is how much of what could do without ready messages does. It counts
// references that put something in a sampled execution: Safe are those none of
// whose puts came early in any, with the slots that the plan gives them; Elided
// those of them whose puts never wait for a ready message; Proved those of these
// that do not need to note who has been heard from. The others count only
// references that put into slots which had been used.
type Yardstick struct {
	Safe, Elided, Proved                int
	SafeAgain, ElidedAgain, ProvedAgain int
}

// Add adds another measurement.
func (y *Yardstick) Add(z Yardstick) {
	y.Safe += z.Safe
	y.Elided += z.Elided
	y.Proved += z.Proved
	y.SafeAgain += z.SafeAgain
	y.ElidedAgain += z.ElidedAgain
	y.ProvedAgain += z.ProvedAgain
}

// All is like "97 of 98 elided (99.0 %), 95 by proof (96.9 %)".
func (y Yardstick) All() string { return shareOf(y.Elided, y.Proved, y.Safe) }

// Again is All of those that put into used slots.
func (y Yardstick) Again() string { return shareOf(y.ElidedAgain, y.ProvedAgain, y.SafeAgain) }

func shareOf(elided, proved, of int) string {
	percent := func(n int) float64 { return 100 * float64(n) / float64(max(1, of)) }
	return fmt.Sprintf("%d of %d elided (%.1f %%), %d by proof (%.1f %%)", elided, of, percent(elided), proved, percent(proved))
}

func (y *Yardstick) count(o Observed) {
	if !o.Puts || o.Early {
		return
	}
	one := func(yes bool) int {
		if yes {
			return 1
		}
		return 0
	}
	elided, proved := one(!o.Told), one(!o.Told && !o.Noted)
	y.Add(Yardstick{Safe: 1, Elided: elided, Proved: proved})
	if o.Again {
		y.Add(Yardstick{SafeAgain: 1, ElidedAgain: elided, ProvedAgain: proved})
	}
}

// Measure makes plan elide of a program for each of some numbers of PEs and once for
// any, and measures both by so many executions on each number: known counts the
// references once for each number, symbolic once for all of them together. The
// error is a put that came early and did not wait.
func Measure(c *comm.Program, f *procfunc.Functions, o Options, pes []int, runs int, seed uint64) (known, symbolic Yardstick, err error) {
	look := func(p *Plan, np int) []Observed {
		out := p.Observe(np, runs, seed)
		for i, x := range out {
			if x.Early && !x.Told && err == nil {
				err = fmt.Errorf("in a sampled execution on %d PEs a put of %s comes early and waits for nothing", np, p.reference(i+1))
			}
		}
		return out
	}
	o.PEs = nil
	general := Search(c, f, o)
	all := make([]Observed, len(c.Comms))
	for _, np := range severalPEs(pes) {
		for i, x := range look(general, np) {
			all[i] = all[i].or(x)
		}
		o.PEs = []int{np}
		for _, x := range look(Search(c, f, o), np) {
			known.count(x)
		}
	}
	for _, x := range all {
		symbolic.count(x)
	}
	return known, symbolic, err
}
