//go:build !unix

package driver

import (
	"io/fs"
	"os"
	"os/exec"
)

// ours is true where files have no owners.
func ours(fs.FileInfo) bool { return true }

// OwnGroup does nothing where there are no process groups.
func OwnGroup(*exec.Cmd) {}

func interruptGroup(cmd *exec.Cmd) error { return cmd.Process.Signal(os.Interrupt) }

// KillGroup does nothing here.
func KillGroup(*exec.Cmd) {}

// RunTied runs cmd.
func RunTied(cmd *exec.Cmd) error { return cmd.Run() }

// StartTied starts cmd; untie is to be called when it has ended.
func StartTied(cmd *exec.Cmd) (untie func(), err error) { return func() {}, cmd.Start() }
