package elide

import (
	"errors"
	"sync"
	"testing"
	"time"
)

// run starts n PEs in this process, each with its own engine, and returns what
// body and then Finish gave on each. It fails the test if they hang.
func run(t testing.TB, n int, o Options, body func(pe int, e *Engine) error) []error {
	t.Helper()
	errs, _ := runEngines(t, n, o, body)
	return errs
}

func runEngines(t testing.TB, n int, o Options, body func(pe int, e *Engine) error) ([]error, []*Engine) {
	t.Helper()
	transports := NewInProcess(n)
	errs := make([]error, n)
	engines := make([]*Engine, n)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for pe, tr := range transports {
		e, err := New(tr, o)
		if err != nil {
			t.Fatal(err)
		}
		engines[pe] = e
		wg.Go(func() {
			if errs[pe] = e.Start(); errs[pe] != nil {
				return
			}
			if errs[pe] = body(pe, e); errs[pe] == nil {
				errs[pe] = e.Finish()
			}
		})
	}
	go func() { wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		transports[0].Abort()
		t.Fatal("hang")
	}
	return errs, engines
}

// noError fails the test unless every PE ended well.
func noError(t testing.TB, errs []error) {
	t.Helper()
	for pe, err := range errs {
		if err != nil {
			t.Fatalf("PE %d: %v", pe, err)
		}
	}
}

// A context that is private threshold times is elided from then on; one that is
// not never is.
func TestOnlineElidesAfterThreshold(t *testing.T) {
	const rounds = 50
	errs, engines := runEngines(t, 3, Options{Mode: Online, Threshold: 4}, func(pe int, e *Engine) error {
		for range rounds {
			e.Enter(1)
			if err := e.Barrier(7); err != nil { // nothing before it but the barrier below
				return err
			}
			e.Leave()
			if pe == 1 {
				e.Mark(Remote)
			}
			if err := e.Barrier(7); err != nil { // the same site, another context
				return err
			}
		}
		return nil
	})
	noError(t, errs)
	for pe, e := range engines {
		s := e.Stats()
		if s.Elided != rounds-4 || s.Executed != rounds+4 || s.Learning != 4+1 || s.ElidedIn != 1 {
			t.Errorf("PE %d: %+v", pe, s)
		}
	}
}

func TestOnePEBreaksConsensus(t *testing.T) {
	errs := run(t, 3, Options{Mode: Online, Threshold: 2}, func(pe int, e *Engine) error {
		for i := range 10 {
			if i == 6 && pe == 2 {
				e.Mark(Remote)
			}
			if err := e.Barrier(7); err != nil {
				return err
			}
		}
		return nil
	})
	for pe, err := range errs {
		var m *Misspeculation
		if !errors.As(err, &m) || m.Barrier != 7 || m.Kind != SkippedToEnd || len(m.PEs) != 3 {
			t.Errorf("PE %d: %v", pe, err)
		}
	}
	t.Log(errs[0])
}
