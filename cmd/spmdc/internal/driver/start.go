package driver

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// Stdio are the streams of a started program.
type Stdio struct {
	In       io.Reader
	Out, Err io.Writer
}

// Grouped makes a command interrupt what it has started itself, too, when its
// context ends it.
func Grouped(cmd *exec.Cmd) {
	ownGroup(cmd)
	cmd.Cancel = func() error { return interruptGroup(cmd) }
}

// Start runs a built program to its end and returns its exit status, which is
// 128 plus the number of the signal for one that a signal ended. Signals that
// spmdc receives go on to the program, which decides what they mean.
func Start(program string, args []string, io Stdio) (int, error) {
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = io.In, io.Out, io.Err

	// Listening begins before the program does, so that no signal falls
	// between the two and ends spmdc alone.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return 0, Usagef("try again; if it stays so, empty the build cache", "the program does not start: %v", err)
	}
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case s := <-signals:
				cmd.Process.Signal(s) // fails when it has just ended, which is fine
			case <-done:
				return
			}
		}
	}()
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, Usagef("try again", "the program's streams failed: %v", err)
	}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal()), nil
	}
	return cmd.ProcessState.ExitCode(), nil
}
