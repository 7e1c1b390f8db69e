package bundle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	files, err := Files(mains, "1.26")
	if err != nil {
		return "", err
	}
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, text, 0o666)); err != nil {
			return "", err
		}
	}
	path = filepath.Join(dir, "bundle")
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-o", path}, Flags...)
	cmd := exec.Command("go", append(append(args, flags...), ".")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off", "GO111MODULE=on")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}
