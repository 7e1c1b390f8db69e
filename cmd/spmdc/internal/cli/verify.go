package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/verify"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/dataflow/plan"
)

type verifyCmd struct {
	File        string        `arg:"" optional:"" help:"Source file (.hpf, .f90, .f; see --form)."`
	More        []string      `arg:"" optional:"" help:"Further files of the program, in any order."`
	PEs         string        `name:"pes" short:"n" placeholder:"LIST" help:"Numbers of processing elements (PEs), as 1,2,5-8; the default is 1,2,3,4,8."`
	Random      int           `placeholder:"N" help:"Verify N random programs instead of a file."`
	Seed        *uint64       `placeholder:"S" help:"Seed of the first random program; the next have the next numbers. The default is 1, with --log the first that the log does not have."`
	Generator   string        `placeholder:"NAME" help:"Random programs of one kind: arrays, images (with coarrays), jumps, kernels, loops, planes, rounds or types (with procedures and recursion); the default is all, in turn. What they cover is counted."`
	Draw        bool          `default:"true" negatable:"" help:"How each random program is built, where flags do not say it, is drawn from its seed: plain or with checks, for which numbers of PEs, with which plans and options; --no-draw: as without such flags."`
	Log         string        `placeholder:"FILE" help:"Append what random programs have shown to FILE, go on behind the last seed in it, and print the sum of all; without --random print the sum alone."`
	Plain       bool          `help:"Verify plain builds by their output, instead of check builds."`
	Targets     string        `placeholder:"LIST" help:"Build plain programs for these targets of ${targets}, with commas between: all must print the same to the last digit."`
	Target      string        `placeholder:"TARGET" help:"Build for this target, as compile does."`
	FP          string        `name:"fp" placeholder:"MODE" help:"What kernels may do with floating-point operations, as for compile."`
	Prove       string        `placeholder:"LIST" help:"Numbers of PEs for which plans are made, as -n of compile; none: for any. The default is those that programs run on."`
	Sync        string        `placeholder:"PLAN" help:"Verify only this plan; the default is all of ${plans}."`
	Unsafe      bool          `help:"Allow --sync=popl96-literal, the analysis as printed in 1996."`
	Checkpoints bool          `help:"Stop runs behind checkpoints and let them go on from there, instead of holding PEs."`
	Limit       time.Duration `default:"2m" placeholder:"TIME" help:"How long one run may take, as 90s or 2m; the default is 2m."`
	Hold        int           `placeholder:"K" help:"How many PEs, picked by the seed, are held in turn in each run of a random program; all by default."`
	Mutations   int           `placeholder:"K" help:"After each run, run up to K mutations of it: what some communications bring comes without what their senders know; 0 is the default."`
	Precision   int           `aliases:"yardstick" placeholder:"RUNS" help:"Also measure, by so many sampled executions of each random program, how much of what could do without ready messages does so in plan elide."`
	Shrink      time.Duration `default:"1m" placeholder:"TIME" help:"How long to shrink a random program that fails; the default is 1m."`
	NoTransform string        `placeholder:"KINDS" help:"Leave out source transformations: some of ${kinds}, with commas between, or all."`

	SlotsMemory    string `placeholder:"MB" help:"How much memory the slots that --sync=elide adds may take on a PE, in MB; ${memory} is the default, 0 for none."`
	InsertBarriers string `aliases:"barrier-threshold" placeholder:"N" help:"Where --sync=elide leaves a nest of loops more than N ready messages, by estimate, a barrier is tried; ${barriers} is the default, none for no barriers."`
	Strip          string `placeholder:"N" help:"With --sync=elide fill temporaries in strips of N iterations of the loops that use them, where that can be done; none: not even where memory is short."`
	Block          string `placeholder:"N" help:"Pipelines send blocks of N iterations; none: each PE sends when it has executed all. Otherwise the program chooses when it runs, by what a message takes."`
	launchFlags
	sourceFlags
}

