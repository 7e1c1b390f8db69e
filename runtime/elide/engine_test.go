package elide

import (
	"bytes"
	"strings"
	"sync/atomic"
	"testing"
)

// The example of the package comment: training, Algorithm 2, a run by the plan.
func TestWorkedExample(t *testing.T) {
	label := func(s Site) string {
		if s < 10 {
			return "s.f90:" + string(rune('0'+s))
		}
		return "c.f90:" + string(rune('0'+s/10)) + string(rune('0'+s%10))
	}
	scale := func(e *Engine, from Site) error {
		e.Enter(from)
		defer e.Leave()
		if err := e.Barrier(2); err != nil {
			return err
		}
		e.Mark(Local)
		return e.Barrier(4)
	}
	program := func(pe int, e *Engine) error {
		for range 40 {
			e.Mark(Remote)
			for _, from := range []Site{10, 20, 21} {
				if err := scale(e, from); err != nil {
					return err
				}
			}
		}
		return nil
	}
	errs, engines := runEngines(t, 2, Options{Mode: Audit, Label: label, Program: "v1"}, program)
	noError(t, errs)
	for _, e := range engines {
		if s := e.Stats(); s.Elided != 0 || s.Executed != 240 || s.Private != 80 {
			t.Errorf("audit: %+v", s)
		}
	}
	var b bytes.Buffer
	if err := NewLog(engines, nil).Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"barriers-log 3\nprogram v1\n", "\nmode audit\npes 2\n",
		"\n40 40 0 0 0 0 0.000000 audited: c.f90:10 > s.f90:2\n",
		"\n40 40 40 40 0 40 0.000000 audited: c.f90:20 > s.f90:2\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in the log\n%s", want, b.String())
		}
	}
	plan := &Plan{Program: "v1", Entries: []Entry{{Verdict: Elide, Suffix: Path{"c.f90:20", "s.f90:2"}}, {Verdict: Elide, Suffix: Path{"c.f90:21", "s.f90:2"}}}}
	errs, engines = runEngines(t, 2, Options{Mode: ByPlan, Plan: plan, Label: label, Program: "v1"}, program)
	noError(t, errs)
	if s := engines[1].Stats(); s.Elided != 80 || s.Private != 0 || s.Executed != 160 || s.ElidedIn != 2 {
		t.Errorf("by plan: %+v", s)
	}
}

// Counts by Table 1 are those of the oracle on the whole trace, elided or not.
func TestIdealIsTheOracle(t *testing.T) {
	trace := []Access{Private, Local, Private, Remote, Private, Private, Local, Local, Remote, Private, Remote, Remote, Private}
	for _, mode := range []Mode{Audit, Online} {
		var whole []Access
		const rounds = 5
		errs, engines := runEngines(t, 2, Options{Mode: mode, Threshold: 2}, func(pe int, e *Engine) error {
			for range rounds {
				for i, a := range trace {
					if (i+pe)%2 == 0 || a == Private {
						e.Mark(a)
					} else if a == Local {
						e.Mark(Private)
					}
					if pe == 0 {
						whole = append(whole, a)
					}
					if err := e.Barrier(Site(i)); err != nil {
						return err
					}
				}
			}
			return nil
		})
		noError(t, errs)
		var want uint64
		for _, r := range Redundant(append(whole, Private)) {
			if r {
				want++
			}
		}
		for pe, e := range engines {
			if s := e.Stats(); s.Ideal != want || s.Executed+s.Elided != uint64(len(whole)) || s.Redundant() > s.Ideal {
				t.Errorf("mode %d, PE %d: %d redundant by Table 1, want %d: %+v", mode, pe, s.Ideal, want, s.ContextStats)
			}
		}
	}
}

// Re-learning elides what becomes redundant later, and needs more executions each time.
func TestRelearn(t *testing.T) {
	body := func(pe int, e *Engine) error {
		for i := range 100 {
			if i == 0 || i == 2 || i == 5 {
				e.Mark(Local)
			}
			if err := e.Barrier(1); err != nil {
				return err
			}
		}
		return nil
	}
	for relearn, want := range map[int]uint64{0: 0, 2: 100 - 6 - 8, 3: 100 - 6 - 12} {
		errs, engines := runEngines(t, 2, Options{Mode: Online, Threshold: 5, Relearn: relearn}, body)
		noError(t, errs)
		if s := engines[0].Stats(); s.Elided != want || s.Relearned != uint64(min(relearn, 1)) {
			t.Errorf("relearn %d: %d elided, want %d; %d relearned", relearn, s.Elided, want, s.Relearned)
		}
	}
}

