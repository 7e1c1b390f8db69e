package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/parser/source"
)

// Options say how to verify.
type Options struct {
	PEs   []int         // numbers of PEs, ascending
	Plans []plan.Kind   // some of plan.Kinds; nil: all, or drawn
	Limit time.Duration // of one run
	// Mutations is how many mutations there are at most of each run.
	Mutations int
	Compile   driver.Options
	// Prove are the numbers of PEs for which plans are made; nil: PEs.
	Prove []int
	// Plain verifies, instead of check builds, plain ones: by what they print.
	Plain bool
	// Targets are those that plain builds are made for, which must print the same to
	// the last digit; nil: the one of Compile alone.
	Targets []kernel.Target
	// Checkpoints verifies, instead of holding PEs, that runs which are stopped behind
	// checkpoints and go on from there are like those in one piece.
	Checkpoints bool
	// Launch is how programs are started. With MPI no PE is held, and nothing is recorded.
	Launch  driver.Launch
	Context context.Context // of driver.Interruptible; nil: nothing ends the runs
}

// DefaultPEs are the numbers of PEs where the user gives none.
var DefaultPEs = []int{1, 2, 3, 4, 8}

// ParsePEs reads a list of numbers of PEs, as 1,2,5-8.
func ParsePEs(text string) ([]int, error) {
	if text == "" {
		return DefaultPEs, nil
	}
	return ParsePEsTo(text, mostPEs)
}

// ParsePEsTo is ParsePEs with another greatest number.
func ParsePEsTo(text string, most int) ([]int, error) {
	var list []int
	for f := range strings.SplitSeq(text, ",") {
		first, last, span := strings.Cut(strings.TrimSpace(f), "-")
		if !span {
			last = first
		}
		lo, err := strconv.Atoi(strings.TrimSpace(first))
		hi, err2 := strconv.Atoi(strings.TrimSpace(last))
		if err != nil || err2 != nil || lo < 1 || hi < lo || hi > most {
			return nil, driver.Usagef("write for example -n 1,2,4 or -n 1-8", "-n %s: the numbers of PEs must be whole numbers from 1 to %d, or ranges of them, with commas between", text, most)
		}
		for n := lo; n <= hi; n++ {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// mostPEs is the greatest number of PEs of an emitted program.
const mostPEs = 4096

// Row is a line of the table: a way to build the program, on a number of PEs.
type Row struct {
	Way
	PEs int
	Counts
	Fault error // nil: all is right
}

// Report is what verifying a program has found.
type Report struct {
	File      string
	Reference string // what outputs were compared with
	Rows      []Row
	Images    []ImageRow // of a program with coarrays, which has no Rows
	Notes     []string
}

// OK reports whether nothing was wrong.
func (r *Report) OK() bool {
	return !slices.ContainsFunc(r.Rows, func(x Row) bool { return x.Fault != nil }) &&
		!slices.ContainsFunc(r.Images, func(x ImageRow) bool { return x.Fault != nil })
}

// File verifies one program: each plan on each number of PEs, as a check build with
// the freeze test, against gfortran's program if there is one, and else against the
// first run of plan handshake. stdin is read once, if the program reads, and given
// to every run. An error is one of the command, or of the program's text, which c
// then has diagnosed.
func File(table *driver.Table, c *driver.Compilation, stdin io.Reader, o Options) (*Report, error) {
	if err := table.Run(c, driver.RunOptions{StopAfter: "ir"}); err != nil {
		return nil, err
	}
	var input []byte
	if c.IR.Reads() && stdin != nil {
		var err error
		if input, err = io.ReadAll(stdin); err != nil {
			return nil, driver.Usagef("check where the input comes from", "cannot read standard input: %v", err)
		}
	}
	cache, err := driver.OpenCache()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "spmdc-verify-")
	if err != nil {
		return nil, driver.Usagef("check the disk", "%v", err)
	}
	defer os.RemoveAll(dir)
	b := driver.Builder{Table: table, Cache: cache, Host: true, Verify: true}
	r := &Report{File: c.File}
	if c.IR.SPMD {
		return r, r.images(b, dir, c, input, o)
	}
	want, err := r.reference(dir, c, input, o)
	if err != nil {
		return nil, err
	}
	if o.Plans == nil {
		o.Plans = plan.Kinds
	}
	digits := digits{}
	for _, way := range o.ways() {
		program, err := build(&b, c, o.compile(way))
		if err != nil {
			return nil, err
		}
		for _, n := range o.PEs {
			row := Row{Way: way, PEs: n}
			var got *Outcome
			if o.Checkpoints {
				row.Fault = restarts(untraced(o.Context, o.Limit, o.Launch, program, ""), dir, input, n, want, rand.New(rand.NewPCG(uint64(n), 2)), mostChains, false)
				if f := driver.InterruptedBy(o.Context); f != nil {
					return nil, f
				}
				r.Rows = append(r.Rows, row)
				continue
			}
			x := trial{run: alone(o.Context, dir, o.Limit, program), input: input, n: n, plain: o.unrecorded(), want: want, mutations: o.Mutations, random: rand.New(rand.NewPCG(0, uint64(n)))}
			if x.plain {
				x.run = untraced(o.Context, o.Limit, o.Launch, program, "")
			}
			row.Counts, got, row.Fault = x.check()
			if f := driver.InterruptedBy(o.Context); f != nil {
				return nil, f
			}
			if row.Fault == nil {
				row.Fault = digits.same(way, n, got)
			}
			if want == nil && row.Fault == nil {
				want, r.Reference = got, fmt.Sprintf("%s on %d PEs", way, n)
			}
			r.Rows = append(r.Rows, row)
		}
	}
	return r, nil
}

// unrecorded reports whether runs are verified by their output, and what they check themselves.
func (o *Options) unrecorded() bool { return o.Plain || o.Launch.Transport != driver.InProcess }

// mostChains is how many runs in parts there are of a program on a number of PEs.
const mostChains = 6

// compile is how the compiler is asked to build in a way.
func (o *Options) compile(way Way) driver.Options {
	own := o.Compile
	own.Sync, own.Check, own.PEs, own.Transport = way.Plan, !o.Plain, o.proved(), o.Launch.Transport
	if way.Target != "" {
		own.Target = way.Target
	}
	return own
}

// build builds a program once more, in another way.
func build(b *driver.Builder, c *driver.Compilation, o driver.Options) (string, error) {
	again := c.Again(o)
	program, err := b.Program(again)
	c.Diags = again.Diags
	return program, err
}

// reference runs gfortran's program; nil if there is none.
func (r *Report) reference(dir string, c *driver.Compilation, input []byte, o Options) (*Outcome, error) {
	sources, flags, err := c.WriteFortran(dir)
	if err != nil {
		return nil, err
	}
	program, err := gfortran(sources, filepath.Join(dir, "reference"), append(flags, "-O1")...)
	if err != nil {
		r.Notes = append(r.Notes, err.Error())
		return nil, nil
	}
	if program == "" {
		r.Notes = append(r.Notes, "gfortran is not installed: the plans are compared with each other")
		return nil, nil
	}
	want, err := execute(o.Context, o.Limit, input, program)
	if f := driver.InterruptedBy(o.Context); f != nil {
		return nil, f
	}
	if err != nil {
		r.Notes = append(r.Notes, fmt.Sprintf("gfortran's program: %v", err))
		return nil, nil
	}
	r.Reference = "gfortran"
	return want, nil
}

// Write writes the report: a table, and then each fault in full.
func (r *Report) Write(w io.Writer) error {
	for _, n := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", source.PrintableText(n))
	}
	if len(r.Images) > 0 {
		return r.writeImages(w)
	}
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "plan\tPEs\tdata\tready\tredundant\theld\t  result\n")
	bad := 0
	for _, x := range r.Rows {
		if x.Fault != nil {
			bad++
		}
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t  %s\n", x.Way, x.PEs, x.Data, x.Ready, x.Redundant, x.Held, result(x.Fault))
	}
	tw.Flush()
	for _, x := range r.Rows {
		if x.Fault != nil {
			fmt.Fprintf(w, "\n%s on %d PEs: %s\n", x.Way, x.PEs, x.Fault)
		}
	}
	return r.verdict(w, len(r.Rows), bad)
}

