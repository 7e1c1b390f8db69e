package elide

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// The microbenchmark of Figure 9: 500,000 barriers in 1,000 contexts at stack
// depth 16, of which a share is redundant. Before a necessary one the program
// marks a remote access.
type figure9 struct {
	pes, barriers, contexts, depth int
	redundant                      int // percent of the contexts
}

// plainBarrier is what programs have without the engine: the barrier of the
// in-process transport alone, with no words to carry.
func plainBarrier(p *InProcessPE) {
	p.gen++
	p.slot(p.pe).gen.Store(p.gen)
	for q := range p.data {
		if !p.arrived(q) {
			if err := p.wait(q, 0); err != nil {
				panic(err)
			}
		}
	}
}

// plain and engined are the same calls, without and with the engine.
//
//go:noinline
func (f *figure9) plain(p *InProcessPE, level, context int) {
	if level == f.depth-1 {
		plainBarrier(p)
		return
	}
	f.plain(p, level+1, context)
}

//go:noinline
func (f *figure9) engined(e *Engine, level, context int) error {
	if level == f.depth-1 {
		return e.Barrier(Site(level))
	}
	e.Enter(Site(f.site(level, context)))
	err := f.engined(e, level+1, context)
	e.Leave()
	return err
}

// site spreads the contexts over a tree: the digits of the context, ten branches
// at the three inner levels.
func (f *figure9) site(level, context int) int {
	digit := 0
	switch f.depth - 2 - level {
	case 0:
		digit = context % 10
	case 1:
		digit = context / 10 % 10
	case 2:
		digit = context / 100
	}
	return 100*level + digit
}

// time runs all PEs and returns how long they took together, and an engine.
func (f *figure9) time(tb testing.TB, with bool, o Options) (time.Duration, *Engine) {
	transports := NewInProcess(f.pes)
	engines := make([]*Engine, f.pes)
	var wg sync.WaitGroup
	for pe, tr := range transports {
		e, err := New(tr, o)
		if err != nil {
			tb.Fatal(err)
		}
		engines[pe] = e
	}
	begin := time.Now()
	for pe, tr := range transports {
		wg.Go(func() {
			e := engines[pe]
			for i := range f.barriers {
				context := i % f.contexts
				if !with {
					f.plain(tr, 0, context)
					continue
				}
				if context%100 >= f.redundant {
					e.Mark(Remote)
				}
				if err := f.engined(e, 0, context); err != nil {
					tb.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(begin), engines[0]
}

// median of an odd number of paired runs.
func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// BenchmarkFigure9 reports, for each redundancy, the time with the engine as a
// ratio to that with plain barriers (paired, median), and the costs per barrier.
// Run it with -benchtime=1x; an iteration is five pairs.
func BenchmarkFigure9(b *testing.B) {
	for _, redundant := range []int{0, 20, 40, 60, 80, 100} {
		b.Run(fmt.Sprintf("redundant=%d%%", redundant), func(b *testing.B) {
			f := figure9{2, 500000, 1000, 16, redundant}
			for b.Loop() {
				var ratios, plain, with []float64
				var e *Engine
				for range 5 {
					p, _ := f.time(b, false, Options{Mode: Online})
					w, engine := f.time(b, true, Options{Mode: Online})
					e = engine
					ratios = append(ratios, float64(w)/float64(p))
					plain = append(plain, float64(p)/float64(f.barriers))
					with = append(with, float64(w)/float64(f.barriers))
				}
				s := e.Stats()
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(median(ratios), "time/plain")
				b.ReportMetric(median(plain), "ns/plain-barrier")
				b.ReportMetric(median(with), "ns/barrier")
				b.ReportMetric(float64(s.Elided), "elided")
				b.ReportMetric(float64(s.Executed), "executed")
				b.ReportMetric(float64(s.Bytes)/float64(len(s.Contexts)), "bytes/context")
			}
		})
	}
}

// BenchmarkCost is the engine's own cost on one PE, where no barrier waits.
func BenchmarkCost(b *testing.B) {
	e := func(o Options) *Engine {
		e, err := New(NewInProcess(1)[0], o)
		if err != nil {
			b.Fatal(err)
		}
		return e
	}
	b.Run("enter-leave", func(b *testing.B) {
		e := e(Options{Mode: Online})
		for b.Loop() {
			e.Enter(7)
			e.Leave()
		}
	})
	b.Run("elided", func(b *testing.B) {
		e := e(Options{Mode: Online, Threshold: 1})
		for b.Loop() {
			if err := e.Barrier(7); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("executed", func(b *testing.B) {
		e := e(Options{Mode: Online})
		for b.Loop() {
			e.Mark(Remote)
			if err := e.Barrier(7); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		p := NewInProcess(1)[0]
		for b.Loop() {
			plainBarrier(p)
		}
	})
}

// Redundant contexts are elided but for their learning, and no other.
func TestFigure9Counts(t *testing.T) {
	for _, redundant := range []int{0, 30, 100} {
		f := figure9{2, 20000, 1000, 16, redundant}
		_, e := f.time(t, true, Options{Mode: Online, Threshold: 5})
		s := e.Stats()
		want := uint64(f.contexts*redundant/100) * uint64(f.barriers/f.contexts-5)
		if redundant == 30 { // the first of a hundred comes after a necessary barrier
			if s.ElidedIn != 300 {
				t.Errorf("%d contexts elided", s.ElidedIn)
			}
		}
		if s.Elided != want || len(s.Contexts) != 1000 || s.Contexts[0].Path[0] != "site0" || len(s.Contexts[0].Path) != 16 {
			t.Errorf("%d %%: %d elided, want %d, in %d contexts", redundant, s.Elided, want, len(s.Contexts))
		}
		if per := s.Bytes / len(s.Contexts); per > 250 {
			t.Errorf("%d bytes per context", per)
		}
	}
}
