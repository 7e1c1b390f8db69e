// Package shell executes commands of programs. Those that have none do without it: package
// os/exec would take a part of their start.
package shell

import (
	"errors"
	"io"
	"os"
	"os/exec"
)

// Run has /bin/sh execute a command with the standard input of the program. With
// wait it returns the exit status of the command, else 0 at once. An error says why the
// shell could not be started.
func Run(command string, wait bool, stdout, stderr io.Writer) (code int, err error) {
	c := exec.Command("/bin/sh", "-c", command)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, stdout, stderr
	if err := c.Start(); err != nil || !wait {
		return 0, err
	}
	var ended *exec.ExitError
	if err := c.Wait(); err != nil && !errors.As(err, &ended) {
		return 0, err
	}
	return c.ProcessState.ExitCode(), nil
}
