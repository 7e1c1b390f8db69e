// Package verify runs programs under every synchronisation plan with all checks,
// and compares what they print: for one program of the user's, or for many random
// ones.
package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/fortranc"
	"github.com/spmdc/spmdc/dataflow/replay"
	"github.com/spmdc/spmdc/internal/compare"
)

// Outcome is how a program ended.
type Outcome struct {
	Stdout string
	Status int // -1: a signal ended it
	Stderr string
}

// stopped reports whether a status other than 0 comes from STOP or ERROR STOP.
// Images stop one by one: what others say behind them is an error.
func (o *Outcome) stopped() bool {
	if o.Status == 0 {
		return true
	}
	rest := o.Stderr
	for strings.HasPrefix(rest, "STOP") || strings.HasPrefix(rest, "ERROR STOP") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return rest != o.Stderr && (strings.TrimSpace(rest) == "" || strings.Contains(rest, "Error termination.")) // gfortran's, behind ERROR STOP
}

// signalled reports whether a signal ended the program.
func (o *Outcome) signalled() bool { return o.Status < 0 }

// Fault is what a run was found to have done wrong.
type Fault struct {
	Kind FaultKind
	Text string
}

// FaultKind is the sort of a fault.
type FaultKind uint8

const (
	Violation FaultKind = iota + 1 // a check, or the program, ended the run
	Wrong                          // another output, or another status
	Hang                           // no end
	Disagree                       // the replay finds what the run has not reported
)

func (k FaultKind) String() string {
	return [...]string{"", "violation", "wrong output", "hang", "missed by the checker"}[k]
}

func (f *Fault) Error() string { return f.Kind.String() + ": " + f.Text }

// ioDelay is how long what a program has written may take to arrive when it has
// ended: on a machine that has much else to do a second was too little.
const ioDelay = time.Minute

// execute runs a program with an input, for so long at most. A signal that ends ctx
// ends it, too.
func execute(ctx context.Context, limit time.Duration, input []byte, program string, args ...string) (*Outcome, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(within, program, args...)
	driver.OwnGroup(cmd)
	cmd.Stdin = bytes.NewReader(input)
	cmd.WaitDelay = ioDelay
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := driver.RunTied(cmd)
	var exit *exec.ExitError
	switch f := driver.InterruptedBy(ctx); {
	case f != nil:
		return nil, f
	case within.Err() != nil:
		return nil, &Fault{Hang, fmt.Sprintf("no end within %v", limit)}
	case err != nil && !errors.As(err, &exit):
		return nil, err
	}
	return &Outcome{stdout.String(), cmd.ProcessState.ExitCode(), stderr.String()}, nil
}

// Counts is what one run, on so many PEs, has done.
type Counts struct {
	Data      int // data messages
	Ready     int // ready messages
	Redundant int // of them: those without which the run would have been ordered
	Held      int // how often PEs were held in the freeze test
	Mutations
}

func (c *Counts) add(d Counts) {
	c.Data += d.Data
	c.Ready += d.Ready
	c.Redundant += d.Redundant
	c.Held += d.Held
	c.Mutations.add(d.Mutations)
}

// runner runs a check build with the given arguments, and returns what it recorded.
type runner func(input []byte, args ...string) (*Outcome, []byte, error)

// alone is a runner that starts a program as a process of its own.
func alone(ctx context.Context, dir string, limit time.Duration, program string) runner {
	return func(input []byte, args ...string) (*Outcome, []byte, error) {
		file, err := os.CreateTemp(dir, "trace")
		if err != nil {
			return nil, nil, err
		}
		file.Close()
		defer os.Remove(file.Name())
		got, err := execute(ctx, limit, input, program, append(args, "-record", file.Name())...)
		if err != nil {
			return nil, nil, err
		}
		text, err := os.ReadFile(file.Name())
		return got, text, err
	}
}

// trial is how one program is checked on n PEs.
type trial struct {
	run   runner
	input []byte
	n     int
	plain bool     // not a check build: nothing is recorded, and no PE held
	held  []int    // PEs that are held in the freeze test, one after the other; nil: all
	want  *Outcome // what the output is compared with, nil for nothing

	mutations int        // how many at most
	random    *rand.Rand // picks them
}