// result is what the table says of a run.
func result(fault error) string {
	var f *Fault
	switch {
	case fault == nil:
		return "ok"
	case errors.As(fault, &f):
		return f.Kind.String()
	}
	return "error"
}

// verdict writes the last line.
func (r *Report) verdict(w io.Writer, runs, bad int) error {
	verdict := fmt.Sprintf("%d runs, no violation", runs)
	if bad > 0 {
		verdict = fmt.Sprintf("%d of %d runs with a violation", bad, runs)
	}
	if r.Reference != "" {
		verdict += "; outputs compared with " + r.Reference
	}
	var all Counts
	for _, x := range r.Rows {
		all.add(x.Counts)
	}
	if all.Runs > 0 {
		verdict += "\n" + all.Mutations.String()
	}
	_, err := fmt.Fprintf(w, "\n%s: %s\n", source.Printable(filepath.Base(r.File)), verdict)
	return err
}

// writeImages is Write for a program with coarrays.
func (r *Report) writeImages(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "build\timages\t  result\n")
	bad := 0
	for _, x := range r.Images {
		if x.Fault != nil {
			bad++
		}
		fmt.Fprintf(tw, "%s\t%d\t  %s\n", x.Build, x.Images, result(x.Fault))
	}
	tw.Flush()
	for _, x := range r.Images {
		if x.Fault != nil {
			fmt.Fprintf(w, "\n%s on %d images: %s\n", x.Build, x.Images, x.Fault)
		}
	}
	return r.verdict(w, len(r.Images), bad)
}
