package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/bench"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/verify"
)

type benchCmd struct {
	files
	PEs       string        `name:"pes" short:"n" placeholder:"LIST" help:"Numbers of processing elements (PEs), and of threads or processes of peers, as 1,2,4; the default is 1,2."`
	Peer      string        `placeholder:"LIST" help:"What to compare with, with commas between: ${peers}, each also with -fast behind it, programs, and sources in Fortran; none. The default are those that there are."`
	Runs      int           `default:"7" placeholder:"N" help:"How often each program runs; 7 is the default."`
	Set       []string      `sep:"none" placeholder:"NAME=VALUE" help:"Give a PARAMETER of the source, and of its peers, another value; more than once for more of them."`
	Tolerance float64       `placeholder:"T" help:"How much double precision numbers that programs print may differ, relatively; 1e-10 is the default."`
	Limit     time.Duration `default:"10m" placeholder:"TIME" help:"How long one run may take, as 90s or 2m; the default is 10m."`
	Profile   bool          `help:"Time the program also while it writes a profile: what measuring costs."`
	Format    string        `default:"text" placeholder:"FORM" help:"text (the default), or json."`
	launchFlags
	compileFlags
}

// Help says what is done.
func (*benchCmd) Help() string {
	return `The program is built for each number of PEs, as run does it, and its peers with -O3 -march=native:

  gfortran  gfortran's program of the same source
  caf       that of OpenCoarrays, of a source with coarrays
  serial    a program written by hand, in the file NAME.serial.f90 beside NAME.hpf
  openmp    one with OpenMP, NAME.openmp.f90: on as many threads, bound to cores, which wait actively
  mpi       one with MPI, NAME.mpi.f90, built by mpifort and started by mpiexec

and gfortran-fast, serial-fast and so on with -ffast-math too. All print the same, or the command fails. Each runs once to warm
up, and then once in each round, in an order that changes at random. The table has the median of the times from the
start of a program to its end, half the distance of their quartiles, the best, and the medians of the ratios of times
that were taken in one round. A program that writes a line "seconds S" on standard error is taken at its word: mpiexec
takes longer to start than many programs to run. With --transport=mpi the program runs in one process, and in those that
mpirun starts, with --profile also while it measures itself, and the times are those from the first statement to the last. Standard input is read once and given to every run.

At the beginning of each round the time is taken that a word needs from one processor to another. It depends on
the processors that the system picks, and changes the ratios of programs that communicate often. A warning says how
busy others kept the machine meanwhile.`
}

// Run measures.
func (cmd *benchCmd) Run(env *Env, table *driver.Table) error {
	o := bench.Options{Runs: cmd.Runs, Tolerance: cmd.Tolerance, Limit: cmd.Limit, Profile: cmd.Profile, Context: env.Context}
	var err error
	switch {
	case cmd.Runs < 1:
		return driver.Usagef("write for example --runs=7", "--runs=%d: expected a number from 1", cmd.Runs)
	case cmd.Tolerance < 0 || cmd.Tolerance >= 1:
		return driver.Usagef("write for example --tolerance=1e-8", "--tolerance=%g: expected a number from 0 to 1", cmd.Tolerance)
	case cmd.Limit <= 0:
		return driver.Usagef("write for example --limit=5m", "--limit=%v: expected a time", cmd.Limit)
	case cmd.Format != "text" && cmd.Format != "json":
		return driver.Usagef("the forms are text and json", "there is no form %q", cmd.Format)
	case cmd.Check:
		return driver.Usagef("leave out --check", "--check: a check build says nothing about the time of a program")
	}
	if o.Launch, err = cmd.launch(); err != nil {
		return err
	}
	if cmd.PEs != "" {
		if o.PEs, err = verify.ParsePEs(cmd.PEs); err != nil {
			return err
		}
	}
	switch cmd.Peer {
	case "":
	case "none":
		o.Peers = []string{}
	default:
		for peer := range strings.SplitSeq(cmd.Peer, ",") {
			o.Peers = append(o.Peers, strings.TrimSpace(peer))
		}
	}
	if o.Set, err = settings(cmd.Set); err != nil {
		return err
	}
	c, err := cmd.open(cmd.all(), nil)
	if err != nil {
		return err
	}
	r, err := bench.Measure(table, c, env.Stdin, o)
	if err := cmd.finish(c, env, err); err != nil {
		return err
	}
	return writeReport(env, cmd.Format, r)
}

// settings are the values of PARAMETERs that --set gives.
func settings(texts []string) ([]bench.Setting, error) {
	var list []bench.Setting
	for _, text := range texts {
		s, err := bench.ParseSetting(text)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// writeReport writes a report to standard output, as a table or as JSON.
func writeReport(env *Env, format string, r interface{ Write(w io.Writer) }) error {
	var text bytes.Buffer
	if format == "json" {
		e := json.NewEncoder(&text)
		e.SetIndent("", "  ")
		if err := e.Encode(r); err != nil {
			return err
		}
	} else {
		r.Write(&text)
	}
	_, err := env.Stdout.Write(text.Bytes())
	return written(err)
}