// Help says what is done.
func (*verifyCmd) Help() string {
	return `Each plan is built as a check build, with --verify-passes, and run on each number of PEs. The run checks every
message: what its sender knows must order it, whoever is fast (see --check). The program is then run once more for
each PE, which is held wherever data have arrived until no other PE can move: nothing may come meanwhile, and all
runs must print the same. What the first run did is recorded and replayed with other clocks, by other code, which
must find the same. The output is compared with that of gfortran's program, where there is one.

--mutations=K shows that the checker sees what it should: in K more runs what some communications and reductions
bring is delivered without what their senders know, which changes nothing else; the checker must then report exactly
the puts that a replay of the first run finds unordered without these messages. Each is taken alone first, if K is
enough for that, and then sets of them by chance.

A program with coarrays has no plan: the check build and one with the race detector are run, and print what OpenCoarrays'
program prints, where there is one, in any order of lines.

With --transport=mpi the PEs of each run are in processes that mpirun starts, as run does it: the checks run there
too, but no PE is held, and nothing is recorded.

Random programs get the same, each run of them in a process that serves many. --hold=K holds K of the PEs, and not
all, one after the other: that makes long campaigns shorter. The check by clocks needs no PE to be held. Their Go
code is compiled without inlining, which takes a fifth of the time, and gfortran's program without optimisation.
With --checkpoints runs take checkpoints, are stopped behind some of them, and go on from there: in parts they must
print what they print in one piece, and send the same messages. Random programs get calls of spmd_checkpoint at
random places.

With --precision the communications of each program are executed so often on each number of PEs, with other input and
other ways where conditions are not known. A reference is safe where none of its puts comes before other messages say
that the last use is over; it is elided where plan elide lets none of its puts wait, by proof where its
ready messages are not on demand. The first count is of pairs of reference and number of PEs, with the program compiled
for that number; the second of references, compiled for any.
After an interrupt, and in the lines of progress, stands the seed with which to go on; --log does so by itself.

How a random program is built is drawn from its seed too, as far as no flag says it: half are plain builds, which
are verified by their output alone; plans are made for the numbers of PEs that they run on, for other numbers, or for any;
there is plan elide, and another for some; --strip, --slots-memory, --insert-barriers, --fp and --no-transform have
many values, and a third of the plain builds is made for all targets, which must print the same to the last digit. A program that fails comes with the command that repeats it. --no-draw verifies all plans as check builds.`
}

