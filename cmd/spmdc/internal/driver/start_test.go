//go:build unix

package driver

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spmdc/spmdc/internal/effort"
)

// script makes an executable shell script.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "prog")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestStartPassesThrough(t *testing.T) {
	prog := script(t, "read line; echo \"out $1 $line\"; echo err >&2; exit 7\n")
	var out, errs strings.Builder
	status, err := Start(prog, []string{"-x"}, Stdio{In: strings.NewReader("in\n"), Out: &out, Err: &errs})
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
			status, err := Start(prog, nil, Stdio{Out: w, Err: io.Discard})
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
	err = tool.build(nil, dir, filepath.Join(dir, "out"), t.TempDir(), false)
	var f *Failure
	if !errors.As(err, &f) || f.Status != StatusInternal || !strings.Contains(f.Text, "undefined: undefined") {
		t.Errorf("error %v, want an internal error with the compiler's message", err)
	}
}

// TestGoSettings: the user's settings of the go command do not reach it, whatever they
// are, and a machine that there is not is the user's fault.
func TestGoSettings(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module p\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() {}\n")
	build := func() error {
		tool, err := findGo(false)
		if err != nil {
			return err
		}
		return tool.build(nil, dir, filepath.Join(dir, "out"), t.TempDir(), false)
	}
	cache := os.Getenv("GOCACHE")
	for _, bad := range []string{"GOCACHE=off", "GOCACHE=relative", "GOEXPERIMENT=nonsense", "GOROOT=/nowhere", "GOFIPS140=nonsense", "GOFLAGS=-nonsense",
		"GOENV=/nowhere", "GODEBUG=nonsense=1", "GOPATH=relative", "GOMODCACHE=relative", "GOTOOLCHAIN=nonsense", "GOWORK=/nowhere", "GOBIN=relative",
		"GO111MODULE=off", "GOINSECURE=[", "CGO_ENABLED=nonsense", "GOPROXY=nonsense", "GOTMPDIR=/nowhere"} {
		if !effort.Share(bad, 8) {
			continue
		}
		name, value, _ := strings.Cut(bad, "=")
		before, was := os.LookupEnv(name)
		t.Setenv(name, value)
		if err := build(); err != nil {
			t.Errorf("%s: %v", bad, err)
		}
		os.Unsetenv(name)
		if was {
			os.Setenv(name, before)
		}
	}
	if got := os.Getenv("GOCACHE"); got != cache {
		t.Fatalf("GOCACHE is %q, was %q", got, cache)
	}
	t.Setenv("GOARCH", "nonsense")
	var f *Failure
	if err := build(); !errors.As(err, &f) || f.Status != StatusUsage || !strings.Contains(f.Remedy, "GOARCH") {
		t.Errorf("GOARCH=nonsense: %v", err)
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

// A go command that a signal ends gets the time to end what it started; its files are
// in the folder that build was given for them. The status shows the signal.
func TestGoBuildInterrupted(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if signal.Ignored(sig) {
			continue // as under nohup
		}
		tmp := t.TempDir()
		tool := &goTool{path: script(t, `trap 'echo > "$GOTMPDIR/ended"; exit 1' INT
echo > "$TMPDIR/started"
while :; do sleep 0.05; done
`)}
		go func() {
			waitFor(filepath.Join(tmp, "started"))
			syscall.Kill(os.Getpid(), sig)
		}()
		err := tool.build(nil, t.TempDir(), "out", tmp, false)
		var f *Failure
		if !errors.As(err, &f) || f.Status != 128+int(sig) {
			t.Errorf("%v: error %v, want status %d", sig, err, 128+int(sig))
		}
		if _, err := os.Stat(filepath.Join(tmp, "ended")); err != nil {
			t.Errorf("%v: the go command was killed", sig)
		}
	}
}

// waitFor waits until a file is there, and returns what is in it.
func waitFor(path string) string {
	for range 1000 {
		if text, err := os.ReadFile(path); err == nil && strings.HasSuffix(string(text), "\n") {
			return strings.TrimSpace(string(text))
		}
		time.Sleep(10 * time.Millisecond)
	}
	return ""
}

// TestTied: when this process is killed, what it has started ends, in a group with all
// that that has started; what has ended before is not touched. The test starts itself
// as that process.
func TestTied(t *testing.T) {
	if dir := os.Getenv("SPMDC_TEST_TIED"); dir != "" {
		alone := exec.Command("/bin/sh", "-c", `echo $$ > "$0/alone"; exec sleep 100`, dir)
		group := exec.Command("/bin/sh", "-c", `sleep 100 & echo $! > "$0/below"; echo $$ > "$0/group"; wait`, dir)
		OwnGroup(group)
		for _, cmd := range []*exec.Cmd{alone, group} {
			if _, err := StartTied(cmd); err != nil {
				t.Fatal(err)
			}
		}
		if err := RunTied(exec.Command("/bin/sh", "-c", "exit 0")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		return
	}
	dir := t.TempDir()
	self := exec.Command(os.Args[0], "-test.run=^TestTied$")
	self.Env = append(os.Environ(), "SPMDC_TEST_TIED="+dir)
	if err := self.Start(); err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, name := range []string{"alone", "group", "below"} {
		pid, err := strconv.Atoi(waitFor(filepath.Join(dir, name)))
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	time.Sleep(100 * time.Millisecond) // until they are tied
	self.Process.Kill()
	self.Wait()
	for _, pid := range pids {
		for range 500 {
			if !running(pid) {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if running(pid) {
			t.Errorf("process %d goes on", pid)
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// running reports whether there is such a process, one that is dead and not waited for
// aside.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// Under nohup a hangup ends nothing.
func TestNohup(t *testing.T) {
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	ctx, stop := Interruptible()
	defer stop()
	syscall.Kill(os.Getpid(), syscall.SIGHUP)
	time.Sleep(50 * time.Millisecond)
	if f := InterruptedBy(ctx); f != nil {
		t.Errorf("%v", f)
	}
	syscall.Kill(os.Getpid(), syscall.SIGTERM)
	<-ctx.Done()
	if f := InterruptedBy(ctx); f == nil || f.Status != 143 {
		t.Errorf("%v, want status 143", f)
	}
}

// Passes end with the context of the table, however long they take.
func TestPassesInterrupted(t *testing.T) {
	ctx, stop := Interruptible()
	defer stop()
	block := make(chan struct{})
	defer close(block)
	table := &Table{Context: ctx, Passes: []Pass{{Name: "long", Run: func(*Compilation) error {
		syscall.Kill(os.Getpid(), syscall.SIGTERM)
		<-block
		return nil
	}}}}
	var f *Failure
	if err := table.Run(New("p.hpf", nil, Options{}), RunOptions{}); !errors.As(err, &f) || f.Status != 143 {
		t.Errorf("%v, want status 143", err)
	}
}
