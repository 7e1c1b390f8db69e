package cli

import (
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/barriers"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/verify"
	"github.com/spmdc/spmdc/runtime/elide"
	"github.com/spmdc/spmdc/runtime/outfile"
)

// barrierFlags go on to the program that is run, which says what is wrong with them; the
// report is made here, of the program's log.
type barrierFlags struct {
	Barriers          string `placeholder:"off|learn|audit|plan:FILE" help:"Leave out barriers that order nothing: those found while the program runs, or those of a plan (with --sync=barrier); audit leaves out nothing and reports what could be; off is the default."`
	BarriersThreshold string `aliases:"elide-threshold" placeholder:"N" help:"With --barriers=learn: how often a barrier must order nothing to be left out; 10 is the default."`
	BarriersRelearn   bool   `aliases:"elide-relearn" help:"With --barriers=learn: a barrier that was needed once may be left out later."`
	BarriersBlacklist string `aliases:"elide-blacklist" placeholder:"FILE" help:"Keep barriers that were left out wrongly in this file, and do not leave them out again."`
	BarriersLog       string `aliases:"elide-log" placeholder:"FILE" help:"Write what became of each barrier, for spmdc barriers classify and report."`
	BarriersReport    string `aliases:"elide-report" placeholder:"FILE" help:"Write a report of the barriers: FILE.txt, FILE.json or FILE.html."`

	Elide      string `hidden:""` // as --barriers, in earlier versions: off, online, or the file of a plan
	ElideAudit bool   `hidden:""`
}

// wanted gives the flags of earlier versions their new form.
func (f *barrierFlags) wanted() error {
	old := ""
	switch f.Elide {
	case "":
	case "off":
		old = f.Elide
	case "online":
		old = "learn"
	default:
		old = "plan:" + f.Elide
	}
	if f.ElideAudit {
		if old != "" && old != "off" {
			return driver.Usagef("leave out one of the two", "--elide-audit leaves out no barrier, and --elide=%s does", f.Elide)
		}
		old = "audit"
	}
	switch {
	case old == "":
	case f.Barriers != "" && f.Barriers != old:
		return driver.Usagef("leave out --elide", "--barriers=%s and --elide=%s are two names of one flag", f.Barriers, f.Elide)
	default:
		f.Barriers = old
	}
	return nil
}

// args are the program's own flags. log is where its log goes, or "".
func (f *barrierFlags) args(log string) (args []string) {
	add := func(name, value string) {
		if value != "" {
			args = append(args, "-barriers"+name+"="+value)
		}
	}
	add("", f.Barriers)
	add("-threshold", f.BarriersThreshold)
	if f.BarriersRelearn {
		args = append(args, "-barriers-relearn")
	}
	add("-blacklist", f.BarriersBlacklist)
	add("-log", log)
	return args
}

// around runs a program with these flags by start, and makes the report of its log.
func (f *barrierFlags) around(env *Env, start func(args []string) error) error {
	if err := f.wanted(); err != nil {
		return err
	}
	if f.BarriersReport != "" {
		if _, err := barriers.FormatOf(f.BarriersReport); err != nil {
			return driver.Usagef("name another file", "--barriers-report=%s: %v", f.BarriersReport, err)
		}
	}
	shown := f.Barriers == "audit" && f.BarriersReport == "" && f.BarriersLog == ""
	if !shown && f.BarriersReport == "" {
		return start(f.args(f.BarriersLog))
	}
	dir, err := os.MkdirTemp("", "spmdc-run-")
	if err != nil {
		return driver.Usagef("check TMPDIR", "there is no place for the log: %v", err)
	}
	defer os.RemoveAll(dir)
	log := f.BarriersLog
	if log == "" {
		log = filepath.Join(dir, "log")
	}
	before, err := os.Stat(log)
	if err == nil && !before.Mode().IsRegular() {
		return driver.Usagef("name a file", "--barriers-log=%s: a report is made of the log, which therefore must be a file", log)
	}
	if err := start(f.args(log)); err != nil {
		return err
	}
	now, err := os.Stat(log)
	if err != nil || before != nil && os.SameFile(before, now) {
		return nil // the program has failed, and said why
	}
	l, err := barriers.ReadLog(log)
	if err != nil {
		return err
	}
	r := barriers.NewReport(l)
	if shown {
		return r.Write(env.Stderr, barriers.Text)
	}
	if err := r.WriteFile(f.BarriersReport); err != nil {
		return driver.Usagef("name another file", "--barriers-report=%s: %v", f.BarriersReport, err)
	}
	return nil
}

