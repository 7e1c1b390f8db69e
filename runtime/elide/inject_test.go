package elide

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// Sites of the program into which misspeculations are injected.
const (
	siteLoop Site = iota + 1
	siteInner
	siteOuter
	siteSum
	siteOther
)

func siteLabel(s Site) string { return fmt.Sprintf("p.f90:%d", s) }

// A program of 40 steps, each with an inner and an outer barrier; the inner one
// is redundant, and elided after 3 steps. At step 20 the fault is injected.
const faultStep, faultSteps = 20, 40

// fault is what a PE does at the inner barrier of the fault step. It returns
// whether the PE goes on with the program.
type fault func(pe int, e *Engine) (goOn bool, err error)

func faultyProgram(f fault) func(pe int, e *Engine) error {
	return func(pe int, e *Engine) error {
		for step := range faultSteps {
			if step == faultStep {
				if goOn, err := f(pe, e); !goOn || err != nil {
					return err
				}
			} else if err := inner(e); err != nil {
				return err
			}
			e.Mark(Remote)
			if err := e.Barrier(siteOuter); err != nil {
				return err
			}
		}
		return nil
	}
}

func inner(e *Engine) error {
	e.Enter(siteLoop)
	defer e.Leave()
	return e.Barrier(siteInner)
}

// brokenBy is the fault that the PEs for which who holds access shared memory
// before the barrier, and the others do what other does.
func brokenBy(who func(pe int) bool, other fault) fault {
	return func(pe int, e *Engine) (bool, error) {
		if !who(pe) {
			return other(pe, e)
		}
		e.Mark(Remote)
		return true, inner(e)
	}
}

func goOn(_ int, e *Engine) (bool, error) { return true, inner(e) }

// faults is each kind of misspeculation, with n PEs.
var faults = []struct {
	name string
	kind Kind // 0: all is well
	make func(n, victim int) fault
}{
	{"one PE", BrokenConsensus, func(n, v int) fault {
		return brokenBy(func(pe int) bool { return pe == v }, goOn)
	}},
	{"all but one PE", BrokenConsensus, func(n, v int) fault {
		return brokenBy(func(pe int) bool { return pe != v }, goOn)
	}},
	{"all PEs", 0, func(n, v int) fault {
		return brokenBy(func(int) bool { return true }, nil)
	}},
	{"all PEs at different barriers", BrokenConsensus, func(n, v int) fault {
		return brokenBy(func(pe int) bool { return pe == v }, func(pe int, e *Engine) (bool, error) {
			if err := inner(e); err != nil {
				return false, err
			}
			e.Mark(Local)
			return true, inner(e)
		})
	}},
	{"a PE skips to the end", SkippedToEnd, func(n, v int) fault {
		return brokenBy(func(pe int) bool { return pe != v }, func(_ int, e *Engine) (bool, error) { return false, inner(e) })
	}},
	{"others skip to the end", SkippedToEnd, func(n, v int) fault {
		return brokenBy(func(pe int) bool { return pe == v }, func(_ int, e *Engine) (bool, error) { return false, inner(e) })
	}},
	{"mismatched sequence", MismatchedSequence, func(n, v int) fault {
		return func(pe int, e *Engine) (bool, error) {
			if pe == v {
				return true, nil // no barrier at all
			}
			return true, inner(e)
		}
	}},
	{"different context, executed there", MismatchedSequence, func(n, v int) fault {
		return func(pe int, e *Engine) (bool, error) {
			if pe == v {
				return true, e.Barrier(siteOther)
			}
			return true, inner(e)
		}
	}},
	{"different context, broken here", DifferentContext, func(n, v int) fault {
		return brokenBy(func(pe int) bool { return pe != v }, func(_ int, e *Engine) (bool, error) {
			return true, e.Barrier(siteOther)
		})
	}},
	{"during a collective", DuringCollective, func(n, v int) fault {
		return brokenBy(func(pe int) bool { return pe == v }, func(_ int, e *Engine) (bool, error) {
			if err := inner(e); err != nil {
				return false, err
			}
			if err := e.Collective(siteSum); err != nil {
				return false, err
			}
			panic("went into a collective in which nobody comes")
		})
	}},
	{"before a checkpoint", DuringCollective, func(n, v int) fault {
		return brokenBy(func(pe int) bool { return pe != v }, func(_ int, e *Engine) (bool, error) {
			if err := inner(e); err != nil {
				return false, err
			}
			return true, e.Settle(siteSum)
		})
	}},
}

