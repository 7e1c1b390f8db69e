package trace

import (
	"bufio"
	"flag"
	"io"
	"time"

	"github.com/spmdc/spmdc/runtime/outfile"
	"github.com/spmdc/spmdc/runtime/spmd"
	"github.com/spmdc/spmdc/runtime/transport"
)

// observer is what measures a run.
type observer struct {
	regions []Region
	profile profileFlag

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
}

func (o *observer) Begin(p *spmd.Program, n int) (bool, error) {
	if !o.profile.on {
		return false, nil
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
	o.recorders[t.PE()] = r
	if l, ok := t.(transport.Locker); ok {
		return &locking{r, l}, r.end
	}
	return r, r.end
}

func (o *observer) End(stats *spmd.Stats, took time.Duration, stderr io.Writer) error {
	p := &profile{regions: o.regions, stats: stats, recorders: o.recorders, tick: o.began.rate() / 1e9, took: took}
	if o.profile.file == "" {
		w := bufio.NewWriter(stderr)
		p.table(w)
		return spmd.Written("standard error", "the profile", w.Flush())
	}
	err := outfile.Write(o.profile.file, []string{profileWord}, func(w io.Writer) error {
		return stats.WriteJSON(w, o.program.Name, took, p)
	})
	return spmd.Written(o.profile.file, "the profile", err)
}
