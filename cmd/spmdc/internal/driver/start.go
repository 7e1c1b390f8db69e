package driver

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
)

// Stdio are the streams of a started program.
type Stdio struct {
	In       io.Reader
	Out, Err io.Writer
	Env      []string // what the environment has more
	// Watch runs beside the program until that has ended; nil: nothing does.
	Watch func(program *os.Process, ended <-chan struct{})
}

// Grouped makes a command interrupt what it has started itself, too, when its
// context ends it.
func Grouped(cmd *exec.Cmd) {
	OwnGroup(cmd)
	cmd.Cancel = func() error { return interruptGroup(cmd) }
}

// Start runs a built program to its end and returns its exit status, which is
// 128 plus the number of the signal for one that a signal ended. Signals that
// spmdc receives go on to the program, which decides what they mean; it does not
// outlive spmdc.
func Start(program string, args []string, io Stdio) (int, error) {
	end, err := start(program, args, io)
	return end.status, err
}

// ending is how a program has ended.
type ending struct {
	status   int
	signal   syscall.Signal // that ended it; 0: none did
	asked    os.Signal      // to spmdc, which has passed it on; nil: none
	finished bool           // it came to its end, or spmdc was to end it
}

// failure says what ended a program that is neither its own doing nor its user's; empty: nothing.
func (e ending) failure() string {
	if foreign[e.signal] {
		return fmt.Sprintf("was ended by a signal (%v)", e.signal)
	}
	return ""
}

// Supervise is Start for a program that takes checkpoints: as long as something ends it
// that is neither its own doing nor its user's, as the system does when memory is short,
// it is started again, up to so many times. again gives its arguments then, when so many
// bytes of its output have been written; an error says why it cannot be. note gets a
// line for each time.
func Supervise(program string, args []string, stdio Stdio, times int, again func(shown int64) ([]string, error), note io.Writer) (int, error) {
	return supervise(args, stdio, times, again, note, func(args []string, stdio Stdio) (int, string, error) {
		end, err := start(program, args, stdio)
		return end.status, end.failure(), err
	})
}

// supervise starts a program by run, which says in words by what it has failed, empty if it is not to be
// started again.
func supervise(args []string, stdio Stdio, times int, again func(shown int64) ([]string, error), note io.Writer, run func(args []string, stdio Stdio) (status int, failed string, err error)) (int, error) {
	out := &counted{w: stdio.Out}
	stdio.Out = out
	for n := 1; ; n++ {
		status, failed, err := run(args, stdio)
		if err != nil || n > times || failed == "" {
			return status, err
		}
		if args, err = again(out.n); err != nil {
			fmt.Fprintf(note, "spmdc: the program %s, and cannot be started again: %v\n", failed, err)
			return status, nil
		}
		fmt.Fprintf(note, "spmdc: the program %s: restart %d of at most %d\n", failed, n, times)
	}
}

// foreign are the signals that a program does not get by its user's wish.
var foreign = map[syscall.Signal]bool{
	syscall.SIGKILL: true, syscall.SIGSEGV: true, syscall.SIGBUS: true, syscall.SIGABRT: true, syscall.SIGILL: true, syscall.SIGFPE: true,
}

// counted counts what goes through.
type counted struct {
	w io.Writer
	n int64
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// StartForeign is Start of a command that may end without a word, as mpirun does when a signal ends it. A signal to spmdc
// is the error then, and of another status than 0 a line is written.
func StartForeign(command string, args []string, io Stdio) (int, error) {
	end, err := start(command, args, io)
	switch name := filepath.Base(command); {
	case err != nil:
	case end.asked != nil:
		err = interrupted(end.asked)
	case end.signal != 0:
		fmt.Fprintf(io.Err, "spmdc: %s was ended by a signal (%v)\n", name, end.signal)
	case end.status != 0:
		fmt.Fprintf(io.Err, "spmdc: %s ended with status %d\n", name, end.status)
	}
	return end.status, err
}

// start is Start that says more of the end.
func start(program string, args []string, io Stdio) (ending, error) {
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = io.In, io.Out, io.Err
	if len(io.Env) > 0 {
		cmd.Env = append(os.Environ(), io.Env...)
	}

	// Listening begins before the program does, so that no signal falls
	// between the two and ends spmdc alone.
	signals := make(chan os.Signal, 8)
	listen(signals)
	defer signal.Stop(signals)
	untie, err := StartTied(cmd)
	if err != nil {
		return ending{}, Usagef("try again; if it stays so, empty the build cache", "the program does not start: %v", err)
	}
	defer untie()
	done := make(chan struct{})
	defer close(done)
	var asked atomic.Pointer[os.Signal]
	go func() {
		for {
			select {
			case s := <-signals:
				asked.Store(&s)
				cmd.Process.Signal(s) // fails when it has just ended, which is fine
			case <-done:
				return
			}
		}
	}()
	if io.Watch != nil {
		go io.Watch(cmd.Process, done)
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return ending{}, Usagef("try again", "the program's streams failed: %v", err)
	}
	end := ending{status: cmd.ProcessState.ExitCode(), finished: asked.Load() != nil || cmd.ProcessState.Success()}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		end.status, end.signal = 128+int(ws.Signal()), ws.Signal()
	}
	if s := asked.Load(); s != nil {
		end.asked = *s
	}
	return end, nil
}
