package hb

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/spmdc/spmdc/dataflow/internal/abstract"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// analysis gives the verdicts on a program, by number-1.
type analysis func(p *program) []synch.Verdict

// analysed is the analysis under test.
func analysed(unfold, strict bool) analysis {
	return func(p *program) []synch.Verdict { return p.verdicts(p.system(unfold, strict)) }
}

// refuted is a communication that an analysis calls free wrongly, by paths that
// depend on nothing but the program; 0 if none is found.
func (p *program) refuted(a analysis, strict bool) int {
	o := p.observe(rand.New(rand.NewPCG(7, 7)), strict, 100)
	for x, v := range a(p) {
		if o.early[x] && v != synch.NeedsSync {
			return x + 1
		}
	}
	return 0
}

// withSlots is an abstract program with as many of the slots as it has communications.
func withSlots(ap *abstract.Program, how []slots) *program {
	p := &program{Built: abstract.Build(ap)}
	for x := range p.Comms() {
		p.slots = append(p.slots, how[x%len(how)])
	}
	return p
}

// report shows the smallest program found that refutes an analysis.
func report(ap *abstract.Program, how []slots, a analysis, strict bool) string {
	fails := func(q *abstract.Program) bool {
		p := withSlots(q, how)
		return p.Comms() > 0 && p.refuted(a, strict) > 0
	}
	if !fails(ap) {
		return "no smaller one is found by the few paths that are drawn"
	}
	p := withSlots(abstract.Shrink(ap, fails), how)
	return fmt.Sprintf("C_%d, slots %v\n%v", p.refuted(a, strict), p.slots, p.Built)
}

// TestReport: what is reported of a failure is small and fails.
func TestReport(t *testing.T) {
	free := func(p *program) []synch.Verdict {
		v := make([]synch.Verdict, p.Comms())
		for x := range v {
			v[x] = synch.NoReady
		}
		return v
	}
	tried := 0
	for i := 0; tried < 5; i++ {
		ap, how, _ := programNumber(9, i)
		fails := func(q *abstract.Program) bool {
			p := withSlots(q, how)
			return p.Comms() > 0 && p.refuted(free, false) > 0
		}
		if !fails(ap) {
			continue
		}
		tried++
		if p := withSlots(abstract.Shrink(ap, fails), how); p.Comms() > 2 || len(p.Graph.Nodes) > 14 || p.refuted(free, false) == 0 {
			t.Errorf("program %d: it should be smaller\n%v", i, p.Built)
		}
	}
}
