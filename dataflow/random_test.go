package dataflow_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/dataflow/verify"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/randprog"
)

var (
	loopCount = flag.Int("loops", 0, "number of random programs with repeated communications (default 5, and 40 with SPMDC_REQUIRE=all)")
	loopSeed  = flag.Uint64("seed", 6, "seed of the first of them; the next have seed+1, ...")
)

// TestRandomLoops runs random programs in which communications repeat, with each PE
// in turn held wherever data have arrived. Under popl96 and elide no put may come early, and the answer is that
// of handshake. The printed form is run in the same way: that some of its puts do
// come early shows that the runs would notice.
func TestRandomLoops(t *testing.T) {
	if testing.Short() {
		t.Skip("long: a bundle of its own")
	}
	n := *loopCount
	if n == 0 {
		n = effort.Of(40, 5)
	}
	type one struct {
		*analysis
		literal bool // differs from popl96
	}
	const batch = 100
	var programs, runs, verdicts, noReady, differ, early, slotted int
	for first := 0; first < n; first += batch {
		var list []one
		mains := map[string][]byte{}
		for i := first; i < min(n, first+batch); i++ {
			seed := *loopSeed + uint64(i)
			source := randprog.Loops(seed).Source
			a, err := analyzeText(fmt.Sprintf("loops%d.hpf", seed), []byte(source))
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, source)
			}
			p := one{analysis: a}
			sound, literal := a.plan(plan.PopL96), a.plan(plan.PopL96Literal)
			if err := verify.Plan(sound); err != nil {
				t.Errorf("seed %d: %v\n%s", seed, err, source)
			}
			for i, s := range sound.Slots {
				verdicts++
				if s.Verdict == synch.NoReady {
					noReady++
				}
				if literal.Slots[i].Ready == plan.Never && s.Ready != plan.Never {
					differ++
					p.literal = true
				}
			}
			elided := a.plan(plan.Elide)
			if err := verify.Plan(elided); err != nil {
				t.Errorf("seed %d: %v\n%s", seed, err, source)
			}
			for _, s := range elided.Slots {
				if s.OwnProof() != nil {
					slotted++
				}
			}
			for _, k := range []plan.Kind{plan.Elide, plan.PopL96, plan.Handshake, plan.PopL96Literal} {
				if k == plan.PopL96Literal && !p.literal {
					continue
				}
				if mains[variant(a.name, k)], err = emit(a.plan(k)); err != nil {
					t.Fatal(err)
				}
			}
			list = append(list, p)
		}
		b, err := build(filepath.Join(sharedDir, fmt.Sprint("loops", first)), mains)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			programs++
			want := b.run(t, variant(p.name, plan.Handshake), "-n", "1")
			if !want.clean() {
				t.Errorf("%s: %v\n%s", p.name, want, p.source)
				continue
			}
			wrong := false
			for _, np := range []int{2, 3, 4} {
				for pe := range np {
					args := []string{"-n", fmt.Sprint(np), "-hold", fmt.Sprint(pe)}
					runs++
					for _, k := range []plan.Kind{plan.PopL96, plan.Elide} {
						r := b.run(t, variant(p.name, k), args...)
						if !r.clean() || !slices.Equal(strings.Fields(r.stdout), strings.Fields(want.stdout)) {
							t.Errorf("%s %s %v: %v, want %v\n%s", p.name, k, args, r, want, p.source)
						}
					}
					if p.literal && !wrong {
						wrong = !b.run(t, variant(p.name, plan.PopL96Literal), args...).clean()
					}
				}
			}
			if wrong {
				early++
			}
		}
	}
	t.Logf("%d programs with %d communications, %d of them repeated without ready message by popl96, %d more by elide, with slots of their own: no early put in %d runs of each with PEs held; "+
		"of %d that the printed form alone leaves out, puts come early in %d programs", programs, verdicts, noReady, slotted, runs, differ, early)
	if noReady == 0 || slotted == 0 || early == 0 && differ > 0 && n >= 40 {
		t.Errorf("the programs show nothing: %d ready messages left out, %d programs with early puts under the printed form", noReady, early)
	}
}
