// Package barriers is the multi-pass way to a plan of barriers that need not be
// executed (Figure 3 of Chabbi et al., PPoPP 2015): training runs of a program are
// logged, the logs classified into candidates, and the candidates tested one by
// one. A Report shows a log. What a run does with barriers is the run-time library's
// business: its log says what became of them.
package barriers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/runtime/elide"
)

// Training is the runs of a program that are logged.
type Training struct {
	Program string
	PEs     []int     // one run for each; 0: as many as the program takes by itself
	Inputs  []string  // one run for each; none: standard input
	Stdin   io.Reader // read once, whatever the number of runs
	Stderr  io.Writer
}

// Run makes the runs and returns their logs as one. A run that fails has said why
// on Stderr: status is then its exit status, not 0.
func (t *Training) Run() (log *elide.Log, status int, err error) {
	dir, err := os.MkdirTemp("", "spmdc-train-")
	if err != nil {
		return nil, 0, driver.Usagef("check TMPDIR", "there is no place for the logs: %v", err)
	}
	defer os.RemoveAll(dir)
	var logs []*elide.Log
	inputs := t.Inputs
	var given []byte
	if len(inputs) == 0 {
		inputs = []string{""}
		if t.Stdin != nil {
			if given, err = io.ReadAll(t.Stdin); err != nil {
				return nil, 0, driver.Usagef("check where the input comes from", "cannot read standard input: %v", err)
			}
		}
	}
	for _, input := range inputs {
		text := given
		if input != "" {
			if text, err = os.ReadFile(input); err != nil {
				return nil, 0, driver.Usagef("name the files that the program is to read", "%v", err)
			}
		}
		for _, n := range t.PEs {
			file := filepath.Join(dir, "log")
			args := []string{"-barriers=audit", "-barriers-log", file}
			if n > 0 {
				args = append(args, "-n", fmt.Sprint(n))
			}
			status, err := driver.Start(t.Program, args, driver.Stdio{In: bytes.NewReader(text), Err: t.Stderr})
			if err != nil {
				return nil, 0, err
			}
			if status != 0 {
				if len(t.PEs)*len(inputs) > 1 {
					fmt.Fprintf(t.Stderr, "  in the run%s%s\n", within(" with -n %d", n), within(" on %s", input))
				}
				return nil, status, nil
			}
			l, err := ReadLog(file)
			if err != nil {
				return nil, 0, err
			}
			logs = append(logs, l)
		}
	}
	log, err = Merge(logs)
	if err != nil {
		return nil, 0, driver.Usagef("try again", "the logs do not fit together: %v", err)
	}
	return log, 0, nil
}

// within is a part of a sentence that is left out for a zero value.
func within[T comparable](format string, x T) string {
	var zero T
	if x == zero {
		return ""
	}
	return fmt.Sprintf(format, x)
}

// ReadLog reads the log in a file.
func ReadLog(name string) (*elide.Log, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, driver.Usagef("write logs with spmdc barriers train", "%v", err)
	}
	defer f.Close()
	l, err := ParseLog(name, f)
	if err != nil {
		return nil, driver.Usagef("write logs with spmdc barriers train", "%v", err)
	}
	return l, nil
}

// ReadLogs reads several logs.
func ReadLogs(names []string) (logs []*elide.Log, err error) {
	for _, name := range names {
		l, err := ReadLog(name)
		if err != nil {
			return nil, err
		}
		logs = append(logs, l)
	}
	return logs, nil
}

// ReadPlan reads the plan in a file.
func ReadPlan(name string) (*elide.Plan, error) {
	p, err := elide.ReadPlanFile(name)
	if err != nil {
		return nil, driver.Usagef("plans are written by spmdc barriers classify", "%v", err)
	}
	return p, nil
}

// Written words the error of writing the log or plan of -o.
func Written(name string, err error) error {
	if err == nil {
		return nil
	}
	return driver.Usagef("choose another file with -o", "%s: cannot write it: %v", name, err)
}

// Test is the command that decides whether a run by a plan is right.
type Test struct {
	Command string // for the shell; finds the program and the plan in $PROGRAM and $PLAN
	Program string
	Limit   time.Duration // 0: none
	Out     io.Writer     // what the command prints
}

// Run runs the command with a plan.
func (t *Test) Run(ctx context.Context, plan *elide.Plan) error {
	dir, err := os.MkdirTemp("", "spmdc-validate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "plan")
	if err := plan.WriteFile(file); err != nil {
		return err
	}
	if t.Limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, t.Limit, fmt.Errorf("it took longer than %v", t.Limit))
		defer stop()
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", t.Command)
	cmd.Env = append(os.Environ(), "PROGRAM="+t.Program, "PLAN="+file)
	cmd.Stdout, cmd.Stderr = t.Out, t.Out
	driver.Grouped(cmd)
	cmd.WaitDelay = time.Second
	err = driver.RunTied(cmd)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Validate tests the candidates of a plan, those with most barriers first, and says
// of each how that went. It returns the plan with its verdicts, also when ctx has
// ended it.
func Validate(ctx context.Context, plan *elide.Plan, t *Test, w io.Writer) (*elide.Plan, error) {
	begin := time.Now()
	judged, err := judge(ctx, plan, t.Run, func(trial Trial) {
		if trial.N == 0 {
			fmt.Fprintf(w, "without candidates: ok; %d to test\n", trial.Of)
			return
		}
		e := trial.Entry
		how := ""
		if trial.Err != nil {
			how = "  # " + strings.ReplaceAll(trial.Err.Error(), "\n", " ")
		}
		fmt.Fprintf(w, "%d/%d  %-6s  %d in %d: %v%s\n", trial.N, trial.Of, e.Verdict, e.Barriers, e.Contexts, e.Suffix, how)
	})
	if err == nil {
		fmt.Fprintf(w, "%.1f s\n", time.Since(begin).Seconds())
	} else if !errors.Is(err, context.Canceled) {
		err = driver.Usagef("let the command use $PROGRAM and $PLAN, for example --test='$PROGRAM -n 4 -barriers=plan:$PLAN < input | diff - expected'", "%v", err)
	}
	return judged, err
}
