package cli

import (
	"bytes"
	"fmt"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/verify"
	"github.com/spmdc/spmdc/dataflow/plan"
)

type verifyCmd struct {
	File        string        `arg:"" optional:"" help:"Source file (.hpf, .f90, .F90, .f95)."`
	PEs         string        `name:"pes" short:"n" placeholder:"LIST" help:"Numbers of processing elements (PEs), as 1,2,5-8; the default is 1,2,3,4,8."`
	Random      int           `placeholder:"N" help:"Verify N random programs instead of a file."`
	Seed        uint64        `default:"1" help:"Seed of the first random program; the next have the next numbers."`
	Sync        string        `placeholder:"PLAN" help:"Verify only this plan; the default is all of ${plans}."`
	Unsafe      bool          `help:"Allow --sync=popl96-literal, the analysis as printed in 1996."`
	Limit       time.Duration `default:"2m" help:"How long one run may take."`
	Hold        int           `help:"How many PEs, picked by the seed, are held in turn in each run of a random program; 0: all."`
	Shrink      time.Duration `default:"1m" help:"How long to shrink a random program that fails."`
	NoTransform string        `placeholder:"KINDS" help:"Leave out source transformations: some of ${kinds}, with commas between, or all."`
}

// Help says what is done.
func (*verifyCmd) Help() string {
	return `Each plan is built as a check build, with --verify-passes, and run on each number of PEs. The run checks every
message: what its sender knows must order it, whoever is fast (see --check). The program is then run once more for
each PE, which is held wherever data have arrived until no other PE can move: nothing may come meanwhile, and all
runs must print the same. What the first run did is recorded and replayed with other clocks, by other code, which
must find the same. The output is compared with that of gfortran's program, where there is one.

A program with coarrays has no plan: the check build and one with the race detector are run, and print what OpenCoarrays'
program prints, where there is one, in any order of lines.

Random programs get the same, each run of them in a process that serves many. --hold=K holds K of the PEs, and not
all, one after the other: that makes long campaigns shorter. The check by clocks needs no PE to be held. Their Go
code is compiled without inlining, which takes a fifth of the time, and gfortran's program without optimisation.
After an interrupt, and in the lines of progress, stands the seed with which to go on.`
}

// Run verifies; a violation makes the exit status 1.
func (cmd *verifyCmd) Run(env *Env, table *driver.Table, status *int) error {
	counts, err := verify.ParsePEs(cmd.PEs)
	if err != nil {
		return err
	}
	flags := compileFlags{Sync: cmd.Sync, Unsafe: cmd.Unsafe, NoTransform: cmd.NoTransform}
	compile, err := flags.options()
	if err != nil {
		return err
	}
	compile.PEs = counts
	o := verify.Options{PEs: counts, Plans: plan.Kinds, Limit: cmd.Limit, Compile: compile}
	if compile.Sync != "" {
		o.Plans = []plan.Kind{compile.Sync}
		if !compile.Sync.Sound() && !cmd.Unsafe {
			return driver.Usagef("add --unsafe to verify it all the same", "--sync=%s leaves out messages that a program may need to be right", compile.Sync)
		}
	}
	var text bytes.Buffer
	ok := false
	switch {
	case (cmd.File == "") == (cmd.Random == 0):
		return driver.Usagef("`spmdc help verify` shows how it is used", "expected a file, or --random=N")
	case cmd.Random < 0:
		return driver.Usagef("write for example --random=300", "--random=%d: expected a number of programs", cmd.Random)
	case cmd.Random > 0:
		r, err := verify.Random(table, verify.RandomOptions{Options: o, Programs: cmd.Random, Seed: cmd.Seed, Shrink: cmd.Shrink, Hold: cmd.Hold, Progress: env.Stderr})
		if err != nil {
			return err
		}
		ok = r.OK()
		r.Write(&text)
	default:
		c, err := flags.open(cmd.File, counts)
		if err != nil {
			return err
		}
		r, err := verify.File(table, c, env.Stdin, o)
		if err := flags.finish(c, env, err); err != nil {
			return err
		}
		ok = r.OK()
		r.Write(&text)
	}
	if !ok {
		*status = driver.StatusProgram
	}
	_, err = fmt.Fprint(env.Stdout, text.String())
	return written(err)
}
