package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/internal/randprog"
)

// sample is a random program with what it should print.
type sample struct {
	randprog.Program
	seed    uint64
	options Options
	want    *Outcome
	wants   map[int]*Outcome // of a program with coarrays, by the number of images
}

// variant is the name in a bundle of a program that is built in a way.
func variant(seed uint64, way Way) string {
	return strings.TrimSuffix(fmt.Sprintf("%d.%s.%s", seed, way.Plan, way.Target), ".")
}

// batch is programs with consecutive seeds that are built as one.
type batch struct {
	transport driver.Transport
	dir       string
	count     int
	samples   []*sample
	bundles   []bundle
	failing   []*Failing // by order of seeds
	tally     *Tally

	reference string // what outputs are compared with
	err       error  // of the machine, not of a program
}

// bundle is a program that runs samples.
type bundle struct {
	program string
	samples []*sample
}

// mostVariants is how many emitted programs a batch has at most: the more, the less
// the start of compilers and linkers weighs; and the more memory they take.
const mostVariants = 64

// prepare builds a batch, the plans of its programs and gfortran's, in a folder.
func (r *RandomReport) prepare(ctx context.Context, table *driver.Table, dir string, seed uint64, count int) *batch {
	l := &batch{transport: r.Launch.Transport, dir: dir, count: count, tally: newTally()}
	l.tally.Programs = count
	mains := map[string][]byte{}
	for i := range count {
		s := &sample{seed: seed + uint64(i)}
		s.Program, s.options = r.program(s.seed), r.Drawn(s.seed)
		// A check build reports integers that wrap.
		s.options.Plain = s.options.Plain || s.Wraps
		if s.Images { // which have no plan
			s.options.Plans, s.options.Targets = []plan.Kind{plan.Elide}, nil
		}
		for name, n := range s.Features {
			l.tally.Features[name] += n
		}
		s.options.features(l.tally.Features)
		if r.Checkpoints && !s.Images && s.Features["array:bounds of the run"] == 0 { // of which nothing is saved
			s.Source = WithCheckpoints(s.Source, s.seed)
		}
		if f := r.emit(table, s, mains); f != nil {
			l.failing = append(l.failing, f)
		} else {
			l.samples = append(l.samples, s)
		}
		if ctx.Err() != nil {
			return l
		}
	}
	var err error
	var group sync.WaitGroup
	group.Go(func() { l.reference, err = r.expect(filepath.Join(dir, "reference"), l.samples) })
	l.err = l.bundle(filepath.Join(dir, "b"), l.samples, mains)
	group.Wait()
	l.err = cmp.Or(l.err, err)
	for _, s := range l.samples {
		if n := s.Features[crashed]; n > 0 {
			l.tally.Features[crashed] += n
		}
	}
	return l
}

// emit adds the builds of a program to mains.
func (r *RandomReport) emit(table *driver.Table, s *sample, mains map[string][]byte) *Failing {
	own := map[string][]byte{}
	for _, way := range s.options.ways() {
		code, err := r.compile(table, s, way)
		if err != nil {
			return s.fails(way, 0, err)
		}
		own[variant(s.seed, way)] = code
	}
	maps.Copy(mains, own)
	return nil
}

// fails says how a program that is built in a way fails on n PEs; 0: it has not run.
func (s *sample) fails(way Way, n int, fault error) *Failing {
	return &Failing{Seed: s.seed, Way: way, PEs: n, Options: s.options, Source: s.Source, Input: s.Input, Fault: fault}
}

// compile emits what a way to build it makes of a program.
func (r *RandomReport) compile(table *driver.Table, s *sample, way Way) ([]byte, error) {
	o := s.options.compile(way)
	c := driver.New("random.hpf", []byte(s.Source), o)
	if err := table.Run(c, driver.RunOptions{Verify: true}); err != nil {
		if errors.Is(err, driver.ErrDiagnosed) {
			var text strings.Builder
			if err := c.Report(&text, driver.ReportOptions{Quiet: true}); err != nil {
				return nil, err
			}
			return nil, fmt.Errorf("the program is refused:\n%s", text.String())
		}
		return nil, err
	}
	if way.Plan == plan.Elide && r.Precision > 0 && !s.Images {
		known, symbolic, err := search.Measure(c.Comm, search.Options{Memory: o.SlotsMemory, Strip: o.Strip}, r.PEs, r.Precision, s.seed)
		if err != nil {
			return nil, err
		}
		r.mu.Lock()
		r.Known.Add(known)
		r.Symbolic.Add(symbolic)
		r.mu.Unlock()
	}
	return c.Emitted(), nil
}

