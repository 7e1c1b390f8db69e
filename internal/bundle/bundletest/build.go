// Package bundletest builds bundles and modules of emitted programs in tests.
package bundletest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/spmdc/spmdc/internal/bundle"
	"github.com/spmdc/spmdc/internal/gcless"
	"github.com/spmdc/spmdc/runtime"
)

// Program is one of the programs of a bundle, to be run in a process of its own.
type Program struct {
	Path string // of the bundle
	Name string
}

// Command is how a test starts it.
func (p Program) Command(args ...string) *exec.Cmd {
	return p.CommandContext(context.Background(), args...)
}

// CommandContext is Command with an end.
func (p Program) CommandContext(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, p.Path, append([]string{p.Name}, args...)...)
}

// Build builds a bundle in the folder dir, which it makes, with the Go toolchain on
// PATH: for tests. The command, which tells its user what is wrong with the
// toolchain, has driver.Bundle. flags are more arguments of go build, such as -race.
func Build(dir string, mains map[string][]byte, flags ...string) (path string, err error) {
	return build(nil, dir, mains, flags...)
}

// BuildMPI is Build of a bundle whose programs mpirun starts, by the C compiler of an MPI.
func BuildMPI(dir, mpicc string, mains map[string][]byte) (path string, err error) {
	return build([]string{"CGO_ENABLED=1", "CC=" + mpicc}, dir, mains, "-tags=mpi")
}

func build(env []string, dir string, mains map[string][]byte, flags ...string) (path string, err error) {
	files, err := bundle.Files(mains, goVersion)
	if err != nil {
		return "", err
	}
	if err := write(dir, files); err != nil {
		return "", err
	}
	path = filepath.Join(dir, "bundle")
	if slices.Contains(flags, "-race") {
		env = append(env, "CGO_ENABLED=1") // the detector is linked in through cgo
	}
	args := slices.Concat([]string{"build", "-trimpath", "-o", path}, bundle.Flags, flags, []string{"."})
	if out, err := goWith(env, dir, args...); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}

// goVersion is what tests ask for in go.mod.
const goVersion = "1.26"

// Module writes a module with a main package for each program, by its name, beside
// the run-time packages, as spmdc compile does: for tests that need each program as
// the Go compiler sees it for a user.
func Module(dir string, mains map[string][]byte) error {
	files := bundle.Module("emitted", goVersion, runtime.Files())
	for name, text := range mains {
		for file, text := range bundle.Split(text) {
			files[name+"/"+file] = text
		}
	}
	return write(dir, files)
}

// Go runs the go command in a module and returns what it writes. It uses neither the
// network nor the user's settings. With -trimpath the run-time packages are compiled
// once for all modules.
func Go(dir string, args ...string) (output string, err error) { return goWith(nil, dir, args...) }

// Runtime compiles what emitted modules consist of besides their programs, the standard and the run-time packages, for Go's cache. Of
// several modules that are built at the same time each would compile them. Tests that build some by other means than this package call it
// ahead of that.
func Runtime(t testing.TB) {
	t.Helper()
	if err := compiled(); err != nil {
		t.Fatal(err)
	}
}

// compiled is what Runtime does, in one process after another.
var compiled = sync.OnceValue(func() error {
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "spmdc-runtime-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := Module(dir, nil); err != nil {
		return err
	}
	folder := strings.TrimSpace(string(cache))
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	unlock, err := lockedfile.MutexAt(filepath.Join(folder, "spmdc-tests.lock")).Lock()
	if err != nil {
		return err
	}
	defer unlock()
	if out, err := run(nil, dir, "build", "-trimpath", bundle.Path+"/runtime/..."); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
})

// goWith is Go with more in the environment.
func goWith(env []string, dir string, args ...string) (output string, err error) {
	if err := compiled(); err != nil {
		return "", err
	}
	return run(env, dir, args...)
}

func run(env []string, dir string, args ...string) (output string, err error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(slices.Concat(gcless.Toolchain, os.Environ()), "GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS=-mod=mod -buildvcs=false", "GOPROXY=off", "GO111MODULE=on", "CGO_ENABLED=0")
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// write writes files by paths in a folder.
func write(dir string, files map[string][]byte) error {
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, text, 0o666)); err != nil {
			return err
		}
	}
	return nil
}
