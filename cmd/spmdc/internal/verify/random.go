package verify

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/internal/randprog"
)

// RandomOptions say which random programs to verify.
type RandomOptions struct {
	Options
	Programs int
	Seed     uint64        // of the first
	Shrink   time.Duration // how long to shrink one that fails; 0: not
	// Hold is how many PEs, picked by the seed, are held one after the other in the
	// freeze test of each run; 0: all.
	Hold int
	// Yardstick is by how many sampled executions on each number of PEs it is measured how
	// much plan elide leaves of what is safe; 0: not at all.
	Yardstick int
	Progress  io.Writer // gets a line now and then in long runs; nil: none
}

// Generated returns the random program of a seed. The generators take turns: many
// ways to communicate, rounds of exchanges, and loops with branches and jumps, every
// third of which has planes that change places.
func Generated(seed uint64) randprog.Program {
	switch seed % 3 {
	case 0:
		return randprog.Sample(max(seed, 1))
	case 1:
		return randprog.Rounds(seed)
	}
	if seed%9 == 2 {
		return randprog.Planes(seed)
	}
	return randprog.Loops(seed)
}

// Failing is a random program with a fault.
type Failing struct {
	Seed   uint64
	Plan   plan.Kind
	PEs    int
	Source string
	Input  string
	Fault  error
	Shrunk bool // Source is what is left of it
}

// RandomReport is what verifying random programs has found.
type RandomReport struct {
	RandomOptions
	Reference string
	Verified  int // programs, until an interrupt
	Runs      int // without mutations
	Totals    map[plan.Kind]*Counts
	Faults    map[string]int // programs by what was wrong with them, see faultName
	Failing   []Failing      // the first of them, at most one of each program, in order

	// By Yardstick: with the number of PEs known, and without.
	Known, Symbolic plan.Yardstick

	mu sync.Mutex // guards what programs count while they are made and run
}

// OK reports whether nothing was wrong.
func (r *RandomReport) OK() bool { return len(r.Failing) == 0 }

// Interrupted reports whether not all programs were verified.
func (r *RandomReport) Interrupted() bool { return r.Verified < r.Programs }

// Random verifies random programs as File does a program. Those of a lot are built
// as one while those of the lot before run, so that memory does not grow with the
// number of programs. The first that fails is shrunk. An error is one of the machine,
// or of the generator; with it comes the report of what was verified before.
func Random(table *driver.Table, o RandomOptions) (*RandomReport, error) {
	r := newReport(o)
	dir, err := os.MkdirTemp("", "spmdc-verify-")
	if err != nil {
		return nil, driver.Usagef("check the disk", "%v", err)
	}
	defer os.RemoveAll(dir)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	size := max(1, mostVariants/len(o.Plans))
	built := make(chan *lot)
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
			r.add(f)
		}
		r.Verified += l.count
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
	r := &RandomReport{RandomOptions: o, Totals: map[plan.Kind]*Counts{}, Faults: map[string]int{}}
	for _, k := range o.Plans {
		r.Totals[k] = &Counts{}
	}
	return r
}

// add notes a program that failed.
func (r *RandomReport) add(f *Failing) {
	r.Faults[faultName(f.Fault)]++
	if len(r.Failing) < mostFailing {
		r.Failing = append(r.Failing, *f)
	}
}

// progress tells how far a long run is.
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
	if p.Progress == nil || p.Verified == p.Programs || time.Since(p.last) < progressPeriod {
		return
	}
	p.last = time.Now()
	each := p.last.Sub(p.start) / time.Duration(p.Verified)
	faults := 0
	for _, n := range p.Faults {
		faults += n
	}
	left := (each * time.Duration(p.Programs-p.Verified)).Round(time.Minute)
	fmt.Fprintf(p.Progress, "spmdc: %d of %d programs, %d runs, %d failed; %.3f s each, %v left; next is --seed=%d\n",
		p.Verified, p.Programs, p.Runs, faults, each.Seconds(), left, p.Seed+uint64(p.Verified))
}

// Write writes the report: totals, and the programs that failed.
func (r *RandomReport) Write(w io.Writer) error {
	fmt.Fprintf(w, "%d random programs from seed %d on, on %s PEs, outputs compared with %s: %d runs\n", r.Verified, r.Seed,
		list(r.PEs), r.Reference, r.Runs)
	if r.Interrupted() {
		fmt.Fprintf(w, "  interrupted: --seed=%d --random=%d goes on\n", r.Seed+uint64(r.Verified), r.Programs-r.Verified)
	}
	for _, k := range r.Plans {
		if r.Checkpoints {
			break // there is nothing to count
		}
		c := r.Totals[k]
		fmt.Fprintf(w, "  %-9s  %d ready messages (%d of them redundant in their runs) for %d data messages; PEs held %d times\n", k, c.Ready, c.Redundant, c.Data, c.Held)
		if c.Runs > 0 {
			fmt.Fprintf(w, "             %s\n", c.Mutations)
		}
	}
	if r.Yardstick > 0 {
		for _, y := range []struct {
			what string
			plan.Yardstick
		}{{"number of PEs known", r.Known}, {"any number of PEs", r.Symbolic}} {
			fmt.Fprintf(w, "  %s: of the references safe on every sampled path %s;\n    of those that put into used slots %s\n", y.what, y.All(), y.Again())
		}
	}
	_, err := fmt.Fprintf(w, "%d violations, %d wrong outputs, %d hangs, %d missed by the checker, %d not compiled\n", r.Faults[Violation.String()], r.Faults[Wrong.String()],
		r.Faults[Hang.String()], r.Faults[Disagree.String()], r.Faults[notCompiled])
	for i, f := range r.Failing {
		fmt.Fprintf(w, "\nseed %d, %s on %d PEs: %v\n", f.Seed, f.Plan, f.PEs, f.Fault)
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
	all := 0
	for _, n := range r.Faults {
		all += n
	}
	if more := all - len(r.Failing); more > 0 {
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