// Run verifies; a violation makes the exit status 1.
func (cmd *verifyCmd) Run(env *Env, table *driver.Table, status *int) error {
	o, err := cmd.options()
	if err != nil {
		return err
	}
	o.Context = env.Context
	var text bytes.Buffer
	ok := false
	switch {
	case cmd.File == "" && cmd.Random == 0 && cmd.Log != "":
		log, err := verify.OpenLog(cmd.Log)
		if err != nil {
			return err
		}
		if ok = log.OK(); log.Next() == 1 {
			return driver.Usagef("name the file that --random=N --log=FILE has written", "there is nothing in the log %s", cmd.Log)
		}
		log.Write(&text)
	case (cmd.File == "") == (cmd.Random == 0):
		return driver.Usagef("`spmdc help verify` shows how it is used", "expected a file, or --random=N, and not both")
	case cmd.Random == 0 && (cmd.Hold != 0 || cmd.Precision != 0 || cmd.Seed != nil || cmd.Generator != "" || cmd.Log != "" || !cmd.Draw):
		return driver.Usagef("add --random=N instead of the file, or leave them out", "--seed, --generator, --log, --no-draw, --hold and --precision are for random programs")
	case o.Launch.Transport != driver.InProcess && (cmd.Mutations != 0 || cmd.Hold != 0 || cmd.Checkpoints):
		return driver.Usagef("leave it out, or the others", "--mutations, --hold and --checkpoints follow the PEs of one process, and with --transport=mpi there are several")
	case cmd.Plain && (cmd.Mutations != 0 || cmd.Checkpoints):
		return driver.Usagef("leave out --plain, or the others", "--mutations and --checkpoints need the checks that --plain leaves out")
	case cmd.Targets != "" && !cmd.Plain && cmd.Random == 0:
		return driver.Usagef("add --plain", "--targets compares plain builds: check builds are in Go alone")
	case cmd.Hold < 0 || cmd.Mutations < 0:
		return driver.Usagef("write for example --hold=2 --mutations=3", "--hold and --mutations: expected a number of at least 0")
	case cmd.Random < 0:
		return driver.Usagef("write for example --random=300", "--random=%d: expected a number of programs", cmd.Random)
	case cmd.Precision < 0:
		return driver.Usagef("write for example --precision=20", "--precision=%d: expected a number of executions", cmd.Precision)
	case cmd.Random > 0:
		if err := verify.CheckGenerator(cmd.Generator); err != nil {
			return err
		}
		random := verify.RandomOptions{Options: o, Programs: cmd.Random, Seed: 1, Generator: cmd.Generator, Draw: cmd.Draw, Shrink: cmd.Shrink, Hold: cmd.Hold, Precision: cmd.Precision, Progress: env.Stderr}
		if cmd.Log != "" {
			if random.Log, err = verify.OpenLog(cmd.Log); err != nil {
				return err
			}
			if random.Seed = random.Log.Next(); random.Seed > 1 && random.Log.Generator() != cmd.Generator {
				return driver.Usagef("name another log, or the generator of this one", "the log %s has programs of another generator", cmd.Log)
			}
		}
		if cmd.Seed != nil {
			random.Seed = *cmd.Seed
		}
		r, err := verify.Random(table, random)
		if err != nil {
			if r != nil && r.Tally.Programs > 0 {
				r.Write(env.Stdout)
			}
			return err
		}
		ok = r.OK()
		r.Write(&text)
		if random.Log != nil {
			fmt.Fprintln(&text)
			random.Log.Write(&text)
		}
		if f := driver.InterruptedBy(env.Context); f != nil && r.Interrupted() {
			*status = f.Status
		}
	default:
		flags := cmd.compileFlags()
		c, err := flags.open(append([]string{cmd.File}, cmd.More...), o.PEs)
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

func (cmd *verifyCmd) compileFlags() compileFlags {
	return compileFlags{Sync: cmd.Sync, Unsafe: cmd.Unsafe, NoTransform: cmd.NoTransform, SlotsMemory: cmd.SlotsMemory, InsertBarriers: cmd.InsertBarriers, Strip: cmd.Strip, Block: cmd.Block, Target: cmd.Target, FP: cmd.FP, sourceFlags: cmd.sourceFlags}
}

// options are what the flags say of how to verify, be it a file or random programs.
func (cmd *verifyCmd) options() (verify.Options, error) {
	o := verify.Options{Limit: cmd.Limit, Mutations: cmd.Mutations, Checkpoints: cmd.Checkpoints, Plain: cmd.Plain}
	var err error
	if o.Launch, err = cmd.launch(); err != nil {
		return o, err
	}
	if o.PEs, err = verify.ParsePEs(cmd.PEs); err != nil {
		return o, err
	}
	flags := cmd.compileFlags()
	if o.Compile, err = flags.options(); err != nil {
		return o, err
	}
	if cmd.Targets != "" {
		for name := range strings.SplitSeq(cmd.Targets, ",") {
			t := kernel.Target(strings.TrimSpace(name))
			if !slices.Contains(kernel.Targets, t) {
				return o, driver.Usagef("the targets are "+listed(kernel.Targets), "there is no target %q", t)
			}
			o.Targets = append(o.Targets, t)
		}
	}
	if cmd.Prove != "" {
		if o.Prove, err = provedPEs(cmd.Prove); err != nil {
			return o, err
		}
	}
	if kind := o.Compile.Sync; kind != "" {
		o.Plans = []plan.Kind{kind}
		if !kind.Sound() && !cmd.Unsafe {
			return o, driver.Usagef("add --unsafe to verify it all the same", "--sync=%s leaves out messages that a program may need to be right", kind)
		}
	}
	return o, nil
}

// provedPEs are the numbers of PEs that --prove gives.
func provedPEs(text string) ([]int, error) {
	if text == "none" {
		return []int{}, nil
	}
	return verify.ParsePEs(text)
}