// check runs the check build with the freeze test, and replays what was recorded;
// then it runs mutations. The error is a *Fault if the program or its plan is to
// blame.
func (x *trial) check() (Counts, *Outcome, error) {
	c, got, t, err := x.whole()
	if err == nil && x.mutations > 0 && !x.plain {
		c.Mutations, err = mutate(x.run, x.input, x.n, t, x.mutations, x.random)
	}
	return c, got, err
}

// whole is check without mutations; it returns the record of the run too.
func (x *trial) whole() (Counts, *Outcome, *replay.Trace, error) {
	if x.plain {
		got, _, err := x.run(x.input, "-n", strconv.Itoa(x.n))
		if err == nil && !got.stopped() {
			err = &Fault{Violation, fmt.Sprintf("exit status %d: %s", got.Status, strings.TrimSpace(got.Stderr))}
		}
		if err == nil && x.want != nil {
			err = differs(x.want, got)
		}
		return Counts{}, got, nil, err
	}
	freeze := "-freeze"
	if x.held != nil {
		freeze += "=" + list(x.held)
	}
	got, text, err := x.run(x.input, "-n", strconv.Itoa(x.n), "-stats", freeze)
	if err != nil {
		return Counts{}, nil, nil, err
	}
	c, err := counts(got)
	if err != nil || !got.stopped() {
		return c, got, nil, &Fault{Violation, strings.TrimSpace(got.Stderr)}
	}
	t, err := replay.Read(bytes.NewReader(text))
	if err != nil {
		return c, got, nil, fmt.Errorf("the trace: %w", err)
	}
	found := t.Replay(replay.Options{})
	if !found.Complete {
		return c, got, nil, &Fault{Disagree, "something has arrived in the recorded run that nobody sent"}
	}
	if len(found.Unordered) > 0 {
		p := found.Unordered[0]
		return c, got, nil, &Fault{Disagree, fmt.Sprintf("in the recorded run nothing orders the put of #%d in epoch %d from PE %d to PE %d", p.Comm, p.Epoch, p.From, p.To)}
	}
	if c.Ready, c.Redundant = t.Redundant(); x.want == nil {
		return c, got, t, nil
	}
	return c, got, t, differs(x.want, got)
}

// differs is the fault of a program that does not end as it should, or nil.
func differs(want, got *Outcome) error {
	if err := same(want, got); err != nil {
		return &Fault{Wrong, err.Error()}
	}
	return nil
}

// same compares how a program ended with how it should.
func same(want, got *Outcome) error {
	if got.Status != want.Status {
		return fmt.Errorf("want exit status %d, got %d", want.Status, got.Status)
	}
	return compare.Outputs(want.Stdout, got.Stdout, compare.Default)
}

// list writes numbers with commas between.
func list(numbers []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ","), "[]")
}

// counts takes the table of statistics, which comes first, from standard error.
func counts(o *Outcome) (c Counts, err error) {
	before, after, ok := strings.Cut(o.Stderr, " times\n")
	at := strings.LastIndex(before, "PEs were held ")
	if !ok || at < 0 {
		return c, errors.New("no statistics")
	}
	c.Held, err = strconv.Atoi(before[at+len("PEs were held "):])
	m := totals.FindStringSubmatch(before[:at])
	if err != nil || m == nil {
		return c, errors.New("no statistics")
	}
	c.Data, err = strconv.Atoi(m[1])
	o.Stderr = after
	return c, err
}

// gfortran compiles sources with flags, and returns the program; ""
// if there is no gfortran.
func gfortran(sources []string, program string, flags ...string) (string, error) {
	err := fortranc.Compile("gfortran", sources, program, append(flags, "-ffp-contract=off", "-fwrapv", "-fcheck=all,no-array-temps")...)
	if errors.Is(err, fortranc.ErrMissing) {
		return "", nil
	}
	return program, err
}
