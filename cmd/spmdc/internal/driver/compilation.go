package driver

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/cfg/comm/choose"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/report"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/ir/transform"
	"github.com/spmdc/spmdc/parser/ast"
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
	// SlotsMemory is how many bytes the slots that plan elide adds may take on one
	// PE; 0 stands for plan.DefaultMemory, less for none at all.
	SlotsMemory int64
	// PEs are the numbers of PEs for which plan elide makes proofs of their own. The
	// program runs on any other number too.
	PEs []int
	// BarrierThreshold is that of plan.Options.
	BarrierThreshold float64
	// Strip is that of plan.Options.
	Strip int
}

// Compilation is one source file on its way through the passes: what is known
// of it so far. A field is set by the pass that its comment names.
type Compilation struct {
	File    string // the source file as the user named it
	Text    []byte
	Options Options
	PEs     int  // stage mapping also shows what each of so many PEs owns; 0: not
	Color   bool // texts of stages may have colours

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

	Timings []Timing
}

// New prepares the compilation of text.
func New(file string, text []byte, o Options) *Compilation {
	if o.Sync == "" {
		o.Sync = plan.Kinds[0]
	}
	return &Compilation{File: file, Text: text, Options: o}
}

// Report writes the diagnostics, in source order.
func (c *Compilation) Report(w io.Writer, color bool) error {
	if c.Diags == nil || c.Diags.Len() == 0 {
		return nil
	}
	c.Diags.Sort()
	return c.Diags.Render(w, nil, color)
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

// Version describes this build of spmdc: its version and the Go release that
// built it.
func Version() string {
	version := "development version"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	return fmt.Sprintf("spmdc %s (%s, %s/%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
