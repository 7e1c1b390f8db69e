//go:build unix

package verify

import (
	"os/exec"
	"syscall"
)

// apart makes cmd start in a process group of its own, which Ctrl-C does not reach.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
