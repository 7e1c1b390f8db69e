package search

import (
	"fmt"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/simulate"
	"github.com/spmdc/spmdc/procfunc"
)

// Precision is how much of what could do without ready messages does. It counts
// references that put something in a sampled execution: Safe are those none of
// whose puts came early in any, with the slots that the plan gives them; Elided
// those of them whose puts never wait for a ready message; Proved those of these
// that do not have them on demand. The others count only references that put into
// slots which had been used.
type Precision struct {
	Safe, Elided, Proved                int
	SafeAgain, ElidedAgain, ProvedAgain int
}

// Add adds another measurement.
func (y *Precision) Add(z Precision) {
	y.Safe += z.Safe
	y.Elided += z.Elided
	y.Proved += z.Proved
	y.SafeAgain += z.SafeAgain
	y.ElidedAgain += z.ElidedAgain
	y.ProvedAgain += z.ProvedAgain
}

// All is like "97 of 98 elided (99.0 %), 95 by proof (96.9 %)".
func (y Precision) All() string { return shareOf(y.Elided, y.Proved, y.Safe) }

// Again is All of those that put into used slots.
func (y Precision) Again() string { return shareOf(y.ElidedAgain, y.ProvedAgain, y.SafeAgain) }

func shareOf(elided, proved, of int) string {
	percent := func(n int) float64 { return 100 * float64(n) / float64(max(1, of)) }
	return fmt.Sprintf("%d of %d elided (%.1f %%), %d by proof (%.1f %%)", elided, of, percent(elided), proved, percent(proved))
}

func (y *Precision) count(o simulate.Observed) {
	if !o.Puts || o.Early {
		return
	}
	one := func(yes bool) int {
		if yes {
			return 1
		}
		return 0
	}
	elided, proved := one(!o.Waits), one(!o.Waits && !o.OnDemand)
	y.Add(Precision{Safe: 1, Elided: elided, Proved: proved})
	if o.Again {
		y.Add(Precision{SafeAgain: 1, ElidedAgain: elided, ProvedAgain: proved})
	}
}

// Measure makes plan elide of a program for each of some numbers of PEs and once for
// any, and measures both by so many executions on each number: known counts the
// references once for each number, symbolic once for all of them together. Barriers that a
// plan has put into the program do not count. The error is a put that came early and did not wait.
func Measure(c *comm.Program, o Options, pes []int, runs int, seed uint64) (known, symbolic Precision, err error) {
	c = c.Barriers(func([]*comm.Comm) bool { return false })
	f := procfunc.Analyze(c, c.Graph())
	look := func(p *plan.Plan, np int) []simulate.Observed {
		out := simulate.Observe(p, np, runs, seed)
		for i, x := range out {
			if x.Early && !x.Waits && err == nil {
				err = fmt.Errorf("in a sampled execution on %d PEs a put of %s comes early and waits for nothing", np, p.Reference(i+1))
			}
		}
		return out
	}
	o.PEs = nil
	general := elide(c, f, o)
	all := make([]simulate.Observed, len(c.Comms))
	for _, np := range severalPEs(pes) {
		for i, x := range look(general, np) {
			all[i] = all[i].Or(x)
		}
		o.PEs = []int{np}
		for _, x := range look(elide(c, f, o), np) {
			known.count(x)
		}
	}
	for _, x := range all {
		symbolic.count(x)
	}
	return known, symbolic, err
}
