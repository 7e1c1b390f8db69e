package trace

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/spmdc/spmdc/runtime/outfile"
	"github.com/spmdc/spmdc/runtime/spmd"
	"github.com/spmdc/spmdc/runtime/trace/tracefile"
	"github.com/spmdc/spmdc/runtime/transport"
)

// observer is what measures a run.
type observer struct {
	regions []Region
	profile profileFlag
	trace   string // the file; "": none
	memory  int    // of the events of a PE, in MB

	program   *spmd.Program
	began     clock
	recorders []*Recorder
}

// New returns what Program.Observe wants, for a program with these regions. The first is the
// program itself.
func New(regions []Region) func() spmd.Observer {
	return func() spmd.Observer { return &observer{regions: regions} }
}

// profileFlag is -profile, or -profile=FILE.
type profileFlag struct {
	on   bool
	file string
}

func (f *profileFlag) String() string   { return "" }
func (f *profileFlag) IsBoolFlag() bool { return true }

func (f *profileFlag) Set(value string) error {
	f.on, f.file = value != "false", value
	if value == "true" || value == "false" {
		f.file = ""
	}
	return nil
}

func (o *observer) Flags(flags *flag.FlagSet) {
	flags.Var(&o.profile, "profile", "write at the end where the time went: a table to standard error, or with =`FILE` JSON to that file")
	flags.StringVar(&o.trace, "trace", "", "write at the end what every PE did, and when, to `FILE`: for spmdc trace")
	flags.IntVar(&o.memory, "trace-memory", defaultMemory, "with -trace: how much memory the events of a PE take at most, in `MB`; when it is full, detail is left out")
}

const defaultMemory, mostMemory = 64, 1 << 20

func (o *observer) Begin(p *spmd.Program, n int) (bool, error) {
	if !o.profile.on && o.trace == "" {
		if o.memory != defaultMemory {
			return false, &spmd.UsageError{Text: "-trace-memory is of use with -trace only", Hint: "add -trace=FILE, or leave it out"}
		}
		return false, nil
	}
	if o.memory < 1 || o.memory > mostMemory {
		return false, &spmd.UsageError{Text: fmt.Sprintf("-trace-memory=%d: the memory must be a whole number of MB from 1", o.memory), Hint: "write for example -trace-memory=16"}
	}
	if o.trace != "" {
		if err := spmd.Usable("trace", o.trace, tracefile.Word); err != nil {
			return false, err
		}
	}
	if o.profile.file != "" {
		if err := spmd.Usable("profile", o.profile.file, profileWord); err != nil {
			return false, err
		}
	}
	o.program, o.began, o.recorders = p, readClock(), make([]*Recorder, n)
	return true, nil
}

func (o *observer) PE(t transport.Transport) (transport.Transport, func()) {
	r := newRecorder(t, len(o.regions), len(o.program.Sites))
	if o.trace != "" {
		r.events = newBuffer(int64(o.memory) << 20)
	}
	o.recorders[t.PE()] = r
	if l, ok := t.(transport.Locker); ok {
		return &locking{r, l}, r.end
	}
	return r, r.end
}

func (o *observer) End(stats *spmd.Stats, took time.Duration, stderr io.Writer) error {
	p := &profile{Definitions: o.definitions(stats, took), regions: o.regions, stats: stats, recorders: o.recorders, tick: o.began.rate() / 1e9, took: took}
	if o.trace != "" {
		err := outfile.Write(o.trace, []string{tracefile.Word}, func(w io.Writer) error { return o.writeTrace(w, p) })
		if err != nil {
			return spmd.Written(o.trace, "the trace", err)
		}
	}
	switch {
	case !o.profile.on:
		return nil
	case o.profile.file == "":
		w := bufio.NewWriter(stderr)
		p.table(w)
		return spmd.Written("standard error", "the profile", w.Flush())
	}
	err := outfile.Write(o.profile.file, []string{profileWord}, func(w io.Writer) error {
		return stats.WriteJSON(w, o.program.Name, took, p)
	})
	return spmd.Written(o.profile.file, "the profile", err)
}

// definitions are what the numbers of regions and sites stand for.
func (o *observer) definitions(stats *spmd.Stats, took time.Duration) *tracefile.Definitions {
	d := &tracefile.Definitions{Program: o.program.Name, PEs: len(o.recorders), Seconds: took.Seconds(), Images: o.program.Coarray}
	for _, g := range o.regions {
		file, line := stats.Place(g.Line)
		_, last := stats.Place(g.Last)
		d.Regions = append(d.Regions, tracefile.RegionDef{Parent: g.Parent, Kind: g.Kind, Name: g.Name, File: file, Line: line, Last: last})
	}
	for i, s := range stats.Sites {
		file, line := stats.Place(s.Line)
		def := tracefile.SiteDef{File: file, Line: line, Kind: s.Kind, Reference: s.Ref}
		for _, counts := range stats.PEs {
			def.Counts = append(def.Counts, tracefile.Count(counts[i]))
		}
		d.Sites = append(d.Sites, def)
	}
	return d
}

// writeTrace writes the events of all PEs.
func (o *observer) writeTrace(w io.Writer, p *profile) error {
	for _, r := range p.recorders {
		p.Kept = append(p.Kept, r.events.kept())
	}
	b := bufio.NewWriterSize(w, 1<<16)
	t := tracefile.NewWriter(b, p.Definitions)
	for pe, r := range p.recorders {
		r.events.write(t, pe, o.began.ticks, p.tick*1e9)
	}
	if err := t.Close(); err != nil {
		return err
	}
	return b.Flush()
}
