//go:build unix

package driver

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// ours reports whether a file belongs to this user.
func ours(st fs.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	return !ok || int(sys.Uid) == os.Geteuid()
}

// OwnGroup makes cmd start in a process group of its own, with all that it starts.
// Ctrl-C does not reach it.
func OwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interruptGroup interrupts cmd and what it has started.
func interruptGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }

// KillGroup ends what a command in a group of its own has started and left behind.
func KillGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// RunTied runs cmd, which does not outlive this process: whatever ends that, SIGKILL
// too, ends cmd, and its group if it has one of its own.
func RunTied(cmd *exec.Cmd) error {
	untie, err := StartTied(cmd)
	if err != nil {
		return err
	}
	defer untie()
	return cmd.Wait()
}

// StartTied starts cmd as RunTied does; untie is to be called when it has ended.
func StartTied(cmd *exec.Cmd) (untie func(), err error) {
	w := warden()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	id := cmd.Process.Pid
	if cmd.SysProcAttr != nil && cmd.SysProcAttr.Setpgid {
		id = -id
	}
	fmt.Fprintf(w, "+ %d\n", id)
	return func() { fmt.Fprintf(w, "- %d\n", id) }, nil
}

// wardenScript keeps the list of processes, and groups, that are to end with this
// process, and ends them when its input does. The system cannot do that for groups.
const wardenScript = `trap '' HUP INT QUIT TERM
all=
while read -r op id; do
	case $op in
	+) all="$all $id" ;;
	-)
		left=
		for x in $all; do [ "$x" = "$id" ] || left="$left $x"; done
		all=$left
		;;
	esac
done
for x in $all; do kill -s KILL -- "$x"; done`

// warden starts the process that executes wardenScript, once, and returns its input,
// which only this process has: it ends when this process does. Where there is no
// shell, processes are not tied.
var warden = sync.OnceValue(func() io.Writer {
	cmd := exec.Command("/bin/sh", "-c", wardenScript)
	OwnGroup(cmd)
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return io.Discard
	}
	go cmd.Wait()
	return in
})
