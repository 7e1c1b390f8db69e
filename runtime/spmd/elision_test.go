package spmd

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/runtime/dist"
	"github.com/spmdc/spmdc/runtime/elide"
)

// Sites of the program into which misspeculations are injected: barriers at lines
// 100 to 102, a reduction at line 103, a message at line 104.
const (
	atInner = iota
	atOuter
	atElse
	atSum
	atShift
)

// The program makes 40 steps, each with an inner and an outer barrier; nothing
// happens before the inner one, which is elided from step 10 on. At step 30 the
// fault comes.
const faultAt, faultSteps = 30, 40

func elidable(check bool) Program {
	p := sites(5)
	p.Check = check
	p.Version = "test 1"
	p.Elide = &Elision{Mode: elide.Online}
	return p
}

// stepping is that program with a fault, which returns whether the PE goes on.
func stepping(fault func(pe *PE) bool) func(*PE) {
	return func(pe *PE) {
		pe.Start()
		for step := range faultSteps {
			if step == faultAt {
				if !fault(pe) {
					return
				}
			} else {
				pe.Barrier(atInner)
			}
			pe.MarkRemote()
			pe.Barrier(atOuter)
		}
	}
}

// misspeculations are faults by which a barrier is needed that is elided otherwise.
var misspeculations = func() []misspeculation {
	last := func(pe *PE) bool { return pe.ID() == pe.N()-1 }
	breaks := func(pe *PE) bool { pe.MarkLocal(); pe.Barrier(atInner); return true }
	goesOn := func(pe *PE) bool { pe.Barrier(atInner); return true }
	return []misspeculation{
		{"one PE", func(pe *PE) bool {
			if last(pe) {
				return breaks(pe)
			}
			return goesOn(pe)
		}, elide.BrokenConsensus},
		{"all but one PE", func(pe *PE) bool {
			if last(pe) {
				return goesOn(pe)
			}
			return breaks(pe)
		}, elide.BrokenConsensus},
		{"all PEs", breaks, 0},
		{"a PE skips to the end", func(pe *PE) bool {
			if last(pe) {
				pe.Barrier(atInner)
				return false
			}
			return breaks(pe)
		}, elide.SkippedToEnd},
		{"a PE stops", func(pe *PE) bool {
			if last(pe) {
				pe.Barrier(atInner)
				pe.Stop(0)
			}
			return breaks(pe)
		}, elide.SkippedToEnd},
		{"others skip to the end", func(pe *PE) bool {
			if last(pe) {
				return breaks(pe)
			}
			pe.Barrier(atInner)
			return false
		}, elide.SkippedToEnd},
		{"mismatched sequence", func(pe *PE) bool { // one PE has a barrier more
			if last(pe) {
				pe.Barrier(atInner)
			}
			return goesOn(pe)
		}, elide.MismatchedSequence},
		{"different context", func(pe *PE) bool { // matches by its place in the sequence, and is not elided
			if last(pe) {
				pe.Barrier(atElse)
				return true
			}
			return goesOn(pe)
		}, elide.MismatchedSequence},
		{"during a reduction", func(pe *PE) bool {
			if last(pe) {
				return breaks(pe)
			}
			pe.Barrier(atInner)
			Sum(pe, atSum, 1)
			return true
		}, elide.Stalled},
		{"while others wait for its message", func(pe *PE) bool {
			if last(pe) {
				return breaks(pe)
			}
			pe.Barrier(atInner)
			Bcast(pe, atShift, pe.N()-1, 1)
			return true
		}, elide.Stalled},
		{"a PE fails of what it has read too early", func(pe *PE) bool {
			if last(pe) {
				pe.MarkLocal()
				time.Sleep(10 * time.Millisecond) // has not come to the barrier yet
				pe.Barrier(atInner)
				return true
			}
			pe.Barrier(atInner)
			var none []int
			return none[pe.ID()] == 0
		}, elide.BrokenConsensus},
	}
}()

type misspeculation struct {
	name  string
	fault func(pe *PE) bool
	kind  elide.Kind // 0: the run is right
}

// Each kind of misspeculation is found in every run, whatever the PEs do next: no
// run hangs, and none ends as if nothing had been.
func TestMisspeculationIsFound(t *testing.T) {
	for _, test := range misspeculations {
		t.Run(test.name, func(t *testing.T) {
			for round := range 12 {
				p := elidable(round%2 == 0)
				np := 2 + round%3
				stats, err := runWithin(t, p, np, stepping(test.fault))
				var m *elide.Misspeculation
				switch {
				case test.kind == 0 && (err != nil || leftOut(stats) == 0):
					t.Fatalf("%d PEs: %v", np, err)
				case test.kind == 0:
					continue
				case !errors.As(err, &m):
					t.Fatalf("%d PEs: not found: %v", np, err)
				case m.Kind != test.kind && !(m.Kind == elide.Stalled && test.kind == elide.BrokenConsensus):
					t.Errorf("%d PEs: %v, want %v", np, m.Kind, test.kind)
				}
				list := m.Blacklist()
				if len(list) == 0 || !m.Speculative() || list[0].String() != "prog.hpf:100" || !strings.Contains(err.Error(), "prog.hpf:100") {
					t.Errorf("%d PEs: %v is to blame, in %v", np, list, err)
				}
				// The blame is right: without that context the same program either runs
				// or shows its own fault.
				if added, err := p.Forbid(m); added != 1 || err != nil {
					t.Fatal(added, err)
				}
				if _, err := runWithin(t, p, np, stepping(test.fault)); errors.As(err, &m) && m.Speculative() {
					t.Errorf("%d PEs: again %v", np, err)
				}
			}
		})
	}
}

