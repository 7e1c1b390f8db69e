package trace

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math"
	"regexp"
	"time"

	"github.com/spmdc/spmdc/runtime/outfile"
	"github.com/spmdc/spmdc/runtime/spmd"
	"github.com/spmdc/spmdc/runtime/trace/tracefile"
	"github.com/spmdc/spmdc/runtime/transport"
)

// observer is what measures a run.
type observer struct {
	regions  []Region
	profile  profileFlag
	trace    string // the file; "": none
	memory   int    // of the events of a PE, in MB
	selected selection
	filters  []filter // by PE
	in       [][]bool // by PE, see Recorder

	program   *spmd.Program
	began     clock
	recorders []*Recorder
	energy    *energy
	network   *network
	live      []live // by PE; nil: nobody looks
	address   string // of the server
	unwatch   func()
	apart     *apart // nil: this process has all PEs
}

// New returns what Program.Observe wants, for a program with these regions. The first is the
// program itself.
func New(regions []Region) func() spmd.Observer {
	return func() spmd.Observer { return &observer{regions: regions} }
}

// profileFlag is -profile, -profile=FILE, or -profile=:PORT.
type profileFlag struct {
	on   bool
	file string
	port string // with the colon
}

var isPort = regexp.MustCompile(`^:[0-9]+$`)

func (f *profileFlag) String() string   { return "" }
func (f *profileFlag) IsBoolFlag() bool { return true }

func (f *profileFlag) Set(value string) error {
	f.on, f.file = value != "false", value
	if value == "true" || value == "false" {
		f.file = ""
	}
	if f.port = ""; isPort.MatchString(value) {
		f.file, f.port = "", value
	}
	return nil
}

func (o *observer) Flags(flags *flag.FlagSet) {
	flags.Var(&o.profile, "profile", "write at the end where the time went: a table to standard error, or with =`FILE` JSON to that file; with =:PORT answer requests on that port of 127.0.0.1 with how far the run is")
	flags.StringVar(&o.trace, "trace", "", "write at the end what every PE did, and when, to `FILE`: for spmdc trace")
	flags.IntVar(&o.memory, "trace-memory", defaultMemory, "with -trace: how much memory the events of a PE take at most, in `MB`; when it is full, detail is left out")
	flags.StringVar(&o.selected.what, "trace-select", "", "with -trace: keep `WHAT` only, such as regions,waits or 0-3:regions,messages;depth=1")
	flags.DurationVar(&o.selected.least, "trace-min", 0, "with -trace: leave out regions that take less than `TIME`, such as 1us")
	flags.IntVar(&o.selected.every, "trace-every", 1, "with -trace: keep one in `K` iterations of the outermost loops")
	flags.Float64Var(&o.selected.outliers, "trace-outliers", 0, "with -trace: keep those iterations of the outermost loops whose length differs from the mean by more than `S` standard deviations")
	flags.StringVar(&o.selected.profile, "trace-from-profile", "", "with -trace: leave out regions that are short and frequent in the profile `FILE`")
}

const defaultMemory, mostMemory = 64, 1 << 20

func (o *observer) Begin(p *spmd.Program, n, first, count int) (on bool, err error) {
	if !o.profile.on && o.trace == "" {
		return false, o.unused()
	}
	if o.trace == "" {
		if err := o.unused(); err != nil {
			return false, err
		}
	}
	if o.memory < 1 || o.memory > mostMemory {
		return false, &spmd.UsageError{Text: fmt.Sprintf("-trace-memory=%d: the memory must be a whole number of MB from 1", o.memory), Hint: "write for example -trace-memory=16"}
	}
	if count < n {
		o.apart = &apart{first: first, count: count}
	}
	if o.trace != "" {
		if err := o.filter(n, first); err != nil {
			return false, err
		}
	}
	o.program, o.began, o.recorders, o.unwatch = p, readClock(), make([]*Recorder, n), func() {}
	if first == 0 { // what is seen, and what is written
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
		if o.unwatch, err = o.watch(count); err != nil {
			return false, err
		}
	}
	o.energy, o.network = openEnergy(powercap), openNetwork(interfaces)
	return true, nil
}

// unused is an error if there is a flag that is of use with -trace only.
func (o *observer) unused() error {
	for name, given := range map[string]bool{"memory": o.memory != defaultMemory, "select": o.selected.what != "", "min": o.selected.least != 0,
		"every": o.selected.every != 1, "outliers": o.selected.outliers != 0, "from-profile": o.selected.profile != ""} {
		if given {
			return &spmd.UsageError{Text: "-trace-" + name + " is of use with -trace only", Hint: "add -trace=FILE, or leave it out"}
		}
	}
	return nil
}

