package verify

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/internal/randprog"
)

// RandomOptions say which random programs to verify.
type RandomOptions struct {
	Options
	Programs int
	Seed     uint64 // of the first
	// Generator makes the programs, one of randprog.Generators; with "" they take turns.
	Generator string
	Draw      bool          // how each program is built, see Drawn
	Log       *Log          // gets what was done; nil: none
	Shrink    time.Duration // how long to shrink one that fails; 0: not
	// Hold is how many PEs, picked by the seed, are held one after the other in the
	// freeze test of each run; 0: all.
	Hold int
	// Precision is by how many sampled executions on each number of PEs it is measured how
	// much plan elide leaves of what is safe; 0: not at all.
	Precision int
	batch     int       // how many programs are built as one; 0: as many as are good
	Progress  io.Writer // gets a line now and then in long runs; nil: none
}

// Generated returns the random program of a seed. The generators take turns: every
// second program has many ways to communicate and to compute, and the others have
// rounds of exchanges, or loops with branches and jumps; of the latter every third has
// planes that change places, and another third is of the array language, or of types and
// procedures, instead; one in 48 programs jumps.
func Generated(seed uint64) randprog.Program {
	switch {
	case seed%2 == 0:
		return randprog.Sample(seed / 2)
	case seed%4 == 1:
		return randprog.Rounds(seed)
	case seed%12 == 3:
		return randprog.Planes(seed)
	case seed%24 == 19:
		return randprog.Arrays(seed)
	case seed%24 == 23:
		return randprog.Types(seed)
	case seed%48 == 31:
		return randprog.Jumps(seed)
	}
	return randprog.Loops(seed)
}

// CheckGenerator reports a name that no generator has.
func CheckGenerator(name string) error {
	if name == "" || randprog.Generators[name] != nil {
		return nil
	}
	return driver.Usagef("the generators are "+strings.Join(slices.Sorted(maps.Keys(randprog.Generators)), ", "), "there is no generator %q", name)
}

// program is that of a seed.
func (o *RandomOptions) program(seed uint64) randprog.Program {
	if o.Generator != "" {
		return randprog.Generators[o.Generator](seed)
	}
	return Generated(seed)
}

// required are the features that n programs of consecutive seeds have.
func required(generator string, n int) []string {
	if generator != "" {
		return randprog.RequiredOf(generator, n)
	}
	return randprog.Required(n / 2)
}

// Failing is a random program with a fault.
type Failing struct {
	Seed uint64
	Way
	PEs     int     // 0: it has not run
	Options Options // how it is built
	Source  string
	Input   string
	Fault   error
	Shrunk  bool // Source is what is left of it
}

// RandomReport is what verifying random programs has found.
type RandomReport struct {
	RandomOptions
	*Tally
	Reference string
	Failing   []Failing // the first of those with a fault, at most one of each program, in order

	// By Precision: with the number of PEs known, and without.
	Known, Symbolic search.Precision

	mu sync.Mutex // guards what programs count while they are made and run
}

// OK reports whether nothing was wrong.
func (r *RandomReport) OK() bool { return len(r.Failing) == 0 }

// Interrupted reports whether not all programs were verified.
func (r *RandomReport) Interrupted() bool { return r.Tally.Programs < r.RandomOptions.Programs }