// Pinned sites are never elided, by plan or learning.
func TestPinned(t *testing.T) {
	plan := &Plan{Entries: []Entry{{Verdict: Elide, Suffix: Path{"site1"}}, {Verdict: Elide, Suffix: Path{"site2"}}}}
	o := Options{Mode: Online, Threshold: 1, Plan: plan, Pinned: func(s Site) bool { return s == 1 }}
	errs, engines := runEngines(t, 2, o, func(pe int, e *Engine) error {
		for i := range 30 {
			if err := e.Barrier(Site(i % 3)); err != nil {
				return err
			}
		}
		return nil
	})
	noError(t, errs)
	for _, c := range engines[0].Stats().Contexts {
		want := map[string]uint64{"site0": 9, "site1": 0, "site2": 10}[c.Path[0]]
		if c.Elided != want || (c.Why == Pinned) != (c.Path[0] == "site1") {
			t.Errorf("%+v", c)
		}
	}
}

// A collective that orders everything makes the next barrier redundant (Figure
// 7), and with Collective before it no PE waits in a barrier meanwhile.
func TestSynchronised(t *testing.T) {
	var sum atomic.Int64
	transports := NewInProcess(2) // carries the collective itself
	errs, engines := runEngines(t, 2, Options{Mode: Online, Threshold: 3}, func(pe int, e *Engine) error {
		for range 10 {
			e.Mark(Remote)
			if err := e.Collective(2); err != nil {
				return err
			}
			sum.Add(1)
			if err := transports[pe].Agree(0, &[Words]int64{}, 0); err != nil {
				return err
			}
			e.Synchronised()
			if err := e.Barrier(1); err != nil {
				return err
			}
		}
		return nil
	})
	noError(t, errs)
	if s := engines[0].Stats(); s.Elided != 7 || s.Agreements != 7+1 || sum.Load() != 20 {
		t.Errorf("%+v", s)
	}
}

// Contexts in which PEs met from elsewhere are never elided, on any PE.
func TestMisalignedIsNeverElided(t *testing.T) {
	errs, engines := runEngines(t, 3, Options{Mode: Online, Threshold: 2}, func(pe int, e *Engine) error {
		site := Site(1)
		if pe == 2 {
			site = 2
		}
		if err := e.Barrier(site); err != nil {
			return err
		}
		for range 20 {
			for _, s := range []Site{1, 2, 3} {
				if err := e.Barrier(s); err != nil {
					return err
				}
			}
		}
		return nil
	})
	noError(t, errs)
	for pe, e := range engines {
		s := e.Stats()
		for _, c := range s.Contexts {
			if (c.Elided > 0) != (c.Path[0] == "site3") || (c.Why == Misaligned) != (c.Path[0] != "site3") {
				t.Errorf("PE %d: %+v", pe, c)
			}
		}
		if s.Misaligned != 1 {
			t.Errorf("PE %d: %d misaligned", pe, s.Misaligned)
		}
		if log := NewLog([]*Engine{e}, nil); log.Contexts[0].AlwaysRedundant() || log.Contexts[0].Why != Misaligned {
			t.Errorf("PE %d: %+v", pe, log.Contexts)
		}
	}
}

// An executed barrier orders memory: the race detector must agree.
func TestExecutedBarriersOrder(t *testing.T) {
	const n = 4
	data := make([]int, n)
	errs := run(t, n, Options{Mode: Online, Threshold: 1}, func(pe int, e *Engine) error {
		for i := range 200 {
			data[pe] = i
			e.Mark(Local)
			if err := e.Barrier(1); err != nil {
				return err
			}
			if got := data[(pe+1)%n]; got != i {
				t.Errorf("PE %d reads %d, want %d", pe, got, i)
			}
			e.Mark(Remote)
			if err := e.Barrier(2); err != nil {
				return err
			}
			if err := e.Barrier(3); err != nil { // elided
				return err
			}
		}
		return nil
	})
	noError(t, errs)
}

func TestOptionErrors(t *testing.T) {
	for want, o := range map[string]Options{
		"no plan to elide by":  {Mode: ByPlan},
		"must not be negative": {Mode: Online, Threshold: -1},
	} {
		if _, err := New(NewInProcess(1)[0], o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