// filter makes the filters of n PEs, in the process whose first PE is given.
func (o *observer) filter(n, first int) (err error) {
	s := &o.selected
	wrong := func(flag string, value any, why, hint string) error {
		return &spmd.UsageError{Text: fmt.Sprintf("-trace-%s=%v: %s", flag, value, why), Hint: hint}
	}
	f := everything
	switch {
	case s.least < 0:
		return wrong("min", s.least, "the time must not be negative", "write for example -trace-min=1us")
	case s.every < 1:
		return wrong("every", s.every, "it must be a whole number from 1", "write for example -trace-every=100")
	case s.outliers < 0 || math.IsNaN(s.outliers):
		return wrong("outliers", s.outliers, "it must be a positive number", "write for example -trace-outliers=3")
	case s.outliers > 0 && s.every > 1:
		return &spmd.UsageError{Text: "-trace-every and -trace-outliers both choose iterations", Hint: "leave out one of them"}
	}
	if s.least > 0 {
		const calibration = 5 * time.Millisecond
		c := readClock()
		time.Sleep(calibration)
		f.least = int64(float64(s.least) / c.rate())
	}
	f.every, f.outliers = int64(s.every), s.outliers
	if f.outliers > 0 && o.apart == nil {
		f.verdicts = newVerdicts(n)
	}
	f.profiled = s.profile != ""
	if f.profiled && first == 0 { // the process of PE 0 has the file
		if f.skip, err = skipped(s.profile, o.regions); err != nil {
			return wrong("from-profile", s.profile, err.Error(), "write the profile with -profile=FILE, by the same program")
		}
	}
	o.filters, o.in = make([]filter, n), make([][]bool, n)
	for pe := range o.filters {
		o.filters[pe] = f
	}
	if s.what == "" {
		return nil
	}
	const hint = "write for example -trace-select=regions,waits or -trace-select='0-3:messages;region=39'"
	rules, err := parseRules(s.what, n)
	if err != nil {
		return wrong("select", s.what, err.Error(), hint)
	}
	for pe, r := range rules {
		o.filters[pe].rule = r
		if r.within == "" {
			continue
		}
		if o.in[pe], err = inside(r.within, o.regions); err != nil {
			return wrong("select", s.what, err.Error(), hint)
		}
	}
	return nil
}

func (o *observer) PE(t transport.Transport) (transport.Transport, func()) {
	r := newRecorder(t, len(o.regions), len(o.program.Sites))
	if o.trace != "" {
		r.events = newBuffer(int64(o.memory) << 20)
		r.filter, r.in = o.filters[t.PE()], o.in[t.PE()]
		if o.apart != nil && r.filter.outliers > 0 {
			r.filter.verdicts = newVerdicts(1)
			r.filter.verdicts.apart, r.agrees = true, !o.program.Coarray
		}
	}
	r.table, r.clock, r.apart = o.regions, o.began, o.apart
	if o.live != nil {
		r.live = &o.live[t.PE()]
	}
	o.recorders[t.PE()] = r
	if l, ok := t.(transport.Locker); ok {
		return &locking{r, l}, r.end
	}
	return r, r.end
}

func (o *observer) End(stats *spmd.Stats, took time.Duration, stderr io.Writer) error {
	if a := o.apart; a == nil {
		o.unwatch()
	} else {
		a.reports = append(a.reports, o.report())
	}
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
	d := &tracefile.Definitions{Program: o.program.Name, PEs: len(o.recorders), Seconds: took.Seconds(), Images: o.program.Coarray, Iterations: o.recorders[0].iterations}
	d.Energy, d.Network = o.used()
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

// used is what the machine used.
func (o *observer) used() (*tracefile.Energy, *tracefile.Network) {
	if o.apart != nil {
		return o.apart.energyOf(), o.apart.networkOf()
	}
	return o.energy.end(), o.network.end()
}

// writeTrace writes the events of all PEs.
func (o *observer) writeTrace(w io.Writer, p *profile) error {
	b := bufio.NewWriterSize(w, 1<<16)
	begin := func() *tracefile.Writer { return tracefile.NewWriter(b, p.Definitions) }
	write := o.writeOwn
	if o.apart != nil {
		write = o.writeReports
	}
	t, err := write(begin, p)
	if err == nil {
		err = t.Close()
	}
	if err != nil {
		return err
	}
	return b.Flush()
}

// writeOwn writes the events of the PEs of this process.
func (o *observer) writeOwn(newWriter func() *tracefile.Writer, p *profile) (*tracefile.Writer, error) {
	for _, r := range p.recorders {
		if v := r.filter.verdicts; v != nil {
			r.events.settle(v)
		}
		p.Kept = append(p.Kept, r.events.kept())
	}
	t := newWriter()
	for pe, r := range p.recorders {
		r.events.write(o.began.ticks, p.tick*1e9, func(level int, list []tracefile.Event) { t.Events(pe, level, list) })
	}
	return t, nil
}
