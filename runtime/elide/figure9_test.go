package elide_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/spmdc/spmdc/runtime/elide"
	"github.com/spmdc/spmdc/runtime/transport"
	"github.com/spmdc/spmdc/runtime/transport/inproc"
)

// figure9 is the microbenchmark of Figure 9: 500,000 barriers in 1,000 contexts at
// stack depth 16, of which a share is redundant. Before a necessary one the program
// marks a remote access.
//
// Every barrier is reached through 15 calls, plain or with the engine. The engine
// learns of them in one of two ways: compiled programs know the context of each
// barrier beforehand, as calls are compiled in place; others enter and leave calls.
type figure9 struct {
	pes, barriers, contexts, depth int
	redundant                      int // percent of the contexts
	entered                        bool
	paths                          [][]elide.Site
}

// newFigure9 spreads the contexts over a tree: ten branches at each of the three
// calls above the barrier.
func newFigure9(pes, barriers, redundant int, entered bool) *figure9 {
	f := &figure9{pes: pes, barriers: barriers, contexts: 1000, depth: 16, redundant: redundant, entered: entered}
	for c := range f.contexts {
		path := make([]elide.Site, f.depth)
		for level := range path {
			path[level] = elide.Site(100 * level)
		}
		path[f.depth-2] += elide.Site(c % 10)
		path[f.depth-3] += elide.Site(c / 10 % 10)
		path[f.depth-4] += elide.Site(c / 100)
		f.paths = append(f.paths, path)
	}
	return f
}

// caller is one PE on its way to a barrier.
type caller struct {
	t     transport.Transport
	e     *elide.Engine
	place elide.Place
}

//go:noinline
func (c *caller) plain(path []elide.Site) {
	if len(path) == 1 {
		c.t.Barrier(0)
		return
	}
	c.plain(path[1:])
}

//go:noinline
func (c *caller) compiled(path []elide.Site) {
	if len(path) == 1 {
		if _, err := c.e.BarrierIn(c.place); err != nil {
			panic(err)
		}
		return
	}
	c.compiled(path[1:])
}

//go:noinline
func (c *caller) enter(path []elide.Site) {
	if len(path) == 1 {
		if err := c.e.Barrier(path[0]); err != nil {
			panic(err)
		}
		return
	}
	c.e.Enter(path[0])
	c.enter(path[1:])
	c.e.Leave()
}

// run makes all barriers once plain and once with the engine, alternately in parts, so
// that both see the same machine. It returns the times of the parts, per barrier in
// ns, and the engine of PE 0.
func (f *figure9) run(tb testing.TB, o elide.Options, parts int) (plain, with []float64, e *elide.Engine) {
	hang := func([]transport.Wait) error { return errors.New("deadlock") }
	err := inproc.Run(f.pes, hang, func(t transport.Transport) {
		engine, err := elide.New(t, o)
		if err != nil {
			t.Abort(err)
		}
		t.Start()
		c := &caller{t: t, e: engine}
		places := make([]elide.Place, f.contexts)
		for i, path := range f.paths {
			places[i] = engine.Place(engine.Tree().Path(path))
		}
		n := f.barriers / parts
		for part := range parts {
			t.Barrier(0)
			begin := time.Now()
			for i := part * n; i < (part+1)*n; i++ {
				c.plain(f.paths[i%f.contexts])
			}
			between := time.Now()
			for i := part * n; i < (part+1)*n; i++ {
				context := i % f.contexts
				if context%100 >= f.redundant {
					engine.Mark(elide.Remote)
				}
				if f.entered {
					c.enter(f.paths[context])
				} else {
					c.place = places[context]
					c.compiled(f.paths[context])
				}
			}
			if t.PE() == 0 {
				plain = append(plain, float64(between.Sub(begin))/float64(n))
				with = append(with, float64(time.Since(between))/float64(n))
			}
		}
		if err := engine.Finish(); err != nil {
			t.Abort(err)
		}
		if t.PE() == 0 {
			e = engine
		}
	})
	if err != nil {
		tb.Fatal(err)
	}
	return plain, with, e
}

// quantile is the value below which a share q of x lies.
func quantile(x []float64, q float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	return x[int(q*float64(len(x)))]
}

// point is what a run of the benchmark gives.
type point struct {
	redundant int
	median    float64 // of the ratios of 500 pairs of parts, with the engine to plain
	quiet     float64 // ratio of the fastest tenths: a quiet machine
	whole     float64 // ratio of the whole runs, learning included
	plain     float64 // ns per barrier, fastest tenth
	with      float64
	elided    uint64
	bytes     float64 // per context
}

func (f *figure9) measure(tb testing.TB) point {
	plain, with, e := f.run(tb, elide.Options{Mode: elide.Online}, 500)
	var ratios []float64
	var allPlain, allWith float64
	for i := range plain {
		ratios = append(ratios, with[i]/plain[i])
		allPlain += plain[i]
		allWith += with[i]
	}
	s := e.Stats()
	return point{f.redundant, quantile(ratios, 0.5), quantile(with, 0.1) / quantile(plain, 0.1), allWith / allPlain,
		quantile(plain, 0.1), quantile(with, 0.1), s.Elided, float64(s.Bytes) / float64(len(s.Contexts))}
}

// BenchmarkFigure9 reports, for each redundancy, the time with the engine as a
// ratio to that with plain barriers. Run it with -benchtime=1x; -figure9 FILE draws
// the curves.
func BenchmarkFigure9(b *testing.B) {
	curves := []curve{{name: "contexts compiled", colour: "#1f6f8b"}, {name: "calls entered", colour: "#c8553d"}}
	whole := true
	for i, way := range []string{"compiled", "entered"} {
		for redundant := 0; redundant <= 100; redundant += 10 {
			ran := b.Run(fmt.Sprintf("%s/redundant=%d%%", way, redundant), func(b *testing.B) {
				f := newFigure9(2, 500000, redundant, way == "entered")
				for b.Loop() {
					p := f.measure(b)
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(p.median, "time/plain")
					b.ReportMetric(p.quiet, "quiet/plain")
					b.ReportMetric(p.whole, "whole/plain")
					b.ReportMetric(p.plain, "ns/plain-barrier")
					b.ReportMetric(p.with, "ns/barrier")
					b.ReportMetric(float64(p.elided), "elided")
					b.ReportMetric(p.bytes, "bytes/context")
					curves[i].points = append(curves[i].points, p)
				}
			})
			whole = whole && ran
		}
	}
	if whole {
		write(b, curves)
	}
}

// Redundant contexts are elided but for their learning, and no other.
func TestFigure9Counts(t *testing.T) {
	for _, entered := range []bool{false, true} {
		for _, redundant := range []int{0, 30, 100} {
			f := newFigure9(2, 20000, redundant, entered)
			_, _, e := f.run(t, elide.Options{Mode: elide.Online, Threshold: 5}, 2)
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
}
