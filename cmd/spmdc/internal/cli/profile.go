package cli

import (
	"github.com/alecthomas/kong"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
)

// optionalFile is a flag that may have a file: --profile, or --profile=FILE.
type optionalFile struct {
	on   bool
	file string
}

// IsBool lets the flag stand without a value.
func (f *optionalFile) IsBool() bool { return true }

// Decode reads the value, if there is one.
func (f *optionalFile) Decode(ctx *kong.DecodeContext) error {
	f.on = true
	if t := ctx.Scan.Peek(); t.Type == kong.FlagValueToken {
		f.file, _ = ctx.Scan.Pop().Value.(string)
	}
	return nil
}

// measureFlags say what of a run is measured.
type measureFlags struct {
	Profile     optionalFile `placeholder:"FILE" help:"Print at the end where the time went, by regions of the source and by messages and waits; with =FILE write it to that file as JSON, for explain FILE cost."`
	Trace       string       `placeholder:"FILE" help:"Write what every PE did, and when, to FILE: for the command trace."`
	TraceMemory string       `placeholder:"MB" help:"With --trace: how much memory the events of a PE take at most; 64 MB is the default. When it is full, detail is left out."`
}

// on reports whether anything is measured.
func (f *measureFlags) on() bool { return f.Profile.on || f.Trace != "" || f.TraceMemory != "" }

// args are the same for the program.
func (f *measureFlags) args() (args []string) {
	switch {
	case f.Profile.file != "":
		args = append(args, "-profile="+f.Profile.file)
	case f.Profile.on:
		args = append(args, "-profile")
	}
	if f.Trace != "" {
		args = append(args, "-trace="+f.Trace)
	}
	if f.TraceMemory != "" {
		args = append(args, "-trace-memory="+f.TraceMemory)
	}
	return args
}

// regionsFlag makes a program that can measure itself.
type regionsFlag struct {
	Profile bool `help:"Make a program that can measure where its time goes: it takes -profile[=FILE] and -trace=FILE."`
}

// measured sets what a program that can measure itself is compiled with.
func measured(o *driver.Options) error {
	if o.Check {
		return driver.Usagef("leave out --check", "the checks of --check take most of the time that would be measured")
	}
	if o.Transport != driver.InProcess {
		return driver.Usagef("leave out --transport=mpi", "--profile and --trace measure the PEs of one process, and with --transport=mpi there are several")
	}
	o.Regions = true
	return nil
}
