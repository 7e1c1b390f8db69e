package spmd

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/spmdc/spmdc/runtime/check"
	"github.com/spmdc/spmdc/runtime/outfile"
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
	Pinned    bool   // a barrier on which a proof rests: it is never elided
	Call      int    // the call that executes it: its index in Program.Calls plus 1; 0: the main program
}

// File is a source file of a program of several, as messages name it. Its lines have
// the numbers from Before + 1 on in sites.
type File struct {
	Name   string
	Before int
}

// Place is the file in which the line of a site stands, and the number of the line there.
func (p *Program) Place(line int) (string, int) {
	for i := len(p.Files) - 1; i >= 0; i-- {
		if f := p.Files[i]; line > f.Before {
			return f.Name, line - f.Before
		}
	}
	return p.File, line
}

// line is a line of a site in text: its number, and the file if it is not the first.
func (p *Program) line(n int) string {
	file, line := p.Place(n)
	if line == n {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d of %s", line, file)
}

// Program describes an emitted program to the run-time library.
type Program struct {
	Name  string // of the PROGRAM statement
	File  string // the source file, for messages; panics are located by its base name
	Files []File // further source files, in order of Before
	Sites []Site
	Calls []Call // the calls that lead to sites that have barriers
	// NewFiles makes the units that are connected to files, of PE 0 or of an image: nil in
	// programs that use none.
	NewFiles func() Files
	// Shell executes a command of execute_command_line, see package shell: nil in programs that
	// have none.
	Shell func(command string, wait bool, stdout, stderr io.Writer) (code int, err error)
	// Arguments: the program asks for the arguments of its command line.
	Arguments bool
	// Version names what calling contexts depend on: the source and the barriers in
	// it. Plans and logs of another version are refused. It is empty in programs
	// without barriers.
	Version string
	// Elide, if not nil, says which barriers a run leaves out.
	Elide *Elision
	// Handshake makes every communication send ready messages, whatever the plan
	// says.
	Handshake bool
	Fails     bool // an image may execute FAIL IMAGE
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

	process process // of a run in which each PE is one

	args   []string  // of the command line, for the program
	stderr io.Writer // where the program writes errors; nil: that of the process
	freeze *freeze   // the freeze test, nil for none

	// Identity is what the program is known by in its checkpoints: a hash of its
	// text. It is empty if the program takes none.
	Identity string

	keeper *keeper // of checkpoints; nil: none are taken

	// Observe makes what measures the run, if its flags ask for that; nil in programs that
	// were not compiled for it.
	Observe  func() Observer
	observer Observer // nil: nothing is measured

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
	// A barrier was left out that was needed: what has been printed may be wrong.
	exitMisspeculation = 4

	maxPEs = 4096
)

// Main is the main function of an emitted program: it reads the command line,
// runs body on every PE, and exits. Standard output is buffered and complete
// before any error message is written.
func Main(p Program, body func(*PE)) {
	collectLater()
	os.Exit(execute(p, os.Args[1:], body))
}

// execute runs a program on the streams of this process, and on the machine that there is, and
// returns the exit status.
func execute(p Program, args []string, body func(*PE)) int {
	if m := transport.Machine; m != nil {
		return apart(p, m, args, os.Stdin, os.Stdout, os.Stderr, body)
	}
	return run(p, args, os.Stdin, os.Stdout, os.Stderr, body)
}

// run is Main without the process: it returns the exit status.
func run(p Program, args []string, stdin io.Reader, stdout, stderr io.Writer, body func(*PE)) int {
	flags := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are told below, in one line
	usual := runtime.GOMAXPROCS(0)
	if p.process.machine != nil {
		usual = p.process.ranks
	}
	n := flags.Int("n", usual, "number of processing elements")
	stats := flags.Bool("stats", false, "write a table of messages to standard error at the end")
	statsFile := flags.String("stats-json", "", "write the table of messages to this `file`, as JSON")
	flags.BoolVar(&p.Handshake, "handshake", p.Handshake, "send a ready message before every put, also where the plan leaves it out: for comparison")
	var points checkpointing
	points.flags(flags)
	var elision barrierFlags
	elision.define(flags)
	var observed observation
	observed.flags(&p, flags)
	var asked provoke
	if p.Check && !p.Coarray {
		asked.define(flags)
	}
	err := flags.Parse(args)
	points.preset(flags, n)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(stderr, "usage: %s [-n P] [-stats] [-handshake]\nRuns the program of %s on P processing elements.\n", p.Name, p.File)
		printDefaults(flags, stderr)
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v\n  %s -help lists the flags\n", p.Name, err, p.Name)
		return exitUsage
	case flags.NArg() > 0 && !p.Arguments:
		fmt.Fprintf(stderr, "%s: unexpected argument %q\n", p.Name, flags.Arg(0))
		return exitUsage
	case *n >= 1 && *n < p.process.ranks:
		fmt.Fprintf(stderr, "%s: -n %d: %d processes have been started, and each has a processing element at least\n  leave out -n, or start no more than as many\n", p.Name, *n, usual)
		return exitUsage
	case *n < 1 || *n > maxPEs:
		fmt.Fprintf(stderr, "%s: -n %d: the number of processing elements must be between 1 and %d\n", p.Name, *n, maxPEs)
		return exitUsage
	}
	misused := func(err error) int {
		fmt.Fprintf(stderr, "%s: %v\n", p.Name, err)
		return exitUsage
	}
	if p.process.rank != 0 {
		*statsFile, points.output = "", ""
	}
	if p.process.machine != nil {
		if err := p.process.join(*n, p.Check && !p.Coarray); err != nil {
			fmt.Fprintf(stderr, "%s: %v\n", p.Name, err)
			return exitFault
		}
	}
	if err := p.unsuited(&points, &asked); err != nil {
		return misused(err)
	}
	if *statsFile != "" {
		if err := Usable("stats-json", *statsFile, statsWord); err != nil {
			return misused(err)
		}
	}
	if err := observed.begin(&p, *n); err != nil {
		return misused(err)
	}
	if p.Elide, err = elision.elision(&p); err != nil {
		return misused(err)
	}
	if p.Check {
		if err := asked.apply(&p, *n); err != nil {
			return misused(err)
		}
		end, err := asked.open(&p)
		if err != nil {
			return misused(err)
		}
		defer end()
	}
	if bad := points.wrong(&p, asked.trace); bad != "" {
		fmt.Fprintf(stderr, "%s: %s\n", p.Name, bad)
		return exitUsage
	}
	p.stderr, p.args = stderr, flags.Args()
	stdout, closeOutput, err := points.begin(&p, *n, stdout, stderr)
	var usage *UsageError
	switch {
	case errors.As(err, &usage):
		return misused(usage)
	case err != nil:
		fmt.Fprintln(stderr, err)
		return exitFault
	}
	once := Run
	if p.freeze != nil {
		once = frozen
	}
	begin := time.Now()
	counts, err := points.attempts(&p, *n, stderr, func() (*Stats, error) { return once(p, *n, stdin, stdout, body) })
	if cerr := closeOutput(); err == nil && cerr != nil {
		err = &Error{File: points.output, PE: -1, Msg: "cannot write standard output there: " + cerr.Error()}
	}
	if *stats && counts != nil {
		w := bufio.NewWriter(stderr)
		counts.Table(w)
		if p.freeze != nil {
			fmt.Fprintf(w, "PEs were held %d times\n", counts.Held)
		}
		w.Flush()
	}
	if *statsFile != "" && counts != nil {
		took := time.Since(begin)
		werr := outfile.Write(*statsFile, []string{statsWord}, func(w io.Writer) error { return counts.WriteJSON(w, p.Name, took, nil) })
		if err == nil {
			err = Written(*statsFile, "the statistics", werr)
		}
	}
	err = observed.end(counts, begin, stderr, err)
	defer observed.explain(stderr)
	if counts != nil && p.Elide != nil {
		if werr := elision.written(counts); werr != nil && err == nil {
			err = werr
		}
	}
	var stop *StopError
	var other *elsewhereError
	if p.process.machine != nil {
		p.process.failed = err != nil && !errors.As(err, &stop) && !errors.As(err, &usage)
	}
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &other):
		fmt.Fprintln(stderr, err)
		return other.status
	case errors.As(err, &usage):
		return misused(usage)
	case speculative(err) != nil:
		fmt.Fprintln(stderr, err)
		p.remember(speculative(err), stderr)
		return exitMisspeculation
	case errors.As(err, &stop):
		if err.Error() != "" {
			fmt.Fprintln(stderr, err) // with what others said before
		}
		return stop.Code & 0xff
	}
	fmt.Fprintln(stderr, err)
	return exitFault
}
