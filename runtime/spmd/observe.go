package spmd

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spmdc/spmdc/runtime/outfile"
	"github.com/spmdc/spmdc/runtime/transport"
)

// Observer measures what the PEs of a run do. Programs that were compiled for that have one,
// that of package trace.
type Observer interface {
	// Flags defines the flags of the program that say what is measured.
	Flags(flags *flag.FlagSet)
	// Begin is called when the command line has been read, for a run of n PEs of which this process
	// has count from PE first on. It reports whether anything is to be measured. Its errors are
	// UsageErrors.
	Begin(p *Program, n, first, count int) (bool, error)
	// PE is called by each PE when it begins, and returns the transport that the PE uses
	// from then on. What it returns besides is called by the PE when it ends.
	PE(t transport.Transport) (transport.Transport, func())
	// Report is what the PEs of this process have measured, which Add takes in the process of PE 0.
	Report() ([]byte, error)
	Add(report []byte) error
	// End writes what was measured, in the process of PE 0. Its stats are those of the run, which took so long.
	End(stats *Stats, took time.Duration, stderr io.Writer) error
}

// observation is the observer of a program, as its flags say.
type observation struct {
	Observer
	on bool
	// lost: the run failed, so that nothing was written.
	lost bool
	// missed is a flag that was given to a program that cannot measure itself.
	missed string
}

func (o *observation) flags(p *Program, flags *flag.FlagSet) {
	if p.Observe != nil {
		o.Observer = p.Observe()
		o.Flags(flags)
		return
	}
	for _, name := range []string{"profile", "trace", "trace-memory", "trace-select", "trace-min", "trace-every", "trace-outliers", "trace-from-profile"} {
		flags.Var(&unobserved{o, name}, name, "")
	}
}

// unobserved is a flag of a program that cannot measure itself.
type unobserved struct {
	of   *observation
	name string
}

func (*unobserved) String() string     { return "" }
func (*unobserved) IsBoolFlag() bool   { return true }
func (u *unobserved) Set(string) error { u.of.missed = u.name; return nil }

// begin prepares the run of n PEs.
func (o *observation) begin(p *Program, n int) (err error) {
	if o.missed != "" {
		return &UsageError{"-" + o.missed + ": the program was built without regions to measure", "build it with spmdc build --profile, or use spmdc run --" + o.missed}
	}
	if o.Observer == nil {
		return nil
	}
	first, count := 0, n
	if p.process.machine != nil {
		first, count = p.process.first, p.process.count
	}
	if o.on, err = o.Begin(p, n, first, count); o.on {
		p.observer = o.Observer
	}
	return err
}

// end writes what was measured; begin is when the run began, err how it ended.
func (o *observation) end(stats *Stats, begin time.Time, stderr io.Writer, err error) error {
	if !o.on || stats == nil {
		o.lost = o.on && err != nil
		return err
	}
	if werr := o.End(stats, time.Since(begin), stderr); err == nil {
		return werr
	}
	return err
}

// explain says behind the errors of a run where what was measured is.
func (o *observation) explain(stderr io.Writer) {
	if o.lost {
		fmt.Fprintln(stderr, "  no profile and no trace is written: the run failed")
	}
}

// observe makes the observer see what a PE does until the function that it returns is called.
func (p *Program) observe(pe *PE) (end func()) {
	if p.observer == nil {
		return func() {}
	}
	pe.t, end = p.observer.PE(pe.t)
	pe.observed = pe.t
	pe.elisions, _ = pe.t.(elisions)
	return end
}

// elisions is what the transport of Observer.PE may be besides.
type elisions interface {
	// Elided is called where a barrier is left out.
	Elided(site int)
}

// Observed is the transport that Observer.PE has returned for the PE; nil where nothing is
// measured.
func (pe *PE) Observed() transport.Transport { return pe.observed }

// Usable reports, as a UsageError that names the flag, why a result that begins in the given
// way cannot be written to a file, or should not be.
func Usable(flagName, file, begins string) error {
	if folder := filepath.Dir(file); !isFolder(folder) {
		return &UsageError{"-" + flagName + "=" + file + ": there is no folder " + folder, "make it first, or name another file"}
	}
	if err := outfile.Check(file, begins); err != nil {
		return &UsageError{"-" + flagName + "=" + file + ": " + err.Error(), "name another file"}
	}
	return nil
}

// Written makes a failure to write a result an error of the run.
func Written(file, what string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{File: file, PE: -1, Msg: "cannot write " + what + " there: " + err.Error()}
}

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}