// Random verifies random programs as File does a program. Those of a batch are built
// as one while those of the batch before run, so that memory does not grow with the
// number of programs. The first that fails is shrunk. An error is one of the machine,
// or of the generator; with it comes the report of what was verified before.
func Random(table *driver.Table, o RandomOptions) (*RandomReport, error) {
	r := newReport(o)
	dir, err := os.MkdirTemp("", "spmdc-verify-")
	if err != nil {
		return nil, driver.Usagef("check the disk", "%v", err)
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithCancel(cmp.Or(o.Context, context.Background()))
	defer stop()
	size := mostVariants * 3 / 4 // programs with drawn plans have 1.25 of them
	if n := len(r.Drawn(o.Seed).Plans); !o.Draw || o.Plans != nil {
		size = mostVariants / n
	}
	if o.batch > 0 {
		size = o.batch
	}
	built := make(chan *batch)
	go func() {
		defer close(built)
		for first := 0; first < o.Programs && ctx.Err() == nil; first += size {
			l := r.prepare(ctx, table, filepath.Join(dir, fmt.Sprint(first)), o.Seed+uint64(first), min(size, o.Programs-first))
			select {
			case built <- l:
			case <-ctx.Done():
			}
		}
	}()
	defer func() {
		stop()
		for range built { // it may be at work in dir
		}
	}()
	clock := newProgress(r)
	var failed error
	for l := range built {
		if failed = l.err; failed != nil || ctx.Err() != nil {
			break
		}
		r.verify(ctx, l)
		if ctx.Err() != nil {
			break
		}
		for _, f := range l.failing {
			if len(r.Failing) < mostFailing {
				r.Failing = append(r.Failing, *f)
			}
		}
		first := o.Seed + uint64(r.Tally.Programs)
		r.Tally.Add(l.tally)
		if failed = o.Log.add(r, l, first); failed != nil {
			break
		}
		clock.show()
		os.RemoveAll(l.dir)
	}
	if ctx.Err() != nil {
		return r, nil // whatever failed was interrupted
	}
	if len(r.Failing) > 0 && o.Shrink > 0 {
		r.shrink(table, dir, &r.Failing[0])
	}
	return r, failed
}

func newReport(o RandomOptions) *RandomReport {
	return &RandomReport{RandomOptions: o, Tally: newTally()}
}

// progress says how far a long run is.
type progress struct {
	*RandomReport
	start, last time.Time
}

func newProgress(r *RandomReport) *progress {
	now := time.Now()
	return &progress{r, now, now}
}

// progressPeriod is the least time between two lines of progress.
const progressPeriod = 20 * time.Second

func (p *progress) show() {
	done, all := p.Tally.Programs, p.RandomOptions.Programs
	if p.Progress == nil || done == all || time.Since(p.last) < progressPeriod {
		return
	}
	p.last = time.Now()
	each := p.last.Sub(p.start) / time.Duration(done)
	left := (each * time.Duration(all-done)).Round(time.Minute)
	fmt.Fprintf(p.Progress, "spmdc: %d of %d programs, %d runs, %d failed; %.3f s each, %v left; next is --seed=%d\n",
		done, all, p.Runs, p.failed(), each.Seconds(), left, p.Seed+uint64(done))
}

// Write writes the report: totals, and the programs that failed.
func (r *RandomReport) Write(w io.Writer) error {
	done := r.Tally.Programs
	fmt.Fprintf(w, "%d random programs%s from seed %d on, on %s PEs, outputs compared with %s: %d runs", done, of(r.Generator), r.Seed,
		list(r.PEs), r.Reference, r.Runs)
	if r.Plain > 0 {
		fmt.Fprintf(w, ", %d of plain builds", r.Plain)
	}
	fmt.Fprintln(w)
	if r.Interrupted() {
		fmt.Fprintf(w, "  interrupted: --seed=%d --random=%d goes on\n", r.Seed+uint64(done), r.RandomOptions.Programs-done)
	}
	r.writeTotals(w)
	if r.Draw {
		r.writeBuilds(w)
	}
	if r.Generator != "" {
		r.writeCoverage(w)
	}
	if r.Precision > 0 {
		for _, y := range []struct {
			what string
			search.Precision
		}{{"number of PEs known", r.Known}, {"any number of PEs", r.Symbolic}} {
			fmt.Fprintf(w, "  %s: of the references safe on every sampled path %s;\n    of those that put into used slots %s\n", y.what, y.All(), y.Again())
		}
	}
	_, err := fmt.Fprintln(w, r.verdict())
	for i, f := range r.Failing {
		fmt.Fprintf(w, "\nseed %d, %s on %d PEs: %v\n  %s\n", f.Seed, f.Way, f.PEs, f.Fault, f.command(&r.RandomOptions))
		if i == 0 {
			how := "the program"
			if f.Shrunk {
				how = "shrunk"
			}
			fmt.Fprintf(w, "\n%s:\n%s", how, f.Source)
			if f.Input != "" {
				fmt.Fprintf(w, "\nits input:\n%s", f.Input)
			}
		}
	}
	if more := r.failed() - len(r.Failing); more > 0 {
		_, err = fmt.Fprintf(w, "\nand %d more\n", more)
	}
	return err
}

// notCompiled is the name of the fault of a program that the compiler refuses, or
// whose Go text the Go compiler refuses.
const notCompiled = "not compiled"

// faultName names what is wrong with a program.
func faultName(err error) string {
	if k := faultKind(err); k > 0 {
		return k.String()
	}
	return notCompiled
}

// mostFailing is how many failures are shown.
const mostFailing = 10

// of says which generator programs are of.
func of(generator string) string {
	if generator == "" {
		return ""
	}
	return " of " + generator
}