// Each kind is reported by all PEs, in the same words, and none hangs.
func TestInjectedMisspeculations(t *testing.T) {
	plan := &Plan{Entries: []Entry{{Verdict: Elide, Suffix: Path{siteLabel(siteInner)}}}}
	for _, o := range []Options{
		{Mode: Online, Threshold: 3}, {Mode: Online, Threshold: 3, Relearn: 2, Pessimistic: true},
		{Mode: ByPlan, Plan: plan}, {Mode: Online, Plan: plan, Threshold: 3},
	} {
		o.Label = siteLabel
		for _, f := range faults {
			for _, n := range []int{2, 3, 5} {
				for victim := range n {
					name := fmt.Sprintf("mode %d, %s, PE %d of %d", o.Mode, f.name, victim, n)
					errs, engines := runEngines(t, n, o, faultyProgram(f.make(n, victim)))
					if f.kind == 0 {
						noError(t, errs)
						for _, e := range engines {
							if s := e.Stats(); s.Broken != 1 {
								t.Errorf("%s: %d recovered", name, s.Broken)
							}
						}
						continue
					}
					checkReport(t, name, f.kind, errs)
				}
			}
		}
	}
}

func checkReport(t *testing.T, name string, kind Kind, errs []error) {
	t.Helper()
	for pe, err := range errs {
		var m *Misspeculation
		if !errors.As(err, &m) {
			t.Errorf("%s: PE %d: not reported: %v", name, pe, err)
			continue
		}
		if m.Kind != kind || m.Barrier != 2*faultStep+1 || m.Agreed != 2*faultStep || len(m.PEs) != len(errs) || !m.Speculative() {
			t.Errorf("%s: PE %d: %v", name, pe, err)
		}
		if err.Error() != errs[0].Error() {
			t.Errorf("%s: PE %d reports\n%v\nPE 0\n%v", name, pe, err, errs[0])
		}
		if !slices.ContainsFunc(m.Blacklist(), func(p Path) bool { return p.String() == "p.f90:1 > p.f90:2" }) {
			t.Errorf("%s: the barrier in dispute is not in %v", name, m.Blacklist())
		}
	}
}

// After a misspeculation the run is repeated with the blacklist, and ends well.
func TestRestartWithBlacklist(t *testing.T) {
	program := faultyProgram(brokenBy(func(pe int) bool { return pe == 1 }, goOn))
	o := Options{Mode: Online, Threshold: 3, Label: siteLabel, Plan: &Plan{}}
	errs := run(t, 3, o, program)
	var m *Misspeculation
	if !errors.As(errs[0], &m) {
		t.Fatal(errs[0])
	}
	if n := o.Plan.Forbid(m.Blacklist(), m.Kind.String()); n != 1 {
		t.Fatalf("%d forbidden", n)
	}
	errs, engines := runEngines(t, 3, o, program)
	noError(t, errs)
	for _, c := range engines[0].Stats().Contexts {
		if c.Elided > 0 || c.Path.String() == "p.f90:1 > p.f90:2" && c.Why != Blacklisted {
			t.Errorf("%+v", c)
		}
	}
}

// The report, word by word.
func TestReportText(t *testing.T) {
	errs := run(t, 3, Options{Mode: Online, Threshold: 3, Label: siteLabel}, faultyProgram(brokenBy(func(pe int) bool { return pe == 2 }, goOn)))
	const want = `misspeculation at barrier 41: consensus was broken by some PEs only
  PE 0 elided it in p.f90:1 > p.f90:2 and waits at barrier 42 in p.f90:3 (remote access)
  PE 1 elided it in p.f90:1 > p.f90:2 and waits at barrier 42 in p.f90:3 (remote access)
  PE 2 waits at barrier 41 in p.f90:1 > p.f90:2 (remote access; the context is elided otherwise)
  all PEs last met at barrier 40`
	for pe, err := range errs {
		if err == nil || err.Error() != want {
			t.Errorf("PE %d:\n%v", pe, err)
		}
	}
}

