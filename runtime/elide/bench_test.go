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
	paths                          [][]Site
	sink                           []sink // what the plain calls do with their sites
}

type sink struct {
	site Site
	_    [56]byte // a cache line per PE
}

// plainBarrier is what programs have without the engine: the barrier of the
// in-process transport alone, with no words to carry.
func plainBarrier(p *InProcessPE) {
	p.publish(0)
	for q := range p.data {
		if q != p.pe && !p.arrived(q) {
			if err := p.wait(q, 0); err != nil {
				panic(err)
			}
		}
	}
}

// plain and engined are the same calls, without and with the engine.
//
//go:noinline
func (f *figure9) plain(p *InProcessPE, path []Site) {
	if len(path) == 1 {
		f.sink[p.pe].site = path[0]
		plainBarrier(p)
		return
	}
	f.sink[p.pe].site = path[0]
	f.plain(p, path[1:])
}

//go:noinline
func (f *figure9) engined(e *Engine, path []Site) error {
	if len(path) == 1 {
		return e.Barrier(path[0])
	}
	e.Enter(path[0])
	err := f.engined(e, path[1:])
	e.Leave()
	return err
}

// newFigure9 spreads the contexts over a tree: ten branches at each of the three
// calls above the barrier.
func newFigure9(pes, barriers, contexts, depth, redundant int) *figure9 {
	f := &figure9{pes: pes, barriers: barriers, contexts: contexts, depth: depth, redundant: redundant}
	f.sink = make([]sink, pes)
	for c := range contexts {
		path := make([]Site, depth)
		for level := range path {
			path[level] = Site(100 * level)
		}
		path[depth-2] += Site(c % 10)
		path[depth-3] += Site(c / 10 % 10)
		path[depth-4] += Site(c / 100)
		f.paths = append(f.paths, path)
	}
	return f
}

// run makes all barriers once plain and once with the engine, by turns in parts,
// so that both see the same machine. It returns the times of the parts.
func (f *figure9) run(tb testing.TB, o Options, parts int) (plain, with []float64, e *Engine) {
	transports := NewInProcess(f.pes)
	engines := make([]*Engine, f.pes)
	for pe, tr := range transports {
		var err error
		if engines[pe], err = New(tr, o); err != nil {
			tb.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for pe, tr := range transports {
		wg.Go(func() {
			e := engines[pe]
			n := f.barriers / parts
			for part := range parts {
				plainBarrier(tr)
				begin := time.Now()
				for i := range n {
					f.plain(tr, f.paths[i%f.contexts])
				}
				between := time.Now()
				for i := part * n; i < (part+1)*n; i++ {
					context := i % f.contexts
					if context%100 >= f.redundant {
						e.Mark(Remote)
					}
					if err := f.engined(e, f.paths[context]); err != nil {
						tb.Error(err)
						return
					}
				}
				if pe == 0 {
					plain = append(plain, float64(between.Sub(begin))/float64(n))
					with = append(with, float64(time.Since(between))/float64(n))
				}
			}
		})
	}
	wg.Wait()
	return plain, with, engines[0]
}

// quantile is the value below which a share q of x lies.
func quantile(x []float64, q float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	return x[int(q*float64(len(x)))]
}

// BenchmarkFigure9 reports, for each redundancy, the time with the engine as a
// ratio to that with plain barriers: the median over 500 pairs of parts of the
// run, the ratio of the fastest tenths (what a quiet machine gives, where others
// use the processors too), and that over the whole run, with the learning; and
// the costs per barrier. Run it with -benchtime=1x.
func BenchmarkFigure9(b *testing.B) {
	for _, redundant := range []int{0, 20, 40, 60, 80, 100} {
		b.Run(fmt.Sprintf("redundant=%d%%", redundant), func(b *testing.B) {
			f := newFigure9(2, 500000, 1000, 16, redundant)
			for b.Loop() {
				plain, with, e := f.run(b, Options{Mode: Online}, 500)
				var ratios []float64
				var allPlain, allWith float64
				for i := range plain {
					ratios = append(ratios, with[i]/plain[i])
					allPlain += plain[i]
					allWith += with[i]
				}
				s := e.Stats()
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(quantile(ratios, 0.5), "time/plain")
				b.ReportMetric(quantile(with, 0.1)/quantile(plain, 0.1), "quiet/plain")
				b.ReportMetric(allWith/allPlain, "whole/plain")
				b.ReportMetric(quantile(plain, 0.1), "ns/plain-barrier")
				b.ReportMetric(quantile(with, 0.1), "ns/barrier")
				b.ReportMetric(float64(s.Elided), "elided")
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
		f := newFigure9(2, 20000, 1000, 16, redundant)
		_, _, e := f.run(t, Options{Mode: Online, Threshold: 5}, 2)
		s := e.Stats()
		want := uint64(f.contexts*redundant/100) * uint64(f.barriers/f.contexts-5)
		if s.Elided != want || len(s.Contexts) != 1000 || s.Contexts[0].Path[0] != "site0" || len(s.Contexts[0].Path) != 16 {
			t.Errorf("%d %%: %d elided, want %d, in %d contexts", redundant, s.Elided, want, len(s.Contexts))
		}
		if per := s.Bytes / len(s.Contexts); per > 250 {
			t.Errorf("%d bytes per context", per)
		}
	}
}
