package driver

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// script makes an executable shell script.
func script(t *testing.T, text string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	path := filepath.Join(t.TempDir(), "prog")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestStartPassesThrough(t *testing.T) {
	prog := script(t, "read line; echo \"out $1 $line\"; echo err >&2; exit 7\n")
	var out, errs strings.Builder
	status, err := Start(prog, []string{"-x"}, Stdio{strings.NewReader("in\n"), &out, &errs})
	if err != nil || status != 7 || out.String() != "out -x in\n" || errs.String() != "err\n" {
		t.Errorf("status %d, error %v, stdout %q, stderr %q", status, err, out.String(), errs.String())
	}
}

func TestStartMissingProgram(t *testing.T) {
	_, err := Start(filepath.Join(t.TempDir(), "nope"), nil, Stdio{})
	var f *Failure
	if !errors.As(err, &f) || f.Status != StatusUsage {
		t.Errorf("error %v, want a usage error", err)
	}
}

// TestStartForwardsSignals sends an interrupt to this process while a program
// runs: the program decides what it means, and its death is the status.
func TestStartForwardsSignals(t *testing.T) {
	for _, test := range []struct {
		name, trap string
		status     int
	}{
		{"caught", "trap 'exit 9' INT", 9},
		{"ended by it", "", 128 + int(syscall.SIGINT)},
	} {
		t.Run(test.name, func(t *testing.T) {
			prog := script(t, test.trap+"\necho ready\nwhile :; do sleep 0.05; done\n")
			r, w := io.Pipe()
			go func() {
				line, _ := bufio.NewReader(r).ReadString('\n')
				if line == "ready\n" {
					self, _ := os.FindProcess(os.Getpid())
					self.Signal(os.Interrupt)
				}
				io.Copy(io.Discard, r)
			}()
			status, err := Start(prog, nil, Stdio{nil, w, io.Discard})
			w.Close()
			if err != nil || status != test.status {
				t.Errorf("status %d, error %v, want %d", status, err, test.status)
			}
		})
	}
}

func TestFindGo(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Fatal("the tests run under a Go toolchain that is not on PATH")
	}
	tool, err := findGo(false)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"GOVERSION", "GOARCH"} {
		if tool.env[name] == "" || !strings.Contains(tool.key(), name+"="+tool.env[name]) {
			t.Errorf("%s is not in the key:\n%s", name, tool.key())
		}
	}
	t.Setenv("PATH", t.TempDir())
	_, err = findGo(false)
	var f *Failure
	if !errors.As(err, &f) || f.Status != StatusUsage || !strings.Contains(f.Remedy, "https://go.dev/dl") {
		t.Errorf("without go on PATH: %v", err)
	}
}

func TestNewEnough(t *testing.T) {
	for version, want := range map[string]bool{
		"go1.26.8": true, "go1.26": true, "go1.25.3": false, "go1.27rc1": true, "go2.0": true,
		"devel go1.28-abcdef Mon": true, "devel": true,
	} {
		if got := newEnough(version); got != want {
			t.Errorf("newEnough(%q) = %v", version, got)
		}
	}
}

func TestGoBuildRefusalIsInternal(t *testing.T) {
	tool, err := findGo(false)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module p\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() { undefined() }\n")
	err = tool.build(dir, filepath.Join(dir, "out"), t.TempDir(), false)
	var f *Failure
	if !errors.As(err, &f) || f.Status != StatusInternal || !strings.Contains(f.Text, "undefined: undefined") {
		t.Errorf("error %v, want an internal error with the compiler's message", err)
	}
}

// A host tool builds for this machine whatever the environment says, and what
// it builds for is in its key.
func TestHostTool(t *testing.T) {
	t.Setenv("GOOS", "plan9")
	t.Setenv("GOARCH", "386")
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nope"))
	for host, want := range map[bool]string{true: runtime.GOOS + "/" + runtime.GOARCH, false: "plan9/386"} {
		tool, err := findGo(host)
		if err != nil {
			t.Fatal(err)
		}
		if got := tool.env["GOOS"] + "/" + tool.env["GOARCH"]; got != want {
			t.Errorf("host %v: builds for %s, want %s", host, got, want)
		}
	}
}

// An interrupted go command gets the time to end what it started; its files are
// in the folder that build was given for them.
func TestGoBuildInterrupted(t *testing.T) {
	tmp := t.TempDir()
	tool := &goTool{path: script(t, `trap 'echo > "$GOTMPDIR/ended"; exit 1' INT
echo > "$TMPDIR/started"
while :; do sleep 0.05; done
`)}
	go func() {
		for {
			if _, err := os.Stat(filepath.Join(tmp, "started")); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		self, _ := os.FindProcess(os.Getpid())
		self.Signal(os.Interrupt)
	}()
	err := tool.build(t.TempDir(), "out", tmp, false)
	var f *Failure
	if !errors.As(err, &f) || f.Status != StatusInterrupted {
		t.Errorf("error %v, want the failure of an interrupt", err)
	}
	if _, err := os.Stat(filepath.Join(tmp, "ended")); err != nil {
		t.Error("the go command was killed")
	}
}