type barriersCmd struct {
	Train     trainCmd     `cmd:"" help:"Run a program and log which of its barriers order nothing."`
	Classify  classifyCmd  `cmd:"" help:"Make a plan of the logs: which barriers could be left out."`
	Validate  validateCmd  `cmd:"" help:"Test the candidates of a plan one by one, by a command of yours."`
	Threshold thresholdCmd `cmd:"" help:"Say what each threshold would have elided, and elided wrongly, in training runs."`
	Report    reportCmd    `cmd:"" help:"Make a report of a log: what became of the barriers, or could."`
}

type trainCmd struct {
	File   string   `arg:"" help:"Source file (.hpf, .f90, .f; see --form)."`
	Inputs []string `arg:"" optional:"" help:"Files for standard input: a run for each."`
	PEs    string   `name:"pes" short:"n" placeholder:"LIST" help:"Numbers of processing elements (PEs), as 1,2,5-8: a run for each; the default is the number of processors."`
	Output string   `short:"o" placeholder:"LOG" help:"The log; the default is the file's name with .blog."`
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
		out = driver.ProgramName(cmd.File) + ".blog"
	}
	if err := barriers.Written(out, outfile.Check(out, elide.LogWord)); err != nil {
		return err
	}
	program, err := cmd.program([]string{cmd.File}, nil, building{host: true}, env, table)
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
	return candidates(env, log)
}

// candidates shows what a plan of a log would elide.
func candidates(env *Env, log *elide.Log) error {
	return written(barriers.NewReport(log).WriteCandidates(env.Stdout))
}

type classifyCmd struct {
	Logs   []string `arg:"" help:"Logs that spmdc barriers train wrote."`
	Output string   `short:"o" required:"" placeholder:"PLAN" help:"The plan."`
	Accept bool     `help:"Elide the candidates without testing them: training may not have seen all that the program does."`
}

func (cmd *classifyCmd) Run(env *Env) error {
	logs, err := barriers.ReadLogs(cmd.Logs)
	if err != nil {
		return err
	}
	log, err := barriers.Merge(logs)
	if err != nil {
		return driver.Usagef("give each log once, all of one version of the program", "%v", err)
	}
	plan := barriers.Classify(log)
	if cmd.Accept {
		for i := range plan.Entries {
			plan.Entries[i].Verdict = elide.Elide
		}
	}
	if err := barriers.Written(cmd.Output, plan.WriteFile(cmd.Output)); err != nil {
		return err
	}
	return candidates(env, log)
}

type validateCmd struct {
	File   string        `arg:"" help:"Source file (.hpf, .f90, .f; see --form)."`
	Plan   string        `arg:"" help:"Plan with candidates, as spmdc barriers classify writes it."`
	Test   string        `required:"" placeholder:"CMD" help:"Shell command that runs $$PROGRAM by the plan $$PLAN, and succeeds if the results are right."`
	Output string        `short:"o" placeholder:"PLAN" help:"The plan with the verdicts; the default is the plan itself."`
	Limit  time.Duration `default:"10m" placeholder:"TIME" help:"How long one test may take, as 90s or 10m; the default is 10m."`
	compileFlags
}

func (cmd *validateCmd) Run(env *Env, table *driver.Table, status *int) error {
	program, err := cmd.program([]string{cmd.File}, nil, building{host: true}, env, table)
	if err != nil {
		return err
	}
	if program, err = filepath.Abs(program); err != nil {
		return err
	}
	return validate(env, cmd.Plan, cmd.Output, &barriers.Test{Command: cmd.Test, Program: program, Limit: cmd.Limit, Out: io.Discard})
}

// validate tests the candidates of the plan in a file; out is the file of the plan with the verdicts, "" the same.
func validate(env *Env, file, out string, test *barriers.Test) error {
	plan, err := barriers.ReadPlan(file)
	if err != nil {
		return err
	}
	if out == "" {
		out = file
	}
	if err := barriers.Written(out, outfile.Check(out, elide.PlanWord)); err != nil {
		return err
	}
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

type thresholdCmd struct {
	Logs []string `arg:"" help:"Logs that train wrote."`
}

func (cmd *thresholdCmd) Run(env *Env) error {
	logs, err := barriers.ReadLogs(cmd.Logs)
	if err != nil {
		return err
	}
	a, err := barriers.Advise(logs)
	if err != nil {
		return driver.Usagef("write logs with train", "%v", err)
	}
	return written(a.Write(env.Stdout))
}

type reportCmd struct {
	Log    string `arg:"" help:"Log that a run with --barriers-log, or spmdc barriers train, has written."`
	Output string `short:"o" placeholder:"FILE" help:"The report: FILE.txt, FILE.json or FILE.html; the default is text on standard output."`
}

func (cmd *reportCmd) Run(env *Env) error {
	log, err := barriers.ReadLog(cmd.Log)
	if err != nil {
		return err
	}
	r := barriers.NewReport(log)
	if cmd.Output == "" {
		return written(r.Write(env.Stdout, barriers.Text))
	}
	return barriers.Written(cmd.Output, r.WriteFile(cmd.Output))
}
