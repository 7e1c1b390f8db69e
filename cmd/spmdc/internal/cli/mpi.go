package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/barriers"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/mpi"
	"github.com/spmdc/spmdc/runtime/elide"
	"github.com/spmdc/spmdc/runtime/outfile"
)

type mpiCmd struct {
	Audit     mpiAuditCmd    `cmd:"" help:"Run a program, elide nothing, and report which barriers order nothing."`
	Run       mpiRunCmd      `cmd:"" help:"Run a program and leave out barriers that order nothing: found while it runs, or by a plan."`
	Train     mpiTrainCmd    `cmd:"" help:"Run a program and log which of its barriers order nothing."`
	Classify  classifyCmd    `cmd:"" help:"Make a plan of the logs: which barriers could be left out."`
	Validate  mpiValidateCmd `cmd:"" help:"Test the candidates of a plan one by one, by a command of yours."`
	Threshold thresholdCmd   `cmd:"" help:"Say what each threshold would have elided, and elided wrongly, in training runs."`
	Report    reportCmd      `cmd:"" help:"Make a report of a log: what became of the barriers, or could."`
}

const mpiUsage = "write the command that starts the program behind --: spmdc mpi audit -- mpirun -n 2 ./prog args"

// runMPI runs the command behind -- and returns its log; nil if none is wanted, or if it has failed.
func runMPI(env *Env, o mpi.Options, out io.Writer, status *int) (*elide.Log, error) {
	if len(env.args) == 0 {
		return nil, driver.Usagef(mpiUsage, "there is no command")
	}
	cache, err := driver.OpenCache()
	if err != nil {
		return nil, err
	}
	step := func(string) {}
	if env.Progress {
		step = func(what string) { fmt.Fprintf(env.Stderr, "spmdc: %s\n", what) }
	}
	stdio := driver.Stdio{Out: out, Err: env.Stderr}
	if env.Stdin != nil {
		stdio.In = env.Stdin
	}
	log, failed, err := mpi.Run(env.args, o, cache, step, stdio)
	*status = failed
	return log, err
}

// reportFlags say where a report goes, and the log of which it is made.
type reportFlags struct {
	Report string `placeholder:"FILE" help:"Write a report of the barriers: FILE.txt, FILE.json or FILE.html."`
	Log    string `placeholder:"FILE" help:"Write what became of each barrier, for spmdc mpi classify and report."`
}

func (f *reportFlags) check() error {
	if f.Report != "" {
		if _, err := barriers.FormatOf(f.Report); err != nil {
			return driver.Usagef("name another file", "--report=%s: %v", f.Report, err)
		}
	}
	if f.Log != "" {
		if err := outfile.Check(f.Log, elide.LogWord); err != nil {
			return driver.Usagef("choose another file with --log", "%s: cannot write it: %v", f.Log, err)
		}
	}
	return nil
}

func (f *reportFlags) write(log *elide.Log) error {
	if f.Log != "" {
		if err := log.WriteFile(f.Log); err != nil {
			return driver.Usagef("choose another file with --log", "%s: cannot write it: %v", f.Log, err)
		}
	}
	if f.Report != "" {
		if err := barriers.NewReport(log).WriteFile(f.Report); err != nil {
			return driver.Usagef("name another file", "--report=%s: %v", f.Report, err)
		}
	}
	return nil
}

type mpiAuditCmd struct{ reportFlags }

func (cmd *mpiAuditCmd) Run(env *Env, status *int) error {
	if err := cmd.check(); err != nil {
		return err
	}
	log, err := runMPI(env, mpi.Options{Mode: elide.Audit}, env.Stdout, status)
	if log == nil {
		return err
	}
	if cmd.Report == "" && cmd.Log == "" {
		return barriers.NewReport(log).Write(env.Stderr, barriers.Text)
	}
	return cmd.write(log)
}

type mpiRunCmd struct {
	Threshold   int    `default:"10" placeholder:"N" help:"How often a barrier must order nothing to be left out; 10 is the default."`
	Relearn     bool   `help:"A barrier that was needed once may be left out later."`
	Plan        string `placeholder:"FILE" help:"Leave out what this plan says, and learn nothing."`
	Blacklist   string `placeholder:"FILE" help:"Keep barriers that were left out wrongly in this file, and do not leave them out again."`
	Unprotected bool   `name:"unsound-unprotected" hidden:"" help:"Do not see loads and stores in windows: wrong results, to show what page protection is for."`
	reportFlags
}

func (cmd *mpiRunCmd) Run(env *Env, status *int) error {
	if err := cmd.check(); err != nil {
		return err
	}
	o := mpi.Options{Mode: elide.Online, Threshold: cmd.Threshold, Plan: cmd.Plan, Blacklist: cmd.Blacklist, Silent: cmd.Report == "" && cmd.Log == "", Unprotected: cmd.Unprotected}
	switch {
	case cmd.Threshold < 1:
		return driver.Usagef("write a whole number from 1", "--threshold=%d", cmd.Threshold)
	case cmd.Plan != "":
		plan, err := barriers.ReadPlan(cmd.Plan)
		if err != nil {
			return err
		}
		if w := plan.Warning(cmd.Plan, "spmdc mpi"); w != "" {
			fmt.Fprintln(env.Stderr, w)
		}
		o.Mode = elide.ByPlan
	case cmd.Relearn:
		o.Relearn = cmd.Threshold
	}
	log, err := runMPI(env, o, env.Stdout, status)
	if log == nil {
		return err
	}
	return cmd.write(log)
}

type mpiTrainCmd struct {
	Output string `short:"o" required:"" placeholder:"LOG" help:"The log."`
}

func (cmd *mpiTrainCmd) Run(env *Env, status *int) error {
	if err := barriers.Written(cmd.Output, outfile.Check(cmd.Output, elide.LogWord)); err != nil {
		return err
	}
	log, err := runMPI(env, mpi.Options{Mode: elide.Audit}, env.Stdout, status)
	if log == nil {
		return err
	}
	if err := barriers.Written(cmd.Output, log.WriteFile(cmd.Output)); err != nil {
		return err
	}
	return written(barriers.NewReport(log).WriteCandidates(env.Stderr))
}

type mpiValidateCmd struct {
	Plan   string        `arg:"" help:"Plan with candidates, as spmdc mpi classify writes it."`
	Test   string        `required:"" placeholder:"CMD" help:"Shell command that succeeds if what the run has printed, in the file $$OUTPUT, is right."`
	Output string        `short:"o" placeholder:"PLAN" help:"The plan with the verdicts; the default is the plan itself."`
	Limit  time.Duration `default:"10m" placeholder:"TIME" help:"How long one test may take, as 90s or 10m; the default is 10m."`
}

func (cmd *mpiValidateCmd) Run(env *Env, status *int) error {
	if len(env.args) == 0 {
		return driver.Usagef(strings.Replace(mpiUsage, "audit", "validate PLAN --test=CMD", 1), "there is no command")
	}
	self, err := os.Executable()
	if err != nil {
		return driver.Usagef("check the installation of spmdc", "spmdc cannot find its own executable: %v", err)
	}
	run := `"$PROGRAM" mpi run --plan="$PLAN" --`
	for _, arg := range env.args {
		run += " '" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	return validate(env, cmd.Plan, cmd.Output, &barriers.Test{
		Command: `OUTPUT=$PLAN.out; export OUTPUT; ` + run + ` >"$OUTPUT" && { ` + cmd.Test + "\n}",
		Program: self, Limit: cmd.Limit, Out: io.Discard,
	})
}
