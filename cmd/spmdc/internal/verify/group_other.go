//go:build !unix

package verify

import "os/exec"

// apart makes cmd start in a process group of its own where there are such.
func apart(cmd *exec.Cmd) {}
