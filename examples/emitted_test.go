package examples_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// hermetic is an environment in which the go command finds neither network nor
// anything that was downloaded before.
func hermetic(t *testing.T) []string {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	return append(os.Environ(), "GOCACHE="+strings.TrimSpace(string(cache)), "GOPATH="+empty,
		"GOMODCACHE="+filepath.Join(empty, "mod"), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off")
}

// goIn runs the go command in a folder and returns what it prints.
func goIn(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	out, err := tryGo(dir, env, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func tryGo(dir string, env []string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), err
}

// TestEmittedModules: what compile writes builds with the Go toolchain alone,
// and gofmt and vet have nothing to say.
func TestEmittedModules(t *testing.T) {
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), e.name)
			spmdc(t, "compile", "-o", dir, e.source)
			env := hermetic(t)
			goIn(t, dir, env, "build", "-trimpath", "-o", "prog", ".")
			goIn(t, dir, env, "vet", ".")
			out, err := exec.Command("gofmt", "-l", filepath.Join(dir, "main.go")).CombinedOutput()
			if err != nil || len(out) > 0 {
				t.Errorf("gofmt -l: %v\n%s", err, out)
			}
		})
	}
}
