// Package verify runs programs under every synchronisation plan with all checks,
// and compares what they print: for one program of the user's, or for many random
// ones.
package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spmdc/spmdc/dataflow/replay"
	"github.com/spmdc/spmdc/examples/compare"
)

// Outcome is how a program ended.
type Outcome struct {
	Stdout string
	Status int
	Stderr string
}

// stopped reports whether a status other than 0 comes from STOP or ERROR STOP.
func (o *Outcome) stopped() bool {
	return o.Status == 0 || strings.HasPrefix(o.Stderr, "STOP") || strings.HasPrefix(o.Stderr, "ERROR STOP")
}

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

// execute runs a program with an input, for so long at most.
func execute(limit time.Duration, input []byte, program string, args ...string) (*Outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin = bytes.NewReader(input)
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
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
}

func (c *Counts) add(d Counts) {
	c.Data += d.Data
	c.Ready += d.Ready
	c.Redundant += d.Redundant
	c.Held += d.Held
}

// check runs a check build on n PEs with the freeze test, and replays the trace. want
// is what the output is compared with, nil for nothing. The error is a *Fault if
// the program or its plan is to blame.
func check(dir string, limit time.Duration, input []byte, n int, want *Outcome, program string, args ...string) (Counts, *Outcome, error) {
	var c Counts
	file, err := os.CreateTemp(dir, "trace")
	if err != nil {
		return c, nil, err
	}
	file.Close()
	defer os.Remove(file.Name())
	args = append(args, "-n", strconv.Itoa(n), "-stats", "-freeze", "-trace", file.Name())
	got, err := execute(limit, input, program, args...)
	if err != nil {
		return c, nil, err
	}
	if c, err = counts(got); err != nil {
		return c, got, &Fault{Violation, strings.TrimSpace(got.Stderr)}
	}
	if !got.stopped() {
		return c, got, &Fault{Violation, strings.TrimSpace(got.Stderr)}
	}
	text, err := os.ReadFile(file.Name())
	if err != nil {
		return c, got, err
	}
	t, err := replay.Read(bytes.NewReader(text))
	if err != nil {
		return c, got, fmt.Errorf("the trace: %w", err)
	}
	if !t.Complete() {
		return c, got, &Fault{Disagree, "something has arrived in the recorded run that nobody sent"}
	}
	if bad := t.Unordered(replay.Options{}); len(bad) > 0 {
		p := bad[0]
		return c, got, &Fault{Disagree, fmt.Sprintf("in the recorded run nothing orders the put of #%d in epoch %d from PE %d to PE %d", p.Comm, p.Epoch, p.From, p.To)}
	}
	if c.Ready, c.Redundant = t.Redundant(); want == nil {
		return c, got, nil
	}
	if got.Status != want.Status {
		return c, got, &Fault{Wrong, fmt.Sprintf("want exit status %d, got %d", want.Status, got.Status)}
	}
	if err := compare.Outputs(want.Stdout, got.Stdout, compare.Default); err != nil {
		return c, got, &Fault{Wrong, err.Error()}
	}
	return c, got, nil
}

// counts takes the table of statistics, which comes first, from standard error.
func counts(o *Outcome) (c Counts, err error) {
	before, after, ok := strings.Cut(o.Stderr, " times\n")
	at := strings.LastIndex(before, "PEs were held ")
	if !ok || at < 0 {
		return c, errors.New("no statistics")
	}
	c.Held, err = strconv.Atoi(before[at+len("PEs were held "):])
	lines := strings.Split(strings.TrimSpace(before[:at]), "\n")
	f := strings.Fields(lines[len(lines)-1]) // times data ready bytes waits total, N PEs
	if err != nil || len(f) < 6 {
		return c, errors.New("no statistics")
	}
	c.Data, err = strconv.Atoi(f[1])
	o.Stderr = after
	return c, err
}

// gfortran compiles a source, and returns the program; "" if there is no gfortran.
func gfortran(source, program string) (string, error) {
	tool, err := exec.LookPath("gfortran")
	if err != nil {
		return "", nil
	}
	out, err := exec.Command(tool, "-x", "f95", "-ffree-form", "-O1", "-ffp-contract=off", "-fcheck=all,no-array-temps", "-J", filepath.Dir(program), "-o", program, source).CombinedOutput()
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n\n")
		return "", fmt.Errorf("gfortran does not compile %s: %w\n%s", filepath.Base(source), err, first)
	}
	return program, nil
}
