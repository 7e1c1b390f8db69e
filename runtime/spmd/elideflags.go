package spmd

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spmdc/spmdc/runtime/elide"
	"github.com/spmdc/spmdc/runtime/outfile"
)

// elideFlags are the flags of an emitted program that have to do with elision.
type elideFlags struct {
	mode      string
	threshold int
	audit     bool
	relearn   bool
	blacklist string
	log       string
	report    string
}

// define adds the flags.
func (f *elideFlags) define(flags *flag.FlagSet) {
	flags.StringVar(&f.mode, "elide", "off", "leave out barriers that order nothing: `off|online|FILE`. online learns which these are as the program\n"+
		"runs; FILE is a plan, as spmdc elide classify writes it")
	flags.IntVar(&f.threshold, "elide-threshold", elide.DefaultThreshold, "with -elide=online: how often a barrier must order nothing, one time after another, to be left out (`N`)")
	flags.BoolVar(&f.audit, "elide-audit", false, "leave out nothing, and report which barriers could be")
	flags.BoolVar(&f.relearn, "elide-relearn", false, "with -elide=online: a barrier that was needed once may be left out later")
	flags.StringVar(&f.blacklist, "elide-blacklist", "", "keep in `FILE` the barriers that were left out wrongly, and do not leave them out again")
	flags.StringVar(&f.log, "elide-log", "", "write what was seen of each barrier to `FILE`, for spmdc elide classify")
	flags.StringVar(&f.report, "elide-report", "", "write a report of the barriers to `FILE` at the end, as text, JSON or a page: .txt, .json or .html")
}

// wanted reports whether the barriers are to be looked at.
func (f *elideFlags) wanted() bool {
	return f.mode != "off" || f.audit || f.log != "" || f.report != ""
}

// elision is what the flags say; nil if all barriers are executed as they are.
func (f *elideFlags) elision(p *Program) (*Elision, error) {
	switch {
	case f.mode == "off" && !f.audit && (f.relearn || f.blacklist != "" || f.threshold != elide.DefaultThreshold):
		return nil, &UsageError{"-elide-threshold, -elide-relearn and -elide-blacklist are of use only where barriers are left out", "add -elide=online, or leave them out"}
	case !f.wanted():
		return nil, nil
	case p.Version == "":
		return nil, &UsageError{"the program has no barriers to leave out", "compile it with --sync=barrier, or run it without -elide flags"}
	case f.threshold < 1:
		return nil, &UsageError{fmt.Sprintf("-elide-threshold=%d: a barrier must be seen at least once", f.threshold), "write for example -elide-threshold=10"}
	case f.audit && f.mode != "off":
		return nil, &UsageError{"-elide-audit leaves out no barrier, and -elide=" + f.mode + " does", "leave out one of the two"}
	}
	if _, err := f.format(); err != nil {
		return nil, err
	}
	for _, out := range [][2]string{{"-elide-log", f.log}, {"-elide-report", f.report}, {"-elide-blacklist", f.blacklist}} {
		folder := filepath.Dir(out[1])
		if st, err := os.Stat(folder); out[1] != "" && (err != nil || !st.IsDir()) {
			return nil, &UsageError{out[0] + "=" + out[1] + ": there is no folder " + folder, "make it first, or name another file"}
		}
	}
	if err := outfile.Check(f.log, elide.LogWord); f.log != "" && err != nil {
		return nil, &UsageError{"-elide-log=" + f.log + ": " + err.Error(), "name another file"}
	}
	if err := elide.Writable(f.report); f.report != "" && err != nil {
		return nil, &UsageError{"-elide-report=" + f.report + ": " + err.Error(), "name another file"}
	}
	e := &Elision{Threshold: f.threshold, Blacklist: f.blacklist, Timed: f.report != "" || f.audit}
	if f.relearn {
		e.Relearn = f.threshold
	}
	switch f.mode {
	case "online":
		e.Mode = elide.Online
	case "off": // a log or a report is wanted
		e.Mode = elide.Audit
	case "":
		return nil, &UsageError{"-elide= says nothing", "write -elide=off, -elide=online, or -elide=FILE with a plan"}
	default:
		plan, err := elide.ReadPlanFile(f.mode)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &UsageError{"-elide=" + f.mode + ": there is no such file", "write -elide=off, -elide=online, or -elide=FILE with a plan"}
		}
		if err != nil {
			return nil, err
		}
		if err := plan.For(p.Version); err != nil {
			return nil, fmt.Errorf("%s: %w", f.mode, err)
		}
		// A plan without a program's name is for others too, of other contexts.
		if strange := plan.Strangers(newContexts(p).named()); plan.Program != "" && len(strange) > 0 {
			return nil, &UsageError{fmt.Sprintf("%s: no barrier of the program is in %v", f.mode, strange[0].Suffix), "name calls as spmdc elide classify does, or delete the line"}
		}
		e.Mode, e.Plan = elide.ByPlan, plan
	}
	if f.blacklist != "" {
		list, err := elide.ReadPlanFile(f.blacklist)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		default:
			if err := list.For(p.Version); err != nil {
				return nil, fmt.Errorf("%s: %w", f.blacklist, err)
			}
			e.forbidden = *list
		}
	}
	return e, nil
}

// format is the form of the report that its name asks for.
func (f *elideFlags) format() (elide.Format, error) {
	if f.report == "" {
		return elide.Text, nil
	}
	format := elide.Format(strings.TrimPrefix(filepath.Ext(f.report), "."))
	if format != elide.Text && format != elide.JSON && format != elide.HTML {
		return format, &UsageError{"-elide-report=" + f.report + ": the name does not tell the form of the report", "let it end in .txt, .json or .html"}
	}
	return format, nil
}

// written writes what the flags ask for at the end of a run.
func (f *elideFlags) written(s *Stats, stderr io.Writer) error {
	if f.log == "" && f.report == "" && !f.audit {
		return nil
	}
	r := s.Barriers()
	if f.log != "" {
		run := fmt.Sprintf("%s-%d", time.Now().UTC().Format("20060102-150405.000000"), os.Getpid())
		if err := r.Log(run).WriteFile(f.log); err != nil {
			return fmt.Errorf("-elide-log: %w", err)
		}
	}
	if f.report != "" {
		format, err := f.format()
		if err != nil {
			return err
		}
		if err := r.WriteFile(f.report, format); err != nil {
			return fmt.Errorf("-elide-report: %w", err)
		}
	}
	if f.audit && f.report == "" {
		var b bytes.Buffer
		if err := r.Write(&b, elide.Text); err != nil {
			return err
		}
		_, _ = stderr.Write(b.Bytes()) // there is nowhere else to say it
	}
	return nil
}

// remember notes the contexts of a misspeculation in the blacklist.
func (p *Program) remember(m *elide.Misspeculation, stderr io.Writer) {
	if p.Elide.Blacklist == "" {
		return
	}
	added, err := p.Forbid(m)
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "  the blacklist cannot be written: %v\n", err)
	case added > 0:
		fmt.Fprintf(stderr, "  %s: %d contexts added, which the next run with this file does not elide\n", p.Elide.Blacklist, added)
	}
}
