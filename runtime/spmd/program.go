package spmd

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/runtime/check"
	"github.com/spmdc/spmdc/runtime/transport"
)

// Site is a place of the source program at which PEs communicate. Error
// messages, deadlock reports and statistics name it.
type Site struct {
	ID        int // its index in Program.Sites
	Line, Col int
	Kind      string // shift, broadcast, reduction, ...
	Ref       string // the reference served, as written: u(i-1,j)
	Why       string // in check builds: what the plan does about ready messages, and its reason
	Call      int    // the call that executes it: its index in Program.Calls plus 1; 0: the main program
}

// Program describes an emitted program to the run-time library.
type Program struct {
	Name  string // of the PROGRAM statement
	File  string // the source file, for messages; panics are located by its base name
	Sites []Site
	Calls []Call // of programs with coarrays: the calls that lead to sites
	// Handshake makes every communication send ready messages, whatever the plan
	// says.
	Handshake bool
	Coarray   bool // images have control flow of their own, and communicate where the source says so
	Check     bool // fill arrays with the undefined value, check the plan's bookkeeping and the order of puts

	// Holds says where PEs stop for a while, to provoke puts that come too early,
	// Lates which messages arrive late. They have an effect with Check only.
	Holds *check.Holds
	Lates *check.Lates
	// Mute lists sites whose data are delivered without what their senders know:
	// what they alone would order is then reported. With Check only.
	Mute []int
	// Trace, if not nil, gets what all PEs did, as text, at the end. With Check only.
	Trace io.Writer

	// carrier puts a transport between a PE and its messages, for tests.
	carrier func(transport.Transport) transport.Transport
}

// mode is the mode of communications that the plan gives mode m.
func (p *Program) mode(m Mode) Mode {
	if p.Handshake {
		return Handshake
	}
	return m
}

// Exit statuses of an emitted program, apart from those that STOP sets.
const (
	exitOK    = 0
	exitFault = 1
	exitUsage = 2

	maxPEs = 4096
)

// Main is the main function of an emitted program: it reads the command line,
// runs body on every PE, and exits. Standard output is buffered and complete
// before any error message is written.
func Main(p Program, body func(*PE)) {
	os.Exit(run(p, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, body))
}

// run is Main without the process: it returns the exit status.
func run(p Program, args []string, stdin io.Reader, stdout, stderr io.Writer, body func(*PE)) int {
	flags := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	n := flags.Int("n", runtime.GOMAXPROCS(0), "number of processing elements")
	stats := flags.Bool("stats", false, "write a table of messages to standard error at the end")
	flags.BoolVar(&p.Handshake, "handshake", false, "send a ready message before every put, also where the plan leaves it out: for comparison")
	var holds check.Holds
	var lates check.Lates
	var trace string
	var freeze bool
	if p.Check && !p.Coarray {
		flags.Var(&holds, "hold", "for debugging, `PE,COMM,EPOCH`: the PE stops when communication COMM (1 is the first) has arrived\n"+
			"for the EPOCH-th time, until no other PE can move, but no longer than "+holdLimit.String()+": a put that nothing orders\n"+
			"after the use of that value then comes too early, and is reported. PE alone: it stops at every\n"+
			"arrival. random,SEED: PEs stop at places that the seed picks. May be given more than once")
		flags.Var(&lates, "late", "for debugging, `PE,COMM,EPOCH`: what the PE puts when communication COMM comes for the EPOCH-th\n"+
			"time arrives only when no PE can move, but no later than after "+holdLimit.String()+". May be given more than once")
		flags.Func("mute", "for debugging, `COMM`: what communication or reduction COMM brings comes without what its senders know.\n"+
			"The program does the same, but what only that communication orders is reported. May be given more than once", func(text string) error {
			site, err := strconv.Atoi(strings.TrimPrefix(text, "#"))
			if err != nil || site < 1 {
				return fmt.Errorf("%q is no communication: want a number from 1", text)
			}
			p.Mute = append(p.Mute, site-1)
			return nil
		})
		flags.StringVar(&trace, "trace", "", "write what every PE did to `FILE`")
		flags.BoolVar(&freeze, "freeze", false, "run the program once more for each PE, which stops wherever data have arrived until no other PE\n"+
			"can move (of many arrivals of one communication it takes some): nothing may come meanwhile, and all\n"+
			"runs must print the same")
		p.Holds, p.Lates = &holds, &lates
	}
	flags.Usage = func() {
		fmt.Fprintf(stderr, "usage: %s [-n P] [-stats] [-handshake]\nRuns the program of %s on P processing elements.\n", p.Name, p.File)
		flags.PrintDefaults()
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "%s: unexpected argument %q\n", p.Name, flags.Arg(0))
		return exitUsage
	case *n < 1 || *n > maxPEs:
		fmt.Fprintf(stderr, "%s: -n %d: the number of processing elements must be between 1 and %d\n", p.Name, *n, maxPEs)
		return exitUsage
	}
	if trace != "" {
		f, err := os.Create(trace)
		if err != nil {
			fmt.Fprintf(stderr, "%s: -trace: %v\n", p.Name, err)
			return exitUsage
		}
		defer f.Close() // Run has reported a failed write
		p.Trace = f
	}
	execute := Run
	if freeze {
		execute = frozen
	}
	counts, err := execute(p, *n, stdin, stdout, body)
	if *stats && counts != nil {
		w := bufio.NewWriter(stderr)
		counts.Table(w)
		if freeze {
			fmt.Fprintf(w, "PEs were held %d times\n", counts.Held)
		}
		w.Flush()
	}
	var stop *StopError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &stop):
		fmt.Fprintln(stderr, stop)
		return stop.Code & 0xff
	}
	fmt.Fprintln(stderr, err)
	return exitFault
}
