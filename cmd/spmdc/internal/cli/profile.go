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
	Profile          optionalFile `placeholder:"FILE" help:"Print at the end where the time went, by regions of the source and by messages and waits; with =FILE write it to that file as JSON, for explain FILE cost; with =:PORT answer requests on that port of 127.0.0.1 with how far the run is, as JSON. On a terminal it is shown how far the run is."`
	Trace            string       `placeholder:"FILE" help:"Write what every PE did, and when, to FILE: for the command trace."`
	TraceMemory      string       `placeholder:"MB" help:"With --trace: how much memory the events of a PE take at most; 64 MB is the default. When it is full, detail is left out."`
	TraceSelect      string       `placeholder:"WHAT" help:"With --trace: keep some events only: regions, messages, waits, depth=N, region=NAME with commas between; behind PEs and a colon for those only, as 0-3:regions,waits;depth=1."`
	TraceMin         string       `placeholder:"TIME" help:"With --trace: leave out regions that take less, such as 1us."`
	TraceEvery       string       `placeholder:"K" help:"With --trace: keep one in K iterations of the outermost loops in which PEs have to do with each other."`
	TraceOutliers    string       `placeholder:"S" help:"With --trace: keep those of these iterations only whose length differs from the mean of those before by more than S standard deviations, on all PEs the same."`
	TraceFromProfile string       `placeholder:"FILE" help:"With --trace: leave out regions that are short and frequent in a profile, which run --profile=FILE wrote."`
}

// on reports whether anything is measured.
func (f *measureFlags) on() bool { return f.Profile.on || f.Trace != "" || len(f.details()) > 0 }

// details are the flags of the program that say what of a trace is kept.
func (f *measureFlags) details() (args []string) {
	for _, x := range [][2]string{{"memory", f.TraceMemory}, {"select", f.TraceSelect}, {"min", f.TraceMin}, {"every", f.TraceEvery}, {"outliers", f.TraceOutliers}, {"from-profile", f.TraceFromProfile}} {
		if x[1] != "" {
			args = append(args, "-trace-"+x[0]+"="+x[1])
		}
	}
	return args
}

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
	return append(args, f.details()...)
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
	o.Regions = true
	return nil
}
