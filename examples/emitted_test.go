package examples_test

import (
	"bytes"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/bundle"
	"github.com/spmdc/spmdc/internal/bundle/bundletest"
	"github.com/spmdc/spmdc/internal/effort"
)

// emittedMains is main.go of each example, by its name.
func emittedMains(t *testing.T) map[string][]byte {
	t.Helper()
	mains := map[string][]byte{}
	for _, e := range examples(t) {
		text, err := shared.bundles.emitted(e.source, plans[0])
		if err != nil {
			t.Fatal(err)
		}
		mains[e.name] = text
	}
	return mains
}

// TestEmittedModules: gofmt and vet have nothing to say of what compile writes, and
// its module has all packages that it imports.
func TestEmittedModules(t *testing.T) {
	effort.Full(t, "vet of each example")
	t.Parallel()
	mains := emittedMains(t)
	dir := t.TempDir()
	if err := bundletest.Module(dir, mains); err != nil {
		t.Fatal(err)
	}
	args := []string{"vet", "-trimpath"}
	for name := range mains {
		args = append(args, "./"+name)
	}
	if out, err := bundletest.Go(dir, args...); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
	for _, e := range examples(t) {
		dir := filepath.Join(t.TempDir(), e.name)
		spmdc(t, "compile", "-o", dir, e.source)
		for name, want := range bundle.Split(mains[e.name]) {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(text, want) {
				t.Errorf("%s: compile writes another %s than explain shows", e.name, name)
			}
			if filepath.Ext(name) != ".go" {
				continue
			}
			if tidy, err := format.Source(text); err != nil || !bytes.Equal(text, tidy) {
				t.Errorf("%s: %v: gofmt would change %s", e.name, err, name)
			}
		}
		imported(t, dir, ".", map[string]bool{})
	}
}

// imported checks that the packages of the module which a folder of it imports, and
// those that they import, are there.
func imported(t *testing.T, module, folder string, seen map[string]bool) {
	t.Helper()
	if seen[folder] {
		return
	}
	seen[folder] = true
	files, err := filepath.Glob(filepath.Join(module, folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Errorf("%s has no package in %s: %v", module, folder, err)
	}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range tree.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if rest, ok := strings.CutPrefix(path, "github.com/spmdc/"); ok {
				imported(t, module, rest, seen)
			}
		}
	}
}

// TestEmittedAlone: such a module builds with the Go toolchain alone, with neither
// network nor anything that was downloaded before, and its program runs.
func TestEmittedAlone(t *testing.T) {
	t.Parallel()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	e := examples(t)[0]
	dir := filepath.Join(t.TempDir(), e.name)
	spmdc(t, "compile", "-o", dir, e.source)
	empty := t.TempDir()
	cmd := exec.Command("go", "build", "-trimpath", "-o", "prog", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOCACHE="+strings.TrimSpace(string(cache)), "GOPATH="+empty,
		"GOMODCACHE="+filepath.Join(empty, "mod"), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	e.check(t, file(filepath.Join(dir, "prog")), 3)
}
