package driver

import (
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/cfg/comm/choose"
	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/dataflow/placement"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/report"
	"github.com/spmdc/spmdc/internal/bundle"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/ir/transform"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/load"
	"github.com/spmdc/spmdc/parser/source"
	"github.com/spmdc/spmdc/procfunc"
)

// Options are what the user can choose about the emitted program.
type Options struct {
	Sync  plan.Kind // which synchronisation plan
	Check bool      // check bounds and undefined values at run time
	// Unsafe emits programs also of a plan that does not make them right.
	Unsafe bool

	Without []transform.Kind // source transformations to leave out
	// Block, above 0, is the number of iterations in the blocks of pipelines; below 0 each
	// PE sends when it has executed all. With 0 the program chooses when it runs.
	Block int
	// SlotsMemory is how many bytes the slots that plan elide adds may take on one
	// PE; 0 stands for search.DefaultMemory, less for none at all.
	SlotsMemory int64
	// PEs are the numbers of PEs for which plan elide makes proofs of their own. The
	// program runs on any other number too.
	PEs []int
	// BarrierThreshold is that of search.Options.
	BarrierThreshold float64
	// Strip is that of search.Options.
	Strip int
	// Target and FP are those of codegen.Options; "" stands for the first of each.
	Target kernel.Target
	FP     codegen.FP
	// Form is the source form, one of Forms; "": by the extension of each file. Define are
	// macros of the preprocessor, NAME or NAME=VALUE.
	Form   string
	Define []string
	// Regions makes a program that can measure where its time goes.
	Regions bool
	// Transport is what carries the messages. The code is the same for all.
	Transport Transport
}

// Compilation is one program on its way through the passes: what is known
// of it so far. A field is set by the pass that its comment names.
type Compilation struct {
	File     string // the source file as the user named it
	Text     []byte
	More     []load.Text // further files
	Options  Options
	Measured *choose.Measured // what a run counted, for stage cost; nil: nothing
	PEs      int              // stage mapping also shows what each of so many PEs owns; 0: not
	Color    bool             // texts of stages may have colours
	Hosts    placement.Hosts  // of stage placement; the zero value: none are given
	Brief    bool             // stage dataflow is the summary and the table
	Units    bool             // there need not be a main program: the file is only checked then
	Only     string           // stage dataflow is about a communication, "#4", or those of a line

	Diags     *source.List        // ast makes it; later passes add to it
	AST       *ast.File           // ast
	IR        *ir.Program         // ir; mapping completes it, transform puts another in its place
	Scalar    *scalar.Info        // scalar, then transform
	Transform *choose.Result      // transform
	Comm      *comm.Program       // comm
	Graph     *cfg.Graph          // cfg
	Functions *procfunc.Functions // procfunc
	Synch     *report.Analysis    // dataflow
	Plan      *plan.Plan          // plan
	Code      []byte              // code: main.go
	Kernels   map[string][]byte   // code: the other files of package main, by their names
	Loops     []codegen.Loop      // code: which innermost loops are kernels

	Timings []Timing

	program *load.Program // what Program has read
}

// New prepares the compilation of text.
func New(file string, text []byte, o Options) *Compilation {
	if o.Sync == "" {
		o.Sync = plan.Kinds[0]
	}
	if o.Target == "" {
		o.Target = kernel.Targets[0]
	}
	if o.FP == "" {
		o.FP = codegen.FPs[0]
	}
	return &Compilation{File: file, Text: text, Options: o}
}

// Emitted is the program as one text, as package bundle has it: main.go, and the other
// files behind it.
func (c *Compilation) Emitted() []byte {
	files := map[string][]byte{"main.go": c.Code}
	maps.Copy(files, c.Kernels)
	return bundle.Join(files)
}

// ReadMeasured reads what a run counted, for stage cost; "" names no file.
func (c *Compilation) ReadMeasured(file string) error {
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return Usagef("write it with run --profile="+file, "--measured=%s: cannot read the file: %v", file, cause(err))
	}
	if c.Measured, err = choose.ReadMeasured(text); err != nil {
		return Usagef("write one with run --profile=FILE", "--measured=%s: %v", file, err)
	}
	return nil
}

// ReportOptions say how Report writes diagnostics.
type ReportOptions struct {
	Color bool
	Quiet bool // no warnings
	JSON  bool // each as an object of JSON, on a line of its own
}

// Report writes the diagnostics, in source order.
func (c *Compilation) Report(w io.Writer, o ReportOptions) error {
	if c.Diags == nil || c.Diags.Len() == 0 {
		return nil
	}
	if o.Quiet {
		c.Diags.DropWarnings()
	}
	c.Diags.Sort()
	if o.JSON {
		return c.Diags.RenderJSON(w)
	}
	return c.Diags.Render(w, nil, o.Color)
}

// WriteTimings writes the table of --time-passes.
func (c *Compilation) WriteTimings(w io.Writer) {
	var run, check time.Duration
	fmt.Fprintf(w, "%-10s %10s %10s\n", "pass", "run", "check")
	line := func(name string, t Timing) {
		checked := ""
		if t.Check > 0 {
			checked = millis(t.Check)
		}
		fmt.Fprintf(w, "%-10s %10s %10s\n", name, millis(t.Run), checked)
	}
	for _, t := range c.Timings {
		line(t.Pass, t)
		run += t.Run
		check += t.Check
	}
	line("total", Timing{Run: run, Check: check})
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}

// Version describes this build of spmdc: its version, the commit that it was made of, and
// the Go release that built it.
func Version() string {
	version, commit := "development version", "commit not recorded"
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			version = v
		}
		commit = commitOf(info.Settings, commit)
	}
	return fmt.Sprintf("spmdc %s (%s, %s, %s/%s)", version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// commitOf is the commit that the Go command has noted in a program, if it has: go run
// notes none.
func commitOf(settings []debug.BuildSetting, otherwise string) string {
	commit, changed := otherwise, ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			commit = "commit " + s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = " with changes"
		}
	}
	return commit + changed
}
