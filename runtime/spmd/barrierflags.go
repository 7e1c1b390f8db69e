package spmd

import (
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

// barrierFlags are the flags of an emitted program that have to do with barriers that it
// learns to leave out.
type barrierFlags struct {
	mode      string
	threshold int
	relearn   bool
	blacklist string
	log       string
	report    string
}

const barrierModes = "off, learn, audit, or plan:FILE"

// define adds the flags. Those without a text are names that earlier versions had, which
// the help does not show.
func (f *barrierFlags) define(flags *flag.FlagSet) {
	flags.StringVar(&f.mode, "barriers", "off", "leave out barriers that order nothing: `off|learn|audit|plan:FILE`. learn finds out which these are as the\n"+
		"program runs; audit leaves out none and logs which could be; FILE is a plan, as spmdc barriers classify writes it")
	flags.IntVar(&f.threshold, "barriers-threshold", elide.DefaultThreshold, "with -barriers=learn: how often a barrier must order nothing, one time after another, to be left out (`N`)")
	flags.BoolVar(&f.relearn, "barriers-relearn", false, "with -barriers=learn: a barrier that was needed once may be left out later")
	flags.StringVar(&f.blacklist, "barriers-blacklist", "", "keep in `FILE` the barriers that were left out wrongly, and do not leave them out again")
	flags.StringVar(&f.log, "barriers-log", "", "write what became of each barrier to `FILE`, for spmdc barriers classify and report")
	flags.StringVar(&f.report, "barriers-report", "", "") // of the command alone

	for _, name := range []string{"threshold", "relearn", "blacklist", "log", "report"} {
		flags.Var(flags.Lookup("barriers-"+name).Value, "elide-"+name, "")
	}
	flags.Func("elide", "", func(value string) error {
		switch value {
		case "off":
			f.mode = value
		case "online":
			f.mode = "learn"
		default:
			f.mode = "plan:" + value
		}
		return nil
	})
	flags.BoolFunc("elide-audit", "", func(string) error {
		f.mode = "audit"
		return nil
	})
}

// printDefaults prints the flags that have a text.
func printDefaults(flags *flag.FlagSet, w io.Writer) {
	shown := flag.NewFlagSet("", flag.ContinueOnError)
	shown.SetOutput(w)
	flags.VisitAll(func(f *flag.Flag) {
		if f.Usage != "" {
			shown.Var(f.Value, f.Name, f.Usage)
			shown.Lookup(f.Name).DefValue = f.DefValue
		}
	})
	shown.PrintDefaults()
}

// elision is what the flags say; nil if all barriers are executed as they are.
func (f *barrierFlags) elision(p *Program) (*Elision, error) {
	leavesOut := f.mode != "off" && f.mode != "audit"
	switch {
	case f.report != "":
		return nil, &UsageError{"-barriers-report=" + f.report + ": a program writes no reports", "write a log with -barriers-log=FILE, and make a report of it: spmdc barriers report FILE -o REPORT"}
	case !leavesOut && (f.relearn || f.blacklist != "" || f.threshold != elide.DefaultThreshold):
		return nil, &UsageError{"-barriers-threshold, -barriers-relearn and -barriers-blacklist are of use only where barriers are left out", "add -barriers=learn, or leave them out"}
	case f.mode == "off" && f.log == "":
		return nil, nil
	case p.Version == "":
		return nil, &UsageError{"the program has no barriers to leave out", "compile it with --sync=barrier, or run it without -barriers flags"}
	case f.threshold < 1:
		return nil, &UsageError{fmt.Sprintf("-barriers-threshold=%d: a barrier must be seen at least once", f.threshold), "write for example -barriers-threshold=10"}
	case f.mode == "audit" && f.log == "":
		return nil, &UsageError{"-barriers=audit leaves out nothing, and there is no log", "add -barriers-log=FILE; spmdc barriers report FILE shows it"}
	}
	e := &Elision{Threshold: f.threshold, Blacklist: f.blacklist, Timed: f.log != ""}
	if f.relearn {
		e.Relearn = f.threshold
	}
	file, byPlan := strings.CutPrefix(f.mode, "plan:")
	switch {
	case f.mode == "learn":
		e.Mode = elide.Online
	case !leavesOut:
		e.Mode = elide.Audit
	case !byPlan:
		return nil, &UsageError{"-barriers=" + f.mode + " is not known", "write " + barrierModes}
	default:
		e.Mode = elide.ByPlan
	}
	if p.process.rank != 0 {
		return e, nil // PE 0 has the files, see sharedPlan
	}
	for _, out := range [][2]string{{"-barriers-log", f.log}, {"-barriers-blacklist", f.blacklist}} {
		folder := filepath.Dir(out[1])
		if out[1] != "" && !isFolder(folder) {
			return nil, &UsageError{out[0] + "=" + out[1] + ": there is no folder " + folder, "make it first, or name another file"}
		}
	}
	if err := outfile.Check(f.log, elide.LogWord); f.log != "" && err != nil {
		return nil, &UsageError{"-barriers-log=" + f.log + ": " + err.Error(), "name another file"}
	}
	if byPlan {
		plan, err := elide.ReadPlanFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &UsageError{"-barriers=" + f.mode + ": there is no such file", "write " + barrierModes}
		}
		if err != nil {
			return nil, err
		}
		if err := plan.For(p.Version); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		// A plan without a program's name is for others too, of other contexts.
		if strange := plan.Strangers(newContexts(p).named()); plan.Program != "" && len(strange) > 0 {
			return nil, &UsageError{fmt.Sprintf("%s: no barrier of the program is in %v", file, strange[0].Suffix), "name calls as spmdc barriers classify does, or delete the line"}
		}
		if w := plan.Warning(file, "spmdc barriers"); w != "" {
			fmt.Fprintln(os.Stderr, w)
		}
		e.Plan = plan
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

// written writes the log at the end of a run.
func (f *barrierFlags) written(s *Stats) error {
	if f.log == "" {
		return nil
	}
	log := s.Barriers()
	log.Run = fmt.Sprintf("%s-%d", time.Now().UTC().Format("20060102-150405.000000"), os.Getpid())
	if err := log.WriteFile(f.log); err != nil {
		return fmt.Errorf("-barriers-log: %w", err)
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