// runWithin runs a program that must end soon.
func runWithin(t *testing.T, p Program, np int, body func(*PE)) (stats *Stats, err error) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		stats, err = Run(p, np, nil, nil, body)
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("the run hangs")
	}
	return stats, err
}

// An error of the program is its own where elision has no part in it.
func TestFailureWithoutMisspeculation(t *testing.T) {
	for _, fault := range []func(pe *PE) bool{
		func(pe *PE) bool { pe.Barrier(atInner); panic(&Fault{Msg: "the program's own"}) },
		func(pe *PE) bool { // a deadlock
			pe.Barrier(atInner)
			if pe.ID() == 0 {
				Sum(pe, atSum, 1)
			}
			return true
		},
	} {
		_, err := runWithin(t, elidable(true), 3, stepping(fault))
		var m *elide.Misspeculation
		if err == nil || errors.As(err, &m) && m.Speculative() {
			t.Errorf("%v", err)
		}
	}
}

// Pinned barriers are executed whatever the run learns; Settle is never elided, and
// finds what was elided wrongly before it.
func TestPinnedAndSettled(t *testing.T) {
	p := elidable(false)
	p.Sites[atInner].Pinned = true
	stats, err := runWithin(t, p, 3, stepping(func(pe *PE) bool { return true }))
	if err != nil || leftOut(stats) != 0 {
		t.Errorf("pinned: %v, %+v", err, stats)
	}
	settled := 0
	stats, err = runWithin(t, elidable(false), 3, stepping(func(pe *PE) bool {
		if pe.ID() == 0 {
			settled++
		}
		pe.Settle(atElse)
		return true
	}))
	if err != nil || settled != 1 || stats.Barriers().Agreements != 2 {
		t.Errorf("settled: %v, %d agreements", err, stats.Barriers().Agreements)
	}
	_, err = runWithin(t, elidable(false), 3, stepping(func(pe *PE) bool {
		if pe.ID() == 1 {
			pe.MarkRemote()
		}
		pe.Barrier(atInner)
		pe.Settle(atElse)
		t.Error("settled although a barrier was elided that is needed")
		return true
	}))
	var m *elide.Misspeculation
	if !errors.As(err, &m) || m.Kind != elide.DuringCollective {
		t.Errorf("settled: %v", err)
	}
}

// A reduction orders everything: the barrier behind it is redundant, whatever came
// before (Figure 7).
func TestReductionResetsTheSummary(t *testing.T) {
	stats, err := runWithin(t, elidable(true), 2, func(pe *PE) {
		pe.Start()
		for range 30 {
			pe.MarkRemote()
			Sum(pe, atSum, 1.5)
			pe.Barrier(atInner)
		}
	})
	if err != nil || leftOut(stats) != 20 {
		t.Errorf("%v, %+v", err, stats)
	}
}