// A program whose PEs come to different numbers of barriers without elision is
// reported as its own fault.
func TestMismatchOfTheProgram(t *testing.T) {
	errs := run(t, 2, Options{Mode: Audit}, func(pe int, e *Engine) error {
		for range 3 + pe {
			if err := e.Barrier(1); err != nil {
				return err
			}
		}
		return nil
	})
	for pe, err := range errs {
		var m *Misspeculation
		if !errors.As(err, &m) || m.Speculative() || !strings.Contains(err.Error(), "barriers of the program do not match at barrier 4") {
			t.Errorf("PE %d: %v", pe, err)
		}
	}
}

// A PE that breaks consensus gives up after its patience when the others wait
// where the engine cannot see them; a slow PE elsewhere is waited for.
func TestPatience(t *testing.T) {
	release := make(chan struct{})
	o := Options{Mode: Online, Threshold: 2, Patience: 30 * time.Millisecond, Label: siteLabel}
	errs := run(t, 2, o, func(pe int, e *Engine) error {
		for range 3 {
			if err := e.Barrier(siteInner); err != nil {
				return err
			}
		}
		if pe == 1 {
			time.Sleep(4 * o.Patience) // slow, in an ordinary barrier
		}
		if err := e.Barrier(siteOther); err != nil {
			return err
		}
		if pe == 0 {
			e.Mark(Remote)
			err := e.Barrier(siteInner)
			close(release)
			return err
		}
		<-release // a message of PE 0 that never comes
		return errors.New("unwound")
	})
	var m *Misspeculation
	if !errors.As(errs[0], &m) || m.Kind != Stalled || m.Barrier != 5 || m.Blacklist()[0].String() != "p.f90:2" {
		t.Error(errs[0])
	}
}

// What was elided is forgotten after a while; the report is whole all the same.
func TestReportAfterManyElided(t *testing.T) {
	errs := run(t, 2, Options{Mode: Online, Threshold: 2, Label: siteLabel}, func(pe int, e *Engine) error {
		for i := range 1000 {
			if pe == 1 && i == 10 {
				e.Mark(Local)
			}
			if err := e.Barrier(siteInner); err != nil {
				return err
			}
		}
		return nil
	})
	for pe, err := range errs {
		var m *Misspeculation
		if !errors.As(err, &m) || m.Barrier != 11 || m.PEs[0].Barrier != 1001 || len(m.PEs[0].Elided) != 0 || len(m.Blacklist()) != 1 {
			t.Errorf("PE %d: %v", pe, err)
		}
	}
}

// Once it has failed an engine elides nothing more and repeats its error.
func TestFailedStaysFailed(t *testing.T) {
	run(t, 2, Options{Mode: Online, Threshold: 2}, func(pe int, e *Engine) error {
		for range 5 {
			if err := e.Barrier(siteInner); err != nil {
				return err
			}
		}
		if pe == 0 {
			e.Mark(Local)
		}
		err := e.Barrier(siteInner)
		if err == nil {
			err = e.Barrier(siteOther)
		}
		for _, again := range []error{e.Barrier(siteInner), e.Barrier(siteOther), e.Collective(siteSum), e.Settle(siteSum), e.Finish()} {
			if err == nil || again != err {
				t.Errorf("PE %d: first %v, then %v", pe, err, again)
			}
		}
		return err
	})
}

// All PEs refuse to start when their options differ.
func TestStartFindsDifferences(t *testing.T) {
	transports := NewInProcess(2)
	errs := make(chan error)
	for pe, tr := range transports {
		e, err := New(tr, Options{Mode: Online, Threshold: 5 + pe})
		if err != nil {
			t.Fatal(err)
		}
		go func() { errs <- e.Start() }()
	}
	for range transports {
		if err := <-errs; err == nil || !strings.Contains(err.Error(), "different plans, options or versions") {
			t.Error(err)
		}
	}
}
