package driver

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/bundle/bundletest"
)

// A bundle runs each of its programs, whatever the others call their functions.
func TestBundle(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Fatal(err)
	}
	bundletest.Runtime(t)
	mains := map[string][]byte{}
	for _, name := range []string{"one", "two"} {
		c := New(name+".hpf", []byte("program "+name+"\n  print *, '"+name+"'\nend program\n"), Options{})
		if err := Passes().Run(c, RunOptions{}); err != nil {
			t.Fatal(err)
		}
		mains[name] = c.Emitted()
	}
	program, err := Bundle(filepath.Join(t.TempDir(), "bundle"), mains, InProcess)
	if err != nil {
		t.Fatal(err)
	}
	var requests []byte
	for _, name := range []string{"two", "one"} {
		requests = binary.AppendUvarint(requests, 4)
		for _, w := range []string{name, "", "-n", "1"} {
			requests = append(binary.AppendUvarint(requests, uint64(len(w))), w...)
		}
	}
	cmd := exec.Command(program)
	cmd.Stdin = bytes.NewReader(requests)
	out, err := cmd.CombinedOutput()
	one, two := bytes.Index(out, []byte(" one\n")), bytes.Index(out, []byte(" two\n"))
	if err != nil || two < 0 || one < two {
		t.Errorf("%v: %q", err, out)
	}
	// With arguments the process is one of them.
	if out, err := exec.Command(program, "two", "-n", "2").CombinedOutput(); err != nil || string(out) != " two\n" {
		t.Errorf("two: %v: %q", err, out)
	}
	var exit *exec.ExitError
	if out, err := exec.Command(program, "three", "-n", "2").CombinedOutput(); !errors.As(err, &exit) || exit.ExitCode() != 2 || string(out) != "there is no program \"three\"\n" {
		t.Errorf("three: %v: %q", err, out)
	}
	mains["three"] = []byte("package main\n\nvar program, run = 1, 2\n")
	if _, err := Bundle(filepath.Join(t.TempDir(), "bundle"), mains, InProcess); err == nil || !strings.Contains(err.Error(), "the Go compiler refuses the emitted program") {
		t.Errorf("a bundle that is no Go program: %v", err)
	}
}