// The path of a context is its calls, and two sites with the same calls differ by
// their places.
func TestContextLabels(t *testing.T) {
	p := elidable(false)
	p.Sites = []Site{{Line: 5, Col: 3, Call: 2}, {Line: 5, Col: 9, Call: 1}, {Line: 7, Col: 1}}
	p.Calls = []Call{{Line: 20, Col: 4, Proc: "outer"}, {Line: 30, Col: 4, Proc: "inner", Parent: 1}}
	stats, err := runWithin(t, p, 2, func(pe *PE) {
		pe.Start()
		for k := range 3 {
			pe.Barrier(k)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range stats.Barriers().Contexts {
		got = append(got, c.Path.String())
	}
	want := "prog.hpf:20 > prog.hpf:30 > prog.hpf:5:3; prog.hpf:20 > prog.hpf:5:9; prog.hpf:7"
	if strings.Join(got, "; ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// leftOut is how many barriers a run left out.
func leftOut(s *Stats) (n uint64) {
	for _, c := range s.Barriers().Contexts {
		n += c.Elided()
	}
	return n
}

// The flags: what is wrong with them is said with its remedy, and exit status 2.
func TestElisionFlags(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	other := file("other.plan", "barriers-plan 1\nprogram test 2\nelide: a > b\n")
	plan := file("good.plan", "barriers-plan 1\nprogram test 1\nelide: ^ > prog.hpf:100\n")
	old := file("old.plan", "elide-plan 1\nprogram test 1\nelide: ^ > prog.hpf:100\n")
	bad := file("bad.plan", "no plan\n")
	log := filepath.Join(dir, "log")
	body := stepping(func(pe *PE) bool { pe.Barrier(atInner); return true })
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"-barriers=learn"}, 0, ""},
		{[]string{"-barriers=off"}, 0, ""},
		{[]string{"-barriers=plan:" + plan}, 0, ""},
		{[]string{"-barriers=plan:" + old}, 0, ""},
		{[]string{"-barriers=plan:" + other}, 2, "train and classify again"},
		{[]string{"-barriers=plan:" + bad}, 2, "first line must be"},
		{[]string{"-barriers=maybe"}, 2, "write off, learn, audit, or plan:FILE"},
		{[]string{"-barriers="}, 2, "is not known"},
		{[]string{"-barriers-threshold=0", "-barriers=learn"}, 2, "at least once"},
		{[]string{"-barriers-report=" + filepath.Join(dir, "r.txt")}, 2, "spmdc barriers report FILE -o REPORT"},
		{[]string{"-barriers-blacklist=" + other, "-barriers=learn"}, 2, "train and classify again"},
		{[]string{"-barriers=audit"}, 2, "add -barriers-log=FILE"},
		{[]string{"-barriers=audit", "-barriers-log=" + log}, 0, ""},
		{[]string{"-barriers-log=" + filepath.Join(dir, "none", "log")}, 2, "there is no folder"},
		{[]string{"-barriers-log=" + dir}, 2, "-barriers-log"},
		{[]string{"-barriers-log=" + bad}, 2, "spmdc did not make it as a file of this kind"},
		{[]string{"-barriers-log=" + plan}, 2, "spmdc did not make it as a file of this kind"},
		{[]string{"-barriers-log=" + log}, 0, ""}, // again
		{[]string{"-barriers=plan:" + filepath.Join(dir, "none.plan")}, 2, "there is no such file"},
		{[]string{"-barriers-threshold=3"}, 2, "of use only where barriers are left out"},
		{[]string{"-barriers-relearn"}, 2, "add -barriers=learn"},
		{[]string{"-barriers-relearn", "-barriers=audit", "-barriers-log=" + log}, 2, "add -barriers=learn"},
		// Names of earlier versions.
		{[]string{"-elide=online", "-elide-threshold=0"}, 2, "-barriers-threshold=0"},
		{[]string{"-elide=off", "-elide-relearn"}, 2, "add -barriers=learn"},
		{[]string{"-elide=" + bad}, 2, "first line must be"},
		{[]string{"-elide-audit", "-elide-log=" + log}, 0, ""},
		{[]string{"-elide-report=r.txt"}, 2, "spmdc barriers report"},
	} {
		p := elidable(false)
		p.Elide = nil
		var out, errs bytes.Buffer
		status := run(p, append([]string{"-n", "2"}, test.args...), nil, &out, &errs, body)
		if status != test.status || !strings.Contains(errs.String(), test.want) || test.want == "" && errs.Len() > 0 {
			t.Errorf("%v: status %d, want %d; %s", test.args, status, test.status, errs.String())
		}
	}
	text, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(text), "\nmode audit\npes 2\n") || !strings.Contains(string(text), "\n40 40 ") {
		t.Errorf("%v: the log is\n%s", err, text)
	}
	p := sites(5)
	var help bytes.Buffer
	if status := run(p, []string{"-h"}, nil, nil, &help, body); status != 0 || !strings.Contains(help.String(), "-barriers off|learn|audit|plan:FILE") || strings.Contains(help.String(), "elide") {
		t.Errorf("status %d, help:\n%s", status, help.String())
	}
	var errs bytes.Buffer
	if status := run(p, []string{"-n", "2", "-barriers=learn"}, nil, nil, &errs, body); status != 2 || !strings.Contains(errs.String(), "--sync=barrier") {
		t.Errorf("without barriers: status %d, %s", status, errs.String())
	}
}

// An elided barrier that the program needs makes the checker, too, see the put that
// nothing orders: two sources of truth.
func TestCheckerSeesElidedBarriers(t *testing.T) {
	p := elidable(true)
	plan := &elide.Plan{Program: p.Version, Entries: []elide.Entry{{Verdict: elide.Elide, Suffix: elide.Path{"prog.hpf:100"}}}}
	p.Elide = &Elision{Mode: elide.ByPlan, Plan: plan}
	_, err := runWithin(t, p, 2, func(pe *PE) {
		a := NewArray[float64](pe, "a", dist.NewLayout(axes(block(1, 8, 0)), pe.Grid(2)), [][2]int{{1, 1}})
		c := NewComm[float64](pe, atShift, a, nil).Sync(Elided)
		pe.Start()
		for range 3 {
			pe.TakeAccess() // marks that are lost, as by a wrong compiler
			pe.Barrier(atInner)
			c.Needs(func(q int) Box { return pe.Box(a.Layout.Owned(q, 0).Image(1, -1)) })
			c.Post()
			c.Wait()
			c.Done()
		}
		pe.TakeAccess()
	})
	// By the clocks, or in fact if the schedule happens to be that.
	if err == nil || !strings.Contains(err.Error(), "is not ordered") && !strings.Contains(err.Error(), "comes too early") {
		t.Errorf("%v", err)
	}
}
