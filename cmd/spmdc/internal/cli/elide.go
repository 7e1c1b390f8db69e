package cli

import (
	"bytes"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/barriers"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/verify"
	"github.com/spmdc/spmdc/runtime/elide"
	"github.com/spmdc/spmdc/runtime/outfile"
)

// elideFlags go on to the program that is run, which says what is wrong with them.
type elideFlags struct {
	Elide          string `placeholder:"off|online|FILE" help:"Leave out barriers that order nothing: those found while the program runs, or those of a plan (with --sync=barrier); off is the default."`
	ElideThreshold string `placeholder:"N" help:"With --elide=online: how often a barrier must order nothing to be left out; 10 is the default."`
	ElideAudit     bool   `help:"Leave out nothing, and report which barriers could be."`
	ElideRelearn   bool   `help:"With --elide=online: a barrier that was needed once may be left out later."`
	ElideBlacklist string `placeholder:"FILE" help:"Keep barriers that were left out wrongly in this file, and do not leave them out again."`
	ElideLog       string `placeholder:"FILE" help:"Write what was seen of each barrier, for spmdc elide classify."`
	ElideReport    string `placeholder:"FILE" help:"Write a report of the barriers: FILE.txt, FILE.json or FILE.html."`
}

// args are the program's own flags.
func (f *elideFlags) args() (args []string) {
	add := func(name, value string) {
		if value != "" {
			args = append(args, "-"+name+"="+value)
		}
	}
	add("elide", f.Elide)
	add("elide-threshold", f.ElideThreshold)
	if f.ElideAudit {
		args = append(args, "-elide-audit")
	}
	if f.ElideRelearn {
		args = append(args, "-elide-relearn")
	}
	add("elide-blacklist", f.ElideBlacklist)
	add("elide-log", f.ElideLog)
	add("elide-report", f.ElideReport)
	return args
}

type elideCmd struct {
	Train    trainCmd    `cmd:"" help:"Run a program and log which of its barriers order nothing."`
	Classify classifyCmd `cmd:"" help:"Make a plan of the logs: which barriers could be left out."`
	Validate validateCmd `cmd:"" help:"Test the candidates of a plan one by one, by a command of yours."`
}

type trainCmd struct {
	File   string   `arg:"" help:"Source file (.hpf, .f90, .f; see --form)."`
	Inputs []string `arg:"" optional:"" help:"Files for standard input: a run for each."`
	PEs    string   `name:"pes" short:"n" placeholder:"LIST" help:"Numbers of processing elements (PEs), as 1,2,5-8: a run for each; the default is the number of processors."`
	Output string   `short:"o" placeholder:"LOG" help:"The log; the default is the file's name with .elog."`
	compileFlags
}

func (cmd *trainCmd) Run(env *Env, table *driver.Table, status *int) error {
	counts := []int{0}
	if cmd.PEs != "" {
		var err error
		if counts, err = verify.ParsePEs(cmd.PEs); err != nil {
			return err
		}
	}
	out := cmd.Output
	if out == "" {
		out = driver.ProgramName(cmd.File) + ".elog"
	}
	if err := barriers.Written(out, outfile.Check(out, elide.LogWord)); err != nil {
		return err
	}
	program, err := cmd.program([]string{cmd.File}, nil, false, true, env, table)
	if err != nil {
		return err
	}
	t := barriers.Training{Program: program, PEs: counts, Inputs: cmd.Inputs, Stderr: env.Stderr}
	if len(cmd.Inputs) == 0 && env.Stdin != nil {
		t.Stdin = env.Stdin
	}
	log, failed, err := t.Run()
	if *status = failed; err != nil || failed != 0 {
		return err
	}
	if err := barriers.Written(out, log.WriteFile(out)); err != nil {
		return err
	}
	return audit(env, log, elide.Classify(log))
}

// audit shows what a plan would elide.
func audit(env *Env, log *elide.Log, plan *elide.Plan) error {
	var b bytes.Buffer
	if err := elide.AuditReport(&b, log, plan); err != nil {
		return err
	}
	_, err := env.Stdout.Write(b.Bytes())
	return written(err)
}

type classifyCmd struct {
	Logs   []string `arg:"" help:"Logs that spmdc elide train wrote."`
	Output string   `short:"o" required:"" placeholder:"PLAN" help:"The plan."`
	Accept bool     `help:"Elide the candidates without testing them: training may not have seen all that the program does."`
}

func (cmd *classifyCmd) Run(env *Env) error {
	var logs []*elide.Log
	for _, name := range cmd.Logs {
		l, err := barriers.ReadLog(name)
		if err != nil {
			return err
		}
		logs = append(logs, l)
	}
	log, err := elide.Merge(logs)
	if err != nil {
		return driver.Usagef("give each log once, all of one version of the program", "%v", err)
	}
	plan := elide.Classify(log)
	if cmd.Accept {
		for i := range plan.Entries {
			plan.Entries[i].Verdict = elide.Elide
		}
	}
	if err := barriers.Written(cmd.Output, plan.WriteFile(cmd.Output)); err != nil {
		return err
	}
	return audit(env, log, plan)
}

type validateCmd struct {
	File   string        `arg:"" help:"Source file (.hpf, .f90, .f; see --form)."`
	Plan   string        `arg:"" help:"Plan with candidates, as spmdc elide classify writes it."`
	Test   string        `required:"" placeholder:"CMD" help:"Shell command that runs $$PROGRAM by the plan $$PLAN, and succeeds if the results are right."`
	Output string        `short:"o" placeholder:"PLAN" help:"The plan with the verdicts; the default is the plan itself."`
	Limit  time.Duration `default:"10m" placeholder:"TIME" help:"How long one test may take, as 90s or 10m; the default is 10m."`
	compileFlags
}

func (cmd *validateCmd) Run(env *Env, table *driver.Table, status *int) error {
	plan, err := barriers.ReadPlan(cmd.Plan)
	if err != nil {
		return err
	}
	out := cmd.Output
	if out == "" {
		out = cmd.Plan
	}
	if err := barriers.Written(out, outfile.Check(out, elide.PlanWord)); err != nil {
		return err
	}
	program, err := cmd.program([]string{cmd.File}, nil, false, true, env, table)
	if err != nil {
		return err
	}
	if program, err = filepath.Abs(program); err != nil {
		return err
	}
	test := &barriers.Test{Command: cmd.Test, Program: program, Limit: cmd.Limit, Out: io.Discard}
	judged, err := barriers.Validate(env.Context, plan, test, env.Stdout)
	interrupted := driver.InterruptedBy(env.Context)
	if err != nil && interrupted == nil {
		return err
	}
	if werr := barriers.Written(out, judged.WriteFile(out)); werr != nil {
		return werr
	}
	if interrupted != nil {
		interrupted.Text += "; " + out + " has the verdicts so far"
		return interrupted
	}
	return nil
}

// runArgs are the arguments of an emitted program.
func runArgs(n int, stats bool, f *elideFlags) []string {
	var args []string
	if n > 0 {
		args = append(args, "-n", strconv.Itoa(n))
	}
	if stats {
		args = append(args, "-stats")
	}
	return append(args, f.args()...)
}