// bundle builds the programs of samples as one; where the Go compiler refuses them,
// in halves, down to the program that it refuses.
func (l *batch) bundle(dir string, samples []*sample, mains map[string][]byte) error {
	if len(samples) == 0 {
		return nil
	}
	own := map[string][]byte{}
	for _, s := range samples {
		for _, way := range s.options.ways() {
			own[variant(s.seed, way)] = mains[variant(s.seed, way)]
		}
	}
	program, err := driver.Bundle(dir, own, l.transport)
	var refused *driver.Failure
	switch {
	case err == nil:
		l.bundles = append(l.bundles, bundle{program, samples})
		return nil
	case !errors.As(err, &refused) || refused.Status != driver.StatusInternal:
		return err
	case len(samples) == 1:
		s := samples[0]
		l.failing = append(l.failing, s.fails(s.options.ways()[0], 0, err))
		return nil
	}
	half := len(samples) / 2
	if err := l.bundle(dir+"a", samples[:half], mains); err != nil {
		return err
	}
	return l.bundle(dir+"b", samples[half:], mains)
}

// verify runs the programs of a batch, as many at a time as there are processors, and
// one more, since a run waits while a PE is held.
func (r *RandomReport) verify(ctx context.Context, l *batch) {
	r.Reference = l.reference
	for _, b := range l.bundles {
		failing := make([]*Failing, len(b.samples))
		var group sync.WaitGroup
		next := make(chan int)
		for range min(len(b.samples), runtime.GOMAXPROCS(0)+1) {
			group.Go(func() {
				s := &server{bundle: b.program, limit: r.Limit, ctx: ctx, launch: r.Launch}
				defer s.end()
				for i := range next {
					failing[i] = r.run(s, b.samples[i], l.tally)
				}
			})
		}
		for i := range b.samples {
			if ctx.Err() != nil {
				break
			}
			next <- i
		}
		close(next)
		group.Wait()
		for _, f := range failing {
			if f != nil {
				l.failing = append(l.failing, f)
			}
		}
	}
	slices.SortFunc(l.failing, func(a, b *Failing) int { return cmp.Compare(a.Seed, b.Seed) })
	for _, f := range l.failing {
		l.tally.Faults[faultName(f.Fault)]++
	}
}

// run runs one program in every way, up to its first fault, and counts the runs.
func (r *RandomReport) run(server *server, s *sample, tally *Tally) *Failing {
	if s.Images {
		return r.runImages(server, s, tally)
	}
	want := s.want
	digits := digits{}
	for _, way := range s.options.ways() {
		name := variant(s.seed, way)
		run := func(input []byte, args ...string) (*Outcome, []byte, error) {
			return server.run(name, input, args...)
		}
		for _, n := range r.PEs {
			var c Counts
			var got *Outcome
			var err error
			if r.Checkpoints && s.Features["array:bounds of the run"] == 0 { // of which nothing is saved
				err = restarts(run, "", []byte(s.Input), n, want, rand.New(rand.NewPCG(s.seed, uint64(n))), 2, false)
			} else {
				x := trial{run: run, input: []byte(s.Input), n: n, plain: s.options.unrecorded(), held: r.held(s.seed, n), want: want, mutations: r.Mutations, random: rand.New(rand.NewPCG(s.seed, uint64(n)))}
				c, got, err = x.check()
			}
			r.mu.Lock()
			tally.ran(way.Plan, s.options.Plain, c)
			r.mu.Unlock()
			if err == nil && !r.Checkpoints {
				err = digits.same(way, n, got)
			}
			if err != nil {
				return s.fails(way, n, err)
			}
			if want == nil {
				want = got
			}
		}
	}
	return nil
}

// held picks the PEs, of n, that are held in the runs of a program; nil: all.
func (r *RandomReport) held(seed uint64, n int) []int {
	if r.Hold == 0 || r.Hold >= n {
		return nil
	}
	pes := rand.New(rand.NewPCG(seed, uint64(n))).Perm(n)[:r.Hold]
	slices.Sort(pes)
	return pes
}
